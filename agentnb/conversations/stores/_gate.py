"""Lets many threads through at once, and nobody while the process forks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Gate:
    """Counts who is inside; whoever closes it waits until nobody is."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closings = 0

    @contextmanager
    def passing(self) -> Iterator[None]:
        """Be inside, as soon as the gate is open."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closings)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Let nobody in, and wait until nobody is inside."""
        with self._changed:
            self._closings += 1
            self._changed.wait_for(lambda: not self._inside)

    def open(self) -> None:
        """Take back one closing."""
        with self._changed:
            self._closings -= 1
            self._changed.notify_all()
