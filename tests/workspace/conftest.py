"""What tests of the workspace share: three sessions, a folder for them, a clock that can be put forward."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workspace.recordings import write_session


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for name in ("one", "two", "three"):
        write_session(tmp_path / "logs" / f"{name}.jsonl", name)
    return tmp_path / "logs"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "triage"


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let time pass for the folder."""
    now = time.time_ns
    passed = [0.0]
    monkeypatch.setattr(time, "time_ns", lambda: now() + int(passed[0] * 1e9))
    return lambda seconds: passed.__setitem__(0, passed[0] + seconds)
