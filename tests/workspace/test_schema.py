"""Every table and view can be asked, says what it is, and gives numbers that can be found in another way."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.values import Approval, Call, Conversation, Part, ScriptRow, Turn
from agentnb.workspace import Workspace
from agentnb.workspace._contract import contract
from tests.workspace.recordings import workspace_of

NAMES = [*contract().tables, *contract().views]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def full(data: Path) -> Workspace:
    return anb.open([path for path in sorted(data.iterdir()) if path.is_dir() and path.name not in ("make", "streams")])


@pytest.fixture(scope="module")
def empty() -> Workspace:
    return workspace_of({})


def call(call_id: str, index: int, kind: str = "tool", **fields: Any) -> Call:
    known: dict[str, Any] = {"conversation_id": "c", "turn_id": "t", "parent_call_id": "t", "name": "Bash", "state": "done", "source_id": "s"}
    return Call.model_validate(known | {"call_id": call_id, "call_index": index, "kind": kind} | fields)


def small(*calls: Call, **more: Any) -> Workspace:
    conversation = Conversation(conversation_id="c", format="made", source_id="s")
    turn = Turn(turn_id="t", conversation_id="c", turn_index=3, seconds=7.5, source_id="s")
    own = call("t", 0, "agent", parent_call_id=None, name="agent")
    return workspace_of({"conversations": [conversation], "turns": [turn], "calls": [own, *calls], **more})


def rows(ws: Workspace, query: str) -> list[Any]:
    return ws.sql(query).fetchall()


@pytest.mark.parametrize("name", NAMES)
def test_every_table_and_view_can_be_asked_empty_and_full(name: str, full: Workspace, empty: Workspace) -> None:
    assert rows(empty, f"from {name}") == []
    assert len(rows(full, f"from {name}")) == rows(full, f"select count(*) from {name}")[0][0]
    assert [str(kind) for kind in full.sql(f"from {name}").types] == [str(kind) for kind in empty.sql(f"from {name}").types]


@pytest.mark.parametrize("name", NAMES)
def test_every_table_and_every_column_says_what_it_is(name: str, empty: Workspace) -> None:
    about = empty.columns(name).fetchall()
    assert [column for column, _, comment in about if not comment] == []
    assert contract().comments[name]


def test_a_comment_is_on_a_column_that_is_there(empty: Workspace) -> None:
    columns = {f"{name}.{column}" for name in NAMES for column, *_ in empty.columns(name).fetchall()}
    assert {name for name in contract().comments if "." in name} <= columns


def test_a_view_takes_over_only_comments_of_tables_that_it_shows(empty: Workspace) -> None:
    for view in contract().views:
        inherited = [column for column, *_ in empty.columns(view).fetchall() if f"{view}.{column}" not in contract().comments]
        for column in inherited:
            assert [name for name in contract().under(view) if f"{name}.{column}" in contract().comments], (view, column)


def test_no_count_is_wider_than_pandas_can_hold(empty: Workspace) -> None:
    wide = [(name, column) for name in NAMES for column, kind, _ in empty.columns(name).fetchall() if kind == "hugeint"]
    assert wide == []


def test_tables_are_listed_first_in_the_order_of_the_schema_then_views(empty: Workspace) -> None:
    listed = empty.tables().fetchall()
    assert [name for name, _, _ in listed] == NAMES
    assert [kind for _, kind, _ in listed] == ["table"] * len(contract().tables) + ["view"] * len(contract().views)
    assert all(about and not about.endswith(".") for _, _, about in listed)


def test_columns_are_listed_in_the_order_of_the_table(empty: Workspace) -> None:
    assert [name for name, _, _ in empty.columns("calls").fetchall()] == contract().tables["calls"].names
    assert dict((name, kind) for name, kind, _ in empty.columns("calls").fetchall())["started_at"] == "timestamp with time zone"
    with pytest.raises(anb.QueryError, match="no table or view 'cals'"):
        empty.columns("cals")


def test_what_holds_the_rows_is_not_among_the_tables_of_the_database(full: Workspace) -> None:
    assert {name for (name,) in rows(full, "show tables")} == set(NAMES)


def test_script_rows_have_the_fields_of_the_value(full: Workspace) -> None:
    assert full.sql("from script_rows").columns == list(ScriptRow.model_fields)
    found = full.sql("from script_rows").df().astype(object)
    assert len(found) > 10
    for record in found.where(found.notna(), None).to_dict("records"):
        ScriptRow.model_validate(record)


def test_a_step_has_its_place_within_its_agent_call() -> None:
    ws = small(
        call("m1", 1, "model", name="m"),
        call("sub", 2, "agent"),
        call("m2", 3, "model", parent_call_id="sub"),
        call("m3", 4, "model", name="m"),
        call("m4", 5, "model", parent_call_id="sub"),
    )
    assert rows(ws, "from steps select step_id, step_index order by all") == [("m1", 0), ("m2", 0), ("m3", 1), ("m4", 1)]


def test_totals_of_a_turn_count_each_kind_once_and_leave_unknown_tokens_null() -> None:
    ws = small(
        call("m1", 1, "model", input_tokens=10, output_tokens=2, cost=0.5),
        call("m2", 2, "model", input_tokens=7),
        call("a", 3, state="failed", failed=True),
        call("b", 4, state="denied"),
        call("c", 5, state="unanswered"),
        call("d", 6),
    )
    assert rows(ws, "from turn_totals") == [("t", "c", 3, 2, 4, 1, 1, 1, 17, 2, 0.5, 7.5)]
    assert rows(small(call("m", 1, "model")), "from turn_totals select input_tokens, cost") == [(None, None)]
    assert rows(ws, "from token_totals select model, steps, input_tokens, cached_tokens") == [("Bash", 2, 17, None)]


def test_a_repeated_call_is_the_same_tool_with_the_same_input_in_one_agent_call() -> None:
    ws = small(
        call("a", 1, input="{}", output="x"),
        call("b", 2, input="{}", output="x", failed=True, state="failed"),
        call("c", 3, input="{}", output="y", parent_call_id="other"),
        call("d", 4, input='{"n": 1}'),
        call("e", 5, input="{}", output="z", name="Read"),
    )
    assert rows(ws, "from repeated_calls select name, calls, failed_calls, outputs, first_call_id, last_call_id") == [("Bash", 2, 1, 1, "a", "b")]


def test_a_call_that_was_refused_twice_is_one_row_with_the_last_reason() -> None:
    asked = {"conversation_id": "c", "turn_id": "t", "call_id": "a", "answer": "no", "source_id": "s"}
    approvals = [Approval.model_validate(asked | {"reason": "too much", "answered_by": "ana", "answered_at": NOON.replace(hour=hour)}) for hour in (9, 8)]
    approvals[1] = approvals[1].model_copy(update={"reason": "not now"})
    ws = small(call("a", 1, state="denied"), call("b", 2, state="denied"), approvals=approvals)
    assert rows(ws, "from denied_calls select call_id, answered_by, reason order by all") == [("a", "ana", "too much"), ("b", None, None)]


def test_a_message_holds_its_texts_without_reasoning_and_without_empty_ones() -> None:
    part = {"conversation_id": "c", "turn_id": "t", "message_index": 0, "role": "assistant", "agent_call_id": "t", "source_id": "s"}
    texts = [("reasoning", "hm"), ("text", "one"), ("text", ""), ("text", "two")]
    parts = [Part.model_validate(part | {"part_index": index, "type": kind, "text": text}) for index, (kind, text) in enumerate(texts)]
    ws = small(parts=parts)
    assert rows(ws, "from messages select role, text, parts") == [("assistant", "one\n\ntwo", 4)]
    assert ws.turn("t").messages[0].text == "one\n\ntwo"


def test_arguments_of_any_shape_do_not_keep_the_programs_from_being_asked() -> None:
    odd = [
        '{"command": "\\ud800"}',
        "not json",
        '{"command": NaN}',
        '{"command": 5}',
        "[]",
        '"text"',
        '{"command": null}',
        "{}",
        "",
        "[" * 3000 + "]" * 3000,
        None,
    ]
    ws = small(*(call(f"odd-{index}", index, input=text) for index, text in enumerate(odd, 1)), call("fine", 99, input='{"command": "ls"}'))
    found = rows(ws, "from script_programs select call_id, argument, text order by call_id")
    assert found == [("fine", "command", "ls"), ("odd-1", "command", "\\ud800")]
    assert rows(ws, "from script_rows select call_id, dispatch order by dispatch") == [("odd-1", 1), ("fine", 2)]


def test_a_program_is_measured_in_bytes_and_lines() -> None:
    programs = {"": (0, 0), "ls": (2, 1), "ls\n": (3, 2), "a\nb": (3, 2), "ü\r\n": (4, 2)}
    ws = small(*(call(f"a{index}", index, input=json.dumps({"command": program})) for index, program in enumerate(programs, 1)))
    assert rows(ws, "from script_rows select bytes, lines order by dispatch") == list(programs.values())
    assert rows(ws, "from script_rows select distinct text") == [(None,)]


def test_a_program_ends_as_its_record_proves_and_no_better() -> None:
    ends: list[tuple[dict[str, Any], str]] = [
        ({"state": "unanswered"}, "submitted"),
        ({"state": "running"}, "submitted"),
        ({"state": "failed", "failed": True}, "failed"),
        ({"exit_code": 2}, "failed"),
        ({"exit_code": 0}, "completed"),
        ({}, "unreported"),
    ]
    ws = small(*(call(f"a{index}", index, input='{"command": "ls"}', **fields) for index, (fields, _) in enumerate(ends, 1)))
    assert rows(ws, "from script_rows select outcome order by dispatch") == [(outcome,) for _, outcome in ends]
    assert rows(ws, "from unsettled_scripts select dispatch order by all") == [(1,), (2,)]


def test_a_denied_call_is_no_script_and_does_not_count_in_the_order_of_dispatch() -> None:
    ws = small(
        *(call(name, index, input='{"command": "ls"}', state=state) for index, (name, state) in enumerate([("a", "done"), ("b", "denied"), ("c", "done")], 1))
    )
    assert rows(ws, "from script_rows select call_id, dispatch order by all") == [("a", 1), ("c", 2)]


def test_views_over_the_recordings_of_the_project_agree_with_the_values(full: Workspace) -> None:
    turns = [turn for (conversation_id,) in rows(full, "from conversations select conversation_id") for turn in full.conversation(conversation_id).turns]
    calls = [each for turn in turns for each in turn.calls]
    assert len(turns) == rows(full, "select count(*) from turns")[0][0] > 3
    totals = {
        row[0]: row[1:] for row in rows(full, "from turn_totals select turn_id, steps, tool_calls, failed_calls, unanswered_calls, input_tokens, output_tokens")
    }
    for turn in turns:
        tools = turn.tool_calls
        assert totals[turn.turn_id] == (
            sum(each.kind == "model" for each in turn.calls),
            len(tools),
            sum(each.failed for each in tools),
            sum(each.state == "unanswered" for each in tools),
            turn.usage.input_tokens,
            turn.usage.output_tokens,
        )
    assert {row[0] for row in rows(full, "from tool_errors select call_id")} == {each.call_id for each in calls if each.kind == "tool" and each.failed}
    assert {row[0] for row in rows(full, "from unanswered_calls select call_id")} == {
        each.call_id for each in calls if each.state == "unanswered" and each.kind == "tool"
    }
    same = Counter((each.turn_id, each.parent_call_id, each.name, each.input) for each in calls if each.kind == "tool")
    assert Counter(number for number in same.values() if number > 1) == Counter(row[0] for row in rows(full, "from repeated_calls select calls"))
    steps = {step.step_id: step.step_index for turn in turns for step in turn.steps}
    assert steps.items() <= dict(rows(full, "from steps select step_id, step_index")).items()
    # What stands before the first turn belongs to none.
    texts = {(turn.turn_id, message.message_index): message.text or None for turn in turns for message in turn.messages}
    assert texts == {row[:2]: row[2] for row in rows(full, "from messages select turn_id, message_index, text where turn_id <> ''")}


def test_the_account_of_the_recordings_of_the_project_adds_up(full: Workspace) -> None:
    assert full.account.adds_up
    assert full.account.records_read == rows(full, "from sources select sum(records_read)")[0][0]
