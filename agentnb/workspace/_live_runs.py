"""What a workspace has to do with live conversations: where its own are kept, and which databases it watches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from agentnb.conversations.stores import Store, open_store
from agentnb.conversations.stores.memory import MemoryStore
from agentnb.readers import Found, is_live_database
from agentnb.workspace._live import LivePlaces, names_of_live
from agentnb.workspace._live_places import FilePlace, StorePlace
from agentnb.workspace._live_store import LiveStore

RECORDS: Final = "records.sqlite"
"""The file of a workspace folder that holds its live conversations."""

_ENDINGS: Final = frozenset({".db", ".sqlite", ".sqlite3"})
_BESIDE: Final = ("-wal", "-shm", "-journal")


class LiveRuns:
    """The part of a workspace that shows live conversations beside recorded ones."""

    _store: LiveStore
    _own: Store | None = None

    @property
    def records_place(self) -> Any:
        """Where a conversation is kept that is opened with `store=ws`: `records.sqlite` in the folder, or the memory of the workspace."""
        if self._store.place is not None:
            return self._store.place / RECORDS
        if self._own is None:
            self._own = MemoryStore()
            self._live.watch(StorePlace(self._own, f"live {os.urandom(4).hex()}"))
        return self._own

    def record_stores(self) -> list[Store]:
        """Return the stores of the live conversations that the workspace shows, to answer and go on with their turns.

        Raises:
            ConversationError: one cannot be opened.
        """
        return self._live.stores()

    def watch_conversation(self, store: Store, conversation_id: str) -> None:
        """Show one conversation of a store from now on."""
        self._live.watch(StorePlace(store, f"live {conversation_id}", only=conversation_id))

    @cached_property
    def _live(self) -> LivePlaces:
        return LivePlaces()

    def _watch_own(self) -> None:
        """Watch the database of the folder, also before there is one; all else is looked at again, since the store may be another one."""
        self._live.look_again()
        if self._store.place is not None:
            self._live.watch(FilePlace(self._store.place / RECORDS))

    def _watch_again(self) -> None:
        """Watch the databases whose conversations are kept, as far as they are still there."""
        groups = [group for batch in self._store.batches() for group in batch.groups]
        for name in set(names_of_live(groups)) - self._live.names():
            if is_live_database(Path(name)):
                self._live.watch(FilePlace(Path(name)))
        self._live.look_again()

    def _watch_urls(self, paths: Iterable[str]) -> list[str]:
        """Watch the databases that URLs name; return the paths.

        Raises:
            SettingError: a URL names no database that can keep conversations.
            ConversationError: the database cannot be opened.
        """
        rest = []
        for path in paths:
            if "://" in path:
                store = open_store(path)
                self._live.watch(StorePlace(store, repr(store)))
            else:
                rest.append(path)
        return rest

    def _watch_files(self, found: Sequence[Found]) -> list[Found]:
        """Watch the databases among files; return the other files, without those that SQLite keeps beside a database."""
        databases = [item for item in found if item.origin is None and (item.named or item.path.suffix in _ENDINGS) and is_live_database(item.path)]
        for item in databases:
            self._live.watch(FilePlace(item.path))
        passed = {item.path for item in databases} | {item.path.with_name(item.path.name + ending) for item in databases for ending in _BESIDE}
        return [item for item in found if item.path not in passed]
