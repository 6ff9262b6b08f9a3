"""A progress bar comes for what takes more than a second, and nothing is imported for the rest."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.workspace import _progress
from agentnb.workspace._progress import Progress
from tests.workspace.recordings import write_session


class Bar:
    """Stands for a bar and notes what is done to it."""

    def __init__(self, *told: Any) -> None:
        self.told: list[Any] = [told]

    def update(self, count: int) -> None:
        self.told.append(count)

    def close(self) -> None:
        self.told.append("closed")


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    made: list[Bar] = []

    def bar(*told: Any) -> Bar:
        made.append(Bar(*told))
        return made[-1]

    monkeypatch.setattr(_progress, "_bar", bar)
    return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_what_is_done_within_a_second_shows_no_bar(bars: list[Bar], clock: list[float]) -> None:
    with Progress(100, "reading") as progress:
        for _ in range(10):
            clock[0] += 0.09
            progress.add(10)
    assert bars == []


def test_after_a_second_a_bar_shows_what_was_done_and_goes_away_at_the_end(bars: list[Bar], clock: list[float]) -> None:
    with Progress(100, "reading") as progress:
        progress.add(10)
        clock[0] += 1.5
        progress.add(20)
        progress.add(40)
    (bar,) = bars
    assert bar.told == [(100, 30, "reading", "B"), 40, "closed"]


def test_what_is_all_but_done_after_a_second_shows_no_bar(bars: list[Bar], clock: list[float]) -> None:
    with Progress(100, "reading") as progress:
        clock[0] += 5
        progress.add(100)
    assert bars == []


def test_a_bar_goes_away_when_something_fails(bars: list[Bar], clock: list[float]) -> None:
    with contextlib.suppress(OSError), Progress(100, "reading") as progress:
        clock[0] += 5
        progress.add(1)
        raise OSError("gone")
    assert bars[0].told[-1] == "closed"


def test_a_bar_can_be_drawn(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(100, "reading") as progress:
        clock[0] += 2
        progress.add(40)
        progress.add(40)
    assert "reading" in capsys.readouterr().err


def test_a_short_run_imports_no_bar_and_writes_nothing(root: Path, tmp_path: Path) -> None:
    path = write_session(tmp_path / "a.jsonl", "a")
    code = f"import sys, agentnb as anb; anb.open({str(path)!r}); print(*[name for name in ('tqdm', 'ipywidgets', 'IPython') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_a_conversation_of_many_turns_shows_a_bar_of_turns(bars: list[Bar], clock: list[float], data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = anb.open(data / "support-refund")
    (conversation_id, turns) = ws.sql("select conversation_id, count(*) from turns group by all order by 2 desc, 1 limit 1").fetchall()[0]
    add = Progress.add

    def slowly(progress: Progress, count: int) -> None:
        clock[0] += 0.6
        add(progress, count)

    monkeypatch.setattr(Progress, "add", slowly)
    assert len(ws.conversation(conversation_id).turns) == turns
    assert bars[0].told == [(turns, 2, "making values", " turns"), *[1] * (turns - 2), "closed"]
