"""The records of one conversation as this process has read them, and the one way in which it adds to them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from agentnb.conversations.stores import Store, wait_for
from agentnb.errors import StoreConflict
from agentnb.streams.conversation_log import ConversationLog
from agentnb.values.times import time_text

Record = dict[str, Any]


class Ledger:
    """A conversation in a store: reads on where it stopped, and appends on the condition that nobody else did.

    Whatever is decided from the records is decided again when somebody appended meanwhile, so no decision rests on records that were not read.
    """

    def __init__(self, store: Store, conversation_id: str) -> None:
        self.store, self.id = store, conversation_id
        self.log = ConversationLog()
        self._lock = threading.RLock()

    def refresh(self) -> ConversationLog:
        """Read what was appended since."""
        with self._lock:
            self.log.read_all(self.store.read(self.id, after=self.log.position))
            return self.log

    def append(self, decide: Callable[[ConversationLog], Iterable[Record]]) -> int:
        """Append what is decided from the records.

        Args:
            decide: is given the records that were read, and returns what to append; asked again when somebody else appended first. Where it raises, nothing
                is appended.

        Returns:
            The length of the conversation afterwards.
        """
        while True:
            with self._lock:
                records = list(decide(self.log))
                if not records:
                    return self.log.position
                try:
                    length = self.store.append(self.id, records, expect=self.log.position)
                except StoreConflict:
                    self.refresh()
                    continue
                first = length - len(records) + 1
                self.log.read_all({**record, "seq": first + place} for place, record in enumerate(records))
                return length

    def wait(self, timeout: float) -> None:
        """Wait until somebody appends, at most for a time in seconds."""
        wait_for(self.store, self.id, after=self.log.position, timeout=timeout)


def new_record(kind: str, at: int, **fields: Any) -> Record:
    """Return a record of a conversation; fields that are None are left out, but for those that say so by being null.

    Args:
        kind: what it is.
        at: when, in microseconds since 1970.
        fields: what it holds.
    """
    return {
        "functai_conversation": 1,
        "kind": kind,
        "at": time_text(at),
        **{name: value for name, value in fields.items() if value is not None or name in _NULLABLE},
    }


_NULLABLE = frozenset({"parent", "by", "model", "value", "reason"})
