"""What is in a zip and where: by its list of contents, or where that is missing, as after a crash, by the header before each member."""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from agentnb.readers._compressed import METHODS, Decompressed

MAGIC = b"PK\x03\x04"
EMPTY = b"PK\x05\x06"
_LIST, _BEHIND = b"PK\x01\x02", b"PK\x07\x08"
_HEADER = struct.Struct("<4s2xHHLLLLHH")
_LARGE = 0xFFFFFFFF
_ENCRYPTED, _SIZES_BEHIND, _UTF8 = 0x1, 0x8, 0x800
_PIECE = 1 << 20
_Failures = (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError, OverflowError, EOFError, IndexError)


class Entry(NamedTuple):
    """A member of an archive: its name as it stands there, and where its bytes are."""

    name: str
    size: int
    """Size of its content; as far as it is known."""
    packed: int
    """How many bytes are stored of it."""
    header: int | None
    """Place of the header before it; None when it has none."""
    start: int = 0
    """Place of its first byte, where it has no header."""
    method: int = 0
    crc: int | None = None
    is_encrypted: bool = False


def listed_entries(file: BinaryIO) -> list[Entry] | None:
    """Return the members by the list of contents; None when the archive has none."""
    try:
        with zipfile.ZipFile(file) as archive:
            listed = archive.infolist()
    except _Failures:
        return None
    if listed and min(info.header_offset for info in listed) > 0:
        return None  # the list of an archive inside of this one, whose own list is gone
    return [
        Entry(info.filename, info.file_size, info.compress_size, info.header_offset, 0, info.compress_type, info.CRC, bool(info.flag_bits & _ENCRYPTED))
        for info in listed
        if not info.is_dir()
    ]


def walked_entries(file: BinaryIO) -> Iterator[Entry]:
    """Yield the members by the headers before them, from the beginning; the last one may be cut."""
    place: int | None = 0
    while place is not None:
        header = _read_header(file, place)
        if header is None:
            place = _find(file, (MAGIC, _LIST), place + 1)
            if place is not None and _at(file, place, 4) == _LIST:
                return
            continue
        entry, end = header
        if not entry.name.endswith("/") and entry.name:
            yield entry
        place = end


def start_of(file: BinaryIO, entry: Entry) -> int:
    """Return the place of the first byte of a member."""
    if entry.header is None:
        return entry.start
    header = _at(file, entry.header, _HEADER.size)
    if len(header) < _HEADER.size or not header.startswith(MAGIC):
        return max(0, entry.header)
    *_, name, extra = _HEADER.unpack(header)
    return int(entry.header + _HEADER.size + name + extra)


def _read_header(file: BinaryIO, place: int) -> tuple[Entry, int] | None:
    """Return the member whose header stands at a place, and where it ends."""
    data = _at(file, place, _HEADER.size)
    if len(data) < _HEADER.size or not data.startswith(MAGIC):
        return None
    _, flags, method, _, crc, packed, size, name_length, extra_length = _HEADER.unpack(data)
    names = _at(file, place + _HEADER.size, name_length + extra_length)
    name = names[:name_length].decode("utf-8" if flags & _UTF8 else "cp437", "replace")
    packed, size = _large_sizes(names[name_length:], packed, size)
    start = place + _HEADER.size + name_length + extra_length
    entry = Entry(name, size, packed, None, start, method, crc, bool(flags & _ENCRYPTED))
    if flags & _SIZES_BEHIND and not packed:
        entry = _measured(file, entry)
    return entry, start + entry.packed


def _large_sizes(extra: bytes, packed: int, size: int) -> tuple[int, int]:
    """Return the sizes, which of a large member stand in a field of their own."""
    place = 0
    while packed == _LARGE and place + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, place)
        if kind == 1 and length >= 16 and place + 20 <= len(extra):
            size, packed = struct.unpack_from("<QQ", extra, place + 4)
            break
        place += 4 + length
    return packed, size


def _measured(file: BinaryIO, entry: Entry) -> Entry:
    """Find out how long a member is whose sizes stand behind it."""
    kind = METHODS.get(entry.method)
    if kind is None:
        end = _find(file, (_BEHIND, MAGIC, _LIST), entry.start)
        packed = (file.seek(0, os.SEEK_END) if end is None else end) - entry.start
        return entry._replace(packed=packed, size=packed, crc=None)
    file.seek(entry.start)
    content = Decompressed(file, kind, many=False)
    size = 0
    while piece := content.read(_PIECE):
        size += len(piece)
    return entry._replace(packed=file.tell() - len(content.unused) - entry.start, size=size, crc=None)


def _find(file: BinaryIO, needles: tuple[bytes, ...], place: int) -> int | None:
    """Return the first place from one on where one of several marks of four bytes stands."""
    while len(piece := _at(file, place, _PIECE)) >= 4:
        found = [index for needle in needles if (index := piece.find(needle)) >= 0]
        if found:
            return place + min(found)
        place += len(piece) - 3
    return None


def _at(file: BinaryIO, place: int, count: int) -> bytes:
    if place < 0:
        return b""  # where an archive that lost its beginning says that a member stands
    file.seek(place)
    return file.read(count)
