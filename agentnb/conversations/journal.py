"""What one attempt of a turn writes, and what earlier attempts left it: replies, results and answers, none of which is paid for or run again."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from agentnb.conversations.halts import Halt, HaltReason
from agentnb.conversations.ledger import Ledger, Record, new_record
from agentnb.errors import ConversationError
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.turn_log import TurnLog


class Journal:
    """The records of one attempt.

    Every record is written on the condition that no other attempt has begun and the turn has not ended; so what an overtaken attempt still brings is dropped.
    """

    def __init__(self, ledger: Ledger, turn_id: str, attempt: int, *, now: Callable[[], int], keeps_replies: bool) -> None:
        self.ledger, self.turn_id, self.attempt, self._now = ledger, turn_id, attempt, now
        self.keeps_replies = keeps_replies
        """Whether replies are recorded: not those of a program without tools, whose one reply is its end."""
        self.failure: Exception | None = None
        """Why the store took no more."""
        self.on_halt: Callable[[HaltReason], None] = lambda reason: None
        """Told when nothing more can be written."""
        turn = ledger.log.turns[turn_id]
        self._replies = turn.reply_queues()
        self._fresh = [id(answer) for answer in turn.fresh_answers()]
        self._lock = threading.Lock()

    @property
    def turn(self) -> TurnLog:
        """The turn, as it was last read."""
        return self.ledger.log.turns[self.turn_id]

    def write(self, kind: str, **fields: Any) -> None:
        """Append a record about the turn.

        Raises:
            Halt: another attempt has begun, the turn has ended, or the store takes nothing more.
        """
        self.write_all([new_record(kind, self._now(), turn=self.turn_id, **fields)])

    def write_all(self, records: list[Record]) -> None:
        """Append records about the turn, all or none; when the store takes them not, the attempt is over."""
        try:
            self._append(records)
        except ConversationError as error:
            self.failure = self.failure or error
            self.on_halt("failed")
            raise Halt("failed") from error

    def renew(self, **lease: Any) -> None:
        """Append a lease; a store that does not take it now may take the next one.

        Raises:
            ConversationError: the store did not take it.
            Halt: another attempt has begun, or the turn has ended.
        """
        self._append([new_record("lease", self._now(), turn=self.turn_id, **lease, attempt=self.attempt)])

    def _append(self, records: list[Record]) -> None:
        def decide(log: ConversationLog) -> list[Record]:
            turn = log.turns[self.turn_id]
            if turn.attempt > self.attempt:
                raise Halt("overtaken")
            if turn.ended is not None:
                raise Halt("stopped")
            return records

        try:
            self.ledger.append(decide)
        except Halt as halt:
            self.on_halt(halt.reason)
            raise

    def take_reply(self, site: str, key: str) -> dict[str, Any] | None:
        """Return, once, the reply that was recorded for a request at a place; None when there is none left.

        A reply says at which place it was given; one that does not, because another writer recorded it, is for whoever asks first.
        """
        with self._lock:
            queue = self._replies.get(key, [])
            found = next((record for record in queue if record.get("site", site) == site), None)
            if found is None:
                return None
            queue.remove(found)
        response: dict[str, Any] = found["response"]
        return response

    def usage(self) -> Counter[str]:
        """Return the tokens of every reply that is recorded, also of those that this attempt did not come by, since a tool that asked for them had a result."""
        total: Counter[str] = Counter()
        for record in (record for queue in self.turn.reply_queues().values() for record in queue):
            usage = record["response"].get("usage")
            total.update({name: count for name, count in usage.items() if type(count) is int} if isinstance(usage, dict) else {})
        return total

    def is_fresh(self, answer: dict[str, Any]) -> bool:
        """Tell whether a person's answer came after the turn last waited, so that it is news to those who follow."""
        return id(answer) in self._fresh
