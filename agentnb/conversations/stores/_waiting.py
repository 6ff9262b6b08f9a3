"""Waiting for what somebody may append: woken at once by this process, by looking again and again for others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial

from agentnb.conversations.stores._forks import at_rest_in_forks

SHORTEST = 0.02
"""Seconds between the first looks; the pause doubles."""

LONGEST = 0.2
"""Seconds between looks at most."""


class Bell:
    """Wakes those threads of this process that wait for something to be appended."""

    def __init__(self) -> None:
        self._rung = 0
        self._condition = threading.Condition()
        at_rest_in_forks(self)

    def pause(self) -> None:
        """Hold still while the process forks."""
        self._condition.acquire()

    def resume(self) -> None:
        """Go on in the parent."""
        self._condition.release()

    def renew(self) -> None:
        """Begin anew in a child of the process, in which nobody waits."""
        self._condition = threading.Condition()

    def ring(self) -> None:
        """Wake all who wait."""
        with self._condition:
            self._rung += 1
            self._condition.notify_all()

    def wait_for(self, came: Callable[[], bool], timeout: float, *, looking: bool = True) -> bool:
        """Wait until something came.

        Args:
            came: tells whether it did.
            timeout: seconds to wait at most.
            looking: whether it may come from elsewhere, so that nobody rings for it.

        Returns:
            Whether it came in time.
        """
        deadline, pause = time.monotonic() + timeout, SHORTEST
        while True:
            rung = self._rung
            if came():
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            with self._condition:
                self._condition.wait_for(partial(self._rung_since, rung), min(left, pause) if looking else left)
            pause = min(pause * 2, LONGEST)

    def _rung_since(self, rung: int) -> bool:
        return self._rung != rung
