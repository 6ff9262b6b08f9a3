"""The store is busy, full or gone in the middle of a turn: whoever waits is told, the log stays whole, and the turn goes on when the store is back."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import agentnb as anb
from agentnb.conversations import Conversation, Turn
from agentnb.conversations.stores import SqlStore
from tests.conversations.scripted import EchoProvider, last_text, wants
from tests.conversations.stores.postgres import Postgres, running_postgres
from tests.processes import finish, start
from tests.transports.running import run as run_coroutine

WAIT = 20
Trouble = Callable[[], Callable[[], None]]


class Shop:
    """A shop whose one tool brings trouble to the store, or has it brought before or after."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.trouble: Callable[[], None] = lambda: None

        @anb.tool(effects="changes")
        def refund(order: str) -> str:
            """Refund an order."""
            self.ran.append(order)
            self.trouble()
            return f"refunded {order}"

        @anb.program(tools=[refund])
        def shop(message: str) -> str:
            """Help."""

        self.model = EchoProvider(lambda request: f"done: {last_text(request)}" if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "7"})))
        self.program = shop

    def conversation(self, store: SqlStore) -> Conversation:
        """Open a conversation."""
        return self.program.conversation("c", store=store, model=self.model)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[tuple[SqlStore, Trouble]]:
    """A database that another process holds for longer than anybody waits."""
    store = SqlStore(tmp_path / "kept.sqlite", busy_timeout=0.2)
    holder = sqlite3.connect(tmp_path / "kept.sqlite", isolation_level=None, check_same_thread=False)

    def bring() -> Callable[[], None]:
        holder.execute("begin immediate")

        def release() -> None:
            holder.execute("rollback")

        return release

    yield store, bring
    holder.close()
    store.close()


def fails(turn: Turn) -> str:
    """Wait for a turn that cannot be recorded, in both ways of waiting; returns what is said."""
    with pytest.raises(anb.ConversationError) as caught:
        turn.wait(WAIT)
    with pytest.raises(anb.ConversationError) as awaited:
        run_coroutine(wait_for(turn))
    assert caught.value.code == awaited.value.code == "store-failed"
    return str(caught.value)


async def wait_for(turn: Turn) -> Turn:
    return await asyncio.wait_for(turn, WAIT)


def goes_on(shop: Shop, turn: Turn, store: SqlStore) -> None:
    """Resume a turn whose tool ran and whose store is back: a person says what became of the tool, and it is not run again."""
    with pytest.raises(anb.ConversationError, match="turn-unfinished"):
        turn.resume()
    done = turn.resume(results={1: "refunded 7"}).wait(WAIT)
    assert (done.state, done.result, shop.ran) == ("done", "done: refunded 7", ["7"])
    assert len(shop.model.requests) == 2
    records = store.read("c")
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))


def test_a_turn_whose_store_is_held_for_too_long_says_so_and_goes_on_later(held: tuple[SqlStore, Trouble]) -> None:
    store, bring = held
    shop, release = Shop(), []
    shop.trouble = lambda: release.append(bring())
    turn = shop.conversation(store).send("Hi")
    assert "another process has held it" in fails(turn)
    release[0]()
    goes_on(shop, turn, store)


def test_a_turn_that_cannot_be_recorded_never_starts(held: tuple[SqlStore, Trouble]) -> None:
    store, bring = held
    shop = Shop()
    release = bring()
    with pytest.raises(anb.ConversationError, match="store-failed"):
        shop.conversation(store).send("Hi")
    release()
    assert (store.read("c"), shop.ran, shop.model.requests) == ([], [], [])
    assert shop.conversation(store).send("Hi").wait(WAIT).state == "done"


def test_a_turn_whose_database_was_removed_says_so_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    path, aside = tmp_path / "kept.sqlite", tmp_path / "aside"
    store, shop = SqlStore(path), Shop()
    shop.trouble = lambda: os.rename(path, aside)
    turn = shop.conversation(store).send("Hi")
    assert "removed or replaced" in fails(turn)
    assert not path.exists(), "no other file was begun in its place"
    os.rename(aside, path)
    goes_on(shop, turn, store)
    store.close()


@pytest.fixture
def own_server() -> Iterator[Postgres]:
    """A server that may be stopped."""
    with running_postgres() as server:
        yield server


def test_a_turn_whose_server_stopped_says_so_and_goes_on_when_it_is_back(own_server: Postgres) -> None:
    store, shop = SqlStore(own_server.new_place()), Shop()
    shop.trouble = own_server.stop
    turn = shop.conversation(store).send("Hi")
    said = fails(turn)
    assert "cannot be" in said or "broke while" in said
    assert "secret-word" not in said
    own_server.start()
    goes_on(shop, turn, store)
    store.close()


def test_a_server_that_ended_the_connection_in_the_middle_is_connected_to_again(own_server: Postgres) -> None:
    store, shop = SqlStore(own_server.new_place()), Shop()
    shop.trouble = lambda: own_server.execute("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = 'tester'")
    done = shop.conversation(store).send("Hi").wait(WAIT)
    assert (done.state, done.result, shop.ran) == ("done", "done: refunded 7", ["7"])
    store.close()


FULL = """
from agentnb.conversations.stores import open_store
from tests.conversations.scripted import EchoProvider, last_text, wants
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
def fill():
    sizes = [os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(os.path.dirname(sys.argv[1])) for file in files]
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(sizes) + int(sys.argv[2]), hard))
ran = []
@anb.tool(effects="changes")
def refund(order: str) -> str:
    "Refund an order."
    ran.append(order)
    fill()
    return "refunded " + "x" * 300_000
@anb.program(tools=[refund])
def shop(message: str) -> str:
    "Help."
model = EchoProvider(lambda request: "done" if request.input[-1]["role"] == "tool" else wants(("refund", {"order": "7"})))
store = open_store(sys.argv[1])
turn = shop.conversation("c", store=store, model=model).send("Hi")
try:
    turn.wait(20)
except anb.ConversationError as error:
    print(error.code)
written = store.read("c")
assert [record["seq"] for record in written] == list(range(1, len(written) + 1))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
done = turn.resume(results={1: "refunded"}).wait(20)
print(done.state, done.result, *ran)
"""


@pytest.mark.parametrize(("name", "room"), [("kept.sqlite", 0), ("kept.sqlite", 20_000), ("kept", 0), ("kept", 20_000)])
def test_a_turn_whose_disk_is_full_says_so_and_goes_on_when_there_is_room(root: Path, tmp_path: Path, name: str, room: int) -> None:
    (said,) = finish([start(root, f"import logging; logging.disable()\n{FULL}", tmp_path / "place" / name, room)])
    assert said == "store-failed\ndone done 7\n"


def test_while_the_store_is_away_for_a_moment_a_turn_that_writes_nothing_goes_on(held: tuple[SqlStore, Trouble]) -> None:
    store, bring = held
    away, back = threading.Event(), threading.Event()

    def slow(request: object) -> str:
        away.set()
        return str(back.wait(WAIT))

    turn = Shop().program.conversation("c", store=store, model=EchoProvider(slow), lease_seconds=0.9).send("Hi")
    away.wait(WAIT)
    release = bring()
    threading.Event().wait(0.8)
    release()
    back.set()
    assert turn.wait(WAIT).result == "True"
