"""The questions about script rows, in SQL: each view gives what its sentence says."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from agentnb.scripts import rows_of_calls
from agentnb.values import ScriptRow
from agentnb.values.scripts import ScriptProgram
from agentnb.workspace._contract import contract

PLACE = "'v' as conversation_id, 't' as turn_id, 's' as source_id"
VIEWS = tuple(view for view in contract().views if {"script_rows", "script_programs"} & {*contract().under(view)})


def asked(view: str, *calls: dict[str, Any], columns: str = "*", update: str = "", answer: str = "") -> list[Any]:
    con = duckdb.connect()
    con.execute(contract().create_tables)
    con.execute(contract().create_views)
    given = [
        {"call_id": f"c{place}", "conversation_id": "v", "turn_id": "t", "name": "Bash", "input": json.dumps({"command": f"ls {place}"})} | call
        for place, call in enumerate(calls)
    ]
    made = rows_of_calls(given)
    for table, held in zip(("script_rows", "script_programs"), made, strict=True):
        con.register("held", pa.table(held))
        con.execute(f"insert into {table} by name select * from held")
    for place, call in enumerate(given):
        told = [call["call_id"], place, call.get("error")]
        con.execute(
            f"insert into calls by name select {PLACE}, $1 as call_id, $2 as call_index, 'tool' as kind, 'Bash' as name, false as failed, $3 as error", told
        )
    con.execute(f"insert into turns by name select {PLACE}, 0 as turn_index, $1 as answer", [answer])
    if update:
        con.execute(update)
    return con.sql(f"select {columns} from {view} order by all").fetchall()


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_asked_and_says_what_it_is(view: str) -> None:
    assert isinstance(asked(view, {"exit_code": 0}, {"exit_code": 1}, answer="```\nls 0\n```"), list)
    assert asked(view) == []
    assert contract().comments[view]


def test_the_tables_have_the_fields_of_their_values_and_their_words() -> None:
    for table, value in (("script_rows", ScriptRow), ("script_programs", ScriptProgram)):
        assert contract().tables[table].names == list(value.model_fields)
        comments = {name: contract().comments[f"{table}.{name}"] for name in value.model_fields}
        assert comments == {name: field.description for name, field in value.model_fields.items()}


def test_unsettled_programs_say_whether_they_run_or_wait_for_a_person() -> None:
    found = asked(
        "unsettled_scripts", {"state": "unanswered"}, {"state": "running"}, {"exit_code": 0}, columns="dispatch, running, waits_for_person",
        update=f"insert into approvals by name select {PLACE}, 'c0' as call_id",
    )  # fmt: skip
    assert found == [(1, False, True), (2, True, False)]


def test_failures_are_told_apart() -> None:
    calls: list[dict[str, Any]] = [
        {"exit_code": 2},
        {"name": "code_execution", "input": '{"code": "1"}', "failed": True},
        {"failed": True, "output": "OCI runtime exec failed"},
        {"failed": True, "output": "Command timed out after 1s"},
        {"exit_code": 0},
    ]
    found = asked("failed_scripts", *calls, columns="dispatch, failure, exit_code, cause")
    assert found == [(1, "exit_code", 2, None), (2, "service_error", None, None), (3, "raised", None, None), (4, "neither", None, "timeout")]


def test_a_silent_success_completed_and_was_never_seen() -> None:
    update = "update script_rows set result_withheld = 'over-ceiling' where dispatch in (1, 2)"
    assert asked("silent_scripts", {"exit_code": 0}, {"exit_code": 1}, {"exit_code": 0}, columns="dispatch", update=update) == [(1,)]


def test_rewritten_programs_and_reused_ids_are_found() -> None:
    update = "update script_rows set rewritten = true where dispatch = 2"
    assert asked("rewritten_scripts", {}, {}, columns="dispatch, text", update=update) == [(2, "ls 1")]
    assert asked("reused_script_ids", {"tool_call_id": "x"}, {"tool_call_id": "y"}, {"tool_call_id": "x"}, columns="tool_call_id, dispatch_numbers") == [
        ("x", [1, 3])
    ]


def test_attempts_are_counted_up_to_each_success() -> None:
    calls = [{"exit_code": code} for code in (1, 1, 0, 0, 1)]
    found = asked("script_attempts", *calls, columns="first_dispatch, last_dispatch, attempts, failed_attempts, succeeded")
    assert found == [(1, 3, 3, 2, True), (4, 4, 1, 0, True), (5, 5, 1, 1, False)]


def test_changes_tell_the_story_of_a_retry() -> None:
    found = asked(
        "script_changes", {"exit_code": 1}, {"exit_code": 0}, {"exit_code": 0}, columns="dispatch, previous_dispatch, previous_outcome, outcome, diff"
    )
    assert found == [(2, 1, "failed", "completed", "-ls 0\n+ls 1")]


def test_the_same_shape_written_again_is_one_row() -> None:
    calls = [{"input": json.dumps({"command": text})} for text in ("grep foo a.py", "grep bar b.py", "ls")]
    assert asked("repeated_script_shapes", *calls, columns="programs, different_programs, first_call_id, last_call_id") == [(2, 2, "c0", "c1")]


def test_code_of_the_answer_is_matched_with_what_ran() -> None:
    answer = "so:\n```bash\nls 1\n```\nand\n```\nnever\n```"
    assert asked("answer_code", {}, {}, columns="code, dispatch, verdict", answer=answer) == [("ls 1", 2, "matched"), ("never", None, "no-matching-script")]


def test_blocked_programs_the_last_good_one_and_missing_texts_are_found() -> None:
    assert asked("blocked_scripts", {"state": "denied"}, {}, columns="call_id, blocked, text") == [("c0", "denied", "ls 0")]
    assert asked("last_good_scripts", {"exit_code": 0}, {"exit_code": 0}, {"exit_code": 1}, columns="call_id, dispatch, completed") == [("c1", 2, 2)]
    assert asked("script_texts", {}, columns="text, missing_because", update="delete from script_programs") == [(None, "its turn has ended")]


def test_what_is_handed_on_holds_no_program() -> None:
    assert "ls 0" not in str(asked("scripts", {}))
