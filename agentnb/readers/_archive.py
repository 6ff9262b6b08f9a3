"""Archives -> their members: zip and tar, of damaged ones what can be read.

A reader whose recordings are archives uses `member_names`, `read_members` and `read_member`. Members of any other archive are read like files of their
own, under the path of the archive and their name in it: `logs.zip/run.jsonl`.
"""

from __future__ import annotations

import functools
import io
import os
import tarfile
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, cast

from agentnb.readers._compressed import METHODS, Decompressed, kind_of, unpack_whole
from agentnb.readers._content import Layer, Origin, Place, locate, open_content, open_root, unpack
from agentnb.readers._reader import OnBytes, OpenFile
from agentnb.readers._zip import EMPTY, MAGIC, Entry, listed_entries, start_of, walked_entries

_MOST_MEMBERS = 100_000
_MOST_BYTES = 4 << 30
_MOST_OF_A_MEMBER = 1 << 30
_IN_MEMORY = 64 << 20
_PIECE = 1 << 20
_HEAD = 512


class Archive(NamedTuple):
    """What is in an archive."""

    members: Mapping[str, Entry]
    """The members by their names as they are shown, in the order of the archive."""
    whole: bool
    """Whether it has its list of contents, or its end; else the last member may be cut."""
    unpacked: BinaryIO | None = None
    """The archive itself, when it is compressed or inside of another."""


class Inside(NamedTuple):
    """A member, and the archive it is in."""

    place: Place
    """Where the archive is."""
    archive: Archive
    entry: Entry


def member_names(path: Path, origin: Origin = None) -> list[str]:
    """Return the names of the files in an archive, in its order; nothing when it is none.

    Raises:
        OSError: when it cannot be opened.
    """
    found = find_archive(locate(path, origin))
    return list(found.members) if found is not None else []


def read_members(file: OpenFile, on_bytes: OnBytes = lambda count: None) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files in an archive; what is damaged is noted in the account, and as much of it as can be read is yielded."""
    place = locate(file.path, file.origin)
    archive = find_archive(place)
    if archive is None:
        return
    _note_end(file, archive)
    with _opened(place, archive) as source:
        for name, entry in archive.members.items():
            yield name, _content(file, source, name, entry)
            on_bytes(min(entry.packed, file.account.row.bytes))


def read_member(file: OpenFile, name: str) -> bytes | None:
    """Return the content of one file in an archive; None when there is none of this name."""
    place = locate(file.path, file.origin)
    archive = find_archive(place)
    if archive is None or name not in archive.members:
        return None
    _note_end(file, archive)
    with _opened(place, archive) as source:
        return _content(file, source, name, archive.members[name])


def find_archive(place: Place) -> Archive | None:
    """Return what is in the archive at a place; None when there is none.

    Raises:
        OSError: when it cannot be opened.
    """
    stat = place.root.stat() if isinstance(place.root, Path) else None
    return _find_archive(place, (stat.st_size, stat.st_mtime_ns) if stat is not None else None)


def find_member(place: Place) -> Inside:
    """Find a member of an archive, or of an archive inside of it.

    Raises:
        FileNotFoundError: when there is none.
    """
    parts = PurePosixPath(place.inner).parts
    for length in range(len(parts)):
        inner = "/".join(parts[:length])
        above = Place(place.root, inner)
        archive = find_archive(above) if not inner or has_member(above) else None
        entry = archive.members.get("/".join(parts[length:])) if archive is not None else None
        if archive is not None and entry is not None:
            return Inside(above, archive, entry)
    raise FileNotFoundError(2, os.strerror(2), str(place.inner))


def has_member(place: Place) -> bool:
    """Tell whether there is a member at a place."""
    try:
        find_member(place)
    except OSError:
        return False
    return True


@contextmanager
def open_member(place: Place) -> Iterator[_Content]:
    """Open the content of a member.

    Raises:
        OSError: when there is none.
    """
    above, archive, entry = find_member(place)
    with _opened(above, archive) as source:
        yield _Content(source, entry)


@functools.lru_cache(maxsize=8)
def _find_archive(place: Place, stamp: object) -> Archive | None:
    path, origin = (place.root, None) if isinstance(place.root, Path) else (Path("<>"), place.root)
    if place.inner:
        path = path / place.inner
    with open_content(path, origin) as stream:
        head = stream.file.read(_HEAD)
        plain = not stream.layers
    index = _index_of(head)
    if index is None:
        return None
    if plain:
        with open_root(place.root) as file:
            return index(file)
    with open_content(path, origin) as stream:
        unpacked = _unpacked(stream.file)
    found = index(unpacked)
    return found._replace(unpacked=unpacked, whole=found.whole and not stream.oddities) if found is not None else None


def _index_of(head: bytes) -> Callable[[BinaryIO], Archive | None] | None:
    """Return how an archive is indexed that begins like this; None when it is none."""
    if head.startswith((MAGIC, EMPTY)):
        return _index_zip
    return _index_tar if head[257:262] == b"ustar" else None


def _index_zip(file: BinaryIO) -> Archive | None:
    listed = listed_entries(file)
    entries = listed if listed is not None else _first(walked_entries(file))
    return None if listed is None and not entries else Archive(_by_name(entries), listed is not None)


def _index_tar(file: BinaryIO) -> Archive | None:
    entries: list[Entry] = []
    try:
        file.seek(0)
        with tarfile.open(fileobj=file, mode="r:") as archive:
            for info in archive:
                if info.isfile() and len(entries) < _MOST_MEMBERS:
                    entries.append(Entry(info.name, info.size, info.size, None, info.offset_data))
    except (tarfile.TarError, ValueError, EOFError, OverflowError, RecursionError):
        return Archive(_by_name(entries), whole=False) if entries else None
    file.seek(0, os.SEEK_END)
    end = file.seek(max(0, file.tell() - _HEAD))
    # Zeros stand at the end of every tar.
    return Archive(_by_name(entries), whole=not file.read().strip(b"\x00") and all(entry.start + entry.size <= end for entry in entries))


def _first(entries: Iterator[Entry]) -> list[Entry]:
    return [entry for entry, _ in zip(entries, range(_MOST_MEMBERS), strict=False)]


def _by_name(entries: list[Entry]) -> dict[str, Entry]:
    """Give members the names by which they are shown: of several with one name the last one has it, as in a folder to which they are unpacked."""
    named: dict[str, list[Entry]] = {}
    for entry in entries[:_MOST_MEMBERS]:
        parts = [part for part in entry.name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        named.setdefault("/".join(parts) or "unnamed", []).append(entry)
    found: dict[str, Entry] = {}
    for name, same in named.items():
        found |= {f"{name} (replaced {number})": entry for number, entry in enumerate(same[:-1], 1)}
        found[name] = same[-1]
    return found


def _unpacked(source: BinaryIO) -> BinaryIO:
    """Copy a stream to where one can go back in it: to memory, or to a temporary file when it is large."""
    file = _Copy(_IN_MEMORY)
    copied = 0
    while copied < _MOST_BYTES and (piece := source.read(_PIECE)):
        copied += file.write(piece)
    return cast(BinaryIO, file)


class _Copy(tempfile.SpooledTemporaryFile[bytes]):
    """A temporary file that is open as long as its archive is known."""

    def __del__(self) -> None:
        """Close it."""
        self.close()


@contextmanager
def _opened(place: Place, archive: Archive) -> Iterator[BinaryIO]:
    """Open the bytes of an archive."""
    if archive.unpacked is not None:
        yield archive.unpacked
        return
    with open_root(place.root) as file:
        yield file


def _note_end(file: OpenFile, archive: Archive) -> None:
    if not archive.whole and all(diagnostic.code != "cut_archive" for diagnostic in file.account.diagnostics):
        file.account.note_oddities(("cut_archive",), line=None)


def _content(file: OpenFile, source: BinaryIO, name: str, entry: Entry) -> bytes:
    whole = _content_at_once(source, entry)
    if whole is not None:
        return whole
    content = _Content(source, entry)
    stream = unpack(io.BufferedReader(content), (content,))
    data = stream.file.read(_MOST_OF_A_MEMBER)
    for code in stream.oddities:
        file.account.diagnose(code, f"The member {name} is cut, damaged or not readable; it was read as far as possible.", excerpt=name)
    return data


def _content_at_once(source: BinaryIO, entry: Entry) -> bytes | None:
    """Return the content of a member with which all is well, as nearly always it is; None of any other, and of one that is compressed once more."""
    if entry.is_encrypted or entry.crc is None or max(entry.size, entry.packed) > _IN_MEMORY or (entry.method and entry.method not in METHODS):
        return None
    with _lock:
        source.seek(start_of(source, entry))
        packed = source.read(entry.packed)
    content = unpack_whole(packed, METHODS.get(entry.method), entry.size)
    return content if content is not None and kind_of(content) is None and zlib.crc32(content) == entry.crc else None


_lock = threading.Lock()


class _Window(io.RawIOBase):
    """Some bytes of a file that others may read as well."""

    def __init__(self, file: BinaryIO, start: int, count: int) -> None:
        self._file = file
        self._place = start
        self._end = start + count

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        with _lock:
            self._file.seek(self._place)
            data = self._file.read(max(0, min(len(target), self._end - self._place)))
        target[: len(data)] = data
        self._place += len(data)
        return len(data)


class _Content(io.RawIOBase):
    """The content of a member, with a look at its size and check sum at the end."""

    def __init__(self, file: BinaryIO, entry: Entry) -> None:
        self.damage: str | None = None
        self._entry = entry
        self._source: Any = _Window(file, start_of(file, entry), entry.packed)
        self._crc = self._count = 0
        kind = METHODS.get(entry.method)
        if entry.is_encrypted or (kind is None and entry.method):
            self.damage = "encrypted" if entry.is_encrypted else "unknown_compression"
            self._source = io.BytesIO()
        elif kind is not None:
            self._source = Decompressed(cast(BinaryIO, self._source), kind)

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        count: int = self._source.readinto(target)
        self._crc = zlib.crc32(memoryview(target)[:count], self._crc)
        self._count += count
        if count == 0 and self.damage is None:
            layer: Layer | None = self._source if isinstance(self._source, Decompressed) else None
            wrong = self._count != self._entry.size or self._entry.crc not in (None, self._crc)
            self.damage = (layer.damage if layer is not None else None) or ("cut_compressed" if wrong else None)
        return count
