"""Turns of a conversation: sent, placed, shown earlier ones, branched, merged, refused."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, NamedTuple

import pytest

import agentnb as anb
from agentnb.conversations import Conversation, Program
from agentnb.conversations.stores import FolderStore, MemoryStore, SqlStore, Store
from agentnb.streams.conversation_log import ConversationLog
from tests.conversations.scripted import EchoProvider, last_text, wants
from tests.transports.running import run as run_coroutine

WAIT = 10


@anb.program
def tutor(message: str) -> str:
    """Teach."""


@anb.program
def judge(candidates: list[Any]) -> str:
    """Choose the best answer."""


def opened(program: Program = tutor, conversation_id: str = "alex", store: Store | None = None, **options: Any) -> Conversation:
    return program.conversation(conversation_id, store=store or MemoryStore(), **{"model": EchoProvider(), **options})


def test_a_turn_is_recorded_before_it_starts_and_ends_with_its_answer() -> None:
    chat = opened()
    turn = chat.send("Hi").wait(WAIT)
    assert (turn.state, turn.result, turn.outputs, turn.inputs) == ("done", "echo Hi", {"result": "echo Hi"}, {"message": "Hi"})
    assert [record["kind"] for record in chat.store.read("alex")] == ["program", "turn", "lease", "ended"]


def test_a_snapshot_never_changes() -> None:
    gate = threading.Event()
    chat = opened(model=EchoProvider(lambda request: str(gate.wait(WAIT))))
    turn = chat.send("Hi")
    gate.set()
    assert (turn.wait(WAIT).state, turn.state, turn.refresh().state) == ("done", "running", "done")
    turn.inputs["message"] = "changed"
    assert turn.inputs == {"message": "Hi"}


def test_the_same_id_opens_the_same_conversation_wherever_the_store_is_the_same() -> None:
    store = MemoryStore()
    opened(store=store)("Hi")
    again = opened(store=store)
    assert [turn.result for turn in again.turns] == ["echo Hi"]
    again("And now?")
    assert [turn.parent is None for turn in again.turns] == [True, False]


def test_earlier_turns_are_shown_to_the_model_in_order() -> None:
    model = EchoProvider()
    chat = opened(model=model)
    chat("one"), chat("two"), chat("three")
    assert [last_text_of(message) for message in model.requests[-1].input] == ["one", "echo one", "two", "echo two", "three"]
    assert [turn.inputs["message"] for turn in chat.turns[-1].shown] == ["one", "two"]


def test_a_third_turn_says_that_it_saw_what_its_parent_saw() -> None:
    chat = opened()
    chat("one"), chat("two"), chat("three")
    ended = [record for record in chat.store.read("alex") if record["kind"] == "ended"]
    assert [list(entry) for entry in ended[2]["saw"]] == [["saw_of"], ["call", "steps"]]


def test_only_the_last_turns_are_shown_where_the_conversation_says_so() -> None:
    model = EchoProvider()
    chat = opened(model=model, last=1)
    chat("one"), chat("two"), chat("three")
    assert [last_text_of(message) for message in model.requests[-1].input] == ["two", "echo two", "three"]


def test_a_field_that_is_left_out_is_shown_of_no_earlier_turn() -> None:
    model = EchoProvider()
    chat = opened(model=model, without=["message"])
    chat("secret"), chat("open")
    assert all("secret" not in last_text_of(message).removeprefix("echo ") or message["role"] == "assistant" for message in model.requests[-1].input[:-1])
    assert chat.turns[1].shown[0].result == "echo secret"


def test_a_rule_about_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(anb.ConversationError, match="no field of the program; it has message, result"):
        opened(without=["mesage"])


def test_a_branch_continues_another_turn_and_leaves_the_first_view_where_it_was() -> None:
    chat = opened()
    first, second = chat.send("one").wait(WAIT), chat.send("two").wait(WAIT)
    other = chat.continue_from(first)
    aside = other.send("two again").wait(WAIT)
    assert (aside.parent, second.parent) == (first.id, first.id)
    assert [turn.id for turn in other.branch] == [first.id, aside.id]
    assert [turn.id for turn in chat.branch] == [first.id, second.id]


def test_the_head_is_moved_for_everybody() -> None:
    store = MemoryStore()
    chat = opened(store=store)
    first = chat.send("one").wait(WAIT)
    chat("two")
    chat.move_head(first)
    assert opened(store=store).send("other").wait(WAIT).parent == first.id


def test_a_request_that_is_sent_again_is_the_same_turn_whatever_it_says() -> None:
    model = EchoProvider()
    chat = opened(model=model)
    first = chat.send("Hi", request_id=7).wait(WAIT)
    assert chat.send("something else", request_id="7").id == first.id
    assert len(model.requests) == 1


def test_a_turn_that_is_sent_while_another_runs_waits_for_it() -> None:
    gate = threading.Event()
    chat = opened(model=EchoProvider(lambda request: "late" if gate.wait(WAIT) else "never"))
    first = chat.send("one")

    async def both() -> Any:
        sending = asyncio.create_task(chat.asend("two"))
        await asyncio.sleep(0.2)
        assert not sending.done()
        gate.set()
        return await (await sending)

    assert run_coroutine(both()).parent == first.id


def test_a_busy_conversation_refuses_or_branches_where_it_is_told_to() -> None:
    gate = threading.Event()
    chat = opened(model=EchoProvider(lambda request: str(gate.wait(WAIT))))
    chat.send("one")
    with pytest.raises(anb.ConversationError, match=r"conversation-busy: turn .* is running"):
        chat.send("two", sends="refuse")
    assert chat.send("two", sends="branch").parent is None
    gate.set()


def test_changed_fields_are_refused_and_a_changed_instruction_is_not() -> None:
    store = MemoryStore()
    opened(store=store)("Hi")

    @anb.program(name="tutor")
    def reworded(message: str) -> str:
        """Teach well."""

    @anb.program(name="tutor")
    def widened(message: str, grade: int = 1) -> str:
        """Teach."""

    assert opened(reworded, store=store).send("More").wait(WAIT).state == "done"
    with pytest.raises(anb.ConversationError, match=r"conversation-signature: .*grade was added"):
        opened(widened, store=store).send("More")


def test_a_failed_turn_is_no_parent() -> None:
    def fail(request: Any) -> Any:
        raise RuntimeError("no connection")

    chat = opened()
    first = chat.send("one").wait(WAIT)
    failed = chat.send("two", model=EchoProvider(fail)).wait(WAIT)
    assert (failed.state, failed.error) == ("failed", {"type": "RuntimeError", "message": "no connection"})
    assert chat.send("three").wait(WAIT).parent == first.id
    with pytest.raises(anb.ConversationError, match=r"turn-state: .* is failed and has no answer: RuntimeError: no connection"):
        failed.answer()


def test_merged_turns_become_one_that_the_next_turn_continues() -> None:
    chat = opened()
    start = chat.send("start").wait(WAIT)
    candidates = [chat.continue_from(start).send(f"try {number}").wait(WAIT) for number in (1, 2)]
    view = chat.continue_from(start)
    with anb.settings(model=EchoProvider(lambda request: "the best")):
        merged = view.merge(judge, candidates)
    assert (merged.state, merged.result, merged.parent, merged.reads) == ("done", "the best", start.id, [turn.id for turn in candidates])
    assert merged.made_by is not None
    assert (merged.made_by["name"], merged.tree(), merged.usage) == ("judge", "", {})
    assert view.send("on").wait(WAIT).parent == merged.id


def test_turns_that_do_not_continue_the_head_are_not_merged() -> None:
    chat = opened()
    first = chat.send("one").wait(WAIT)
    chat("two")
    with pytest.raises(anb.ConversationError, match=r"turn-state: .*continues None and not the head"):
        chat.merge(judge, [first])


class Reply(NamedTuple):
    """Two outputs."""

    topic: str
    urgent: bool


@anb.program
def sort(message: str) -> Reply:
    """Sort a message."""


def test_a_module_is_a_tree_of_the_calls_it_makes() -> None:
    @anb.module
    def desk(message: str) -> str:
        kind = sort(message)
        return str(tutor(f"{kind.topic}, {'at once' if kind.urgent else 'later'}"))

    model = EchoProvider(lambda request: '{"topic": "tax", "urgent": true}' if "Sort" in str(request.instruction) else f"echo {last_text(request)}")
    turn = opened(desk, model=model).send("Hi").wait(WAIT)
    assert turn.result == "echo tax, at once"
    assert turn.tree() == "desk\n├─ sort\n└─ tutor"
    assert [call.ended for call in turn.find(sort)] == ["done"]


def test_a_module_is_shown_the_values_of_earlier_turns() -> None:
    @anb.module
    def desk(message: str) -> str:
        return str([turn["message"] for turn in anb.earlier()])

    chat = opened(desk)
    chat("one")
    assert chat("two") == "['one']"
    assert anb.earlier() == []


def test_a_helper_remembers_what_its_module_says() -> None:
    model = EchoProvider()

    @anb.module(remembers={tutor: "conversation"})
    def desk(message: str) -> str:
        return str(tutor(message))

    @anb.module
    def forgetful(message: str) -> str:
        return str(tutor(message))

    chat = opened(desk, model=model)
    chat("one"), chat("two")
    assert [last_text_of(message) for message in model.requests[-1].input] == ["one", "echo one", "two"]
    other = opened(forgetful, "other", model=model)
    other("one"), other("two")
    assert [last_text_of(message) for message in model.requests[-1].input] == ["two"]


def test_a_hook_decides_what_a_turn_is_shown_and_that_is_recorded() -> None:
    class Forget:
        name = "forget"

        def context(self, shown: list[dict[str, Any]]) -> dict[str, Any]:
            return {"keep": [row["turn"] for row in shown if "secret" not in row["message"]], "sections": ["Be short."]}

    model = EchoProvider()
    chat = opened(model=model, hooks=[Forget()])
    chat("secret one"), chat("two"), chat("three")
    assert [last_text_of(message) for message in model.requests[-1].input] == ["two", "echo two", "three"]
    assert "Be short." in str(model.requests[-1].instruction)
    turns = [record for record in chat.store.read("alex") if record["kind"] == "turn"]
    assert turns[-1]["context"] == {"turns": [turns[1]["turn"]], "without": {}, "sections": ["Be short."]}


def test_sending_to_another_conversation_from_inside_a_turn_must_be_declared() -> None:
    inner = opened(tutor, "inner")

    @anb.module
    def undeclared(message: str) -> str:
        return str(inner(message))

    @anb.module(remembers={inner: "own"})
    def declared(message: str) -> str:
        return str(inner(message))

    refused = opened(undeclared, "outer").send("Hi").wait(WAIT)
    assert refused.error is not None
    assert refused.error["code"] == "conversation-nested"
    assert opened(declared, "other").send("Hi").wait(WAIT).result == "echo Hi"


def test_a_program_whose_content_may_not_be_written_has_no_lasting_conversation(tmp_path: Any) -> None:
    @anb.program(log_content={"message": False})
    def private(message: str) -> str:
        """Answer."""

    with pytest.raises(anb.ConversationError, match="conversation-content: log_content keeps message of 'private' from being written"):
        opened(private, store=FolderStore(tmp_path))
    assert opened(private).send("Hi").wait(WAIT).state == "done"


def test_a_field_without_a_json_form_is_refused_before_anything_is_recorded() -> None:
    @anb.program
    def drawn(picture: threading.Thread) -> str:
        """Describe."""

    with pytest.raises(anb.ConversationError, match="conversation-opaque: picture of 'drawn' has no JSON form"):
        opened(drawn)


def test_the_text_of_a_conversation_is_a_line_for_each_turn() -> None:
    gate = threading.Event()
    chat = opened()
    chat("Where is B?")
    assert repr(chat) == "<Conversation alex with tutor: 1 turn>\n  1. Where is B? → echo Where is B?"
    running = chat.send("And C?", model=EchoProvider(lambda request: str(gate.wait(WAIT))))
    assert repr(running) == f"<Turn {running.id[:8]} message=And C? [running]>"
    assert repr(chat).endswith("\n  2. And C? [running]")
    gate.set()


def test_what_a_plugin_keeps_belongs_to_the_branches_it_was_kept_on() -> None:
    chat = opened()
    first = chat.send("one").wait(WAIT)
    second = chat.send("two").wait(WAIT)
    chat.add_entry("notes", "note", {"text": "everywhere"})
    chat.add_entry("notes", "note", {"text": "here"}, turn=second)
    assert [entry["data"]["text"] for entry in chat.entries("notes")] == ["everywhere", "here"]
    assert [entry["data"]["text"] for entry in chat.continue_from(first).entries("notes")] == ["everywhere"]


def test_records_read_back_are_the_states_that_were_seen(tmp_path: Any) -> None:
    chat = opened(store=SqlStore(tmp_path / "agent.db"))
    chat("one"), chat("two")
    log = ConversationLog().read_all(chat.store.read("alex"))
    assert [log.turns[turn].result for turn in log.order] == ["echo one", "echo two"]


def test_tools_of_earlier_turns_are_shown_with_what_they_put_out() -> None:
    @anb.tool(effects="reads")
    def status(order: str) -> str:
        """Look up an order."""
        return f"{order} is late"

    @anb.program(tools=[status])
    def support(message: str) -> str:
        """Help."""

    def reply(request: Any) -> Any:
        return wants(("status", {"order": "7"})) if last_text(request) == "Where is 7?" else "It is late."

    model = EchoProvider(reply)
    chat = opened(support, model=model)
    chat("Where is 7?"), chat("Sure?")
    assert [[part["type"] for part in message["parts"]] for message in model.requests[-1].input] == [
        ["text"],
        ["tool_call"],
        ["tool_result"],
        ["text"],
        ["text"],
    ]


class Topic(NamedTuple):
    """One output, with a name of its own."""

    topic: str


def test_what_a_model_says_beside_a_tool_call_is_noted_under_the_name_of_the_answer() -> None:
    """It stood under `result` whatever the program called its answer, so that leaving the field out of later turns still showed it."""

    @anb.tool(effects="reads")
    def status(order: str) -> str:
        """Look up an order."""
        return f"{order} is late"

    @anb.program(tools=[status])
    def sorter(message: str) -> Topic:
        """Name the topic."""

    chat = opened(
        sorter, model=EchoProvider(lambda request: "delivery" if request.input[-1]["role"] == "tool" else ["Looking.", *wants(("status", {"order": "7"}))])
    )
    assert chat.send("Where is 7?").wait(WAIT).outputs == {"topic": "delivery"}
    (ended,) = [record for record in chat.store.read("alex") if record["kind"] == "ended"]
    assert [step["outputs"].get("topic") for step in ended["lmcc"]["steps"] if step["kind"] == "model"] == ["Looking.", "delivery"]


def last_text_of(message: dict[str, Any]) -> str:
    return "".join(str(part.get("text", "")) for part in message["parts"])


@anb.tool(effects="changes")
def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


def test_an_answer_is_kept_though_the_view_that_ran_the_turn_resumes_it_first() -> None:
    """Where two views of one process had the turn, approve() raised turn-state after the answer was recorded; and wait() never saw the other's end."""
    store = MemoryStore()
    asking = opened(anb.program(tools=[refund], approve="changes")(tutor.function), store=store, model=EchoProvider(_refunds))
    for number in range(20):
        waiting = asking.send(f"Refund order {number}").wait(WAIT)
        other = Conversation(asking.program, "alex", store=store, model=EchoProvider(_refunds))
        answered = other.turn(waiting.id).approve(by="ana")
        assert answered.state in ("running", "done")
        assert asking.turn(waiting.id).wait(WAIT).state == "done"


def _refunds(request: Any) -> Any:
    return "done" if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "7"}))
