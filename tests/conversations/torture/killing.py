"""A store in which a process dies: before or after its n-th write, whatever it writes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from agentnb.conversations.stores import Claim, Outcome, Record, Store, calls_of, events_of, is_persistent, wait_for

T = TypeVar("T")


class Death(NamedTuple):
    """When a process dies."""

    at: int
    """At which write, counted from 1; 0 for never."""
    when: Literal["before", "after"] = "before"


NEVER = Death(0)


class Reaper:
    """Counts writes, and kills the process at the appointed one."""

    def __init__(self, death: Death) -> None:
        self.death, self.writes = death, 0
        self._lock = threading.Lock()

    def write(self, function: Callable[[], T]) -> T:
        """Write, unless this is the end."""
        with self._lock:
            self.writes += 1
            is_last = self.writes == self.death.at
        if is_last and self.death.when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function()
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result


class KillingStore:
    """A store whose every write may be the last one of its process."""

    def __init__(self, store: Store, reaper: Reaper) -> None:
        self._store, self._reaper = store, reaper
        self.persistent = is_persistent(store)
        events, calls = events_of(store), calls_of(store)
        assert events is not None
        assert calls is not None
        self.events, self.calls = _Events(events, reaper), _Calls(calls, reaper)

    def append(self, conversation: str, records: Sequence[Mapping[str, Any]], *, expect: int | None = None) -> int:
        """Append records."""
        return self._reaper.write(lambda: self._store.append(conversation, records, expect=expect))

    def read(self, conversation: str, *, after: int = 0) -> list[Record]:
        """Read records."""
        return self._store.read(conversation, after=after)

    def wait(self, conversation: str, *, after: int, timeout: float) -> bool:
        """Wait for records."""
        return wait_for(self._store, conversation, after=after, timeout=timeout)


class _Events:
    def __init__(self, events: Any, reaper: Reaper) -> None:
        self._events, self._reaper = events, reaper

    def claim(self, tree: str) -> Claim:
        claim: Claim = self._reaper.write(lambda: self._events.claim(tree))
        return claim

    def append(self, tree: str, events: Sequence[Mapping[str, Any]]) -> Outcome:
        outcome: Outcome = self._reaper.write(lambda: self._events.append(tree, events))
        return outcome

    def read(self, tree: str, *, after: Mapping[str, int] | None = None) -> list[Record]:
        records: list[Record] = self._events.read(tree, after=after)
        return records


class _Calls:
    def __init__(self, calls: Any, reaper: Reaper) -> None:
        self._calls, self._reaper = calls, reaper

    def write(self, record: Mapping[str, Any]) -> None:
        self._reaper.write(lambda: self._calls.write(record))

    def read(self, tree: str | None = None) -> list[Record]:
        records: list[Record] = self._calls.read(tree)
        return records
