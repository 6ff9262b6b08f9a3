"""Ratings and traces on disk: one JSON line each, appended to a file that only this process writes, there before anyone is told so."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import socket
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from agentnb.conversations.stores._files import append_durably, sync_folder
from agentnb.errors import WorkspaceError

T = TypeVar("T")


class Entry(NamedTuple, Generic[T]):
    """A record, and the value that it is."""

    record: dict[str, Any]
    value: T


class Mark(NamedTuple):
    """How far a file was looked at."""

    file: object
    """The file."""
    length: int
    """Records of it."""


Seen = Mapping[str, Mark]
"""How far the files were looked at, by name."""


class News(NamedTuple, Generic[T]):
    """What there is since somebody last looked."""

    entries: list[Entry[T]]
    """The records; all of them when earlier ones are gone."""
    seen: Seen
    """From where to look next time."""
    from_the_start: bool
    """Whether earlier records are gone, so that only these stand."""


class Passed(NamedTuple):
    """Lines of a file that are none of its records."""

    file: str
    """Name of the file."""
    lines: int
    """How many lines."""
    first: str
    """The first of them, as far as an excerpt goes."""


class AppendLog(Generic[T]):
    """What is said of a workspace and never edited: in memory, or in the files of a folder that many processes append to."""

    def __init__(self, folder: Path | None, read: Callable[[Any], T | None], *, noun: str) -> None:
        """Keep records in a folder, or only in memory when there is none.

        Args:
            folder: the folder of the files.
            read: makes the value of a record; None for what is none.
            noun: what a record is, for messages.
        """
        self._folder = folder
        self._read = read
        self._noun = noun
        self._lock = threading.Lock()
        self._memory: list[Entry[T]] = []
        self._files: dict[str, _File[T]] = {}
        self.generation = 0
        """Changes whenever there is something new."""

    def append(self, *records: dict[str, Any]) -> None:
        """Keep records: written at once, flushed to the disk, and only then part of the log.

        Raises:
            WorkspaceError: when they could not be written; nothing of any of them is left.
        """
        with self._lock:
            if self._folder is None:
                self._memory.extend(_entries(records, self._read))
                self.generation += 1
                return
            with _own_lock:
                _append(self._folder, records, self._noun)

    def take_over(self, other: AppendLog[T]) -> None:
        """Keep what another log holds, except the records that are here already.

        Raises:
            WorkspaceError: when one could not be written.
        """
        self.refresh()
        present = {entry.record.get("id") for entry in self.entries()}
        for entry in other.entries():
            if entry.record.get("id") not in present:
                self.append(entry.record)

    def refresh(self) -> int:
        """Read what is new and return the generation; one look at one folder as a rule.

        Raises:
            WorkspaceError: when records are there that cannot be read.
        """
        with self._lock:
            if self._folder is not None:
                try:
                    self._read_new(self._folder)
                except OSError as error:
                    reason = f"{self._noun.capitalize()}s in {self._folder} cannot be read: {error.strerror}"
                    raise _failure(f"{reason}. Give this account the right to read them", error) from error
            return self.generation

    def entries(self) -> list[Entry[T]]:
        """Return all records that were read, those of other processes included."""
        with self._lock:
            return [*self._memory, *(entry for _, file in sorted(self._files.items()) for entry in file.entries)]

    def news(self, seen: Seen) -> News[T]:
        """Return what was read since somebody last looked, and from where to look next time.

        Args:
            seen: what `news` said last; nothing at first.
        """
        with self._lock:
            held: dict[str, tuple[object, list[Entry[T]]]] = {"": (self, self._memory), **{name: (file, file.entries) for name, file in self._files.items()}}
            # A file that is gone, or was cut or replaced, takes back what it said.
            is_whole = all(name in held and held[name][0] is mark.file for name, mark in seen.items())
            start = seen if is_whole else {}
            entries = [entry for name, (_, own) in sorted(held.items()) for entry in own[start[name].length if name in start else 0 :]]
            return News(entries, {name: Mark(file, len(own)) for name, (file, own) in held.items()}, not is_whole)

    def passed(self) -> list[Passed]:
        """Return what is in the files and is no record of a known format."""
        with self._lock:
            return [Passed(name, len(file.passed), file.passed[0]) for name, file in sorted(self._files.items()) if file.passed]

    def _read_new(self, folder: Path) -> None:
        sizes = _sizes(folder)
        for name in self._files.keys() - sizes.keys():
            del self._files[name]
            self.generation += 1
        for name, size in sizes.items():
            file = self._files.setdefault(name, _File(self._read))
            if size < file.offset:
                # It was cut or replaced.
                file = self._files[name] = _File(self._read)
                self.generation += 1
            if size > file.offset and file.read_on(folder / name):
                self.generation += 1


class _File(Generic[T]):
    """What was read of one file so far."""

    def __init__(self, read: Callable[[Any], T | None]) -> None:
        self._read = read
        self.offset = 0
        self.entries: list[Entry[T]] = []
        self.passed: list[str] = []

    def read_on(self, path: Path) -> bool:
        """Read the lines that are new and whole; a line without its end is being written, or was cut."""
        try:
            with path.open("rb") as file:
                file.seek(self.offset)
                data = file.read()
        except FileNotFoundError:
            return False
        lines = data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]
        self.offset += sum(len(line) + 1 for line in lines)
        for line in lines:
            found = _entries([_record_of(line)], self._read)
            self.entries.extend(found)
            if not found and line.strip():
                self.passed.append(line[:200].decode("utf-8", "backslashreplace"))
        return bool(lines)


class _OwnFile:
    """The file that this process appends to, whichever of its workspaces a record comes from."""

    def __init__(self, folder: Path, noun: str) -> None:
        self._noun = noun
        self.process = os.getpid()
        host = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())[:20] or "host"
        self.path = folder / f"{host}-{self.process}-{secrets.token_hex(3)}.jsonl"
        try:
            folder.mkdir(exist_ok=True)
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            sync_folder(folder)
        except OSError as error:
            raise _not_kept(self._noun, self.path, error) from error

    def is_ours(self) -> bool:
        """Tell whether this process opened the file, and it is still there."""
        try:
            return self.process == os.getpid() and os.path.samestat(os.fstat(self._file), os.stat(self.path))
        except OSError:
            return False

    def append(self, records: Sequence[dict[str, Any]]) -> None:
        line = b"".join(map(_line_of, records))
        try:
            append_durably(self._file, line)
        except OSError as error:
            raise _not_kept(self._noun, self.path, error) from error

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._file)


_own_files: dict[Path, _OwnFile] = {}
_own_lock = threading.Lock()


def _append(folder: Path, records: Sequence[dict[str, Any]], noun: str) -> None:
    own = _own_files.get(folder)
    if own is None or not own.is_ours():
        # A file that a fork brought along, or that was removed, is left alone.
        own = _own_files[folder] = _OwnFile(folder, noun)
    try:
        own.append(records)
    except WorkspaceError:
        # Somebody may have read what was taken back: the next record starts a new file, so that no place in a file ever means two things.
        _own_files.pop(folder).close()
        raise


def _line_of(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def _entries(records: Iterable[Any], read: Callable[[Any], T | None]) -> list[Entry[T]]:
    return [Entry(record, value) for record in records if (value := read(record)) is not None]


def _record_of(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _sizes(folder: Path) -> dict[str, int]:
    try:
        with os.scandir(folder) as found:
            files = [entry for entry in found if entry.name.endswith(".jsonl")]
    except FileNotFoundError:
        return {}
    sizes = {}
    for entry in files:
        with contextlib.suppress(FileNotFoundError):  # removed since the folder was listed
            sizes[entry.name] = entry.stat().st_size
    return sizes


def _not_kept(noun: str, path: Path, error: OSError) -> WorkspaceError:
    reason = f"The {noun} was not kept: {error.strerror or error} while writing {path}. Nothing of it was written"
    return _failure(f"{reason}; make room or rights, and {'rate' if noun == 'rating' else 'record'} again", error)


def _failure(message: str, error: OSError) -> WorkspaceError:
    failure = WorkspaceError(f"{message}.")
    failure.errno = error.errno
    return failure
