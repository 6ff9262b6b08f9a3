"""What is kept: groups of files in batches of tables, and which of them are current."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from agentnb.readers import SourceFile, root_of

State = tuple[str, int, int]
"""Absolute path, size and time of a file: by these a change is noticed."""


class KeptFile(NamedTuple):
    """A file as it was when it was read."""

    path: str
    """Its absolute path, by which it is known in every working folder."""
    size: int
    """Its size in bytes."""
    modified_ns: int
    """When it was last changed."""
    found: str
    """Its path as it was found, which people are shown."""
    source_id: str
    """Its id in the tables."""
    keys: tuple[str, ...] = ()
    """The keys by which it was grouped."""

    @property
    def state(self) -> State:
        """By what a change is noticed."""
        return self.path, self.size, self.modified_ns

    @property
    def source(self) -> SourceFile:
        """The file as readers know it: by the path as it was found, where that still leads to it."""
        here = self.found if absolute(self.found) == self.path else self.path
        return SourceFile(Path(here), self.size, self.modified_ns)


class KeptGroup(NamedTuple):
    """Files that were read together."""

    format: str | None
    """Their format; None of a file that could not be read."""
    files: tuple[KeptFile, ...]
    """The files, in the order in which they were read."""
    written_ns: int = 0
    """When it was kept; of two groups that share a file the later one holds."""


class Batch(NamedTuple):
    """Tables that are kept together, of one group or of many small ones."""

    groups: tuple[KeptGroup, ...]
    """The groups whose rows they hold."""
    tables: Mapping[str, Any]
    """By table an Arrow table, or the path of a Parquet file; a table without rows may be missing."""
    hidden: frozenset[str] = frozenset()
    """Source ids of groups that were replaced by a later batch: their rows do not count."""
    written_ns: int = 0
    """When it was written; later than its groups where small batches were put together."""


class Settled(NamedTuple):
    """Which of several batches count."""

    batches: tuple[Batch, ...]
    """Those of which at least one group is current, with its current groups only."""
    replaced: tuple[tuple[Batch, int], ...]
    """Those of which no group is current, each with the time since which this is so."""


def absolute(path: str | os.PathLike[str]) -> str:
    """Return the absolute path by which a file is known, without `..` and without following links; an object, which is in no file, is known by its name."""
    return os.fspath(path) if root_of(path) is not None else os.path.abspath(path)


def settle(batches: Sequence[Batch]) -> Settled:
    """Find the groups that are current.

    Of groups that share a file the latest is current. An earlier one that knows the same states of the same files, and of further files as well, wins over
    a later one: that was read by somebody who did not see all of them.
    """
    groups = [(group, place) for place, batch in enumerate(batches) for group in batch.groups]
    groups.sort(key=lambda item: (item[0].written_ns, batches[item[1]].written_ns, item[1]), reverse=True)
    owner: dict[str, int] = {}
    for index, (group, _) in enumerate(groups):
        rivals = {owner[file.path] for file in group.files if file.path in owner}
        if all(_is_part(groups[rival][0], group) for rival in rivals):
            owner.update((file.path, index) for file in group.files)
    current = {index for index, (group, _) in enumerate(groups) if not group.files or owner[group.files[0].path] == index}
    kept: list[list[KeptGroup]] = [[] for _ in batches]
    for index in sorted(current, reverse=True):
        kept[groups[index][1]].append(groups[index][0])
    latest = {path: batches[groups[index][1]].written_ns for path, index in owner.items()}
    counted = [(batch, own) for batch, own in zip(batches, kept, strict=True) if own or not batch.groups]
    return Settled(
        tuple(batch._replace(groups=tuple(own), hidden=_hidden(batch, own)) for batch, own in counted),
        tuple((batch, _replaced_since(batch, latest)) for batch, own in zip(batches, kept, strict=True) if batch.groups and not own),
    )


def conversation_ids(batch: Batch, *, without: frozenset[str]) -> list[str]:
    """Return the ids of the conversations of a batch, except of those whose file has one of these source ids."""
    table = _read(batch, "conversations", ["conversation_id", "source_id"])
    columns: tuple[list[Any], list[Any]] = (table["conversation_id"].to_pylist(), table["source_id"].to_pylist()) if table is not None else ([], [])
    rows = zip(*columns, strict=True)
    return [conversation_id for conversation_id, source_id in rows if source_id not in without]


def speaking_sources(batch: Batch) -> list[str]:
    """Return the ids of the files whose calls and conversations a batch holds and that count, sorted."""
    tables = [table for name in ("calls", "conversations") if (table := _read(batch, name, ["source_id"])) is not None]
    found: set[Any] = {source_id for table in tables for source_id in table["source_id"].unique().to_pylist()}
    return sorted(found - batch.hidden)


def source_ids(groups: Iterable[KeptGroup]) -> frozenset[str]:
    """Return the ids of the files of groups."""
    return frozenset(file.source_id for group in groups for file in group.files)


def _read(batch: Batch, name: str, columns: list[str]) -> pa.Table | None:
    """Return columns of a table of a batch; None when it has no such table."""
    held = batch.tables.get(name)
    return pq.read_table(held, columns=columns) if isinstance(held, Path) else held.select(columns) if held is not None else None


def _is_part(later: KeptGroup, earlier: KeptGroup) -> bool:
    """Tell whether a later group knows less than an earlier one, and nothing else."""
    return later.format == earlier.format and {file.state for file in later.files} < {file.state for file in earlier.files}


def _hidden(batch: Batch, current: Sequence[KeptGroup]) -> frozenset[str]:
    return (batch.hidden | source_ids(batch.groups)) - source_ids(current)


def _replaced_since(batch: Batch, latest: Mapping[str, int]) -> int:
    return max(latest.get(file.path, 0) for group in batch.groups for file in group.files)
