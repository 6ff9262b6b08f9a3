"""One run of an outermost call: a plain call, a stream, or one attempt of a turn; its clock, its loop, and whether it may go on."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, Final, TypeVar

from agentnb.conversations.event_log import EventLog
from agentnb.conversations.halts import Halt, HaltReason
from agentnb.conversations.identifiers import new_id

if TYPE_CHECKING:
    from agentnb.conversations.asked import Asker
    from agentnb.conversations.frames import Frame
    from agentnb.conversations.journal import Journal
    from agentnb.conversations.stores import CallStore

T = TypeVar("T")
_QUIET: Final = 3
"""How often in a row nothing has to be under way, for a run to be at rest: what has ended may ask next."""


class Run:
    """One run of an outermost call.

    Everything that runs inside it asks it before it goes on (`check`), so that a stop is noticed wherever the program yields; what comes late is dropped.
    """

    def __init__(
        self, *, events: EventLog, asker: Asker, journal: Journal | None = None, calls: CallStore | None = None, conversation_id: str | None = None
    ) -> None:
        self.events, self.asker, self.journal, self.calls = events, asker, journal, calls
        self.conversation_id = conversation_id
        self.loop: asyncio.AbstractEventLoop | None = None
        self.halt_reason: HaltReason | None = None
        """Why it goes no further; None while it does."""
        self.asked: list[dict[str, Any]] = []
        """What people are asked while the run comes to rest."""
        self.usage: Counter[str] = Counter()
        """Tokens of all its model calls, replayed ones included."""
        self.known_calls: dict[str, str] = {}
        """Ids that earlier attempts gave to calls, by their place; a call that is made again keeps its id, and what was said about it."""
        self.recorded_calls: set[str] = set()
        """Ids of calls whose record an earlier attempt wrote."""
        self._main: asyncio.Task[Any] | None = None
        self._tasks: set[Future[Any]] = set()
        self._working = 0
        self._lock = threading.Lock()

    @staticmethod
    def now() -> int:
        """Return the time, in microseconds since 1970."""
        return time.time_ns() // 1000

    async def entered(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run the outermost call on this loop."""
        self.loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        self.loop.set_exception_handler(_told_by_halts)
        return await coroutine

    def call_id_at(self, site: str) -> str:
        """Return the id of the call at a place: the one that an earlier attempt gave it, else a new one."""
        return self.known_calls.get(site) or new_id()

    def has_record(self, frame: Frame) -> bool:
        """Tell whether a call that ended was replayed whole, and an earlier attempt wrote its record."""
        return not frame.is_new and frame.id in self.recorded_calls

    def check(self, *, asking: bool = False) -> None:
        """Go on, or not.

        Args:
            asking: whether it goes on while the run comes to rest with a question: to repeat what is recorded, and to ask what it has to ask itself. What
                is asked at once is asked together.

        Raises:
            Halt: the run was stopped, interrupted or overtaken, or waits for a person.
        """
        if self.halt_reason is not None and not (asking and self.halt_reason == "waiting"):
            raise Halt(self.halt_reason)

    def halt(self, reason: HaltReason) -> None:
        """Let the run go no further, from any thread; the first reason counts, and what waits for something wakes up."""
        with self._lock:
            if self.halt_reason not in (None, "waiting") or reason == self.halt_reason:
                # What is under way while the run comes to rest with a question is let come to its end.
                return
            self.halt_reason = reason
            waiting = list(self._tasks)
        if self.loop is not None and not self.loop.is_closed():
            for future in waiting:
                future.cancel()
            self.loop.call_soon_threadsafe(self._cancel)

    def ask(self, approval: dict[str, Any]) -> None:
        """Let the run come to rest with a question to a person: what runs may end, and nothing begins.

        Raises:
            Halt: always.
        """
        with self._lock:
            self.asked.append(approval)
            self.halt_reason = self.halt_reason or "waiting"
        raise Halt("waiting")

    def wait_here(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the run's loop, and wait for it in this thread."""
        loop = self.loop
        if loop is None or loop.is_closed():
            coroutine.close()
            raise Halt(self.halt_reason or "stopped")
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        with self._lock:
            self._tasks.add(future)
        try:
            return future.result()
        except CancelledError:
            raise Halt(self.halt_reason or "stopped") from None
        finally:
            with self._lock:
                self._tasks.discard(future)

    def working(self) -> _Working:
        """Mark something under way that is let come to its end before the run rests: a request, or a tool."""
        return _Working(self)

    async def come_to_rest(self) -> None:
        """Wait until what is under way has ended, and has asked what it had to ask, unless the run is stopped meanwhile."""
        quiet = 0
        while quiet < _QUIET and self.halt_reason == "waiting":
            await asyncio.sleep(0.005)
            quiet = 0 if self._working else quiet + 1

    def _cancel(self) -> None:
        if self._main is not None and not self._main.done():
            self._main.cancel()


def _told_by_halts(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Say nothing of calls that went no further beside the one by which the run came to rest; they are no errors."""
    if not isinstance(context.get("exception"), Halt):
        loop.default_exception_handler(context)


class _Working:
    def __init__(self, run: Run) -> None:
        self._run = run

    def __enter__(self) -> None:
        self._run.check()
        with self._run._lock:
            self._run._working += 1

    def __exit__(self, *error: object) -> None:
        with self._run._lock:
            self._run._working -= 1
