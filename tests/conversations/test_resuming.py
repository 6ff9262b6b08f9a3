"""Turns that waited, were interrupted or taken over go on: what is recorded is not asked for or run again, and what may have run is a person's to say."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import Conversation, Program, Turn
from agentnb.conversations.identifiers import new_id
from agentnb.conversations.runs import Run
from agentnb.conversations.stores import MemoryStore
from agentnb.errors import UnknownTurn
from agentnb.values.times import time_text
from tests.conversations.scripted import EchoProvider, last_text, wants

WAIT = 10
DENIED = "The person did not allow this call."


class Shop:
    """A shop whose tools note that they ran."""

    def __init__(self, **settings: Any) -> None:
        self.ran: list[str] = []

        @anb.tool(effects="changes")
        def refund(order: str) -> str:
            """Refund an order."""
            self.ran.append(f"refund {order}")
            return f"refunded {order}"

        @anb.tool(effects="reads")
        def status(order: str) -> str:
            """Look an order up."""
            self.ran.append(f"status {order}")
            return f"{order} is late"

        self.refund, self.status = refund, status
        self.model = EchoProvider(two_refunds)

        @anb.program(tools=[refund, status], **settings)
        def shop(message: str) -> str:
            """Help."""

        self.program = shop

    def open(self, store: MemoryStore, program: Program | None = None, **options: Any) -> Conversation:
        """Open the conversation."""
        return (program or self.program).conversation("c", store=store, **{"model": self.model, **options})


def two_refunds(request: Any) -> Any:
    """Ask for two refunds at once, then tell what came of them."""
    return f"told {told(request)}" if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "1"}), ("refund", {"order": "2"}))


def told(request: Any) -> str:
    """Return what the tools told the model."""
    return " | ".join(part["output"] for message in request.input if message["role"] == "tool" for part in message["parts"])


def kinds(store: MemoryStore) -> list[str]:
    """Return the records in a word each."""
    return [" ".join(str(record[name]) for name in ("kind", "state", "verdict", "attempt") if name in record) for record in store.read("c")]


def crashed_in_tool_2(shop: Shop, *, seconds: float = -1.0) -> MemoryStore:
    """Return a store in which a process died inside the second of two changing tools, with a lease that reaches so many seconds from now."""
    whole = MemoryStore()
    shop.open(whole).send("Hi").wait(WAIT)
    store = MemoryStore()
    for record in whole.read("c"):
        if record["kind"] == "tool" and record["invocation"] == 2 and record["state"] == "done":
            break
        if record["kind"] == "lease":
            record["until"] = time_text(Run.now() + round(seconds * 1e6))
        store.append("c", [{name: value for name, value in record.items() if name != "seq"}])
    shop.ran.clear()
    shop.model.requests.clear()
    return store


def test_two_changing_calls_of_one_reply_wait_one_after_another() -> None:
    shop, store = Shop(approve="changes"), MemoryStore()
    first = shop.open(store).send("Hi").wait(WAIT)
    assert [asked["invocation"] for asked in first.waiting] == [1]
    second = first.approve(by="ana").wait(WAIT)
    assert ([asked["invocation"] for asked in second.waiting], shop.ran) == ([2], ["refund 1"])
    done = second.deny(by="ana").wait(WAIT)
    assert (done.result, shop.ran, done.attempt, len(shop.model.requests)) == (f"told refunded 1 | {DENIED}", ["refund 1"], 3, 2)
    assert {event["writer"] for event in store.events.read(done.id)} == {1, 2, 3}


def test_the_order_of_records_is_that_of_the_protocol() -> None:
    shop, store = Shop(), MemoryStore()

    @anb.program
    def topic(message: str) -> str:
        """TOPIC."""

    @anb.program(tools=[shop.status, shop.refund], approve="changes")
    def answer(message: str) -> str:
        """ANSWER."""

    @anb.module
    def support(message: str) -> str:
        topic(message)
        return str(answer(message))

    def reply(request: Any) -> Any:
        steps = sum(message["role"] == "tool" for message in request.input)
        return "late" if "TOPIC" in request.instruction else [wants(("status", {"order": "7"})), wants(("refund", {"order": "7"})), "done"][steps]

    turn = shop.open(store, support, model=EchoProvider(reply)).send("Hi").wait(WAIT)
    turn.approve().wait(WAIT)
    before = ["program", "turn", "lease 1", "reply 1", "reply 1", "tool done 1", "reply 1", "waiting 1"]
    assert kinds(store) == [*before, "approval yes", "lease 2", "tool started 2", "tool done 2", "reply 2", "ended done 2"]


def test_right_after_a_crash_a_turn_counts_as_running_and_is_not_resumed() -> None:
    shop = Shop()
    store = crashed_in_tool_2(shop, seconds=60)
    (turn,) = shop.open(store).turns
    assert turn.state == "running"
    with pytest.raises(anb.ConversationError, match="turn-state"):
        turn.resume()


@pytest.mark.parametrize("key", [2, "2", "call_2", ("shop#1", 2)])
def test_a_person_gives_the_result_of_a_tool_that_may_have_run(key: Any) -> None:
    shop = Shop()
    store = crashed_in_tool_2(shop)
    (turn,) = shop.open(store).turns
    assert (turn.state, [tool.invocation for tool in turn.unfinished]) == ("interrupted", [2])
    length = len(store.read("c"))
    with pytest.raises(anb.ConversationError, match="turn-unfinished"):
        turn.resume()
    assert len(store.read("c")) == length
    done = turn.resume(results={key: {"refunded": 2}}).wait(WAIT)
    assert (done.result, shop.ran, len(shop.model.requests)) == ('told refunded 1 | {"refunded":2}', [], 1)
    assert kinds(store)[length:] == ["tool given", "lease 2", "reply 2", "ended done 2"]


def test_a_person_has_a_tool_run_again() -> None:
    shop = Shop()
    store = crashed_in_tool_2(shop)
    length = len(store.read("c"))
    done = shop.open(store).turns[0].resume(rerun=["call_2"]).wait(WAIT)
    assert (done.result, shop.ran) == ("told refunded 1 | refunded 2", ["refund 2"])
    assert kinds(store)[length:] == ["tool rerun", "lease 2", "tool started 2", "tool done 2", "reply 2", "ended done 2"]


def test_a_turn_that_is_abandoned_is_no_parent() -> None:
    shop = Shop()
    store = crashed_in_tool_2(shop)
    chat = shop.open(store)
    abandoned = chat.turns[0].abandon()
    assert (abandoned.state, abandoned.unfinished) == ("abandoned", [])
    with pytest.raises(anb.ConversationError, match="turn-state"):
        abandoned.resume(rerun=[2])
    assert chat.send("again").wait(WAIT).parent is None


def asking_twice(store: MemoryStore, replies: list[str]) -> Conversation:
    """Open a conversation of a module that makes the same request twice, and asks a person after each."""

    @anb.tool(effects="changes")
    def note(text: str) -> str:
        """Note a text."""
        return text

    @anb.program(tools=[note], approve="changes")
    def keep(text: str) -> str:
        """KEEP."""

    @anb.program
    def word(message: str) -> str:
        """WORD."""

    @anb.module
    def twice(message: str) -> str:
        first = word(message)
        kept = keep(f"w{first}")
        second = word(message)
        return f"{first}|{kept}|{second}|{keep('w' + str(second))}"

    fresh = iter(replies)

    def reply(request: Any) -> Any:
        if "WORD" in request.instruction:
            return next(fresh)
        return last_text(request) if request.input[-1]["role"] == "tool" else wants(("note", {"text": last_text(request)}))

    return twice.conversation("c", store=store, model=EchoProvider(reply))


@pytest.mark.parametrize(("replies", "answer"), [(["1", "2"], "1|w1|2|w2"), (["same", "same"], "same|wsame|same|wsame")])
def test_the_same_request_twice_gets_its_own_replies_over_several_attempts(replies: list[str], answer: str) -> None:
    store = MemoryStore()
    turn = asking_twice(store, replies).send("Hi").wait(WAIT)
    for _ in range(2):
        turn = turn.approve().wait(WAIT)
    assert (turn.result, turn.attempt) == (answer, 3)
    assert sum(kind.startswith("reply") for kind in kinds(store)) == 6


def test_what_an_overtaken_attempt_still_brings_does_not_count_and_is_said_to_be_dropped(caplog: pytest.LogCaptureFixture) -> None:
    shop, store = Shop(), MemoryStore()
    gate, under_way = threading.Event(), threading.Event()

    def slow(request: Any) -> str:
        under_way.set()
        gate.wait(WAIT)
        return "too late"

    chat = shop.open(store, model=EchoProvider(slow), lease_seconds=60)
    turn = chat.send("Hi")
    under_way.wait(WAIT)
    attempt = chat.attempt_of(turn.id)
    assert attempt is not None
    lease = next(record for record in store.read("c") if record["kind"] == "lease")
    store.append("c", [{**{name: value for name, value in lease.items() if name != "seq"}, "until": time_text(Run.now() - 1)}])
    other = shop.open(store, model=EchoProvider(lambda request: "in time"))
    done = other.turn(turn.id).resume().wait(WAIT)
    gate.set()
    assert (done.state, done.result, done.attempt) == ("done", "in time", 2)
    assert turn.wait(WAIT).result == "in time"
    attempt.future.result(WAIT)
    assert "was taken over by another process" in caplog.text
    assert [kind for kind in kinds(store) if kind.startswith("ended")] == ["ended done 2"]


def test_an_end_of_an_overtaken_attempt_does_not_end_a_turn() -> None:
    shop = Shop()
    store = crashed_in_tool_2(shop)
    (turn,) = shop.open(store).turns
    done = turn.resume(results={2: "r"}).wait(WAIT)
    records = [{name: value for name, value in record.items() if name != "seq"} for record in store.read("c")]
    late = {"functai_conversation": 1, "kind": "ended", "at": time_text(Run.now()), "turn": done.id, "state": "stopped", "attempt": 1}
    other = MemoryStore()
    other.append("c", [*records[:-1], late, records[-1]])
    assert shop.open(other).turn(done.id).state == "done"


@pytest.mark.parametrize("request_id", [7, "7", 0])
def test_a_request_that_is_sent_again_is_the_same_turn_in_whatever_state(request_id: Any) -> None:
    shop, store = Shop(approve="changes"), MemoryStore()
    chat = shop.open(store)
    turn = chat.send("Hi", request_id=request_id)
    assert chat.send("other", request_id=str(request_id)).id == turn.id
    assert turn.wait(WAIT).state == "waiting"
    with pytest.raises(anb.TurnWaiting) as caught:
        chat("Hi", request_id=request_id)
    assert (caught.value.turn, [asked["invocation"] for asked in caught.value.approvals]) == (turn.id, [1])
    turn.refresh().approve().wait(WAIT).approve().wait(WAIT)
    assert chat("Hi", request_id=request_id) == "told refunded 1 | refunded 2"
    assert len(chat.turns) == 1


def test_a_request_that_failed_and_is_sent_again_says_why() -> None:
    def fail(request: Any) -> Any:
        raise RuntimeError("no connection")

    shop, store = Shop(retries=0), MemoryStore()
    chat = shop.open(store, model=EchoProvider(fail))
    chat.send("Hi", request_id="r").wait(WAIT)
    with pytest.raises(anb.ConversationError, match=r"turn-state: turn .* is failed and has no answer: .*no connection"):
        chat("Hi", request_id="r")
    assert len(chat.turns) == 1


def test_several_tools_of_one_reply_ask_together_when_they_run_at_once() -> None:
    shop, store = Shop(approve="changes", parallel_tools=True), MemoryStore()
    turn = shop.open(store).send("Hi").wait(WAIT)
    assert [asked["invocation"] for asked in turn.waiting] == [1, 2]
    with pytest.raises(TypeError, match="asks 2 things"):
        turn.approve()
    half = turn.approve(2, by="ana")
    assert (half.state, [asked["invocation"] for asked in half.waiting], shop.ran) == ("waiting", [1], [])
    with pytest.raises(anb.ConversationError, match="turn-state"):
        half.approve(2)
    done = half.deny(half.waiting[0], reason="not 1").wait(WAIT)
    assert (done.result, shop.ran) == (f"told {DENIED} Reason: not 1 | refunded 2", ["refund 2"])


def test_a_tool_asks_a_question_of_its_own_and_gets_the_answer() -> None:
    asked: list[str | None] = []

    @anb.tool(effects="changes")
    def book(day: str, context: anb.ToolContext) -> str:
        """Book a table."""
        asked.append(context.answer)
        if context.answer is None:
            raise anb.Pause("For how many?")
        return f"{day} for {context.answer}"

    @anb.program(tools=[book])
    def host(message: str) -> str:
        """Help."""

    store = MemoryStore()
    model = EchoProvider(lambda request: last_text(request) if request.input[-1]["role"] == "tool" else wants(("book", {"day": "Monday"})))
    turn = host.conversation("c", store=store, model=model).send("Hi").wait(WAIT)
    (question,) = turn.waiting
    assert (question["question"], question["plugin"], turn.unfinished) == ("For how many?", "pause", [])
    done = turn.approve(reason="four", by="ana").wait(WAIT)
    assert (done.result, asked, len(model.requests)) == ("Monday for four", [None, None, "four"], 2)


def parallel(shop: Shop) -> Program:
    """Return a module whose two helpers ask a person at once."""

    @anb.program(tools=[shop.refund], approve="changes")
    def clerk(order: str) -> str:
        """CLERK."""

    @anb.module
    async def desk(message: str) -> str:
        return " & ".join(await asyncio.gather(clerk.acall("1"), clerk.acall("2")))

    return desk


def one_refund(request: Any) -> Any:
    return last_text(request) if request.input[-1]["role"] == "tool" else wants(("refund", {"order": last_text(request)}))


def test_helpers_that_run_at_once_ask_with_identities_of_their_own() -> None:
    shop, store = Shop(), MemoryStore()
    turn = shop.open(store, parallel(shop), model=EchoProvider(one_refund)).send("Hi").wait(WAIT)
    assert sorted(asked["site"] for asked in turn.waiting) == ["desk#1/clerk#1", "desk#1/clerk#2"]
    assert {asked["path"] for asked in turn.waiting} == {"desk/clerk/refund"}
    with pytest.raises(TypeError, match="asked about at 2 places"):
        turn.approve(1)
    second = next(asked for asked in turn.waiting if asked["site"].endswith("#2"))
    half = turn.deny(second, reason="not 2")
    done = half.approve().wait(WAIT)
    assert (done.result, shop.ran) == (f"refunded 1 & {DENIED} Reason: not 2", ["refund 1"])
    assert [call.ended for call in done.calls()] == ["done"] * 3


def test_a_tool_that_is_a_program_asks_with_its_path_and_is_resumed_inside() -> None:
    shop, store = Shop(), MemoryStore()

    @anb.program(tools=[shop.refund], approve="changes")
    def clerk(order: str) -> str:
        """CLERK."""

    @anb.program(tools=[clerk])
    def boss(message: str) -> str:
        """BOSS."""

    def reply(request: Any) -> Any:
        if request.input[-1]["role"] == "tool":
            return last_text(request)
        return wants(("clerk", {"order": "1"})) if "BOSS" in request.instruction else wants(("refund", {"order": "1"}))

    model = EchoProvider(reply)
    turn = shop.open(store, boss, model=model).send("Hi").wait(WAIT)
    assert [asked["path"] for asked in turn.waiting] == ["boss/clerk/refund"]
    done = turn.approve().wait(WAIT)
    assert (done.state, done.result, shop.ran, len(model.requests)) == ("done", "refunded 1", ["refund 1"], 4), done.error
    assert done.tree() == "boss\n└─ clerk"


def test_whoever_answers_the_process_that_lives_goes_on_with_the_turn() -> None:
    shop, store = Shop(approve="changes"), MemoryStore()
    turn = shop.open(store).send("Hi").wait(WAIT)
    looking = Conversation(None, "c", store=store)
    looking.turn(turn.id).approve(1, by="ana")
    second = settled(looking, turn.id, asking=2)
    second.approve(2, by="ana")
    assert settled(looking, turn.id, asking=None).outputs == {"result": "told refunded 1 | refunded 2"}
    assert shop.ran == ["refund 1", "refund 2"]


def settled(chat: Conversation, turn_id: str, *, asking: int | None) -> Turn:
    """Wait until a turn asks about an invocation, or has ended."""
    for _ in range(400):
        turn = chat.turn(turn_id).wait(WAIT)
        if [asked["invocation"] for asked in turn.waiting] == ([asking] if asking else []) and turn.state == ("waiting" if asking else "done"):
            return turn
        threading.Event().wait(0.025)
    raise AssertionError(turn)


def test_a_turn_that_nobody_knows_is_said_to_be_unknown() -> None:
    with pytest.raises(UnknownTurn):
        Shop().open(MemoryStore()).turn(new_id())
