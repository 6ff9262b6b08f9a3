"""Places to keep conversations in, one of each kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentnb.conversations.stores import FolderStore, MemoryStore, SqlStore, Store

KINDS = ["memory", "sqlite", "folder", "postgres"]
LASTING = KINDS[1:]


class Place:
    """Somewhere to keep conversations; opened as often as one likes, each time as if by another process."""

    def __init__(self, kind: str, where: str, open_anew: Callable[[], Store]) -> None:
        self.kind, self.where = kind, where
        self._open_anew = open_anew
        self._opened: list[Store] = []

    def open(self) -> Store:
        """Return a store object of its own; in memory there is only one."""
        self._opened.append(self._open_anew())
        return self._opened[-1]

    def close(self) -> None:
        """Close what was opened."""
        for store in self._opened:
            store.close()  # type: ignore[attr-defined]


def make_place(kind: str, folder: Path, url: str) -> Place:
    """Make an empty place.

    Args:
        kind: one of KINDS.
        folder: where files go.
        url: an empty place on a PostgreSQL server.
    """
    if kind == "memory":
        store = MemoryStore()
        return Place(kind, "", lambda: store)
    if kind == "folder":
        return Place(kind, str(folder / "kept"), lambda: FolderStore(folder / "kept"))
    if kind == "sqlite":
        return Place(kind, str(folder / "kept.sqlite"), lambda: SqlStore(folder / "kept.sqlite"))
    return Place(kind, url, lambda: SqlStore(url))
