"""Binder: a clean clone, a fresh environment, no Node.js, and the first notebook runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

FIRST = "notebooks/01-first-look.ipynb"


def test_binder_installs_the_project_with_what_a_notebook_needs(root: Path) -> None:
    assert (root / "binder" / "requirements.txt").read_text().split() == [".[lab]"]
    assert (root / "binder" / "runtime.txt").read_text().strip() == "python-3.11"
    assert sorted(path.name for path in (root / "binder").iterdir()) == ["requirements.txt", "runtime.txt"]


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """A clean clone of what is committed."""
    if not (root / ".git").exists():
        pytest.skip("not a git checkout")
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", root, tmp_path / "clone"], check=True)
    return tmp_path / "clone"


@pytest.mark.fresh
def test_the_first_notebook_runs_from_a_clean_clone_without_node(clone: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    scripts = tmp_path / "env" / "bin"
    # As Binder does, with nothing on the path but the environment itself.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")} | {"PATH": str(scripts)}
    assert shutil.which("node", path=environment["PATH"]) is None
    run(clone, environment, scripts / "python", "-m", "pip", "install", "--quiet", "-r", "binder/requirements.txt")
    run(clone, environment, scripts / "python", "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", FIRST, "--output-dir", tmp_path / "out")
    assert (tmp_path / "out" / Path(FIRST).name).stat().st_size > 0


def run(folder: Path, environment: dict[str, str], *command: str | Path) -> None:
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
