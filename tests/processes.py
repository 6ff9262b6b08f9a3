"""Python in processes of its own, with agentnb at hand."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def start(root: Path, code: str, *args: object) -> subprocess.Popen[str]:
    """Run Python with agentnb at hand; `sys.argv` holds the arguments."""
    lines = ["import os, resource, sys, warnings", "import agentnb as anb", code]
    command = [sys.executable, "-W", "error", "-c", "\n".join(lines), *map(str, args)]
    return subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    """Wait for processes, none of which may fail or warn, and return what they printed."""
    done = [process.communicate(timeout=120) for process in processes]
    assert [(process.returncode, error) for process, (_, error) in zip(processes, done, strict=True)] == [(0, "")] * len(processes)
    return [out for out, _ in done]
