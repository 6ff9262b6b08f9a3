"""A turn is stopped, interrupted, or loses its process, wherever it is."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import Conversation, Turn
from agentnb.conversations.stores import MemoryStore
from tests.conversations.scripted import EchoProvider, wants
from tests.processes import finish, start
from tests.transports.running import run as run_coroutine

WAIT = 10
let_go = threading.Event()
under_way = threading.Event()


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Let what still hangs end with its test."""
    let_go.clear()
    under_way.clear()
    yield
    let_go.set()


@anb.tool(effects="changes")
def blocking() -> str:
    """Block its thread."""
    under_way.set()
    let_go.wait(WAIT)
    return "late"


@anb.tool(effects="changes")
async def sleeping() -> str:
    """Sleep on the loop."""
    under_way.set()
    while not let_go.is_set():
        await asyncio.sleep(0.01)
    return "late"


@anb.program(tools=[blocking, sleeping])
def agent(message: str) -> str:
    """Help."""


def slowly(request: Any) -> Iterator[str]:
    """Stream a reply piece by piece, without an end."""
    while not let_go.is_set():
        yield "a"
        under_way.set()
        time.sleep(0.01)


def unstreamed(request: Any) -> str:
    """Give a whole reply, late."""
    under_way.set()
    let_go.wait(WAIT)
    return "late"


class Asynchronous(EchoProvider):
    """A model whose reply comes from a loop."""

    def stream(self, request: Any) -> Any:
        """Stream a reply piece by piece, without an end."""
        return self._pieces()

    async def _pieces(self) -> AsyncIterator[str]:
        while not let_go.is_set():
            yield "a"
            under_way.set()
            await asyncio.sleep(0.01)


MODELS: dict[str, Callable[[], EchoProvider]] = {
    "a tool that blocks its thread": lambda: EchoProvider(lambda request: wants(("blocking", {}))),
    "a tool that sleeps on the loop": lambda: EchoProvider(lambda request: wants(("sleeping", {}))),
    "a reply that streams": lambda: EchoProvider(slowly),
    "a reply that comes whole": lambda: EchoProvider(unstreamed),
    "a reply of an asynchronous client": Asynchronous,
}


def begun(model: EchoProvider, **options: Any) -> tuple[Conversation, Turn]:
    """Send a turn, and wait until it is in the middle of what it does."""
    chat = agent.conversation("stop", store=MemoryStore(), model=model, **options)
    turn = chat.send("Hi")
    assert under_way.wait(WAIT)
    return chat, turn


def kinds_of(chat: Conversation) -> list[str]:
    return [str(record.get("state") or record["kind"]) for record in chat.store.read("stop")]


@pytest.mark.parametrize("where", MODELS)
def test_a_stop_ends_a_turn_without_waiting_for(where: str) -> None:
    chat, turn = begun(MODELS[where]())
    stopped = turn.stop().wait(WAIT)
    assert not let_go.is_set(), "nothing had to end first"
    assert (stopped.state, stopped.error, stopped.outputs) == ("stopped", {"type": "Cancelled", "message": "the turn was stopped"}, {})
    written = len(chat.store.read("stop"))
    let_go.set()
    assert chat.send("again", model=EchoProvider()).wait(WAIT).result == "echo again"
    late = [record for record in chat.store.read("stop")[written:] if record.get("turn") == turn.id]
    assert late == [], "what came late was written"
    assert stopped.refresh().tree() == "agent [failed]"


@pytest.mark.parametrize("where", MODELS)
def test_another_process_stops_a_turn_without_waiting_for(where: str) -> None:
    chat, turn = begun(MODELS[where]())
    Conversation(None, "stop", store=chat.store).turn(turn.id).stop()
    assert turn.wait(WAIT).state == "stopped"
    assert not let_go.is_set()


def test_a_stop_of_a_turn_that_has_ended_writes_nothing() -> None:
    chat = agent.conversation("stop", store=MemoryStore(), model=EchoProvider())
    done = chat.send("Hi").wait(WAIT)
    written = len(chat.store.read("stop"))
    assert done.stop().state == "done"
    assert len(chat.store.read("stop")) == written


def test_an_await_that_is_cancelled_interrupts_its_turn_which_can_be_resumed_at_once() -> None:
    chat, turn = begun(EchoProvider(slowly))

    async def impatient() -> None:
        waiting = asyncio.ensure_future(wait_for(turn))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    run_coroutine(impatient())
    interrupted = turn.wait(WAIT)
    assert (interrupted.state, kinds_of(chat)) == ("interrupted", ["program", "turn", "lease", "lease"])
    let_go.set()
    assert interrupted.resume().wait(WAIT).state == "failed", "the same model says nothing any more"


async def wait_for(turn: Turn) -> Turn:
    return await turn


def test_a_kernel_interrupt_leaves_a_turn_that_can_be_resumed_at_once() -> None:
    chat, turn = begun(EchoProvider(lambda request: unstreamed(request)))
    main = threading.get_ident()
    threading.Timer(0.1, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        turn.wait(WAIT)
    interrupted = turn.wait(WAIT)
    assert interrupted.state == "interrupted"
    let_go.set()
    assert interrupted.resume().wait(WAIT).result == "late"
    assert [record["attempt"] for record in chat.store.read("stop") if record["kind"] == "ended"] == [2]


def test_a_turn_whose_changing_tool_was_interrupted_asks_what_became_of_it() -> None:
    _, turn = begun(MODELS["a tool that blocks its thread"]())
    turn._conversation.interrupt(turn.id)
    interrupted = turn.wait(WAIT)
    assert [(tool.name, tool.invocation) for tool in interrupted.unfinished] == [("blocking", 1)]
    with pytest.raises(anb.ConversationError, match="turn-unfinished"):
        interrupted.resume()


EXIT = """
import threading
from tests.conversations.scripted import EchoProvider
from agentnb import program
begun = threading.Event()
def never(request):
    begun.set()
    threading.Event().wait()
@program
def agent(message: str) -> str:
    "Help."
turn = agent.conversation("c", store=sys.argv[1], model=EchoProvider(never)).send("Hi")
begun.wait(10)
print(turn.id)
"""


def test_a_process_that_ends_leaves_its_turns_to_be_resumed_at_once(root: Path, tmp_path: Path) -> None:
    (said,) = finish([start(root, EXIT, tmp_path / "kept.sqlite")])
    turn = anb.LiveConversation(None, "c", store=tmp_path / "kept.sqlite").turn(said.strip())
    assert (turn.state, turn.attempt) == ("interrupted", 1)
