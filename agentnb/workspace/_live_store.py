"""Tables of conversations that are under way: over what is kept, and in memory alone, until the conversations come to rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from agentnb.readers import Held, Origin
from agentnb.values import Diagnostic
from agentnb.workspace._batches import Batch, KeptGroup, settle
from agentnb.workspace._columns import Tables
from agentnb.workspace._stores import MemoryStore, Store, without_sources


class LiveStore:
    """A store with the tables of what is under way laid over it.

    A folder would otherwise get new files whenever somebody looks at a turn that runs.
    """

    def __init__(self, kept: Store) -> None:
        """Lay nothing over what is kept."""
        self.kept = kept
        self._over = MemoryStore()
        self._generation = 0
        self._odd: tuple[Diagnostic, ...] = ()
        self._batches: tuple[Any, tuple[Batch, ...]] | None = None

    @property
    def folder(self) -> Path | None:
        """The folder it is, as it was named; None of memory."""
        return self.kept.folder

    @property
    def place(self) -> Path | None:
        """The absolute path of the folder, which holds in every working folder."""
        return self.kept.place

    @property
    def odd(self) -> tuple[Diagnostic, ...]:
        """What is odd about the places of live conversations."""
        return self._odd

    def lay(self, groups: Sequence[KeptGroup], tables: Tables) -> None:
        """Show groups until others that share a file with them are laid over them or kept."""
        self._over.add(groups, tables)
        self._generation += 1

    def clear(self, paths: Iterable[str]) -> None:
        """Show no longer what was laid over these files."""
        gone = frozenset(paths)
        laid = [batch for batch in self._over.batches() if any(file.path in gone for group in batch.groups for file in group.files)]
        if laid:
            self._over.remove(gone)
            self._generation += 1

    def note(self, odd: Sequence[Diagnostic]) -> None:
        """Say what is odd about the places of live conversations, in the place of what was said before."""
        if tuple(odd) != self._odd:
            self._odd = tuple(odd)
            self._generation += 1

    def add(self, groups: Sequence[KeptGroup], tables: Tables) -> None:
        """Keep groups with their rows; an earlier group that shares a file with one of them is replaced."""
        self.kept.add(groups, tables)

    def batches(self) -> Sequence[Batch]:
        """Return the batches of tables that count, in the order in which they were kept."""
        over = self._over.batches()
        if not over:
            return self.kept.batches()
        state = self.state()
        if self._batches is None or self._batches[0] != state:
            self._batches = state, tuple(map(_without_hidden, settle([*self.kept.batches(), *over]).batches))
        return self._batches[1]

    def state(self) -> Any:
        """Return what changes whenever `batches` changes."""
        return self.kept.state(), self._generation

    def damaged(self) -> Sequence[tuple[Path, tuple[KeptGroup, ...]]]:
        """Return what is kept but cannot be read."""
        return self.kept.damaged()

    def check(self) -> None:
        """Look again whether everything that is kept can be read."""
        self.kept.check()

    def hold(self, path: Path, content: Held) -> Origin:
        """Keep the content of an object, which is in no file."""
        return self.kept.hold(path, content)

    def origin_of(self, path: Path) -> Origin:
        """Return where the content of an object is kept."""
        return self.kept.origin_of(path)

    def held(self) -> Iterator[tuple[Path, Held]]:
        """Yield the objects whose content is kept."""
        yield from self.kept.held()


def _without_hidden(batch: Batch) -> Batch:
    """Leave out what counts no longer from tables in memory; of files the database does it."""
    if not batch.hidden or not all(isinstance(table, pa.Table) for table in batch.tables.values()):
        return batch
    return batch._replace(tables={name: without_sources(table, batch.hidden) for name, table in batch.tables.items()}, hidden=frozenset())
