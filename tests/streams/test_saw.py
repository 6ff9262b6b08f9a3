"""What a call saw is read for certain or not at all, and shown again whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.streams.recorded_context import RecordedCalls
from agentnb.streams.saw import check_kept, read_saw, shorten, show
from tests.conformance import cases_in, read_case


def by_id(case: dict[str, Any]) -> dict[str, Any]:
    return {record["id"]: record for record in case["records"]}


def told_saw(call: str, records: dict[str, Any]) -> dict[str, Any]:
    """Say what a call saw in the words of the cases."""
    saw = read_saw(call, records.get)
    return {"saw": list(saw.entries)} if saw.unknown is None else {"unknown": saw.unknown, "call": saw.call}


def told_kept(call: str, records: dict[str, Any]) -> dict[str, Any]:
    """Say whether it can be shown again in the words of the cases."""
    kept = check_kept(call, records.get)
    return {"ok": True} if kept.refuses is None else {"refuses": kept.refuses, "call": kept.call}


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("saw", "read"), ids=lambda path: path.stem)
def test_what_a_call_saw_is_read_as_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    records = by_id(case)
    assert [told_saw(query["call"], records) for query in case["queries"]] == [query["expect"] for query in case["queries"]]
    assert [told_kept(query["call"], records) for query in case["queries"]] == [query["keeps"] for query in case["queries"]]


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("saw", "shown"), ids=lambda path: path.stem)
def test_an_earlier_call_is_shown_as_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    shown = show(case["turn"], case["entry"])
    assert ({"slot": shown.slot, "turn": shown.turn} if shown.refuses is None else {"refuses": shown.refuses}) == case["expect"]


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("context", "context"), ids=lambda path: path.stem)
def test_a_call_can_be_asked_again_with_what_it_saw_as_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    assert RecordedCalls(by_id(case)).context_of(case["call"]).as_row() == case["expect"]


@pytest.mark.recordings
def test_every_case_is_of_a_kind_that_is_run() -> None:
    assert [len(cases_in("saw", "read")), len(cases_in("saw", "shown")), len(cases_in("context", "context"))] == [13, 3, 5]


def call(name: str, saw: Any = None, **keys: Any) -> dict[str, Any]:
    return {"id": name, "saw": saw, "content": True, "inputs": {"message": name}, "outputs": {"result": f"to {name}"}, "exchanges": [], **keys}


def log(*records: dict[str, Any]) -> dict[str, Any]:
    return {record["id"]: record for record in records}


@pytest.mark.parametrize(
    "entry",
    [
        *({}, None, "a", {"saw_of": "a", "call": "a"}, {"saw_of": 5}, {"call": 5}),
        *({"call": "a", **keys} for keys in ({"without": "photo"}, {"without": [5]}, {"slot": 1}, {"steps": "yes"})),
    ],
    ids=repr,
)
def test_a_way_of_showing_that_is_not_known_is_not_guessed(entry: Any) -> None:
    records = log(call("a", []), call("b", [entry]))
    assert told_saw("b", records) == {"unknown": "unknown-key", "call": "b"}


def test_what_is_short_for_another_call_stands_first_or_is_not_known() -> None:
    records = log(call("a", []), call("b", [{"call": "a"}, {"saw_of": "a"}]), call("c", [{"saw_of": "b"}]))
    assert told_saw("c", records) == {"unknown": "unknown-key", "call": "b"}


def test_a_call_that_is_short_for_one_that_does_not_say_is_not_known_because_of_that() -> None:
    assert told_saw("b", log(call("a"), call("b", [{"saw_of": "a"}]))) == {"unknown": "missing-call", "call": "a"}
    assert told_saw("a", log(call("a"))) == {"unknown": "not-recorded", "call": "a"}
    assert told_saw("nobody", {}) == {"unknown": "missing-call", "call": "nobody"}


def test_ten_thousand_turns_that_are_each_short_for_the_one_before_are_read() -> None:
    records = log(call("0", []), *(call(str(n), [{"saw_of": str(n - 1)}, {"call": str(n - 1)}]) for n in range(1, 10_000)))
    assert [entry["call"] for entry in read_saw("9999", records.get).entries] == [str(n) for n in range(9999)]


@pytest.mark.parametrize(
    ("earlier", "entry", "refuses"),
    [
        ({"truncated": True}, {}, "not-kept"),
        ({"content": False}, {}, "not-kept"),
        ({"content": False, "omitted": {"inputs": ["message"], "outputs": []}}, {"without": ["message"]}, None),
        ({"content": False, "omitted": {"inputs": ["message"], "outputs": ["result"]}}, {"without": ["message"]}, "not-kept"),
        ({"described": {"inputs": [], "outputs": ["result"]}}, {"steps": True}, "not-kept"),
        ({"exchanges": [{"request_hash": "x", "finish": "stop", "response": {"a": 1}}]}, {"steps": True}, None),
        ({"exchanges": [{"request_hash": "x", "finish": None}]}, {"steps": True}, None),
        ({"exchanges": [{"request_hash": "x", "finish": "stop"}]}, {"steps": True}, "not-kept"),
        ({"exchanges": [{"finish": "stop", "response": {"a": 1}}]}, {"steps": True}, "not-kept"),
        ({"exchanges": [{"finish": "stop", "response": {"a": 1}}]}, {}, None),
        ({}, {"steps": True, "without": ["calls"]}, "turn-invalid"),
    ],
)
def test_what_was_shown_has_to_be_kept_to_be_shown_again(earlier: dict[str, Any], entry: dict[str, Any], refuses: str | None) -> None:
    kept = check_kept("b", log(call("a", [], **earlier), call("b", [{"call": "a", **entry}])).get)
    assert (kept.refuses, kept.call) == (refuses, refuses and "a")


def test_what_a_turn_saw_is_short_where_its_parent_saw_exactly_the_rest() -> None:
    records = log(call("a", []), call("b", [{"call": "a", "steps": True}]), call("c", [{"saw_of": "b"}, {"call": "b"}]), call("x"))
    before: list[dict[str, Any]] = [{"call": "a", "steps": True}, {"call": "b"}]
    assert shorten([*before, {"call": "c"}], "c", records.get) == [{"saw_of": "c"}, {"call": "c"}]
    others: list[tuple[list[dict[str, Any]], str | None]] = [
        ([{"call": "c"}], "c"),
        ([{"call": "a"}, {"call": "c"}], "c"),
        ([*before, {"call": "c"}], "b"),
        (before, None),
        ([*before, {"call": "x"}], "x"),
    ]
    assert [shorten(entries, parent, records.get) for entries, parent in others] == [entries for entries, _ in others]


@given(st.lists(st.tuples(st.booleans(), st.sets(st.sampled_from(["message", "result"]), max_size=2)), max_size=6))
def test_what_was_written_short_reads_back_in_full(shown: list[tuple[bool, set[str]]]) -> None:
    records: dict[str, Any] = {}
    full: list[dict[str, Any]] = []
    for number, (steps, without) in enumerate(shown):
        records[str(number)] = call(str(number), shorten(full, str(number - 1) if number else None, records.get))
        assert list(read_saw(str(number), records.get).entries) == full
        entry: dict[str, Any] = {"call": str(number), "steps": steps, "without": sorted(without)}
        full = [*full, {name: value for name, value in entry.items() if value}]


def test_a_module_is_asked_again_with_what_its_helpers_saw() -> None:
    helper = {"program": {"name": "answer", "kind": "ai"}, "parent": "top2"}
    records = log(
        call("old", [], program={"name": "answer", "kind": "ai", "signature": "s"}, steps=[{"kind": "model", "outputs": {"result": "x"}}]),
        call("top2", [], program={"name": "support", "kind": "module"}, conversation={"id": "alex"}, sections=["Be brief."]),
        call("h1", [{"call": "old", "steps": True}], **helper),
        call("h2", [], **helper),
        call("h3", [], sections=["Be kind."], **{**helper, "parent": "h1"}),
    )
    assert RecordedCalls(records).context_of("top2").as_row() == {
        "earlier": [],
        "conversation": "alex",
        "sections": ["Be brief."],
        "helpers": [
            {
                "program": "answer",
                "call": "h1",
                "earlier": [
                    {"inputs": {"message": "old"}, "outputs": {"result": "to old"}, "steps": [{"kind": "model", "outputs": {"result": "x"}}], "signature": "s"}
                ],
            },
            {"program": "answer", "call": "h3", "earlier": [], "sections": ["Be kind."]},
        ],
    }
    records["h2"]["saw"] = [{"call": "gone"}]
    assert RecordedCalls(records).context_of("top2").as_row() == {"refuses": "missing-call"}


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner), max_leaves=8))
def test_whatever_stands_in_a_record_what_it_saw_is_read(value: Any) -> None:
    names = ("saw", "omitted", "described", "exchanges", "steps", "content", "inputs", "outputs", "program", "parent", "sections")
    for name in names:
        records = log({**call("a", []), name: value}, {**call("b"), name: value, "saw": [{"call": "a", "steps": True}]})
        assert RecordedCalls(records).context_of("b").as_row()
