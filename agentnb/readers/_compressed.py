"""Compressed bytes -> the bytes they stand for, as a stream: of what is cut or damaged everything before the damage, and no more than memory can hold."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

import zstandard

_FLOOR = 512 << 20
_RATIO = 200
_PIECE = 1 << 16
# What a piece of zstd stands for cannot be asked for bit by bit: two kilobytes are 64 MB at most.
_ZSTD_PIECE = 1 << 11
_WINDOW = 1 << 31
_Failures = (zlib.error, zstandard.ZstdError, lzma.LZMAError, OSError, EOFError, ValueError, MemoryError)


class _Kind(NamedTuple):
    """A way of compressing, told by its first bytes."""

    magic: bytes
    start: Callable[[], Any]
    piece: int = _PIECE


_KINDS = {
    "gzip": _Kind(b"\x1f\x8b\x08", lambda: zlib.decompressobj(31)),
    "zstd": _Kind(b"\x28\xb5\x2f\xfd", lambda: zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj(), _ZSTD_PIECE),
    "xz": _Kind(b"\xfd7zXZ\x00", lzma.LZMADecompressor),
    "bzip2": _Kind(b"BZh", bz2.BZ2Decompressor),
    "deflate": _Kind(b"", lambda: zlib.decompressobj(-15)),
}
METHODS = {8: "deflate", 12: "bzip2", 93: "zstd"}
"""How members of a zip are compressed, by the number it has there; 0 is not at all."""


def kind_of(head: bytes) -> str | None:
    """Tell by the first bytes how a file is compressed; None when it is not."""
    return next((name for name, kind in _KINDS.items() if kind.magic and head.startswith(kind.magic)), None)


def unpack_whole(data: bytes, kind: str | None, size: int) -> bytes | None:
    """Unpack at once what is told to be of some size, several times faster than as a stream.

    Args:
        data: the compressed bytes.
        kind: how they are compressed; None when they are not.
        size: how many bytes should come out.

    Returns:
        Exactly so many bytes; None when it is something else that comes out, or too much: a stream tells what is wrong with it.
    """
    try:
        unpacked = _WHOLE[kind](data, size) if kind in _WHOLE else None
    except _Failures:
        return None
    return unpacked if unpacked is not None and len(unpacked) == size else None


def _unpack_nothing(data: bytes, size: int) -> bytes | None:
    return data


def _unpack_deflate(data: bytes, size: int) -> bytes | None:
    unpacker = zlib.decompressobj(-15)
    unpacked = unpacker.decompress(data, size + 1)
    return unpacked if unpacker.eof else None


def _unpack_zstd(data: bytes, size: int) -> bytes | None:
    told = zstandard.frame_content_size(data)
    return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompress(data, max_output_size=size) if told in (-1, size) else None


_WHOLE: dict[str | None, Callable[[bytes, int], bytes | None]] = {None: _unpack_nothing, "deflate": _unpack_deflate, "zstd": _unpack_zstd}


class Decompressed(io.RawIOBase):
    """The content of a compressed stream; it never raises on what is in it."""

    def __init__(self, source: BinaryIO, kind: str, *, many: bool = True) -> None:
        """Decompress from where a stream is.

        Args:
            source: the compressed bytes.
            kind: gzip, zstd, xz, bzip2 or deflate.
            many: whether several streams that stand one after another are read as one; else what stands behind the first is left in `unused`.
        """
        self.damage: str | None = None
        """Code of what is odd about it, known once it was read to its end: cut_compressed, or too_large."""
        self.unused = b""
        """What was read of the source, but stands behind the end of what is compressed."""
        self._source = source
        self._kind = _KINDS[kind]
        self._many = many and kind != "deflate"
        self._unpacker = self._kind.start()
        self._fresh = True
        self._pending = b""
        self._held = memoryview(b"")
        self._taken = self._given = 0
        self._ended = False

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill a buffer with the next bytes."""
        while not self._held and not self._ended:
            self._held = memoryview(self._next())
        count = min(len(target), len(self._held))
        target[:count] = self._held[:count]
        self._held = self._held[count:]
        return count

    def _next(self) -> bytes:
        if self._given > max(_FLOOR, self._taken * _RATIO):
            return self._end("too_large")
        if self._unpacker.eof:
            return self._next_part()
        piece = self._pending or self._read()
        self._pending = b""
        if not piece and not self._needs_room():
            return self._end(None if self._fresh and self._many and self._taken else "cut_compressed")
        try:
            data = self._unpack(piece)
        except _Failures:
            return self._end("cut_compressed")
        self._fresh = self._fresh and not piece
        self._given += len(data)
        return data

    def _unpack(self, piece: bytes) -> bytes:
        if self._kind.piece == _ZSTD_PIECE:
            return bytes(self._unpacker.decompress(piece)) if piece else b""
        data = bytes(self._unpacker.decompress(piece, 1 << 20))
        self._pending = getattr(self._unpacker, "unconsumed_tail", b"")
        return data

    def _needs_room(self) -> bool:
        """Tell whether more comes out without anything going in."""
        return getattr(self._unpacker, "needs_input", True) is False

    def _next_part(self) -> bytes:
        """Begin with the next of several streams that stand one after another; zeros behind the last one are padding."""
        rest = self._unpacker.unused_data
        while self._many and not rest.strip(b"\x00") and (more := self._read()):
            rest = more
        rest = rest.lstrip(b"\x00") if self._many else rest
        if not rest or not self._many:
            self.unused = rest
            return self._end(None)
        while len(rest) < 8 and (more := self._read()):
            rest += more
        if not rest.startswith(self._kind.magic):
            return self._end("cut_compressed")
        self._unpacker, self._pending, self._fresh = self._kind.start(), rest, True
        return b""

    def _read(self) -> bytes:
        try:
            piece = self._source.read(self._kind.piece)
        except _Failures:
            piece = b""
        self._taken += len(piece)
        return piece

    def _end(self, damage: str | None) -> bytes:
        self._ended = True
        self.damage = damage
        return b""
