"""Following the events of a call tree: what comes twice, late, or from somebody who took over; and what the calls have said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.streams.call_events import Follower, Position, ReplayState, is_end, position_of
from tests.streams.records import damaged


def event(seq: int, after: tuple[int, int] | None = None, writer: int = 1, **keys: Any) -> dict[str, Any]:
    linked = None if after is None else {"writer": after[0], "seq": after[1]}
    return {"functai_event": 2, "kind": "text", "tree": "a", "call": "a", "writer": writer, "seq": seq, "after": linked, **keys}


FIRST, SECOND, THIRD = event(1), event(2, (1, 1)), event(5, (1, 2))
HELD = [Position(1, 1), Position(1, 2), Position(1, 5)]
FOLLOWED: dict[str, tuple[Any, str, list[Position]]] = {
    "the next one": (event(6, (1, 5)), "take", [*HELD, Position(1, 6)]),
    "the last one again": (THIRD, "duplicate", HELD),
    "an earlier one again": (FIRST, "duplicate", HELD),
    "one that comes after what is not there": (event(9, (1, 8)), "loss", HELD),
    "one of the same writer that goes back": (event(9, (1, 2)), "loss", HELD),
    "a new writer that goes on": (event(1, (1, 5), writer=2), "take", [*HELD, Position(2, 1)]),
    "a new writer that goes back": (event(1, (1, 1), writer=2), "rewind", [HELD[0], Position(2, 1)]),
    "a new writer that begins again": (event(1, writer=2), "rewind", [Position(2, 1)]),
    "a new writer after what is not there": (event(1, (1, 4), writer=3), "loss", HELD),
    "a format that is not known": ({**event(6, (1, 5)), "functai_event": 3}, "unknown", HELD),
    "one without a place": ({"functai_event": 2, "kind": "text"}, "unknown", HELD),
    "one that does not say what it comes after": (event(6) | {"after": {"seq": 5}}, "loss", HELD),
    "nothing": (None, "unknown", HELD),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_follower_knows_what_to_do_with_an_event(name: str) -> None:
    follower = Follower()
    assert [follower.read(each) for each in (FIRST, SECOND, THIRD)] == ["take", "take", "take"]
    news, news_is, held = FOLLOWED[name]
    assert follower.read(news) == news_is
    assert [position_of(each) for each in follower.events] == held
    assert follower.last == held[-1]


def test_what_an_older_writer_says_after_it_was_overtaken_is_stale() -> None:
    follower = Follower()
    assert [follower.read(each) for each in (FIRST, event(1, (1, 1), writer=2), event(2, (1, 1)))] == ["take", "take", "stale"]


def test_a_follower_that_missed_the_first_event_reads_again() -> None:
    assert Follower().read(SECOND) == "loss"


@given(st.lists(damaged() | st.builds(event, st.integers(-1, 4), st.none() | st.tuples(st.integers(0, 2), st.integers(0, 4)), st.integers(0, 3)), max_size=20))
def test_what_a_follower_holds_is_always_one_chain(events: list[Any]) -> None:
    follower = Follower()
    for each in events:
        follower.read(each)
    held = follower.events
    assert [each["after"] for each in held[:1]] in ([], [None])
    assert [each["after"] for each in held[1:]] == [{"writer": before["writer"], "seq": before["seq"]} for before in held[:-1]]


def test_a_field_holds_what_was_said_since_the_latest_request() -> None:
    said = [("request", None), ("text", "Hel"), ("retry", None), ("request", None), ("text", "Hello"), ("text", "!"), ("thinking", "hm"), ("done", None)]
    state = ReplayState().read_all([event(n, kind=kind, field="result", text=text) for n, (kind, text) in enumerate(said, 1)])
    assert (state.calls["a"].fields, state.calls["a"].ended, state.finished) == ({"result": "Hello!"}, "done", True)


def test_a_tree_is_finished_when_its_outermost_call_ended_and_not_before() -> None:
    helper, root = event(1, kind="failed", call="b"), event(2, kind="failed")
    assert [is_end(helper), is_end(root), is_end(FIRST), is_end({"kind": "done"})] == [False, True, False, False]
    state = ReplayState().read_all([helper])
    assert (state.finished, state.calls["b"].ended) == (False, "failed")
    assert state.read_all([root, event(3, kind="done", call="b")]).finished
    assert state.calls["b"].ended == "failed"


@given(st.lists(damaged() | damaged().map(lambda made: {**made, "call": "a"} if isinstance(made, dict) else made), max_size=20))
def test_whatever_stands_in_events_they_are_replayed(events: list[Any]) -> None:
    assert all(isinstance(call.fields, dict) for call in ReplayState().read_all(events).calls.values())
