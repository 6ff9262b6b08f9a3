"""WHERE LIVE CONVERSATIONS ARE: a database file that is read beside its writers, or a store that is open in this process."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from agentnb.conversations.stores import Store, calls_of, events_of, lengths_of, open_store
from agentnb.errors import AgentnbError
from agentnb.readers import LiveDatabase, LiveRecords, trees_of

UNREADABLE: Final = (AgentnbError, OSError, sqlite3.Error)
"""What a place raises that cannot be read now."""


class LivePlace(Protocol):
    """A place of live conversations; its methods raise one of `UNREADABLE` when it cannot be read now."""

    @property
    def name(self) -> str:
        """What stands before the ids of its conversations in the paths of sources."""

    def lengths(self) -> Mapping[str, int]:
        """Return how many records each conversation has; cheap, since every query asks it."""

    def read(self, conversation_id: str) -> LiveRecords:
        """Return what is kept of a conversation."""

    def progress(self, turns: Iterable[str]) -> int:
        """Return a number that grows whenever something is told of turns that run."""

    def opened(self) -> Store | None:
        """Return the place as a store, which can be written; None while there is none."""


class FilePlace(LiveDatabase):
    """An SQLite file; while it is not there, it has no conversations."""

    @property
    def name(self) -> str:
        """Its absolute path."""
        return os.path.abspath(self.path)

    def lengths(self) -> dict[str, int]:
        """Return how many records each conversation has."""
        return super().lengths() if self.path.exists() else {}

    def opened(self) -> Store | None:
        """Return the database as a store, where the file is there."""
        return open_store(self.name) if self.path.exists() else None


class StorePlace:
    """A store that is open in this process: in memory, or a database server's.

    Args:
        store: the store.
        name: by which it is told from others; no path, and without a password.
        only: the one conversation that is wanted; None for all.
    """

    def __init__(self, store: Store, name: str, *, only: str | None = None) -> None:
        self.store, self._only = store, only
        self.name = f"<{name}>"

    def lengths(self) -> Mapping[str, int]:
        """Return how many records each conversation has."""
        lengths = lengths_of(self.store)
        if self._only is None:
            return lengths or {}
        length = len(self.store.read(self._only)) if lengths is None else lengths.get(self._only, 0)
        return {self._only: length} if length else {}

    def read(self, conversation_id: str) -> LiveRecords:
        """Return what is kept of a conversation."""
        records = self.store.read(conversation_id)
        trees = trees_of(records)
        events, calls = events_of(self.store), calls_of(self.store)
        told = [event for tree in trees for event in events.read(tree)] if events is not None else []
        made = [call for tree in trees for call in calls.read(tree)] if calls is not None else []
        return LiveRecords(conversation_id, records, told, made, size=_size([records, told, made]))

    def progress(self, turns: Iterable[str]) -> int:
        """Return how many events are kept of turns."""
        events = events_of(self.store)
        return sum(len(events.read(turn)) for turn in turns) if events is not None else 0

    def opened(self) -> Store | None:
        """Return the store."""
        return self.store


def conversation_path(place: LivePlace, conversation_id: str) -> Path:
    """Return the path that stands for a conversation among the sources."""
    return Path(place.name, conversation_id)


def _size(value: Any) -> int:
    return len(msgspec.json.encode(value))
