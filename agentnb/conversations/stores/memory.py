"""Conversations in the memory of this process: gone with it, the same for all who open it here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from agentnb.conversations.identifiers import check_conversation_id
from agentnb.conversations.stores._calls import call_line, tree_of
from agentnb.conversations.stores._conflicts import check_length
from agentnb.conversations.stores._forks import ForkLock
from agentnb.conversations.stores._texts import event_text, json_of, read_objects, read_records, record_text
from agentnb.conversations.stores._waiting import Bell
from agentnb.conversations.stores.event_rules import LogState, check_events, check_tree_id, next_claim, unknown_position
from agentnb.conversations.stores.protocols import Claim, Outcome, Record


class MemoryStore:
    """Keeps conversations, events and calls in memory, as the JSON that every store keeps: what is put in and what comes out share nothing."""

    persistent: ClassVar[bool] = False
    durability: ClassVar[str] = "memory"

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._bell = Bell()
        self.events = MemoryEvents()
        self.calls = MemoryCalls()
        self._lock = ForkLock()

    def __repr__(self) -> str:
        return "MemoryStore()"

    def append(self, conversation: str, records: Sequence[Mapping[str, Any]], *, expect: int | None = None) -> int:
        """Append records to a conversation; see `Store.append`."""
        check_conversation_id(conversation)
        texts = [record_text(record) for record in records]
        with self._lock:
            held = self._texts.get(conversation, [])
            check_length(conversation, len(held), expect)
            if texts:
                held = self._texts.setdefault(conversation, held)
                held.extend(texts)
            length = len(held)
        self._bell.ring()
        return length

    def read(self, conversation: str, *, after: int = 0) -> list[Record]:
        """Return the records after a place; see `Store.read`."""
        check_conversation_id(conversation)
        with self._lock:
            texts = self._texts.get(conversation, [])[max(after, 0) :]
        return read_records(enumerate(texts, max(after, 0) + 1))

    def wait(self, conversation: str, *, after: int, timeout: float) -> bool:
        """Wait until there are more than `after` records; see `Store`."""
        return self._bell.wait_for(lambda: len(self._texts.get(conversation, ())) > after, timeout, looking=False)

    def conversations(self) -> list[str]:
        """Return the ids of all conversations, sorted."""
        return sorted(self.lengths())

    def lengths(self) -> dict[str, int]:
        """Return how many records each conversation has."""
        with self._lock:
            return {conversation: len(texts) for conversation, texts in self._texts.items()}

    def close(self) -> None:
        """Do nothing: what is in memory is there until the process ends."""


class MemoryEvents:
    """Keeps the events of turns in memory."""

    def __init__(self) -> None:
        self._logs: dict[str, tuple[LogState, list[str], dict[int, int]]] = {}
        self._lock = ForkLock()

    def claim(self, tree: str) -> Claim:
        """Become the writer of a log; see `EventStore.claim`."""
        with self._lock:
            state, texts, places = self._logs.get(tree, (LogState(), [], {}))
            claim = next_claim(tree, state)
            self._logs[tree] = state._replace(writer=claim.writer), texts, places
            return claim

    def append(self, tree: str, events: Sequence[Mapping[str, Any]]) -> Outcome:
        """Keep events; see `EventStore.append`."""
        check_tree_id(tree)
        with self._lock:
            state, texts, places = self._logs.get(tree, (LogState(), [], {}))
            checked = check_events(tree, events, state, lambda seq: json_of(texts[places[seq]]) if seq in places else None)
            new = [event_text(event) for event in checked.new]
            if new:
                places |= {event["seq"]: place for place, event in enumerate(checked.new, len(texts))}
                texts.extend(new)
                self._logs[tree] = checked.state, texts, places
            return checked.outcome

    def read(self, tree: str, *, after: Mapping[str, int] | None = None) -> list[Record]:
        """Return the events after a position; see `EventStore.read`."""
        with self._lock:
            texts = list(self._logs[tree][1]) if tree in self._logs else []
        return events_after(tree, read_objects(texts), after)


class MemoryCalls:
    """Keeps the records of calls in memory."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, str]] = []

    def write(self, record: Mapping[str, Any]) -> None:
        """Keep the record of a call; see `CallStore.write`."""
        self._lines.append((tree_of(record), call_line(record)))

    def read(self, tree: str | None = None) -> list[Record]:
        """Return the records of calls; see `CallStore.read`."""
        return read_objects([line for root, line in list(self._lines) if tree in (None, root)])


def events_after(tree: str, events: list[Record], after: Mapping[str, int] | None) -> list[Record]:
    """Return the events after a position.

    Raises:
        EventRefused: none of them has it.
    """
    if after is None:
        return events
    for place, event in enumerate(events, 1):
        if event.get("seq") == after.get("seq") and event.get("writer") == after.get("writer"):
            return events[place:]
    raise unknown_position(tree, after)
