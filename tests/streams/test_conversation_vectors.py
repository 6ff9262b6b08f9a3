"""The records of conversations give the states that the published cases expect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from agentnb.streams.conversation_log import ConversationLog, NextTurn, Sends
from agentnb.values.times import micros_of
from tests.conformance import CONFORMANCE, cases_in

pytestmark = pytest.mark.recordings
VECTORS = CONFORMANCE / "conversations" / "conversation_states.json"
STATES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8")) if VECTORS.is_file() else []


def now_of(case: dict[str, Any]) -> int:
    now = micros_of(case["now"])
    assert now is not None
    return now


def told_next(answer: NextTurn, names: dict[str, str] | None = None) -> dict[str, Any]:
    """Say where a turn goes in the words of the cases."""
    named = {"waits": answer.waits, "refuses": answer.refuses}
    told = next(({word: value} for word, value in named.items() if value is not None), {"parent": answer.parent})
    return {word: names.get(value, value) if names and value is not None else value for word, value in told.items()}


def told(case: dict[str, Any]) -> dict[str, Any]:
    """Say what a log holds in the words of the vectors, which call turns by letters."""
    log = ConversationLog().read_all(case["records"])
    names = {turn: letter for letter, turn in case["ids"].items()}
    now, view = now_of(case), case.get("view", {"turn": None, "exact": False})
    turns = {names[turn.id]: turn for turn in log.turns.values()}
    head = log.view_head(case["ids"].get(view["turn"]), exact=view["exact"])
    found = {
        "states": {name: turn.state(now) for name, turn in turns.items()},
        "head": names.get(log.head or ""),
        "unanswered": {name: [each["invocation"] for each in turn.unanswered()] for name, turn in turns.items() if turn.unanswered()},
        "unfinished": {name: [f"{tool.site}:{tool.invocation}" for tool in turn.unfinished()] for name, turn in turns.items() if turn.unfinished()},
        "attempt": {name: turn.attempt for name, turn in turns.items()},
        "position": log.position,
        "next": {sends: told_next(log.next_parent(log.head, sends, now), names) for sends in get_args(Sends)},
        "branch": [names[turn] for turn in log.branch(head)],
        "request_ids": {request: names[turn] for request, turn in log.request_ids.items()},
        "view_head": names.get(head or ""),
    }
    return {word: found[word] for word in case["expect"]}


def test_there_are_sixty_two_vectors() -> None:
    assert len(STATES) == 62


@pytest.mark.parametrize("case", STATES, ids=lambda case: case["id"])
def test_a_log_tells_the_state_of_every_turn_and_where_the_next_one_goes(case: dict[str, Any]) -> None:
    assert told(case) == case["expect"]


@pytest.mark.parametrize("path", cases_in("conversations", "state"), ids=lambda path: path.stem)
def test_a_published_state_is_read_as_it_says(path: Path) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    log, now = ConversationLog(), now_of(case)
    assert [log.read(record) for record in case["records"]] == [None] * len(case["records"])
    asked = {turn.id: turn.unanswered() for turn in log.turns.values()}
    assert case["expect"] == {
        "states": {turn.id: turn.state(now) for turn in log.turns.values()},
        "head": log.head,
        "next": told_next(log.next_parent(log.head, "queue", now)),
        "waiting": {turn: [each["invocation"] for each in approvals] for turn, approvals in asked.items() if approvals},
        "unfinished": {turn.id: [tool.invocation for tool in turn.unfinished()] for turn in log.turns.values() if turn.unfinished()},
    }
