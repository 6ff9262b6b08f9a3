"""A file of JSON lines that is appended to by many processes, a batch at a time, and read on from where one was.

A batch of several lines is whole or nothing for everybody: each of its lines but the last begins with a space, which JSON does not mind, and so says that
more of the batch follows. A batch without its end is being written, or was cut when its process died: readers leave it alone, and the next one who appends
takes it away. It was never acknowledged.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from agentnb.conversations.stores._file_locks import file_lock
from agentnb.conversations.stores._files import append_durably, sync_folder
from agentnb.conversations.stores._forks import ForkLock
from agentnb.conversations.stores._texts import json_of

_TAIL: Final = 64
_MORE: Final = b" "


class LineLog:
    """One file, and where each of its lines begins.

    Args:
        path: the file; its lock is the file beside it that ends with `.lock`.
        timeout: seconds to wait for the lock at most.
    """

    def __init__(self, path: Path, *, timeout: float) -> None:
        self.path = path
        self._timeout = timeout
        self._starts = array("q")
        self._end = 0
        self._tail = b""
        self._inode = (0, 0)
        self.generation = 0
        """Changes when the file is another one than before, so that nothing is known of it any more."""
        self._lock = ForkLock()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the file against every other thread and process.

        Raises:
            OSError: the lock cannot be had.
        """
        with self._lock:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with file_lock(self.path.with_suffix(".lock"), timeout=self._timeout):
                yield

    def count(self) -> int:
        """Read on, and return how many lines are whole.

        Raises:
            OSError: the file is there and cannot be read.
        """
        with self._lock, self._opened() as descriptor:
            if descriptor is not None:
                self._read_on(descriptor)
            return len(self._starts)

    def read(self, after: int = 0) -> list[bytes]:
        """Return the whole lines after the first so many.

        Raises:
            OSError: the file is there and cannot be read.
        """
        with self._lock, self._opened() as descriptor:
            if descriptor is None:
                return []
            self._read_on(descriptor)
            if after >= len(self._starts):
                return []
            start = self._starts[after]
            data = _read_at(descriptor, start, self._end - start)
        return [line for line in data.split(b"\n") if line.strip()]

    def append(self, make_lines: Callable[[int], Sequence[str]]) -> int:
        """Append lines as one batch: written in one write, flushed, and only then there. The file is held while this runs.

        Args:
            make_lines: returns the lines; given how many there are. What it raises, is raised, and nothing is written.

        Returns:
            How many lines there are now.

        Raises:
            OSError: they could not be written; nothing of them is there.
        """
        is_new = not self.path.exists()
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        try:
            self._read_on(descriptor)
            self._mend(descriptor)
            lines = make_lines(len(self._starts))
            if lines:
                append_durably(descriptor, _batch(lines))
                self._read_on(descriptor)
        finally:
            os.close(descriptor)
            if is_new:
                sync_folder(self.path.parent)
        return len(self._starts)

    @contextmanager
    def _opened(self) -> Iterator[int | None]:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except FileNotFoundError:
            self._forget()
            yield None
            return
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def _read_on(self, descriptor: int) -> None:
        """Take in the lines that are new and whole, and of whole batches; a file that is another one is read from its beginning."""
        status = os.fstat(descriptor)
        held = len(self._tail)
        if (status.st_dev, status.st_ino) != self._inode or status.st_size < self._end or _read_at(descriptor, self._end - held, held) != self._tail:
            self._forget()
            self._inode = (status.st_dev, status.st_ino)
        data = _read_at(descriptor, self._end, status.st_size - self._end)
        batches = _whole_batches(data)
        start = 0
        while start < batches:
            end = data.index(b"\n", start) + 1
            if data[start:end].strip():
                self._starts.append(self._end + start)
            start = end
        self._tail = (self._tail + data[max(0, batches - _TAIL) : batches])[-_TAIL:]
        self._end += batches

    def _mend(self, descriptor: int) -> None:
        """Take away a batch that was cut; a last line that is whole and only lacks its end, as an editor may leave it, gets it."""
        size = os.fstat(descriptor).st_size
        rest = _read_at(descriptor, self._end, size - self._end)
        if not rest:
            return
        if not rest.startswith(_MORE) and b"\n" not in rest and isinstance(json_of(rest), dict):
            append_durably(descriptor, b"\n")
            self._read_on(descriptor)
        else:
            os.ftruncate(descriptor, self._end)

    def _forget(self) -> None:
        if self._end:
            self.generation += 1
        self._starts, self._end, self._tail, self._inode = array("q"), 0, b"", (0, 0)


def _batch(lines: Sequence[str]) -> bytes:
    *first, last = (line.encode("ascii") + b"\n" for line in lines)
    return b"".join(_MORE + line for line in first) + last


def _whole_batches(data: bytes) -> int:
    """Return how many bytes are whole batches: lines with their ends, of which the last does not say that more follows."""
    end = data.rfind(b"\n") + 1
    while end:
        start = data.rfind(b"\n", 0, end - 1) + 1
        if not data.startswith(_MORE, start):
            return end
        end = start
    return 0


def _read_at(descriptor: int, offset: int, size: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    pieces = []
    while size > 0 and (piece := os.read(descriptor, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
