"""What a live conversation writes is what FunctAI's published schemas describe, and what its readers can read."""

from __future__ import annotations

from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import Turn
from agentnb.conversations.stores import MemoryStore
from tests.conformance import validator
from tests.conversations.scripted import EchoProvider, last_text, wants

pytestmark = pytest.mark.recordings
WAIT = 10


@anb.tool(effects="changes")
def refund(order: str, amount: float) -> str:
    """Refund an order."""
    return f"refunded {amount} of {order}"


@anb.program(tools=[refund], approve="changes", reasoning=True)
def support(message: str) -> str:
    """Help."""


@anb.program
def name_of(message: str) -> str:
    """Say who wrote this."""


@anb.module(remembers={name_of: "conversation"})
def desk(message: str) -> str:
    return f"{name_of(message)}: {support(message)}"


def reply(request: Any) -> Any:
    if "who wrote" in str(request.instruction):
        return "Ana"
    if request.input[-1]["role"] == "tool":
        return f'{{"reasoning": "asked", "result": "{last_text(request)}"}}'
    return wants(("refund", {"order": "7", "amount": 3.5}))


@pytest.fixture(scope="module")
def store() -> MemoryStore:
    """A conversation with a failed turn, one that was asked, answered and resumed, one that was stopped, one that was abandoned, and a merge of two."""
    store = MemoryStore()
    chat = desk.conversation("alex", store=store, model=EchoProvider(reply), retries=0)

    def fail(request: Any) -> Any:
        raise RuntimeError("no connection")

    chat.send("broken", model=EchoProvider(fail)).wait(WAIT)
    asked = chat.send("please", request_id=7).wait(WAIT)
    done = asked.approve(by="ana").wait(WAIT)
    assert (done.state, done.result) == ("done", "Ana: refunded 3.5 of 7")
    chat.send("again").wait(WAIT).deny(reason="not twice", by="ben").wait(WAIT)
    chat.send("and again").wait(WAIT).abandon()
    chat.move_head(done)
    chat.add_entry("notes", "note", {"text": "kept"})
    single = name_of.conversation("merge", store=store, model=EchoProvider(reply))
    first = single.send("one").wait(WAIT)
    sources = [single.continue_from(first).send(text).wait(WAIT) for text in ("two", "three")]
    with anb.settings(model=EchoProvider(reply)):
        single.continue_from(first).merge(name_of, sources, message="which?")
    return store


def turns_of(store: MemoryStore) -> list[Turn]:
    return [turn for conversation in store.conversations() for turn in desk.conversation(conversation, store=store).turns]


def problems(schema: str, values: list[dict[str, Any]]) -> list[str]:
    check = validator(schema)
    return [f"{value.get('kind')}: {error.message}" for value in values for error in check.iter_errors(value)]


def test_records_are_those_of_the_schema(store: MemoryStore) -> None:
    records = [record for conversation in store.conversations() for record in store.read(conversation)]
    assert problems("conversation", records) == []
    kinds = {"program", "turn", "lease", "ended", "waiting", "approval", "tool", "reply", "call", "head", "entry"}
    assert {record["kind"] for record in records} == kinds


def test_events_are_those_of_the_schema(store: MemoryStore) -> None:
    events = [event for turn in turns_of(store) for event in store.events.read(turn.id)]
    assert problems("event", events) == []
    assert {"started", "request", "text", "tool_call", "tool_result", "approval", "approved", "done", "failed"} <= {event["kind"] for event in events}


def test_records_of_calls_are_those_of_the_schema(store: MemoryStore) -> None:
    records = store.calls.read()
    assert problems("call", records) == []
    assert {record["program"]["name"] for record in records} == {"desk", "support", "name_of"}


def test_no_call_starts_or_ends_twice_though_its_turn_was_resumed(store: MemoryStore) -> None:
    for turn in turns_of(store):
        events = store.events.read(turn.id)
        ends = [event["call"] for event in events if event["kind"] in ("done", "failed")]
        assert len(ends) == len(set(ends))
        assert "[superseded]" not in turn.tree()
        calls = [record["id"] for record in store.calls.read(turn.id)]
        assert len(calls) == len(set(calls))


def test_a_program_that_drops_a_field_keeps_its_answer_also_when_its_turn_was_resumed() -> None:
    @anb.program(tools=[refund], approve="changes", log_content={"message": False})
    def private(message: str) -> str:
        """Help."""

    store = MemoryStore()
    chat = private.conversation("alex", store=store, model=EchoProvider(lambda request: "Done." if request.input[-1]["role"] == "tool" else reply(request)))
    turn = chat.send("a secret").wait(WAIT).approve(by="ana").wait(WAIT)
    events = store.events.read(turn.id)
    assert (events[-1]["kind"], events[-1]["value"], problems("event", events)) == ("done", "Done.", [])
    assert "a secret" not in str(events)
    assert "a secret" not in str(store.calls.read())
    assert problems("call", store.calls.read()) == []
