"""Who goes on with a turn that somebody else answered? The process that ran it, as long as it lives."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from agentnb.conversations.heartbeat import POLL_SECONDS
from agentnb.conversations.runs import Run
from agentnb.errors import ConversationError

if TYPE_CHECKING:
    from agentnb.conversations.conversation import Conversation

_log = logging.getLogger("agentnb")


class Watcher:
    """Watches the turns that ran here and wait, and resumes each once its questions are answered, whoever answered them."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._turns: set[str] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def watch(self, turn_id: str) -> None:
        """Watch a turn whose attempt ended here, if it waits."""
        turn = self._conversation.ledger.log.turns.get(turn_id)
        if turn is None or turn.state(Run.now()) != "waiting":
            return
        with self._lock:
            self._turns.add(turn_id)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="agentnb-answers", daemon=True)
                self._thread.start()

    def take(self, turn_id: str) -> bool:
        """Watch a turn no more: whoever takes it resumes it. Returns whether it was watched."""
        with self._lock:
            is_watched = turn_id in self._turns
            self._turns.discard(turn_id)
            return is_watched

    def _run(self) -> None:
        while True:
            with self._lock:
                turns = list(self._turns)
                if not turns:
                    self._thread = None
                    return
            try:
                self._conversation.ledger.wait(POLL_SECONDS)
                self._conversation.ledger.refresh()
                for turn_id in turns:
                    self._look(turn_id)
            except ConversationError:
                _log.debug("The store does not answer; looking for answers again.", exc_info=True)
                threading.Event().wait(POLL_SECONDS)

    def _look(self, turn_id: str) -> None:
        turn = self._conversation.ledger.log.turns[turn_id]
        if turn.state(Run.now()) != "waiting":
            self.take(turn_id)
        elif not turn.unanswered() and self.take(turn_id):
            try:
                self._conversation.resume(turn_id, {}, [])
            except ConversationError as error:
                # Another process was quicker, or a tool may have run; both are for a person to see in the turn itself.
                _log.info("Turn %s is answered and was not resumed here: %s", turn_id, error)
