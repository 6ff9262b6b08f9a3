"""ws.save: everything is kept, whatever is in the folder already, and a failure leaves the workspace as it was."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.workspace import Workspace
from agentnb.workspace._columns import to_table
from agentnb.workspace._stores import MemoryStore
from tests.workspace.recordings import count, ids, write_session

TURN = "a-0001"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    write_session(tmp_path / "logs" / "a.jsonl", "a")
    write_session(tmp_path / "logs" / "b.jsonl", "b")
    (tmp_path / "logs" / "empty.jsonl").write_text("")
    ws = anb.open(tmp_path / "logs")
    ws.rate(TURN, "right", by="ana")
    ws.rate(TURN, "wrong", answer={"a": None}, note="☕", by="ben")
    return ws


def test_everything_is_kept_and_the_workspace_goes_on_in_the_folder(ws: Workspace, tmp_path: Path) -> None:
    before, ratings, account = ids(ws), ws.turn(TURN).ratings, ws.account
    relation = ws.sql("select count(*) from ratings")
    assert ws.save(tmp_path / "ws") is ws
    assert (ws.folder, ws.name) == (tmp_path / "ws", "ws")
    for seen in (ws, anb.open(workspace=tmp_path / "ws")):
        assert ids(seen) == before
        assert seen.turn(TURN).ratings == ratings
        assert seen.account == account
    ws.rate(TURN, "wrong", by="ana")
    assert relation.fetchall() == [(3,)]
    assert count(anb.open(workspace=tmp_path / "ws"), "ratings") == 3
    write_session(tmp_path / "logs" / "a.jsonl", "a", turns=2)
    assert count(ws.refresh(), "turns") == 3


def test_saving_twice_adds_nothing(ws: Workspace, tmp_path: Path) -> None:
    ws.save(tmp_path / "ws").save(tmp_path / "ws").save(f"{tmp_path}/x/../ws/")
    again = anb.open(tmp_path / "logs").save(tmp_path / "ws")
    assert count(again, "sources") == 3
    assert count(again, "ratings") == 2
    assert len(list((tmp_path / "ws" / "tables").iterdir())) == 1


def test_saving_into_a_workspace_adds_to_it(ws: Workspace, tmp_path: Path) -> None:
    other = anb.open(write_session(tmp_path / "c.jsonl", "c"), workspace=tmp_path / "ws")
    other.rate("c-0001", "right", by="ana")
    ws.save(tmp_path / "ws")
    assert [row[0] for row in other.sql("from conversations select conversation_id order by all").fetchall()] == ["a", "b", "c"]
    assert count(other, "ratings") == 3
    copy = ws.save(tmp_path / "second")
    assert (ids(copy), count(copy, "ratings")) == (ids(other), 3)


def test_what_the_folder_knows_better_stays(ws: Workspace, tmp_path: Path) -> None:
    write_session(tmp_path / "logs" / "a.jsonl", "a", turns=3)
    later = anb.open(tmp_path / "logs", workspace=tmp_path / "ws")
    ws.save(tmp_path / "ws")
    assert count(later, "turns") == count(ws, "turns") == 4


def test_tables_that_come_from_no_file_are_saved_too(ws: Workspace, tmp_path: Path) -> None:
    store = MemoryStore()
    store.add((), {"turns": to_table("turns", [ws.turn(TURN)])})
    assert count(Workspace(store).save(tmp_path / "ws"), "turns") == count(anb.open(workspace=tmp_path / "ws"), "turns") == 1


@pytest.mark.parametrize("call", ["mkdir", "rename", "write", "fsync"])
def test_a_save_that_fails_leaves_the_workspace_as_it_was(ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    before = ids(ws)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(anb.WorkspaceError, match="No space left"):
            ws.save(tmp_path / "ws")
    assert ws.folder is None
    assert (ids(ws), count(ws, "ratings"), ws.card.ratings_unsaved) == (before, 2, True)
    ws.save(tmp_path / "ws")
    assert (ids(ws), count(ws, "ratings"), ws.card.ratings_unsaved) == (before, 2, False)


def test_a_folder_of_something_else_is_refused(ws: Workspace, tmp_path: Path) -> None:
    with pytest.raises(anb.WorkspaceError, match="is no workspace"):
        ws.save(tmp_path / "logs")
    assert ws.folder is None
