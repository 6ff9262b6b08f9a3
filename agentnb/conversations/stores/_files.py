"""Files that are there when they are said to be: written whole, flushed, and with a name that is flushed too."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path


def write_whole(descriptor: int, data: bytes) -> None:
    """Write bytes to an open file, in one write as a rule.

    Raises:
        OSError: not all of it could be written.
    """
    written = os.write(descriptor, data)
    while written < len(data):
        count = os.write(descriptor, data[written:])
        if not count:
            raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written")
        written += count


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there yet, the owner's alone, and flush it to the disk; when that cannot be, nothing of it is left.

    Raises:
        OSError: the first thing that went wrong.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        write_whole(descriptor, data)
        os.fsync(descriptor)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def append_durably(descriptor: int, data: bytes) -> None:
    """Append bytes to an open file and flush it to the disk; when that cannot be, what was written of them is taken back.

    Raises:
        OSError: the first thing that went wrong.
    """
    before = os.fstat(descriptor).st_size
    try:
        write_whole(descriptor, data)
        os.fsync(descriptor)
    except OSError:
        with contextlib.suppress(OSError):  # the first error is the one to tell; a cut line is skipped by every reader
            os.ftruncate(descriptor, before)
        raise


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    if os.name == "nt":
        return  # a folder cannot be opened there, and its entries need no flush
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
