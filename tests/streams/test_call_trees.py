"""The calls of a turn, from its events: who called whom, and which of them still mean something after a turn was resumed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.streams.call_trees import TreeCall, calls_of_events, find_calls, tree_text
from tests.conformance import CONFORMANCE
from tests.streams.records import damaged

VECTORS = CONFORMANCE / "conversations" / "trees.json"
TREES: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8")) if VECTORS.is_file() else []


def event(kind: str, call: str, parent: str | None = None, writer: int = 1, seq: int = 1, **keys: Any) -> dict[str, Any]:
    made = {"functai_event": 2, "kind": kind, "writer": writer, "seq": seq, "call": call, "function": call.rstrip("0123456789"), **keys}
    return {**made, "parent": parent, "program": {"module": "shop"}} if kind == "started" else made


RESUMED = [
    event("started", "support"),
    event("started", "topic1", "support"),
    event("done", "topic1"),
    event("started", "answer1", "support"),
    event("started", "topic2", "support", writer=2),
    event("done", "topic2", writer=2),
    event("started", "answer2", "support", writer=2),
]


@pytest.mark.recordings
@pytest.mark.parametrize("case", TREES, ids=lambda case: case["id"])
def test_a_tree_is_read_and_written_as_the_vectors_say(case: dict[str, Any]) -> None:
    calls = calls_of_events(case["events"], case["turn"])
    assert [{name: value for name, value in call._asdict().items() if name != "superseded"} for call in calls] == case["calls"]
    assert tree_text(calls, case["turn"]) == case["tree"]
    assert [call for call in calls if call.superseded] == []


@pytest.mark.recordings
def test_there_are_twelve_vectors_of_trees() -> None:
    assert len(TREES) == 12


def test_a_call_that_was_open_when_its_turn_was_resumed_is_marked_as_superseded() -> None:
    assert tree_text(calls_of_events(RESUMED, "support"), "support").splitlines() == [
        "support [running]",
        "├─ topic",
        "├─ answer [superseded]",
        "├─ topic",
        "└─ answer [running]",
    ]


def test_the_call_that_is_found_first_is_one_with_an_answer() -> None:
    ended = [*RESUMED, event("done", "answer2", writer=2)]
    assert [call.call for call in find_calls(calls_of_events(ended), "answer")] == ["answer2", "answer1"]
    assert [call.call for call in find_calls(calls_of_events(RESUMED), "answer")] == ["answer2", "answer1"]
    assert [call.call for call in find_calls(calls_of_events(RESUMED), "topic", module="shop")] == ["topic1", "topic2"]
    assert find_calls(calls_of_events(RESUMED), "topic", module="elsewhere") == []


def test_of_two_ends_the_first_counts_and_a_second_start_is_none() -> None:
    events = [event("started", "f"), event("failed", "f"), event("done", "f"), event("started", "f", "g")]
    assert calls_of_events(events) == [TreeCall("f", None, "f", None, "failed", "shop")]


def test_calls_that_name_each_other_as_parents_end_the_tree() -> None:
    calls = calls_of_events([event("started", "f", "h"), event("started", "g", "f"), event("started", "h", "g"), event("started", "i", "i")])
    assert tree_text(calls, "f").splitlines() == ["f [running]", "└─ g [running]", "   └─ h [running]"]


def test_a_tree_of_a_thousand_levels_is_written() -> None:
    calls = calls_of_events([event("started", f"f{n}", f"f{n - 1}" if n else None) for n in range(1000)])
    assert len(tree_text(calls, "f0").splitlines()) == 1000


@given(st.lists(damaged() | damaged().map(lambda made: {**made, "call": "a"} if isinstance(made, dict) else made), max_size=20))
def test_whatever_stands_in_events_a_tree_is_read(events: list[Any]) -> None:
    assert isinstance(tree_text(calls_of_events(events), "a"), str)
