"""A rating is written, flushed to the disk, and only then acknowledged; what could not be written leaves no trace."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.workspace import Workspace
from tests.workspace.recordings import count, write_session

TURN = "a-0001"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=tmp_path / "ws")


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done to files, in order."""
    seen: list[str] = []
    for name in ("write", "fsync"):
        original = getattr(os, name)

        def noted(*args: Any, name: str = name, original: Any = original) -> Any:
            seen.append(name)
            return original(*args)

        monkeypatch.setattr(os, name, noted)
    return seen


def test_a_rating_is_written_then_flushed_then_acknowledged(ws: Workspace, steps: list[str]) -> None:
    ws.rate(TURN, "right", by="ana")
    steps.append("acknowledged")
    # The first also flushes the folder, which holds the name of the new file.
    assert steps == ["fsync", "write", "fsync", "acknowledged"]
    steps.clear()
    ws.rate(TURN, "wrong", by="ana")
    steps.append("acknowledged")
    assert steps == ["write", "fsync", "acknowledged"]


def test_all_workspaces_of_a_process_append_to_one_file(ws: Workspace, tmp_path: Path) -> None:
    for _ in range(3):
        anb.open(workspace=tmp_path / "ws").rate(TURN, "right", by="ana")
    ws.rate(TURN, "right", by="ana")
    assert count(ws, "ratings") == 4
    assert len(list((tmp_path / "ws" / "ratings").iterdir())) == 1


def test_a_write_in_pieces_is_completed(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:7]))
    ws.rate(TURN, "right", note="in pieces", by="ana")
    assert ws.turn(TURN).ratings[0].note == "in pieces"


@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_rating_that_could_not_be_written_is_refused_and_leaves_no_trace(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    ws.rate(TURN, "right", note="before", by="ana")
    write = os.write

    def refused(file: int, data: bytes = b"") -> int:
        if call == "write" and data:
            write(file, data[:10])
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        with pytest.raises(anb.WorkspaceError, match=r"The rating was not kept: .* and rate again") as caught:
            ws.rate(TURN, "wrong", note="refused", by="ana")
    assert caught.value.errno == number
    assert isinstance(caught.value, OSError)
    ws.rate(TURN, "wrong", note="after", by="ana")
    for seen in (ws, anb.open(workspace=tmp_path / "ws")):
        assert [rating.note for rating in seen.turn(TURN).ratings] == ["before", "after"]
    assert "refused" not in "".join(path.read_text() for path in (tmp_path / "ws" / "ratings").iterdir())


def test_a_rating_that_was_seen_and_then_taken_back_does_not_hide_the_next(ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = anb.open(workspace=tmp_path / "ws")

    def seen_then_refused(_: int) -> None:
        other.sql("from ratings").fetchall()
        raise OSError(errno.EIO, "Input/output error")

    ws.rate(TURN, "right", note="1", by="ana")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", seen_then_refused)
        with pytest.raises(anb.WorkspaceError):
            ws.rate(TURN, "wrong", note="2", by="ana")
    ws.rate(TURN, "wrong", note="3", by="ana")
    assert [rating.note for rating in other.turn(TURN).ratings] == ["1", "3"]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_in_a_folder_that_is_read_only_ratings_are_refused_and_everything_else_works(ws: Workspace, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    original = os.open

    def refused(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number))
        return original(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(anb.WorkspaceError, match="make room or rights") as caught:
        ws.rate(TURN, "right", by="ana")
    assert caught.value.errno == number
    assert count(ws, "turns") == 1
    assert count(ws, "ratings") == 0


def test_a_folder_of_ratings_that_was_removed_is_made_again(ws: Workspace, tmp_path: Path) -> None:
    ws.rate(TURN, "right", by="ana")
    shutil.rmtree(tmp_path / "ws" / "ratings")
    assert count(ws, "ratings") == 0
    # The file that this process had open is gone with the folder; a rating in it would be lost.
    ws.rate(TURN, "wrong", by="ana")
    assert [rating.verdict for rating in anb.open(workspace=tmp_path / "ws").turn(TURN).ratings] == ["wrong"]


def test_ratings_of_another_file_come_and_go_with_it(ws: Workspace, tmp_path: Path) -> None:
    ws.rate(TURN, "right", by="ana")
    (own,) = (tmp_path / "ws" / "ratings").iterdir()
    other = own.with_name("other-1-ab.jsonl")
    other.write_text(own.read_text().replace('"ana"', '"ben"').replace('"id":"', '"id":"b'))
    assert count(ws, "ratings") == 2
    other.write_text("")
    assert count(ws, "ratings") == 1
    other.unlink()
    assert [rating.rated_by for rating in ws.turn(TURN).ratings] == ["ana"]
