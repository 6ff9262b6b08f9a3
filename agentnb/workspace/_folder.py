"""A workspace folder: tables as Parquet that many processes share, written beside and renamed, so that no one ever sees half of a batch."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from agentnb.errors import WorkspaceError
from agentnb.readers import Held, Origin
from agentnb.workspace._batches import Batch, KeptFile, KeptGroup, Settled, absolute, settle, source_ids
from agentnb.workspace._columns import Tables
from agentnb.workspace._inputs import Inputs
from agentnb.workspace._layout import not_written, prepare
from agentnb.workspace._stores import Store, without_sources

_MANIFEST = "batch.json"
_WRITING, _LEAVING = ".writing-", ".leaving-"
_STALE_NS = 3600 * 1_000_000_000
"""A query that began before a batch was replaced has long come to its end after this."""
_TICK_NS = 2_000_000_000
"""File systems tell times apart only this well at worst: a folder that changed less long ago may change again without a new time."""
_MANY = 32
_SMALL = 4 << 20
_LONG_COLUMNS = ("text", "input", "output", "extra")


class _Read(NamedTuple):
    """A batch folder as it was found."""

    batch: Batch
    size: int
    whole: bool


class FolderStore:
    """Keeps tables in a folder: a batch folder for each lot of groups that was kept together."""

    def __init__(self, folder: Path) -> None:
        """Open a workspace folder, and make it when there is none.

        Raises:
            WorkspaceVersionError: when a newer agentnb made it.
            WorkspaceError: when it cannot be used, or holds something else.
        """
        self.folder = folder
        self.place: Path | None = Path(absolute(folder))
        self._tables = self.place / "tables"
        self._inputs = Inputs(self.place / "inputs")
        self._lock = threading.RLock()
        self._modified_ns: int | None = None
        self._names: frozenset[str] = frozenset()
        self._generation = 0
        self._found: dict[str, _Read] = {}
        self._settled: tuple[int, Settled] | None = None
        prepare(folder)

    def add(self, groups: Sequence[KeptGroup], tables: Tables) -> None:
        """Keep groups with their rows; an earlier group that shares a file with one of them is replaced.

        Raises:
            WorkspaceError: when it cannot be written, for instance because the disk is full; the tables that were there stay.
        """
        now = time.time_ns()
        self._write([group._replace(written_ns=now) for group in groups], tables, now)
        self._tidy()

    def batches(self) -> Sequence[Batch]:
        """Return the batches of tables that count, in the order in which their groups were kept."""
        return self._settle().batches

    def state(self) -> Any:
        """Return what changes whenever `batches` changes; one look at one folder as a rule.

        Raises:
            WorkspaceError: when the folder is gone or cannot be read.
        """
        with self._lock:
            now = time.time_ns()
            try:
                modified_ns = os.stat(self._tables).st_mtime_ns
                if modified_ns != self._modified_ns:
                    names = frozenset(name for name in os.listdir(self._tables) if not name.startswith("."))
                    self._generation += names != self._names
                    # Until the time of the folder is surely past, the next look lists it again.
                    self._names, self._modified_ns = names, modified_ns if now - modified_ns > _TICK_NS else None
            except OSError as error:
                failure = WorkspaceError(f"The workspace {self.folder} is gone or cannot be read: {error.strerror}. Open it again where it is now.")
                failure.errno = error.errno
                raise failure from error
            return self._generation

    def damaged(self) -> Sequence[tuple[Path, tuple[KeptGroup, ...]]]:
        """Return the batch folders that cannot be read and hold what no other batch does, with their groups as far as they are known."""
        with self._lock:
            current = {file.path for batch in self.batches() for group in batch.groups for file in group.files}
            damaged = [(name, found.batch.groups) for name, found in sorted(self._found.items()) if not found.whole]
        lost = [(name, tuple(group for group in groups if not current.issuperset(file.path for file in group.files))) for name, groups in damaged]
        return [(self._tables / name, own) for (name, groups), (_, own) in zip(damaged, lost, strict=True) if own or not groups]

    def check(self) -> None:
        """Look again whether every batch can be read; put small ones together, and remove what was replaced long ago."""
        with self._lock:
            before = {name for name, found in self._found.items() if found.whole}
            self._found.clear()
            self._settled = None
            self._remove_stale(self._settle().replaced)
            # What turned out damaged since the last look changes what there is, though no name does.
            self._generation += any(name in before and not found.whole for name, found in self._found.items())
        self._tidy()

    def hold(self, path: Path, content: Held) -> Origin:
        """Keep the content of an object in the folder.

        Raises:
            WorkspaceError: when it cannot be written.
        """
        try:
            return self._inputs.hold(path, content)
        except OSError as error:
            raise not_written(self.folder, error) from error

    def origin_of(self, path: Path) -> Origin:
        """Return the file in which the content of an object is kept."""
        return self._inputs.origin_of(path)

    def held(self) -> Iterator[tuple[Path, Held]]:
        """Yield the objects whose content is kept."""
        yield from self._inputs.held()

    def _settle(self) -> Settled:
        with self._lock:
            generation = self.state()
            if self._settled is None or self._settled[0] != generation:
                self._found = {name: self._found.get(name) or _read(self._tables / name) for name in self._names}
                whole = [found.batch for found in self._found.values() if found.whole]
                whole.sort(key=lambda batch: (min((group.written_ns for group in batch.groups), default=batch.written_ns), batch.written_ns))
                self._settled = generation, settle(whole)
            return self._settled[1]

    def _tidy(self) -> None:
        """Put small batches together when they are many; it only saves time, and where there is no room for it everything still works."""
        with self._lock:
            sizes = {id(found.batch.tables): found.size for found in self._found.values()}
            small = [batch for batch in self.batches() if sizes.get(id(batch.tables), 0) < _SMALL]
        if len(small) > _MANY:
            with contextlib.suppress(WorkspaceError):
                self._put_together(small)

    def _put_together(self, batches: Sequence[Batch]) -> None:
        """Write small batches again as one; their groups keep their times, so that a later group of another process still wins."""
        tables: dict[str, list[pa.Table]] = {}
        for batch in batches:
            for name, path in batch.tables.items():
                tables.setdefault(name, []).append(without_sources(_loaded(path), batch.hidden))
        self._write([group for batch in batches for group in batch.groups], {name: pa.concat_tables(own) for name, own in tables.items()}, time.time_ns())

    def _write(self, groups: Sequence[KeptGroup], tables: Tables, written_ns: int) -> None:
        target = self._tables / f"{written_ns:020}-{secrets.token_hex(4)}"
        filled = {name: table for name, table in tables.items() if table.num_rows}
        try:
            self._tables.mkdir(exist_ok=True)
            with _beside(self._tables) as beside:
                # Not flushed to the disk, for speed: a batch that a power failure cut is noticed by sizes and ends, and read again from its sources.
                with ThreadPoolExecutor(2) as pool:
                    list(pool.map(lambda item: _write_table(beside / f"{item[0]}.parquet", item[1]), filled.items()))
                sizes = {name: (beside / f"{name}.parquet").stat().st_size for name in filled}
                manifest = {"written_ns": written_ns, "tables": sizes, "groups": [_group_to_json(group) for group in groups]}
                (beside / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
                beside.rename(target)
        except (OSError, pa.ArrowException) as error:
            raise not_written(self.folder, error) from error

    def _remove_stale(self, replaced: Sequence[tuple[Batch, int]]) -> None:
        now = time.time_ns()
        stale = [batch for batch, since in replaced if now - since > _STALE_NS]
        lost = {path.name for path, _ in self.damaged()}
        for name, found in self._found.items():
            is_of_use = name in lost or (found.whole and not any(found.batch.tables is batch.tables for batch in stale))
            if not is_of_use and _age_ns(self._tables / name, now) > _STALE_NS:
                _remove(self._tables / name)
        for path in self._tables.glob(".*"):
            if path.name.startswith((_WRITING, _LEAVING)) and _age_ns(path, now) > _STALE_NS:
                shutil.rmtree(path, ignore_errors=True)


def copy_batches(source: Store, target: FolderStore) -> None:
    """Keep what one store holds in another one too; groups that the other knows as they are, or later, stay as they are there.

    Raises:
        WorkspaceError: when the other store cannot be written.
    """
    known = {file.path: file for batch in target.batches() for group in batch.groups for file in group.files}
    for path, content in source.held():
        target.hold(path, content)
    for batch in source.batches():
        groups = [group for group in batch.groups if not all(_is_as_late(known.get(file.path), file) for file in group.files)]
        passed = batch.hidden | source_ids(batch.groups) - source_ids(groups)
        if groups or not batch.groups:
            target.add(groups, {name: without_sources(_loaded(table), passed) for name, table in batch.tables.items()})


def _is_as_late(known: KeptFile | None, file: KeptFile) -> bool:
    return known is not None and known.modified_ns >= file.modified_ns


def _loaded(table: pa.Table | Path) -> pa.Table:
    return pq.read_table(table) if isinstance(table, Path) else table


@contextlib.contextmanager
def _beside(tables: Path) -> Iterator[Path]:
    """Give a folder to write to that nobody looks at; what is left of it at the end is removed."""
    beside = tables / f"{_WRITING}{secrets.token_hex(6)}"
    beside.mkdir()
    try:
        yield beside
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _write_table(path: Path, table: pa.Table) -> None:
    # Ids repeat and texts do not: a dictionary of texts would be built for nothing.
    short = [field.name for field in table.schema if field.name not in _LONG_COLUMNS]
    pq.write_table(table, path, compression="snappy", use_dictionary=short)  # type: ignore[arg-type]  # the stubs know only yes and no


def _remove(path: Path) -> None:
    """Remove a batch folder: first from sight, so that nobody takes what is left of it for a damaged one."""
    away = path.with_name(f"{_LEAVING}{secrets.token_hex(6)}")
    with contextlib.suppress(OSError):  # another process was faster, or the folder may not be written
        path.rename(away)
        shutil.rmtree(away, ignore_errors=True)


def _age_ns(path: Path, now: int) -> int:
    try:
        return now - path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _read(path: Path) -> _Read:
    """Read the manifest of a batch folder, and look whether its tables are there, of the right size and with both ends."""
    try:
        manifest = json.loads((path / _MANIFEST).read_text(encoding="utf-8"))
        tables = {str(name): path / f"{name}.parquet" for name in manifest["tables"]}
        batch = Batch(tuple(map(_group_of_json, manifest["groups"])), tables, written_ns=int(manifest["written_ns"]))
        sizes = [int(size) for size in manifest["tables"].values()]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _Read(Batch((), {}), 0, whole=False)
    return _Read(batch, sum(sizes), all(map(_is_whole, tables.values(), sizes)))


def _is_whole(path: Path, size: int) -> bool:
    try:
        with path.open("rb") as file:
            start = file.read(4)
            return start == b"PAR1" and file.seek(0, os.SEEK_END) == size and file.seek(-4, os.SEEK_END) > 0 and file.read() == b"PAR1"
    except OSError:
        return False


def _group_to_json(group: KeptGroup) -> dict[str, Any]:
    return {"format": group.format, "written_ns": group.written_ns, "files": [file._asdict() for file in group.files]}


def _group_of_json(record: dict[str, Any]) -> KeptGroup:
    files = tuple(KeptFile(**(file | {"keys": tuple(file["keys"])})) for file in record["files"])
    return KeptGroup(record["format"], files, int(record["written_ns"]))
