"""Where tables are kept while a workspace has no folder: in memory. And what any such place can do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from agentnb.readers import Held, Origin, root_of
from agentnb.workspace._batches import Batch, KeptGroup, settle, source_ids
from agentnb.workspace._columns import Tables


class Store(Protocol):
    """Keeps the tables of groups."""

    @property
    def folder(self) -> Path | None:
        """The folder it is, as it was named; None of memory."""

    @property
    def place(self) -> Path | None:
        """The absolute path of the folder, which holds in every working folder."""

    def add(self, groups: Sequence[KeptGroup], tables: Tables) -> None:
        """Keep groups with their rows; an earlier group that shares a file with one of them is replaced."""

    def batches(self) -> Sequence[Batch]:
        """Return the batches of tables that count, in the order in which they were kept."""

    def state(self) -> Any:
        """Return what changes whenever `batches` changes; cheap, since every query asks it."""

    def damaged(self) -> Sequence[tuple[Path, tuple[KeptGroup, ...]]]:
        """Return what is kept but cannot be read, with the groups that it holds as far as they are known."""

    def check(self) -> None:
        """Look again whether everything that is kept can be read, and put small things together."""

    def hold(self, path: Path, content: Held) -> Origin:
        """Keep the content of an object, which is in no file, by the path that stands for it; return where it is kept."""

    def origin_of(self, path: Path) -> Origin:
        """Return where the content of an object is kept; None of a file, and of an object that is not kept."""

    def held(self) -> Iterator[tuple[Path, Held]]:
        """Yield the objects whose content is kept."""


class MemoryStore:
    """Keeps tables in this process."""

    folder = None
    place = None

    def __init__(self) -> None:
        """Start empty."""
        self._batches: tuple[Batch, ...] = ()
        self._held: dict[str, Held] = {}
        self._generation = 0
        self._lock = threading.Lock()

    def add(self, groups: Sequence[KeptGroup], tables: Tables) -> None:
        """Keep groups with their rows; an earlier group that shares a file with one of them is replaced."""
        with self._lock:
            now = time.time_ns()
            new = Batch(tuple(group._replace(written_ns=now) for group in groups), dict(tables), written_ns=now)
            self._batches = tuple(map(_without_hidden, settle([*self._batches, new]).batches))
            self._generation += 1

    def remove(self, paths: frozenset[str]) -> None:
        """Keep the groups no longer that have a file of these paths."""
        with self._lock:
            stays = [(batch, tuple(group for group in batch.groups if paths.isdisjoint(file.path for file in group.files))) for batch in self._batches]
            hiding = [batch._replace(groups=groups, hidden=source_ids(batch.groups) - source_ids(groups)) for batch, groups in stays if groups]
            self._batches = tuple(map(_without_hidden, hiding))
            self._generation += 1

    def batches(self) -> Sequence[Batch]:
        """Return the batches of tables that count, in the order in which they were kept."""
        return self._batches

    def state(self) -> Any:
        """Return what changes whenever `batches` changes."""
        return self._generation

    def damaged(self) -> Sequence[tuple[Path, tuple[KeptGroup, ...]]]:
        """Return nothing: memory is never damaged."""
        return ()

    def check(self) -> None:
        """Do nothing: what is in memory can be read."""

    def hold(self, path: Path, content: Held) -> Origin:
        """Keep the content of an object; the same content again stays what it was."""
        with self._lock:
            known = self._held.get(str(path))
            if known is None or known.data != content.data:
                self._held[str(path)] = content
            return self._held[str(path)]

    def origin_of(self, path: Path) -> Origin:
        """Return where the content of an object is kept."""
        return self._held.get(root_of(path) or "")

    def held(self) -> Iterator[tuple[Path, Held]]:
        """Yield the objects whose content is kept."""
        yield from [(Path(name), content) for name, content in self._held.items()]


def without_sources(table: pa.Table, hidden: frozenset[str]) -> pa.Table:
    """Return the rows of a table that were not read from these sources."""
    return table.filter(pc.invert(pc.is_in(table["source_id"], value_set=pa.array(sorted(hidden), pa.large_string())))) if hidden else table


def _without_hidden(batch: Batch) -> Batch:
    tables = {name: without_sources(table, batch.hidden) for name, table in batch.tables.items()}
    return batch._replace(tables=tables, hidden=frozenset()) if batch.hidden else batch
