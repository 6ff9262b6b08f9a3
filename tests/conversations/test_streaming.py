"""A call that is followed while it runs: its events, its questions, its end."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import agentnb as anb
from agentnb.transports import FinishPart, ReasoningPart, TextPart
from tests.conversations.scripted import EchoProvider, last_text, support, wants

WAIT = 10


@anb.program
def plain(message: str) -> str:
    """Say it."""


def asks_once(request: Any) -> Any:
    return last_text(request) if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "7"}))


def asks_twice(request: Any) -> Any:
    return "done" if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "7"}), ("refund", {"order": "8"}))


def test_the_events_of_a_call_are_told_as_they_come_and_are_linked() -> None:
    pieces = [ReasoningPart(text="hm"), TextPart(text="a"), TextPart(text="b"), FinishPart(reason="stop")]
    stream = plain.stream("Hi", model=EchoProvider(lambda request: pieces))
    events = list(stream)
    assert [event["kind"] for event in events] == ["started", "request", "thinking", "text", "text", "done"]
    assert [event["after"] for event in events[1:]] == [{"writer": 1, "seq": event["seq"]} for event in events[:-1]]
    assert (events[-1]["value"], stream.result(WAIT), {event["tree"] for event in events}) == ("ab", "ab", {stream.id})
    assert list(stream) == events, "who comes late is told everything"


@pytest.mark.parametrize(("is_yes", "answer"), [(True, "refunded 7"), (False, "The person did not allow this call. Reason: not 7")])
def test_a_question_is_answered_at_the_stream(is_yes: bool, answer: str) -> None:
    stream = support.stream("Hi", model=EchoProvider(asks_once))
    kinds = []
    for event in stream:
        kinds.append(event["kind"])
        if event["kind"] == "approval":
            assert [asked["invocation"] for asked in stream.waiting] == [event["invocation"]]
            stream.approve(event["invocation"], by="ana") if is_yes else stream.deny(reason="not 7", by="ana")
    assert stream.result(WAIT) == answer
    assert kinds[kinds.index("approval") + 1] == "approved"
    assert stream.waiting == []


def test_of_several_questions_one_has_to_be_named() -> None:
    stream = support.stream("Hi", model=EchoProvider(asks_twice), parallel_tools=True)
    events = iter(stream)
    while len(stream.waiting) < 2:
        next(events)
    with pytest.raises(TypeError, match="asks 2 things"):
        stream.approve()
    with pytest.raises(anb.ConversationError, match="turn-state"):
        stream.approve(3)
    stream.deny(stream.waiting[1])
    stream.approve(1)
    assert stream.result(WAIT) == "done"
    with pytest.raises(anb.ConversationError, match="does not ask anything"):
        stream.approve()


def test_a_stream_that_is_stopped_while_it_asks_ends() -> None:
    stream = support.stream("Hi", model=EchoProvider(asks_once))
    for event in stream:
        if event["kind"] == "approval":
            stream.stop()
    with pytest.raises(anb.ConversationError, match="stopped"):
        stream.result(WAIT)
    assert event["kind"] == "failed"
    assert event["error"] == {"type": "Cancelled", "message": "the stream was closed"}


def test_a_stream_that_is_stopped_while_its_model_speaks_ends_at_once() -> None:
    speaking, gate = threading.Event(), threading.Event()

    def reply(request: Any) -> str:
        speaking.set()
        return str(gate.wait(WAIT))

    stream = plain.stream("Hi", model=EchoProvider(reply))
    speaking.wait(WAIT)
    stream.stop()
    with pytest.raises(anb.ConversationError, match="stopped"):
        stream.result(WAIT)
    assert not gate.is_set()
    gate.set()


def test_what_a_call_raises_is_told_and_raised() -> None:
    @anb.module
    def broken(message: str) -> str:
        raise KeyError(message)

    stream = broken.stream("Hi")
    assert [event["kind"] for event in stream] == ["started", "failed"]
    with pytest.raises(KeyError, match="Hi"):
        stream.result(WAIT)


def test_a_result_that_takes_too_long_is_a_timeout() -> None:
    gate = threading.Event()
    stream = plain.stream("Hi", model=EchoProvider(lambda request: str(gate.wait(WAIT))))
    with pytest.raises(TimeoutError):
        stream.result(0.01)
    gate.set()
    assert stream.result(WAIT) == "True"
