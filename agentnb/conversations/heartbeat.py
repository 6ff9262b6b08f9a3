"""Keeps a running turn's lease, and listens for a stop and for another process that takes the turn over."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
from typing import TYPE_CHECKING, Final

from agentnb.conversations.halts import Halt
from agentnb.conversations.journal import Journal
from agentnb.errors import ConversationError
from agentnb.values.times import time_text

if TYPE_CHECKING:
    from agentnb.conversations.runs import Run

_log = logging.getLogger("agentnb")
LEASE_SECONDS: Final = 30.0
"""How long a lease lasts; a turn whose lease ran out is interrupted, and anybody may take it up."""
POLL_SECONDS: Final = 0.25


def new_holder() -> str:
    """Return a name for one run of a turn: host, process, and six hexadecimal digits."""
    return f"{socket.gethostname() or 'host'}:{os.getpid()}:{secrets.token_hex(3)}"


class Heartbeat(threading.Thread):
    """Beats while an attempt runs."""

    def __init__(self, run: Run, journal: Journal, holder: str, *, lease_seconds: float) -> None:
        super().__init__(name="agentnb-heartbeat", daemon=True)
        self._attempt, self._journal, self._holder, self._lease = run, journal, holder, lease_seconds
        self._stops = len(journal.turn.stops)
        self._done = threading.Event()
        self._beating = threading.Lock()
        self._pause = min(POLL_SECONDS, lease_seconds / 4)
        self._renewed = run.now()
        self._warned = False

    def run(self) -> None:
        """Beat until the attempt ends."""
        while not self._done.is_set():
            try:
                self._journal.ledger.wait(self._pause)
                self._beat()
            except Halt:
                return
            except ConversationError:
                self._warn()
                self._done.wait(self._pause)

    def listen(self) -> None:
        """Read what others wrote, and halt the run where they want that."""
        self._journal.ledger.refresh()
        turn = self._journal.turn
        if turn.attempt > self._journal.attempt:
            self._attempt.halt("overtaken")
        elif turn.ended is not None or len(turn.stops) > self._stops:
            self._attempt.halt("stopped")

    def end(self) -> None:
        """Beat no more: once this returns, nothing is written that would take back what the attempt writes last."""
        self._done.set()
        with self._beating:
            return

    def _beat(self) -> None:
        with self._beating:
            if not self._done.is_set():
                self.listen()
                self._renew()

    def _renew(self) -> None:
        now = self._attempt.now()
        if now - self._renewed < self._lease / 3 * 1e6:
            return
        self._journal.renew(holder=self._holder, until=time_text(now + round(self._lease * 1e6)))
        self._renewed = now

    def _warn(self) -> None:
        if not self._warned:
            self._warned = True
            _log.warning(
                "The store of turn %s does not answer; the turn goes on, and counts as interrupted when its lease runs out.",
                self._journal.turn_id,
                exc_info=True,
            )
