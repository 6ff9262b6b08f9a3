"""The account: of every file it is said what became of it, and that stays true when files change."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.readers import Group, Rows, read_group
from agentnb.render import plain_card, render_card
from agentnb.workspace import Workspace, _reading
from tests.workspace.recordings import count, ids, write_session


@pytest.fixture(params=["memory", "folder"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    return tmp_path / "ws" if request.param == "folder" else None


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_session(tmp_path / "logs" / "a.jsonl", "a")
    shutil.copy(tmp_path / "logs" / "a.jsonl", tmp_path / "logs" / "copy.jsonl")
    (tmp_path / "logs" / "empty.jsonl").write_text("")
    (tmp_path / "logs" / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "logs" / "notes.txt").write_text("just words\n")
    return tmp_path / "logs"


def states(ws: Workspace) -> dict[str, str]:
    return {Path(source.path).name: source.state for source in ws.account.sources}


ALL = {"a.jsonl": "read", "copy.jsonl": "duplicate", "empty.jsonl": "empty", "photo.png": "binary", "notes.txt": "unknown_format"}


def test_every_file_is_accounted_for_with_a_reason(logs: Path, place: Path | None) -> None:
    ws = anb.open(logs, workspace=place)
    assert states(ws) == ALL
    assert all(source.reason for source in ws.account.sources if source.state != "read")
    assert {Path(source.path).name for source in ws.account.not_read} == {"empty.jsonl", "photo.png", "notes.txt"}
    assert ws.account.adds_up
    assert {path.split("/")[-1] for path, _ in ws.card.not_read} == {"empty.jsonl", "photo.png", "notes.txt"}
    assert "photo.png" in render_card(ws.card)
    assert plain_card(ws.card).count("\n") == 0


def test_the_account_stays_and_does_not_grow(logs: Path, place: Path | None) -> None:
    ws = anb.open(logs, workspace=place)
    before, odd = ws.account, count(ws, "diagnostics")
    ws.refresh().refresh()
    ws.read([logs / "notes.txt", logs / "a.jsonl"])
    assert (ws.account, count(ws, "diagnostics")) == (before, odd)
    if place is not None:
        for again in (anb.open(workspace=place), anb.open(logs, workspace=place)):
            assert (again.account, count(again, "diagnostics")) == (before, odd)
        assert len(list((place / "tables").iterdir())) == 1


def test_files_that_are_read_at_another_time_keep_each_others_account(logs: Path, place: Path | None) -> None:
    ws = anb.open([logs / "empty.jsonl", logs / "notes.txt"], workspace=place)
    assert states(ws) == {"empty.jsonl": "empty", "notes.txt": "unknown_format"}
    ws.read([logs / "photo.png", logs / "a.jsonl"])
    assert states(ws) == {name: state for name, state in ALL.items() if name != "copy.jsonl"}


def test_a_file_that_becomes_readable_is_read(logs: Path, place: Path | None) -> None:
    ws = anb.open(logs, workspace=place)
    write_session(logs / "empty.jsonl", "late")
    write_session(logs / "notes.txt", "later")
    assert states(ws.refresh()) == ALL | {"empty.jsonl": "read", "notes.txt": "read"}
    assert count(ws, "conversations") == 3
    assert count(ws, "diagnostics where code in ('empty', 'unknown_format')") == 0


def test_a_copy_that_goes_its_own_way_is_read(logs: Path, place: Path | None) -> None:
    ws = anb.open(logs, workspace=place)
    write_session(logs / "copy.jsonl", "other")
    assert states(ws.refresh())["copy.jsonl"] == "read"
    assert count(ws, "conversations") == 2


def test_when_the_original_goes_its_own_way_the_copy_is_read(logs: Path, place: Path | None) -> None:
    ws = anb.open(logs, workspace=place)
    write_session(logs / "a.jsonl", "other")
    assert states(ws.refresh()) == ALL | {"copy.jsonl": "read"}
    assert {row[0] for row in ws.sql("from conversations select conversation_id").fetchall()} == {"a", "other"}


def test_one_of_a_group_that_becomes_something_else_leaves_the_others(tmp_path: Path, place: Path | None) -> None:
    write_session(tmp_path / "logs" / "main.jsonl", "main")
    agent = write_session(tmp_path / "logs" / "agent-a1.jsonl", "main", file="a1", sidechain=True)
    ws = anb.open(tmp_path / "logs", workspace=place)
    agent.write_bytes(bytes(100))
    ws.read([agent, tmp_path / "logs" / "main.jsonl"] if place else tmp_path / "logs")
    assert states(ws) == {"main.jsonl": "read", "agent-a1.jsonl": "binary"}
    assert ids(ws)["conversations"] == ["main"]


def refuse(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let every attempt to open a file fail, as for somebody without the right to."""
    original = Path.open

    def refused(path: Path, *args: Any, **words: Any) -> Any:
        if path.name == name:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return original(path, *args, **words)

    monkeypatch.setattr(Path, "open", refused)


def test_a_file_that_may_not_be_read_is_read_once_it_may(logs: Path, place: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    (logs / "copy.jsonl").unlink()
    with monkeypatch.context() as patch:
        refuse(patch, "a.jsonl")
        ws = anb.open(logs, workspace=place)
        ((state, reason),) = ws.sql("from sources select state, reason where path like '%a.jsonl'").fetchall()
        assert (state, reason) == ("unreadable", "Permission denied.")
        assert count(ws.refresh(), "sources") == 4
    assert states(ws.refresh())["a.jsonl"] == "read"
    assert count(ws, "sources") == 4


def test_what_was_read_stays_when_the_file_may_no_longer_be_read(logs: Path, place: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    (logs / "copy.jsonl").unlink()
    ws = anb.open(logs, workspace=place)
    write_session(logs / "a.jsonl", "a", turns=2)
    with monkeypatch.context() as patch:
        refuse(patch, "a.jsonl")
        assert count(ws.refresh(), "turns") == 1
    assert count(ws.refresh(), "turns") == 2


def test_a_file_that_vanishes_while_it_is_read_is_accounted_for_and_the_others_are_read(
    tmp_path: Path, place: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        write_session(tmp_path / "logs" / f"{name}.jsonl", name)
    gone = tmp_path / "logs" / "b.jsonl"

    def vanishing(group: Group, *rest: Any) -> Rows:
        if group.members[0].file.path == gone:
            gone.unlink(missing_ok=True)
        return read_group(group, *rest)

    monkeypatch.setattr(_reading, "read_group", vanishing)
    ws = anb.open(tmp_path / "logs", workspace=place)
    assert states(ws) == {"a.jsonl": "read", "b.jsonl": "unreadable", "c.jsonl": "read"}
    write_session(gone, "b")
    monkeypatch.undo()
    assert states(ws.refresh())["b.jsonl"] == "read"


def test_an_account_shows_itself_as_a_table_of_the_files_with_the_sum_above_it(data: Path) -> None:
    account = anb.open(data / "failing-test").account
    table = account.table
    assert table.title == "178 records read = 176 kept + 1 merged + 1 skipped"
    (row,) = table.rows
    assert row[1:] == ("claude_code", "read", 178, 176, 1, 1, '{"not_json":1}')
    assert len(table.types) == len(table.columns) == len(row)
