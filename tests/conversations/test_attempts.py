"""What killing, crowding and starving found, each as it was found."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import Program, Turn
from agentnb.conversations.heartbeat import Heartbeat
from agentnb.conversations.runs import Run
from agentnb.conversations.stores import MemoryStore
from agentnb.conversations.told_events import ToldEvents
from agentnb.values.times import time_text
from tests.conversations.scripted import EchoProvider, last_text, refund, wants

WAIT = 10


@anb.program(tools=[refund], approve="changes")
def clerk(order: str) -> str:
    """CLERK."""


@anb.program
def gist(text: str) -> str:
    """GIST."""


@anb.module
async def desk(message: str) -> str:
    """Ask two helpers at once."""
    return " & ".join(await asyncio.gather(clerk.acall("1"), gist.acall("2")))


def started_over(store: MemoryStore, *, records: int, events: int) -> MemoryStore:
    """Return what a process leaves that died after so many records, of whose events so many were kept; its lease has run out."""
    left = MemoryStore()
    (turn,) = {record["turn"] for record in store.read("c") if "turn" in record}
    for record in store.read("c")[:records]:
        lapsed = {"until": time_text(Run.now() - 1)} if record["kind"] == "lease" else {}
        left.append("c", [{name: value for name, value in record.items() if name != "seq"} | lapsed])
    kept = store.events.read(turn)[:events]
    if kept:
        left.events.append(turn, kept)
    return left


def resumed(program: Program, store: MemoryStore, model: EchoProvider) -> Turn:
    (turn,) = program.conversation("c", store=store, model=model).turns
    return turn.resume().wait(WAIT)


def test_a_reply_in_flight_while_another_helper_asks_is_recorded_and_not_paid_for_again(caplog: pytest.LogCaptureFixture) -> None:
    asked = threading.Event()

    def reply(request: Any) -> Any:
        if "GIST" in request.instruction:
            asked.wait(0.3)
            return "short"
        return last_text(request) if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "1"}))

    store, model = MemoryStore(), EchoProvider(reply)
    waiting = desk.conversation("c", store=store, model=model).send("Hi").wait(WAIT)
    assert [record["kind"] for record in store.read("c")][-3:] == ["reply", "reply", "waiting"]
    assert waiting.approve().wait(WAIT).result == "refunded 1 & short"
    assert len(model.requests) == 3
    assert [record for record in caplog.records if record.name == "asyncio"] == [], "what came to rest is no error"


def test_a_turn_that_waits_is_not_taken_back_by_a_late_heartbeat(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    chat = clerk.conversation("c", store=store, model=EchoProvider(lambda request: wants(("refund", {"order": "1"}))), lease_seconds=0.001)
    beats: list[Heartbeat] = []
    start = Heartbeat.start

    def noted(beat: Heartbeat) -> None:
        beats.append(beat)
        start(beat)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Heartbeat, "start", noted)
        waiting = chat.send("Hi").wait(WAIT)
    length = len(store.read("c"))
    (beat,) = beats
    beat._beat()
    assert (len(store.read("c")), waiting.refresh().state) == (length, "waiting")
    assert "taken over" not in caplog.text


def test_a_turn_that_another_process_runs_is_looked_at_anew() -> None:
    store, gate = MemoryStore(), threading.Event()
    turn = gist.conversation("c", store=store, model=EchoProvider(lambda request: str(gate.wait(WAIT)))).send("Hi")
    seen = gist.conversation("c", store=store).turn(turn.id)
    assert seen.state == "running"
    gate.set()
    turn.wait(WAIT)
    assert (seen.refresh().state, seen.wait(WAIT).result) == ("done", "True")


def test_an_answer_after_which_somebody_else_was_quicker_to_resume_raises_nothing() -> None:
    store = MemoryStore()
    model = EchoProvider(lambda request: last_text(request) if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "1"})))
    turn = clerk.conversation("c", store=store, model=model).send("Hi").wait(WAIT)
    views = [clerk.conversation("c", store=store, model=model) for _ in range(4)]
    told: list[str] = []

    def answer(view: Any) -> None:
        try:
            view.turn(turn.id).approve(1, by="ana")
            told.append("answered")
        except anb.ConversationError as error:
            told.append(error.code)

    threads = [threading.Thread(target=answer, args=(view,)) for view in views]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert turn.refresh().wait(WAIT).result == "refunded 1"
    assert set(told) <= {"answered", "turn-state"}
    assert told.count("answered") == sum(record["kind"] == "approval" for record in store.read("c")) >= 1
    assert [record["attempt"] for record in store.read("c") if record["kind"] == "lease"] == [1, 2]


def test_tokens_of_a_program_inside_a_tool_count_though_the_tool_is_not_run_again() -> None:
    @anb.program(tools=[gist, refund], approve=["refund"])
    def boss(message: str) -> str:
        """BOSS."""

    def reply(request: Any) -> Any:
        usage = {"kind": "usage", "data": {"input_tokens": 7}}
        tools = sum(message["role"] == "tool" for message in request.input)
        if "GIST" in request.instruction:
            return ["short", usage]
        return [*[wants(("gist", {"text": "long"})), wants(("refund", {"order": "1"})), ["done"]][tools], usage]

    turn = boss.conversation("c", store=MemoryStore(), model=EchoProvider(reply)).send("Hi").wait(WAIT)
    done = turn.approve().wait(WAIT)
    assert (done.usage, done.tree()) == ({"input_tokens": 28}, "boss\n└─ gist")


@anb.module
def twice(message: str) -> str:
    """Ask two helpers one after another."""
    return f"{gist(message)} {gist(message + '!')}"


@pytest.mark.parametrize("events", range(1, 12))
def test_events_that_were_lost_with_their_process_are_told_when_it_is_resumed_and_none_twice(events: int) -> None:
    whole = MemoryStore()
    twice.conversation("c", store=whole, model=EchoProvider()).send("Hi").wait(WAIT)
    model = EchoProvider()
    store = started_over(whole, records=5, events=events)
    done = resumed(twice, store, model)
    assert (done.result, len(model.requests)) == ("echo Hi echo Hi!", 0)
    assert done.tree() == "twice\n├─ gist\n└─ gist"
    told = [(event["kind"], event["call"]) for event in store.events.read(done.id)]
    assert sum(kind == "done" for kind, _ in told) == 3
    assert sum(kind == "text" for kind, _ in told) == 2


def test_a_process_that_died_before_it_told_anything_is_told_from_the_beginning() -> None:
    whole = MemoryStore()
    twice.conversation("c", store=whole, model=EchoProvider()).send("Hi").wait(WAIT)
    done = resumed(twice, started_over(whole, records=4, events=0), EchoProvider())
    assert done.tree() == "twice\n├─ gist\n└─ gist"


def test_a_process_that_died_between_what_it_told_of_the_end_and_the_end_tells_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    whole = MemoryStore()
    twice.conversation("c", store=whole, model=EchoProvider()).send("Hi").wait(WAIT)
    store = started_over(whole, records=5, events=99)
    done = resumed(twice, store, EchoProvider())
    assert (done.state, done.tree()) == ("done", "twice\n├─ gist\n└─ gist")
    assert caplog.text == ""


def test_of_a_text_that_was_told_in_part_the_rest_is_told() -> None:
    told = ToldEvents([{"call": "a", "kind": "request", "request": 1}, {"call": "a", "kind": "text", "field": "result", "text": "Good "}])
    assert told.rest("a", "request", {"request": 1}) is None
    assert told.rest("a", "text", {"field": "result", "text": "Good morning"}) == {"field": "result", "text": "morning"}
    assert told.rest("a", "text", {"field": "result", "text": "Good "}) is None
    assert told.rest("a", "done", {"value": "Good morning"}) == {"value": "Good morning"}


def test_a_wait_outlasts_a_lease_that_ran_out_while_the_computer_slept() -> None:
    gate, under_way = threading.Event(), threading.Event()

    def reply(request: Any) -> str:
        under_way.set()
        return str(gate.wait(WAIT))

    store = MemoryStore()
    chat = gist.conversation("c", store=store, model=EchoProvider(reply), lease_seconds=600)
    turn = chat.send("Hi")
    under_way.wait(WAIT)
    lease = next(record for record in store.read("c") if record["kind"] == "lease")
    store.append("c", [{name: value for name, value in lease.items() if name != "seq"} | {"until": time_text(Run.now() - 1)}])
    assert turn.refresh().state == "interrupted"
    threading.Timer(0.2, gate.set).start()
    assert turn.wait(WAIT).state == "done"
