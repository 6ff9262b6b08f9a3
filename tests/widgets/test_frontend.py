"""The front end keeps the rules that make it safe and repeatable."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

FRONTEND = Path(__file__).resolve().parents[2] / "agentnb" / "frontend"
STATIC = FRONTEND.parent / "static"
SOURCES = sorted((FRONTEND / "src").glob("*.ts"))


def test_html_is_parsed_in_one_place_and_nothing_asks_the_network() -> None:
    words = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTMLUnsafe|createContextualFragment")
    found = [(path.name, word) for path in SOURCES for word in words.findall(path.read_text("utf-8"))]
    assert found == [("dom.ts", "innerHTML")]
    network = re.compile(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|eval|Function|import)\s*\(")
    assert [(path.name, word) for path in SOURCES for word in network.findall(path.read_text("utf-8"))] == []


def test_the_lock_file_names_no_host_and_exact_versions() -> None:
    lock = (FRONTEND / "package-lock.json").read_text("utf-8")
    assert "http" not in re.sub(r'"url": "[^"]*"', "", lock)
    assert '"integrity": "sha512-' in lock
    package = (FRONTEND / "package.json").read_text("utf-8")
    assert re.findall(r'"(esbuild|typescript)": "\d+\.\d+\.\d+"', package) == ["esbuild", "typescript"]
    assert '"dependencies"' not in package


def test_the_committed_bundle_is_what_the_sources_build(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (FRONTEND / "node_modules" / "esbuild").is_dir():
        pytest.skip("the front end is not installed here: make frontend")
    copy = tmp_path / "agentnb" / "frontend"
    shutil.copytree(FRONTEND, copy, ignore=shutil.ignore_patterns("node_modules"))
    os.symlink(FRONTEND / "node_modules", copy / "node_modules")
    subprocess.run(["node", "build.mjs"], cwd=copy, check=True, capture_output=True)
    built = sorted(path.name for path in (tmp_path / "agentnb" / "static").iterdir())
    assert built == ["approvals.js", "calltree.js", "rater.js", "replay.js", "transcript.js", "upload.js"]
    assert filecmp.cmpfiles(tmp_path / "agentnb" / "static", STATIC, built, shallow=False)[1:] == ([], [])
