"""A workspace folder: its layout and version, what is read again and what is not, what became of damaged or missing things."""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import agentnb as anb
from agentnb.readers import Group, Rows, read_group
from agentnb.workspace import _reading
from tests.workspace.recordings import batches, count, ids, write_chat, write_session


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of the files of every group that is read."""
    seen: list[list[str]] = []

    def noted(group: Group, *rest: Any) -> Rows:
        seen.append(sorted(member.file.path.name for member in group.members))
        return read_group(group, *rest)

    monkeypatch.setattr(_reading, "read_group", noted)
    return seen


# layout and version


def test_the_folder_holds_tables_ratings_and_the_version_of_the_layout(logs: Path, folder: Path) -> None:
    ws = anb.open(logs, workspace=folder)
    ws.rate(ws.sql("from turns select turn_id limit 1").fetchall()[0][0], "right", by="ana")
    assert sorted(path.name for path in folder.iterdir()) == ["ratings", "tables", "version"]
    assert (folder / "version").read_text() == "1\n"
    (batch,) = batches(folder)
    tables = {path.name for path in batch.iterdir()}
    assert {"calls.parquet", "turns.parquet", "parts.parquet", "sources.parquet", "conversations.parquet"} <= tables
    (ratings,) = (folder / "ratings").iterdir()
    assert re.fullmatch(rf"[A-Za-z0-9]+-{os.getpid()}-[0-9a-f]+\.jsonl", ratings.name)


def test_duckdb_reads_the_folder_without_agentnb(logs: Path, folder: Path) -> None:
    anb.open(logs, workspace=folder).close()
    assert duckdb.read_parquet(f"{folder}/tables/*/turns.parquet").count("*").fetchall() == [(3,)]


def test_a_newer_layout_is_refused(folder: Path) -> None:
    anb.open(workspace=folder).close()
    (folder / "version").write_text("2\n")
    with pytest.raises(anb.WorkspaceVersionError, match="has layout 2; this agentnb knows layout 1"):
        anb.open(workspace=folder)


@pytest.mark.parametrize("text", [b"", b"one", b"0", b"-1", b"\xff\xfe", b"1.5", "²".encode()])
def test_a_version_that_is_no_version_is_refused(folder: Path, text: bytes) -> None:
    anb.open(workspace=folder).close()
    (folder / "version").write_bytes(text)
    with pytest.raises(anb.WorkspaceError, match="should hold a number"):
        anb.open(workspace=folder)


def test_a_folder_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("…")
    with pytest.raises(anb.WorkspaceError, match=r"is no workspace: it holds thesis\.tex"):
        anb.open(workspace=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("…")
    for place in ("notes", "notes/below"):
        with pytest.raises(anb.WorkspaceError, match="no folder"):
            anb.open(workspace=tmp_path / place)


def test_a_folder_may_have_any_name(logs: Path, tmp_path: Path) -> None:
    for name in ("with space", "wild*[1]?", "naïve ☕", "it's"):
        ws = anb.open(logs, workspace=tmp_path / name)
        assert count(ws, "turns") == count(anb.open(workspace=tmp_path / name), "turns") == 3


def test_opening_a_workspace_that_is_there_writes_nothing(logs: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anb.open(logs, workspace=folder).close()

    def refused(*_: Any, **__: Any) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    for name in ("mkdir", "rename", "replace", "rmdir", "unlink"):
        monkeypatch.setattr(os, name, refused)
    ws = anb.open(workspace=folder)
    assert count(ws, "turns") == 3
    assert anb.open(logs, workspace=folder).account.adds_up
    assert "turns" in repr(ws)


@pytest.mark.parametrize(
    ("call", "number", "words"),
    [
        ("mkdir", errno.EACCES, "Permission denied"),
        ("mkdir", errno.EROFS, "Read-only"),
        ("rename", errno.ENOSPC, "No space left"),
        ("rename", errno.EIO, "Input"),
    ],
)
def test_a_folder_that_cannot_be_written_is_named_with_the_reason(
    logs: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str, call: str
) -> None:
    ws = anb.open(logs / "one.jsonl", workspace=folder)

    def refused(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        with pytest.raises(anb.WorkspaceError, match=f"cannot be written: {words}") as caught:
            ws.read(logs / "two.jsonl")
    assert caught.value.errno == number
    assert count(ws, "turns") == 1
    assert [path for path in (folder / "tables").iterdir() if path.name.startswith(".")] == []
    assert count(ws.read(logs), "turns") == 3


def test_a_workspace_whose_folder_is_gone_says_so(logs: Path, folder: Path) -> None:
    ws = anb.open(logs, workspace=folder)
    shutil.rmtree(folder)
    with pytest.raises(anb.WorkspaceError, match="is gone or cannot be read"):
        ws.sql("from turns")


def test_files_of_the_workspace_are_not_read_as_recordings(logs: Path) -> None:
    ws = anb.open(logs, workspace=logs / "ws")
    ws.rate(ws.sql("from turns select turn_id limit 1").fetchall()[0][0], "right", by="ana")
    assert [source.path for source in ws.refresh().account.sources] == sorted(str(logs / f"{name}.jsonl") for name in ("one", "two", "three"))


# what is read again


def test_a_group_is_read_again_only_when_it_changed(logs: Path, folder: Path, reads: list[list[str]]) -> None:
    ws = anb.open(logs, workspace=folder)
    assert sorted(reads) == [["one.jsonl"], ["three.jsonl"], ["two.jsonl"]]
    reads.clear()
    ws.refresh()
    anb.open(logs, workspace=folder)
    anb.open(logs / "one.jsonl", workspace=folder)
    assert reads == []
    write_session(logs / "two.jsonl", "two", turns=3)
    assert count(ws.refresh(), "turns") == 5
    assert reads == [["two.jsonl"]]


def test_paths_may_be_given_in_any_way(logs: Path, folder: Path, reads: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(logs.parent)
    ws = anb.open("logs", workspace="triage")
    before = ids(ws)
    assert [source.path for source in ws.account.sources] == ["logs/one.jsonl", "logs/three.jsonl", "logs/two.jsonl"]
    reads.clear()
    ws.refresh()
    ws.read([logs, "logs/../logs/one.jsonl", "./logs"])
    monkeypatch.chdir(logs)
    ws.refresh()
    anb.open(["../logs"], workspace="../triage")
    assert reads == []
    assert ids(ws) == before
    assert count(ws, "turns") == 3


def test_the_same_words_from_two_working_folders_are_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("here", "there"):
        monkeypatch.chdir(write_session(tmp_path / place / "run.jsonl", place).parent)
        ws = anb.open("run.jsonl", workspace=tmp_path / "ws")
    assert sorted(source.path for source in ws.account.sources) == sorted(["run.jsonl", str(tmp_path / "there" / "run.jsonl")])
    assert count(ws, "turns") == 2
    assert len(set(ids(ws)["sources"])) == 2


def test_a_file_alone_is_read_with_those_that_it_belongs_to(tmp_path: Path, reads: list[list[str]]) -> None:
    main = write_session(tmp_path / "logs" / "main.jsonl", "main")
    agent = write_session(tmp_path / "logs" / "agent-a1.jsonl", "main", file="a1", sidechain=True)
    whole = ids(anb.open(tmp_path / "logs"))
    for order in ([main, agent], [agent, main]):
        folder = tmp_path / f"ws-{order[0].stem}"
        for path in order:
            ws = anb.open(path, workspace=folder)
        assert reads[-1] == ["agent-a1.jsonl", "main.jsonl"]
        assert {name: own for name, own in ids(ws).items() if name != "sources"} == {name: own for name, own in whole.items() if name != "sources"}
        reads.clear()
        anb.open(main, workspace=folder)
        assert reads == []
        write_session(main, "main", turns=2)
        assert count(anb.open(main, workspace=folder), "sources") == 2
        assert reads == [["agent-a1.jsonl", "main.jsonl"]]
        write_session(main, "main")
        reads.clear()


def test_a_copy_that_comes_later_is_noted_and_adds_no_rows(tmp_path: Path, folder: Path) -> None:
    for store in (None, folder):
        ws = anb.open(write_chat(tmp_path / "a.json", "hello", "hi"), workspace=store)
        before = ids(ws)["calls"]
        shutil.copy(tmp_path / "a.json", tmp_path / "b.json")
        ws.read(tmp_path / "b.json")
        assert ids(ws)["calls"] == before
        assert [source.state for source in ws.account.sources] == ["read", "duplicate"]


def test_what_was_in_a_file_that_is_gone_stays(logs: Path, folder: Path, reads: list[list[str]]) -> None:
    ws = anb.open(logs, workspace=folder)
    (logs / "one.jsonl").unlink()
    reads.clear()
    assert count(ws.refresh(), "turns") == 3
    assert count(anb.open(logs, workspace=folder), "turns") == 3
    assert reads == []


def test_refresh_sees_what_grew_what_is_new_and_what_others_did(logs: Path, folder: Path) -> None:
    ws = anb.open(logs, workspace=folder)
    other = anb.open(write_session(logs.parent / "elsewhere.jsonl", "elsewhere"), workspace=folder)
    (turn_id,) = other.sql("from turns select turn_id where conversation_id = 'one'").fetchall()[0]
    other.rate(turn_id, "wrong", by="ben")
    assert count(ws, "turns") == 4
    assert [rating.rated_by for rating in ws.turn(turn_id).ratings] == ["ben"]
    write_session(logs / "four.jsonl", "four")
    with (logs / "one.jsonl").open("a") as file:
        file.write("")
    write_session(logs / "one.jsonl", "one", turns=2)
    assert count(ws, "turns") == 4
    assert count(ws.refresh(), "turns") == 6
    assert count(other, "turns") == 6
    assert ws.turn(turn_id).ratings[0].counts


def test_ids_are_the_same_in_memory_in_a_folder_and_after_a_refresh(data: Path, folder: Path) -> None:
    paths = [path for path in sorted(data.iterdir()) if path.is_dir() and path.name not in ("make", "streams")]
    memory = ids(anb.open(paths))
    ws = anb.open(paths, workspace=folder)
    assert ids(ws) == memory
    for path in paths:
        for file in path.rglob("*.json*"):
            os.utime(file)
    # The files say that they changed, so they are read again; nothing may move.
    copy = anb.open(paths, workspace=folder.with_name("other"))
    assert ids(ws.refresh()) == ids(copy) == memory


def test_equal_conversations_keep_their_ids_when_a_file_comes_that_sorts_before(tmp_path: Path) -> None:
    ws = anb.open(write_chat(tmp_path / "logs" / "m.json", "hello", "hi", "more"), workspace=tmp_path / "ws").read(tmp_path / "logs")
    before = ids(ws)["turns"]
    write_chat(tmp_path / "logs" / "a.json", "hello", "hi", "less")
    assert set(before) < set(ids(ws.refresh())["turns"])
    texts = dict(ws.sql("from parts select turn_id, string_agg(text) group by turn_id").fetchall())
    assert any("more" in texts[turn_id] for turn_id in before)


def test_two_changes_within_one_tick_of_the_clock_are_both_seen(logs: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ws, other = anb.open(workspace=folder), anb.open(workspace=folder)
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    for number, name in enumerate(("one", "two", "three"), 1):
        other.read(logs / f"{name}.jsonl")
        os.utime(folder / "tables", ns=(now, now))
        assert count(ws, "turns") == number


def test_a_folder_that_is_quiet_is_not_listed_at_every_query(logs: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, later: Callable[[float], None]) -> None:
    ws = anb.open(logs, workspace=folder)
    later(10)
    ws.sql("from turns")

    def refused(path: Path) -> list[str]:
        raise AssertionError(f"{path} was listed")

    monkeypatch.setattr(os, "listdir", refused)
    for _ in range(5):
        assert count(ws, "turns") == 3
