"""The bytes of a file, wherever they are: on the disk, compressed, inside an archive that is a file itself, or in memory.

A path says it all: `logs.zip/run.jsonl` is the member of an archive, and `<messages 1f2e3d4c>`, which no file is called, was given as an object. What has
no file has an origin, the bytes or the file in which they are kept; everything else is found by its path.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

from agentnb.readers._compressed import Decompressed, kind_of

_BUFFER = 1 << 18
_LAYERS = 2


class Held(NamedTuple):
    """Bytes that are in memory."""

    data: bytes
    modified_ns: int
    """When they were given, in nanoseconds since 1970."""


Origin = Held | Path | None
"""Where the content of a path is kept that is no file: in memory, or in a file under another name."""


class Place(NamedTuple):
    """Where a path leads to: a file or bytes in memory, and the member inside of it."""

    root: Path | Held
    inner: str = ""


class Stream(NamedTuple):
    """The content of a file, to be read once from its beginning."""

    file: BinaryIO
    """What it holds, unpacked."""
    counted: Counted | None
    """How much of the file was read for it; None of a file that is not compressed, which is read as it is."""
    layers: tuple[Layer, ...]

    @property
    def oddities(self) -> tuple[str, ...]:
        """Codes of what is odd about how it was compressed, known once it was read to its end."""
        return tuple(dict.fromkeys(layer.damage for layer in self.layers if layer.damage))


class Layer(Protocol):
    """Bytes that were unpacked on the way."""

    damage: str | None
    """Code of what is odd about it, known once it was read to its end."""


class Counted(io.RawIOBase):
    """A stream that counts the bytes that were read from it."""

    def __init__(self, source: BinaryIO) -> None:
        """Count what is read from a stream."""
        self._source = source
        self.count = 0

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer with the next bytes."""
        data = self._source.read(len(target))
        target[: len(data)] = data
        self.count += len(data)
        return len(data)


def root_of(path: str | os.PathLike[str]) -> str | None:
    """Return the name of the object that a path stands for or leads into; None when it is a path on the disk."""
    first, _, _ = str(path).partition(f">{os.sep}")
    name = first if first.endswith(">") else f"{first}>"
    return name if first.startswith("<") and str(path).startswith(name) else None


def locate(path: Path, origin: Origin = None) -> Place:
    """Find where a path leads to.

    Raises:
        FileNotFoundError: when neither it nor anything above it is a file.
    """
    if origin is not None:
        root = root_of(path) or str(path)
        return Place(origin, str(path)[len(root) + 1 :].replace(os.sep, "/"))
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return Place(path)
    except NotADirectoryError:
        above = next((parent for parent in path.parents if parent.is_file()), None)
        if above is not None:
            return Place(above, path.relative_to(above).as_posix())
    raise FileNotFoundError(2, os.strerror(2), str(path))


@contextmanager
def open_root(root: Path | Held) -> Iterator[BinaryIO]:
    """Open a file or bytes as they are."""
    with io.BytesIO(root.data) if isinstance(root, Held) else root.open("rb", buffering=_BUFFER) as file:
        yield file


@contextmanager
def open_content(path: Path, origin: Origin = None) -> Iterator[Stream]:
    """Open the content of a file, unpacked.

    Raises:
        OSError: when it is not there or may not be read.
    """
    place = locate(path, origin)
    if place.inner:
        from agentnb.readers._archive import open_member  # an archive is made of contents, and its members are contents

        with open_member(place) as raw:
            yield unpack(io.BufferedReader(raw, _BUFFER), (raw,))
        return
    with open_root(place.root) as file:
        yield unpack(file)


def unpack(file: BinaryIO, layers: tuple[Layer, ...] = ()) -> Stream:
    """Unpack a stream that can go back to its first bytes, or can look ahead at them."""
    kind = kind_of(_head(file))
    if kind is None:
        return Stream(file, None, layers)
    counted = Counted(file)
    stream: BinaryIO = io.BufferedReader(counted, _BUFFER)
    for _ in range(_LAYERS):
        if kind is None:
            break
        layer = Decompressed(stream, kind)
        layers, reader = (*layers, layer), io.BufferedReader(layer, _BUFFER)
        stream, kind = reader, kind_of(reader.peek(8))
    return Stream(stream, counted, layers)


def is_there(path: Path, origin: Origin = None) -> bool:
    """Tell whether a path leads to a content."""
    try:
        place = locate(path, origin)
    except OSError:
        return False
    if not place.inner:
        return True
    from agentnb.readers._archive import has_member  # see open_content

    return has_member(place)


def _head(file: BinaryIO) -> bytes:
    if isinstance(file, io.BufferedReader):
        return file.peek(8)
    head = file.read(8)
    file.seek(0)
    return head
