"""What is written down of an event, and what somebody outside sees of it: nothing that a program wants kept out gets through."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.streams.call_events import Position
from agentnb.streams.event_forms import WHOLE, Content, KeptForm, kept_events, outside_events
from tests.conformance import cases_in, read_case, validator
from tests.streams.records import damaged

ROOT, HELPER = "01926d00-0064-7000-8000-000000000000", "01926d00-0065-7000-8000-000000000000"
SHA = f"sha256:{'a' * 64}"
HIDDEN = "SECRET"
PARTLY = Content(inputs=("question",), outputs=("result",), omitted_inputs=("transcript",), omitted_outputs=("reasoning",))


def program(kind: str) -> dict[str, Any]:
    signed = {"signature": SHA} if kind == "ai" else {}
    return {"name": "triage", "kind": kind, "module": "ci", "version": SHA, "interface": SHA, "answer": "result", **signed}


def log(*events: dict[str, Any], call: str = ROOT, kind: str = "ai") -> list[dict[str, Any]]:
    """Number the events of a call, after the event of its start."""
    started = {"kind": "started", "parent": None, "root": ROOT, "program": program(kind), "inputs": {"transcript": HIDDEN, "question": "why"}, "content": True}
    same = {"functai_event": 2, "tree": ROOT, "writer": 1, "at": "2026-09-30T10:00:00.000000Z", "call": call, "function": "triage"}
    return [
        {**same, "seq": n, "after": {"writer": 1, "seq": n - 1} if n > 1 else None, **event} for n, event in enumerate([{**started, "saw": []}, *events], 1)
    ]


EVENTS: list[dict[str, Any]] = [
    {"kind": "request", "request": 1, "model": "gpt-4.1-mini"},
    {"kind": "thinking", "text": HIDDEN},
    {"kind": "text", "field": "reasoning", "answer": False, "text": HIDDEN},
    {"kind": "text", "field": "result", "answer": True, "text": "no"},
    {"kind": "tool_call", "id": "c1", "name": "ci_log", "input": {"job": HIDDEN}, "invocation": 1},
    {
        "kind": "approval",
        "id": "c1",
        "name": "ci_log",
        "input": {"job": HIDDEN},
        "effects": None,
        "path": "triage/ci_log",
        "to": "caller",
        "invocation": 1,
        "question": HIDDEN,
    },
    {"kind": "approved", "id": "c1", "invocation": 1, "verdict": "no", "by": "Ana Example", "reason": HIDDEN},
    {"kind": "tool_result", "id": "c1", "name": "ci_log", "output": HIDDEN, "invocation": 1},
    {"kind": "retry", "reason": HIDDEN, "wait": 0.5},
    {"kind": "mystery", "text": HIDDEN},
    {"kind": "failed", "error": {"type": "ToolError", "message": HIDDEN, "code": "x-1", "trace": HIDDEN}},
]


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("views"), ids=lambda path: path.stem)
def test_somebody_outside_sees_what_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    assert outside_events(case["events"], case["answer_from"]) == case["expect"]["events"]


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("views"), ids=lambda path: path.stem)
def test_what_is_kept_whole_of_a_published_case_is_all_of_it(path: Path) -> None:
    events = read_case(path)["events"]
    assert kept_events(events, lambda started: WHOLE) == events


def test_nothing_that_quotes_a_dropped_value_is_written() -> None:
    kept = kept_events(log(*EVENTS), lambda started: PARTLY)
    assert HIDDEN not in json.dumps(kept)
    assert [(event["kind"], event.get("content")) for event in kept] == [
        ("started", False),
        ("request", None),
        ("text", None),
        ("tool_call", False),
        ("approval", False),
        ("approved", False),
        ("tool_result", False),
        ("retry", False),
        ("failed", False),
    ]
    assert kept[0]["inputs"] == {"question": "why"}
    assert kept[0]["omitted"] == {"inputs": ["transcript"], "outputs": ["reasoning"]}
    assert kept[-1]["error"] == {"type": "ToolError", "code": "x-1"}
    assert [event["after"] for event in kept] == [None, *({"writer": 1, "seq": event["seq"]} for event in kept[:-1])]


@pytest.mark.recordings
def test_what_is_kept_or_shown_is_of_the_published_form() -> None:
    events = log(*EVENTS)
    valid = validator("event")
    for form in (kept_events(events, lambda started: PARTLY), kept_events(events, lambda started: WHOLE), outside_events(events)):
        for event in form:
            valid.validate(event)


@pytest.mark.parametrize(
    ("kind", "content", "kept"),
    [
        ("ai", PARTLY, True),
        ("ai", PARTLY._replace(outputs=("reasoning",), omitted_outputs=("result",)), False),
        ("module", PARTLY, False),
        ("module", PARTLY._replace(outputs=("reasoning", "result"), omitted_outputs=()), True),
        ("remote", Content(), False),
        ("ai", WHOLE, True),
    ],
)
def test_the_value_is_kept_with_the_answer_of_a_function_and_with_all_outputs_of_a_module(kind: str, content: Content, kept: bool) -> None:
    done = kept_events(log({"kind": "done", "value": "no"}, kind=kind), lambda started: content)[-1]
    assert ("value" in done, done.get("content")) == (kept, None if kept else False)


def test_a_call_goes_on_as_it_began_when_its_log_is_continued() -> None:
    started, *others, done = log(*EVENTS[:-1], {"kind": "done", "value": "no"})
    whole = KeptForm(lambda event: WHOLE, after=Position(1, 1))
    kept_on = [kept for event in others if (kept := whole.keep(event)) is not None]
    assert kept_on == kept_events([started, *others], lambda event: WHOLE)[1:]
    form = KeptForm(lambda event: PARTLY, after=Position(1, 1))
    form.know(started)
    form.know(None)
    kept = form.keep(done)
    assert kept is not None
    assert (kept["value"], kept["after"]) == ("no", {"writer": 1, "seq": 1})


def test_of_a_function_whose_start_is_not_known_no_value_is_kept_at_its_end() -> None:
    kept = kept_events(log(*EVENTS[:-1], {"kind": "done", "value": "no"})[1:], lambda event: PARTLY)
    assert HIDDEN not in json.dumps(kept)
    assert "value" not in kept[-1]


def test_a_form_leaves_out_what_it_does_not_know() -> None:
    started, failed = log(
        {"kind": "failed", "error": {"type": "E", "trace": HIDDEN}, "extra": HIDDEN},
    )
    started |= {"inputs": {}, "saw": [{"call": HELPER}, {"summary": HIDDEN}, 5], "program": {**program("ai"), "prompt": HIDDEN}}
    kept = kept_events([started, failed, None, "x", {"kind": "done"}], lambda started: WHOLE)
    assert HIDDEN not in json.dumps(kept)
    assert kept[0]["saw"] == [{"call": HELPER}, {}, {}]


def test_a_log_that_is_continued_is_linked_to_its_last_event() -> None:
    kept = KeptForm(lambda started: WHOLE, after=Position(1, 9)).keep({**log()[0], "writer": 2})
    assert kept is not None
    assert kept["after"] == {"writer": 1, "seq": 9}


def test_what_its_owner_is_asked_is_not_shown_outside() -> None:
    asked = [{**event, "to": "owner"} if event["kind"] == "approval" else event for event in EVENTS]
    assert {"approval", "approved"} & {event["kind"] for event in outside_events(log(*asked))} == set()


def test_a_helper_of_a_helper_that_has_the_name_of_the_answering_one_says_nothing_outside() -> None:
    root = log(kind="module")
    inner = [{**event, "parent": "somebody else", "function": "answer"} for event in log({"kind": "text", "answer": True, "text": HIDDEN}, call=HELPER)]
    assert [event["kind"] for event in outside_events([*root, *inner], "answer")] == ["started"]


@given(st.lists(damaged() | st.sampled_from(log(*EVENTS)), max_size=20))
def test_whatever_stands_in_events_forms_are_made(events: list[Any]) -> None:
    broken = [{**log()[0], **event, "call": ROOT} if isinstance(event, dict) else event for event in events]
    for each in (events, broken, [*log(), *broken]):
        assert HIDDEN not in json.dumps(kept_events(each, lambda started: PARTLY), default=str)
        assert isinstance(outside_events(each, "triage"), list)
