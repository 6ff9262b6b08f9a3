"""Rule hits of many turns, from columns to columns: the same as explaining each, in one pass."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.rules import CALL_COLUMNS, HIT_COLUMNS, PART_COLUMNS, PROMPTS, TURN_COLUMNS, Limits, explain_rules, hits_of_turns, runs_of_turn
from agentnb.values import Message, Rule, RuleHit, Turn
from agentnb.values.rules import Counting
from tests.rules import fault_kinds
from tests.rules.faults import Labelled, Maker, edit, labelled_runs, read

COUNTINGS: tuple[Counting, ...] = ("recorded", "counterfactual")
RUNS = [run for run in labelled_runs(each=2) if not run.made.options]

assert fault_kinds


def columns_of(turns: Iterable[Turn]) -> tuple[dict[str, list[Any]], dict[str, list[Any]], dict[str, list[Any]]]:
    """Return what the workspace would select from its tables."""
    turns = list(turns)
    calls = [call for turn in turns for call in turn.calls]
    parts = [part for turn in turns for message in turn.messages for part in message.parts if part.role in ("user", "assistant")]
    return (
        {name: [getattr(turn, name) for turn in turns] for name in TURN_COLUMNS},
        {name: [getattr(call, name) for call in calls] for name in CALL_COLUMNS},
        {name: [getattr(part, name) for part in parts] for name in PART_COLUMNS},
    )


def rows_of(turns: Iterable[Turn], **options: Any) -> list[dict[str, Any]]:
    hits = hits_of_turns(*columns_of(turns), **options)
    return [dict(zip(hits, row, strict=True)) for row in zip(*hits.values(), strict=True)]


def explained(turn: Turn, **options: Any) -> set[tuple[Any, ...]]:
    return {
        (run.agent_call_id, point.point_index, point.step_id, point.call_index, check.code, check.nudge, counting)
        for run in runs_of_turn(turn)
        for counting in COUNTINGS
        for point, check in explain_rules(turn, agent=run.agent_call_id, counting=counting, **options).hits
    }


def in_bulk(turns: Iterable[Turn], **options: Any) -> set[tuple[Any, ...]]:
    names = ("agent_call_id", "point_index", "step_id", "call_index", "rule", "nudge", "counting")
    return {tuple(row[name] for name in names) for row in rows_of(turns, **options)}


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run.kind}-{run.made.turn.turn_id}")
def test_a_hit_is_what_explain_shows_as_fired(run: Labelled) -> None:
    assert in_bulk([run.made.turn]) == explained(run.made.turn)


def test_all_of_them_at_once_are_the_same() -> None:
    turns = [run.made.turn.model_copy(update={"conversation_id": run.made.turn.turn_id}) for run in RUNS]
    assert in_bulk(turns) == {hit for turn in turns for hit in explained(turn)}


def test_limits_scrubbing_and_a_needed_delivery_are_options() -> None:
    options = {"limits": Limits(tool_calls=1), "scrub": True, "delivery_required": True}
    turns = [run.made.turn for run in labelled_runs(each=1)]
    for turn in turns:
        assert in_bulk([turn], **options) == explained(turn, **options)


STEPS = st.lists(st.sampled_from(("read", "edit", "again", "say", "nudge", "go", "empty", "fail")), max_size=14)


@settings(max_examples=120, derandomize=True, deadline=None)
@given(STEPS)
def test_any_turn_gives_the_same_both_ways(steps: list[str]) -> None:
    made = Maker("Fix it")
    for number, step in enumerate(steps):
        if step == "read":
            made.step(None, read(f"{number}.py"))
        elif step == "edit":
            made.step("I'll edit.", edit("a.py"))
        elif step == "again":
            made.step(None, read("a.py"), read("a.py"))
        elif step == "fail":
            made.step(None, {"name": "Bash", "input": {"command": "pytest"}, "exit_code": 1, "output": "1 failed"})
        elif step == "empty":
            made.say("")
        elif step == "say":
            made.say("I'll fix the rest now.", reason="length")
        else:
            index, said = len(made.messages), made.messages[0].parts[0]
            text = PROMPTS["no_action"] if step == "nudge" else "go"
            part = said.model_copy(update={"message_index": index, "text": text})
            made.messages.append(Message(message_index=index, role="user", parts=(part,)))
    turn = made.turn()
    assert in_bulk([turn]) == explained(turn)


def test_columns_are_those_of_the_value_and_ids_are_unique() -> None:
    turns = [run.made.turn for run in RUNS]
    rows = rows_of(turns)
    assert tuple(RuleHit.model_fields) == HIT_COLUMNS
    assert len({row["rule_hit_id"] for row in rows}) == len(rows)
    for row in rows:
        RuleHit(**row)
        assert json.loads(row["evidence"])["reason"]
    assert rows == rows_of(turns)


def test_nothing_gives_empty_columns() -> None:
    assert hits_of_turns(*columns_of([])) == {name: [] for name in HIT_COLUMNS}


def test_the_last_point_is_marked() -> None:
    rows = rows_of([Maker("Fix it").step(None, edit("a.py")).say("Done.").turn()], countings=("recorded",))
    assert [(row["rule"], row["last_point"]) for row in rows] == [("verify_before_done", True)]
    made = Maker("Look")
    for number in range(12):
        made.step(None, read(f"{number}.py"))
    rows = rows_of([made.say("All is well.").turn()], countings=("counterfactual",))
    assert [(row["rule"], row["last_point"]) for row in rows] == [("exploration", False)]


def test_a_turn_that_begins_with_a_nudge_goes_on_counting() -> None:
    first = Maker("Fix it").step(None, edit("a.py")).say("Done.").turn()
    second = Maker(PROMPTS["verify_before_done"]).say("Done.").turn()
    following = [renamed(second, "u").model_copy(update={"turn_index": 1})]
    rows = rows_of([first, *following], countings=("recorded",))
    assert [(row["turn_id"], row["rule"]) for row in rows] == [("t", "verify_before_done")]
    alone = rows_of([first, following[0].model_copy(update={"conversation_id": "other"})], countings=("recorded",))
    assert [row["turn_id"] for row in alone] == ["t"]


def renamed(turn: Turn, turn_id: str) -> Turn:
    """Give a turn an id of its own, in all that points to it."""

    def changed(value: Any) -> Any:
        held = {name: getattr(value, name, None) for name in ("turn_id", "call_id", "parent_call_id", "step_id", "agent_call_id")}
        return value.model_copy(update={name: turn_id if known == "t" else f"{turn_id}{known}" for name, known in held.items() if known})

    messages = tuple(message.model_copy(update={"parts": tuple(map(changed, message.parts))}) for message in turn.messages)
    return turn.model_copy(update={"turn_id": turn_id, "calls": tuple(map(changed, turn.calls)), "messages": messages})


def test_a_rule_that_needs_nothing_is_asked_at_every_point() -> None:
    asked: list[str] = []

    def check(ctx: Any) -> None:
        asked.append(ctx.phase)

    made = Maker("Look").step(None, read("a.py")).step(None, read("b.py")).say("Fine.").turn()
    rows_of([made], rules=[Rule(code="mine", phase="tools", check=check)], countings=("recorded",))
    assert asked == ["tools", "tools"]


def test_a_missing_column_is_named() -> None:
    turns, calls, parts = columns_of([Maker("Hi").say("Hello.").turn()])
    del calls["exit_code"]
    with pytest.raises(KeyError, match="exit_code"):
        hits_of_turns(turns, calls, parts)


def test_twice_the_calls_take_twice_the_work() -> None:
    """Counted in calls of functions, so that a busy machine changes nothing."""

    def work(steps: int) -> int:
        made = Maker("Look")
        for number in range(steps):
            made.step(f"Step {number}.", read(f"{number % 7}.py", f"{number} lines"), edit(f"{number}.py"))
        columns = columns_of([made.say("Done.").turn()])
        hits_of_turns(*columns)
        counted = 0

        def count(*_: Any) -> None:
            nonlocal counted
            counted += 1

        sys.setprofile(count)
        hits_of_turns(*columns)
        sys.setprofile(None)
        return counted

    one, two = work(300), work(600)
    assert one < two < 2.2 * one
