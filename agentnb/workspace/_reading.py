"""Which files must be read, and with which: only groups that changed, and never a file without those that it belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from agentnb.readers import Candidate, Found, Group, Rows, TakenIds, all_readers, is_there, read_group, survey_files, with_members
from agentnb.readers._rows import SourceRow
from agentnb.workspace._batches import KeptFile, KeptGroup, absolute, conversation_ids
from agentnb.workspace._columns import to_tables
from agentnb.workspace._progress import Progress
from agentnb.workspace._stores import Store

_LOT_BYTES = 16 << 20
"""Small groups are kept together, up to this many bytes of their files: a table in two thousand files is slow to write and to ask."""
_ROUNDS = 3

Kept = Mapping[str, KeptGroup]
"""The group in which a file was kept, by the absolute path of the file."""


class _Look(NamedTuple):
    """What a look at files found."""

    groups: list[Group]
    """Groups of files that can be read."""
    unread: list[KeptFile]
    """Files that cannot be read."""
    rows: Rows
    """Their rows: sources in the same order, and diagnostics."""


def take_in(store: Store, found: Sequence[Found]) -> None:
    """Read those files that the store does not know as they are now, each together with the files that belong to it.

    Args:
        store: keeps what is read.
        found: files that exist; those inside the folder of the store are its own and are passed over.

    Raises:
        UnknownFormat: when a file that was named itself is of no known format.
        WorkspaceError: when the store cannot be written.
    """
    for first in (True, *[False] * (_ROUNDS - 1)):
        groups = [group for batch in store.batches() for group in batch.groups]
        kept = {file.path: group for group in groups for file in group.files}
        look = _look(store, found, groups, kept)
        away = {file.path for file, row in zip(look.unread, look.rows.sources, strict=True) if row.state == "unreadable"}
        # Later rounds read what vanished, or what another process kept apart meanwhile; a file that goes on growing does not keep them going.
        is_known = _is_known if first else _has_known_names
        look = _unnoted(look._replace(groups=[group for group in look.groups if not is_known(store, group, kept, away)]), kept)
        if not look.groups and not look.unread:
            return
        _read(store, look, kept)


def find_again(store: Store, paths: Iterable[Path]) -> list[Found]:
    """Return those of several paths, which were read before, that are still there: files, members of archives, and objects that the store holds."""
    found = [Found(path, named=False, origin=store.origin_of(path)) for path in paths]
    return [item for item in found if is_there(item.path, item.origin)]


def _look(store: Store, found: Sequence[Found], groups: Sequence[KeptGroup], kept: Kept) -> _Look:
    """Look at files, and at those that were kept before and may belong to them."""
    wanted = _as_kept(with_members(found), store.place, kept)
    looked_at = _candidates(groups)
    while True:
        survey = survey_files(list(wanted.values()), looked_at, opened=True)
        missing = find_again(store, [file.source.path for file in _related(groups, survey.groups, wanted) if file.path not in wanted])
        if not missing:
            paths = {_shown(item.path): item.path for item in wanted.values()}
            return _Look(survey.groups, [_unread_file(row, paths[row.path]) for row in survey.unread.sources], survey.unread)
        looked_at |= {member.file.path: member for group in survey.groups for member in group.members}
        # What was met first stays first: by this order equal conversations are told apart, and ids must not move.
        wanted = {absolute(item.path): item for item in missing} | wanted


def _unread_file(row: SourceRow, path: Path) -> KeptFile:
    return KeptFile(absolute(path), row.bytes, (row.modified_at or 0) * 1000, str(path), row.source_id)


def _as_kept(found: Iterable[Found], own: Path | None, kept: Kept) -> dict[str, Found]:
    """Return files by absolute path, each once: what was kept before comes first, by the path as it was found then."""
    files = {file.path: file for group in kept.values() for file in group.files}
    words = {file.found: file.path for file in files.values()}
    wanted: dict[str, Found] = {}
    for item in found:
        path = absolute(item.path)
        if own is not None and path.startswith(f"{own}{os.sep}"):
            continue
        if path in files:
            item = item._replace(path=files[path].source.path)
        elif words.get(str(item.path), path) != path:
            # Another file was found by the same words, from another working folder.
            item = item._replace(path=Path(path))
        wanted.setdefault(path, item)
    # What was read stays before what was passed over: of two equal files it is the first that is read.
    read = [path for path, group in kept.items() if group.format is not None and path in wanted]
    return {path: wanted[path] for path in [*read, *(path for path in files if path in wanted)]} | wanted


def _candidates(groups: Sequence[KeptGroup]) -> dict[Path, Candidate]:
    """Return the files of groups as they were when they were read, so that they need not be looked at again."""
    readers = {reader.format: reader for reader in all_readers()}
    known = [(file, readers[group.format]) for group in groups if group.format in readers for file in group.files]
    return {file.source.path: Candidate(file.source, reader, frozenset(file.keys)) for file, reader in known}


def _related(groups: Sequence[KeptGroup], found: Sequence[Group], wanted: Mapping[str, Found]) -> Iterator[KeptFile]:
    """Yield the kept files that were read with one of these, share a key with one, or may be a copy of one."""
    members = [(group.reader.format, member) for group in found for member in group.members]
    keys = {(format, key) for format, member in members for key in member.keys}
    sizes = {(format, member.file.size) for format, member in members}
    for group in groups:
        marks = [(group.format, mark) for file in group.files for mark in (file.size, *file.keys)]
        if group.format is not None and (any(file.path in wanted for file in group.files) or not (keys | sizes).isdisjoint(marks)):
            yield from group.files


def _is_known(store: Store, group: Group, kept: Kept, away: set[str]) -> bool:
    """Tell whether a group was read as it is now; files of it that are gone since are no change: what was in them is kept."""
    known = kept.get(absolute(group.members[0].file.path))
    if known is None or known.format != group.reader.format:
        return False
    states = {(absolute(member.file.path), *member.file[1:]) for member in group.members}
    others = [file.source.path for file in known.files if file.state not in states and file.path not in away]
    return states <= {file.state for file in known.files} and not find_again(store, others)


def _has_known_names(store: Store, group: Group, kept: Kept, away: set[str]) -> bool:
    """Tell whether the files of a group were read together, whatever became of them since."""
    known = [kept.get(absolute(member.file.path)) for member in group.members]
    return all(other is not None and other is known[0] and other.format == group.reader.format for other in known)


def _unnoted(look: _Look, kept: Kept) -> _Look:
    """Leave out unread files whose account is kept already."""
    new = [(file, row) for file, row in zip(look.unread, look.rows.sources, strict=True) if not _is_noted(file, row.state, kept.get(file.path))]
    ids = {row.source_id for _, row in new}
    rows = Rows(sources=[row for _, row in new], diagnostics=[row for row in look.rows.diagnostics if row.source_id in ids])
    return look._replace(unread=[file for file, _ in new], rows=rows)


def _is_noted(file: KeptFile, state: str, known: KeptGroup | None) -> bool:
    if known is None:
        return False
    # What was in a file that could be read once, and cannot be reached now, stays.
    return known.files[0].state == file.state if known.format is None else state == "unreadable"


def _read(store: Store, look: _Look, kept: Kept) -> None:
    """Read groups and keep them, small ones together."""
    lot = _Lot(store)
    lot.add_unread(look)
    taken = TakenIds(_ids_that_stay(store, look.groups))
    with Progress(sum(member.file.size for group in look.groups for member in group.members), "reading") as progress:
        for group in look.groups:
            try:
                rows = read_group(group, progress.add)
            except OSError:
                # A file vanished, or may no longer be read, since it was looked at. The account says so, and the next round reads the others.
                lost = _look(store, [Found(member.file.path, named=False, origin=member.origin) for member in group.members], (), {})
                if not lost.unread:
                    raise
                lot.add_unread(_unnoted(lost, kept))
            else:
                taken.set_apart(rows, group.reader.format)
                lot.add(group, rows)
        lot.keep()


def _ids_that_stay(store: Store, groups: Sequence[Group]) -> Iterator[str]:
    """Yield the ids of the conversations that are kept, without those of files that are about to be read again."""
    again = {absolute(member.file.path) for group in groups for member in group.members}
    for batch in store.batches():
        gone = batch.hidden | {file.source_id for group in batch.groups for file in group.files if file.path in again}
        yield from conversation_ids(batch, without=frozenset(gone))


class _Lot:
    """Groups that are kept together."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._groups: list[KeptGroup] = []
        self._rows = Rows()
        self._bytes = 0

    def add_unread(self, look: _Look) -> None:
        self._take([KeptGroup(None, (file,)) for file in look.unread], look.rows)

    def add(self, group: Group, rows: Rows) -> None:
        files = tuple(
            KeptFile(absolute(member.file.path), *member.file[1:], str(member.file.path), row.source_id, tuple(sorted(member.keys)))
            for member, row in zip(group.members, rows.sources, strict=True)
        )
        size = sum(file.size for file in files)
        if self._bytes + size > _LOT_BYTES:
            self.keep()
        self._take([KeptGroup(group.reader.format, files)], rows)
        self._bytes += size

    def keep(self) -> None:
        """Hand over what there is to the store."""
        groups, rows = self._groups, self._rows
        self._groups, self._rows, self._bytes = [], Rows(), 0
        if groups:
            self._store.add(groups, to_tables(rows))

    def _take(self, groups: Sequence[KeptGroup], rows: Rows) -> None:
        if not self._groups:
            # The rows of a large group are not held twice.
            self._rows = rows
        else:
            for field in fields(Rows):
                getattr(self._rows, field.name).extend(getattr(rows, field.name))
        self._groups.extend(groups)


def _shown(path: Path) -> str:
    """Return a path as the account shows it: a name that is not Unicode with its bytes spelled out."""
    return str(path).encode("utf-8", "backslashreplace").decode()
