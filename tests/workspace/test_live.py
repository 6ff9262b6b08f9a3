"""Live conversations in the tables: the same rows as what was recorded, read again only where something was appended."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import LiveConversation, LiveTurn
from agentnb.conversations.stores import MemoryStore, SqlStore, open_store
from agentnb.readers import LiveDatabase, LiveRecords
from agentnb.workspace import _live, open_live
from tests.conversations.scripted import EchoProvider, support, wants

WAIT = 20
MESSAGES = [{"role": "user", "content": "Where is my lamp?"}, {"role": "assistant", "content": "On its way."}]


@anb.program
def classify(message: str) -> str:
    """Name the department."""


@anb.module
def desk(message: str) -> str:
    """Answer a customer."""
    return f"{classify(message)} will write to you"


@anb.program(model=EchoProvider(lambda request: "both"))
def judge(candidates: list[Any]) -> str:
    """Choose."""


def refunds(request: Any) -> Any:
    return "Done." if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "7"}))


def opened(store: Any, name: str = "alex", answer: Callable[[Any], Any] = refunds) -> LiveConversation:
    return support.conversation(name, store=store, model=EchoProvider(answer))


def said(store: Any, *names: str) -> None:
    """Let one turn pass in each of some conversations."""
    for name in names:
        assert opened(store, name, lambda request: "hello").send("Hi").wait(WAIT).state == "done"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "agent.db"


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that is not running count as at rest at once."""
    monkeypatch.setattr(_live, "_SETTLES", 0)


def ids(turn: LiveTurn) -> list[str]:
    return [turn.conversation, turn.id, turn.id]


def test_a_database_is_opened_like_a_recording_and_its_ids_are_the_live_ones(database: Path) -> None:
    turn = opened(database).send("Refund 7").wait(WAIT)
    ws = anb.open(database)
    assert ws.sql("select conversation_id, turn_id from turns").fetchall() == [(turn.conversation, turn.id)]
    assert ws.sql("select state, prompt, answer from turns").fetchall() == [("waiting", "Refund 7", None)]
    assert ws.sql("select name, input, state from tool_calls").fetchall() == [("refund", '{"order":"7"}', "unanswered")]
    assert ws.sql("select answer from approvals").fetchall() == [(None,)]
    assert ws.sql("select format, records_read - records_kept - records_merged - records_skipped from sources").fetchall() == [("agentnb", 0)]
    assert ws.sql("from diagnostics").fetchall() == []
    assert [call.call_id for call in ws.turn(turn.id).calls if call.kind == "agent"] == [turn.id]


def test_what_goes_on_is_seen_by_the_next_query(database: Path) -> None:
    turn = opened(database).send("Refund 7").wait(WAIT)
    ws = anb.open(database)
    turn.approve(by="ana").wait(WAIT)
    assert ws.sql("select state, answer from turns").fetchall() == [("done", "Done.")]
    assert ws.sql("select answer, answered_by from approvals").fetchall() == [("yes", "ana")]
    said(database, "bea")
    assert ws.sql("select conversation_id from conversations order by 1").fetchall() == [("alex",), ("bea",)]


def test_a_conversation_is_read_again_only_when_something_was_appended(database: Path, monkeypatch: pytest.MonkeyPatch, settled: None) -> None:
    said(database, *(f"c{number}" for number in range(5)))
    read: list[str] = []
    whole = LiveDatabase.read

    def noted(database: LiveDatabase, name: str) -> LiveRecords:
        read.append(name)
        return whole(database, name)

    monkeypatch.setattr(LiveDatabase, "read", noted)
    ws = anb.open(database)
    assert sorted(read) == [f"c{number}" for number in range(5)]
    read.clear()
    assert ws.sql("select count(*) from turns").fetchall() == [(5,)]
    ws.refresh()
    assert read == []
    said(database, "c3")
    assert ws.refresh().sql("select count(*) from turns").fetchall() == [(6,)]
    assert read == ["c3"]


def test_a_running_turn_grows_row_by_row_and_is_interrupted_when_its_lease_runs_out(database: Path) -> None:
    gate = threading.Event()

    def slowly(request: Any) -> Any:
        if request.input[-1]["role"] == "tool":
            gate.wait(WAIT)
            return "Done."
        return wants(("refund", {"order": "7"}))

    chat = support.conversation("alex", store=database, model=EchoProvider(slowly), approve=None, lease_seconds=1.5)
    turn = chat.send("Refund 7")
    ws = anb.open(database)
    deadline = time.monotonic() + WAIT
    while ws.sql("select count(*) from tool_calls where state = 'done'").fetchall() == [(0,)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert ws.sql("select state, answer from turns").fetchall() == [("running", None)]
    gate.set()
    assert turn.wait(WAIT).state == "done"
    assert ws.sql("select state, answer from turns").fetchall() == [("done", "Done.")]
    copy = database.with_name("killed.db")
    _copy(database, copy)
    with sqlite3.connect(copy) as connection:
        connection.execute('delete from agentnb_records where record like \'%"kind":"ended"%\'')
    killed = anb.open(copy)
    while killed.sql("select state from turns").fetchall() != [("interrupted",)]:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _copy(source: Path, target: Path) -> None:
    with sqlite3.connect(source) as connection, sqlite3.connect(target) as other:
        connection.backup(other)


def test_a_folder_shows_its_own_conversations_and_keeps_their_rows_for_others(folder: Path, settled: None) -> None:
    ws = anb.read(MESSAGES, workspace=folder)
    turn = opened(ws).send("Refund 7").wait(WAIT)
    assert (folder / "records.sqlite").exists()
    assert ws.sql("select conversation_id from conversations where format = 'agentnb'").fetchall() == [("alex",)]
    again = anb.open(workspace=folder)
    assert again.turn(turn.id).state == "waiting"
    opened(again).turn(turn.id).deny(by="ana", reason="too dear").wait(WAIT)
    assert (ws.turn(turn.id).state, again.turn(turn.id).state) == ("done", "done")
    # The rows are in the folder: they stay when the database is gone.
    for path in folder.glob("records.sqlite*"):
        path.unlink()
    assert anb.open(workspace=folder).turn(turn.id).state == "done"


def test_a_workspace_in_memory_keeps_conversations_in_memory_and_saves_their_rows(folder: Path) -> None:
    ws = anb.read(MESSAGES)
    turn = opened(ws).send("Refund 7").wait(WAIT)
    assert isinstance(open_store(ws), MemoryStore)
    assert open_store(ws) is open_store(ws)
    assert ws.sql("select count(*) from conversations").fetchall() == [(2,)]
    ws.save(folder)
    assert ws.turn(turn.id).state == "waiting"
    assert anb.open(workspace=folder).turn(turn.id).state == "waiting"
    opened(ws, "bea", lambda request: "hello").send("Hi").wait(WAIT)
    assert (folder / "records.sqlite").exists()
    assert {row[0] for row in ws.sql("select conversation_id from conversations where format = 'agentnb'").fetchall()} == {"alex", "bea"}


def test_a_kept_database_is_followed_by_a_folder_that_is_opened_later(folder: Path, database: Path, settled: None) -> None:
    said(database, "alex")
    anb.open(database, workspace=folder)
    said(database, "alex", "bea")
    ws = anb.open(workspace=folder)
    assert ws.sql("select count(*) from turns").fetchall() == [(1,)]
    assert ws.refresh().sql("select count(*) from turns").fetchall() == [(3,)]


def test_ratings_of_live_calls_stay_with_them(folder: Path, database: Path, settled: None) -> None:
    chat = desk.conversation("dora", store=database, model=EchoProvider(lambda request: "shipping"))
    turn = chat.send("The invoice is wrong")
    ws = anb.open(database, workspace=folder)
    turn = turn.wait(WAIT)
    ws.rate(turn, "right", by="ana")
    ws.rate(turn.find(classify)[0], "wrong", answer="billing", by="ana")
    chat.send("And now?").wait(WAIT)
    assert ws.sql("select name, verdict from rated_calls order by name").fetchall() == [("classify", "wrong"), ("desk", "right")]
    assert ws.sql("select code from diagnostics").fetchall() == []
    assert [dict(row)["result"] for row in anb.rated(anb.open(workspace=folder), "classify")] == ["billing"]


def test_of_a_merged_turn_the_call_that_merged_is_rated(database: Path) -> None:
    chat = opened(database, answer=lambda request: "hello")
    first = chat.send("Hi").wait(WAIT)
    one, two = (chat.continue_from(first).send("And?").wait(WAIT) for _ in range(2))
    merged = chat.continue_from(first).merge(judge, [one, two])
    ws = anb.open(database)
    assert ws.rate(merged, "right", by="ana").call_id == (merged.made_by or {})["call"]
    assert ws.sql("select name, kind, state, output from calls where call_id = $1", [(merged.made_by or {})["call"]]).fetchall() == [
        ("judge", "agent", "done", '{"result":"both"}')
    ]
    assert ws.turn(merged.id).parent_turn_id == first.id


def test_two_databases_with_conversations_of_one_name_are_told_apart(tmp_path: Path) -> None:
    said(tmp_path / "one.db", "alex")
    said(tmp_path / "two.db", "alex")
    ws = anb.open([tmp_path / "one.db", tmp_path / "two.db"])
    assert ws.sql("select conversation_id from conversations order by 1").fetchall() == [("alex",), ("alex~agentnb",)]
    assert ws.sql("select code from diagnostics").fetchall() == [("equal_conversations",)]


def test_a_folder_of_files_may_hold_databases_and_what_sqlite_keeps_beside_them_is_passed_over(logs: Path) -> None:
    store = SqlStore(logs / "agent.db")
    said(store, "alex")
    assert (logs / "agent.db-wal").exists()
    with sqlite3.connect(logs / "other.db") as other:
        other.execute("create table songs (title)")
    ws = anb.open(logs)
    assert ws.sql("select count(*) from conversations where format = 'agentnb'").fetchall() == [(1,)]
    assert ws.sql("select parse_filename(path), state from sources where state <> 'read'").fetchall() == [("other.db", "binary")]


def test_a_database_that_somebody_holds_is_told_and_read_later(database: Path) -> None:
    said(database, "alex", "bea")
    held = database.with_name("held.db")
    _copy(database, held)
    holder = sqlite3.connect(held, isolation_level=None)
    holder.execute("pragma journal_mode = delete")
    ws = anb.open(held)
    holder.execute("begin exclusive")
    holder.execute("update agentnb_conversations set length = length + 1 where conversation = 'bea'")
    assert ws.sql("select count(*) from conversations").fetchall() == [(2,)]
    assert ws.sql("select severity, code from diagnostics").fetchall() == [("error", "live_unreadable")]
    holder.execute("rollback")
    holder.close()
    assert ws.sql("select count(*) from conversations").fetchall() == [(2,)]
    assert ws.sql("from diagnostics").fetchall() == []


@pytest.mark.parametrize("damage", ["cut", "zeros", "record"])
def test_a_damaged_database_never_raises(database: Path, damage: str) -> None:
    said(database, "alex", "bea")
    with sqlite3.connect(database) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        if damage == "record":
            connection.execute("update agentnb_records set record = '{\"kind\":' where conversation = 'bea' and seq = 2")
    if damage != "record":
        data = database.read_bytes()
        keep = 5000 if damage == "cut" else 100
        database.write_bytes(data[:keep] + (b"\0" * (len(data) - keep) if damage == "zeros" else b""))
    ws = anb.open(database)
    found = ws.sql("select code from diagnostics order by code").fetchall()
    if damage == "record":
        # The turn that the record began is not known, so all that is about it is left out, with the reason.
        assert found == [("no_record",), ("unknown_turn",), ("unknown_turn",), ("unknown_turn",)]
        assert ws.sql("select conversation_id from conversations").fetchall() == [("alex",)]
    else:
        assert found == [("live_unreadable",)]


def test_one_live_conversation_can_be_looked_at_without_its_neighbours(database: Path) -> None:
    said(database, "alex", "bea")
    ws = open_live(opened(database))
    assert ws.sql("select conversation_id from conversations").fetchall() == [("alex",)]
    said(database, "alex")
    assert ws.sql("select count(*) from turns").fetchall() == [(2,)]


def test_threads_may_ask_while_conversations_grow(database: Path) -> None:
    said(database, "alex")
    ws = anb.open(database)
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            for _ in range(15):
                counted = ws.sql("select (select count(*) from turns), (select count(distinct turn_id) from calls)").fetchall()[0]
                assert counted[0] == counted[1]
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    said(database, "alex", "bea", "alex")
    for thread in threads:
        thread.join()
    assert failures == []
