"""A process that forks in the middle of something leaves its child half of it: locks that nobody there holds, connections that are the parent's.

Whatever is in this state registers here. A fork then waits until nothing is under way, and the child gets its own.
"""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from types import TracebackType
from typing import Protocol


class Forkable(Protocol):
    """Something that has to be at rest while its process forks."""

    def pause(self) -> None:
        """Come to rest before a fork; called in the order in which values were registered, outer ones first."""
        ...

    def resume(self) -> None:
        """Go on in the parent."""
        ...

    def renew(self) -> None:
        """Begin anew in the child, without touching what belongs to the parent."""
        ...


_numbers = itertools.count()
_known: dict[int, weakref.ref[Forkable]] = {}
_at_rest: dict[int, list[Forkable]] = {}


def at_rest_in_forks(value: Forkable) -> None:
    """Have a value at rest in every fork of this process."""
    number = next(_numbers)
    _known[number] = weakref.ref(value, lambda _: _known.pop(number, None))


class ForkLock:
    """A lock of the threads of one process, taken in turn by each fork."""

    def __init__(self) -> None:
        self.renew()
        at_rest_in_forks(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._lock.release()

    def pause(self) -> None:
        """Wait for the thread that holds it."""
        self._lock.acquire()

    def resume(self) -> None:
        """Let others have it."""
        self._lock.release()

    def renew(self) -> None:
        """Begin with a lock that nobody holds."""
        self._lock = threading.RLock()


def _before() -> None:
    values = [value for _, reference in sorted(_known.items()) if (value := reference()) is not None]
    _at_rest[threading.get_ident()] = values
    for value in values:
        value.pause()


def _after_in_parent() -> None:
    for value in reversed(_at_rest.pop(threading.get_ident(), [])):
        value.resume()


def _after_in_child() -> None:
    values = _at_rest.pop(threading.get_ident(), [])
    _at_rest.clear()
    for value in values:
        value.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
