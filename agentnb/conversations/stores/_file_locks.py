"""A lock that holds between processes and threads, and goes when its process does: the operating system's, on a file beside what it guards."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LONGEST_PAUSE = 0.02
_BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


@contextmanager
def file_lock(path: Path, *, timeout: float) -> Iterator[None]:
    """Hold the lock of a file, which is made when it is not there.

    The lock is `flock`'s, as FunctAI takes it, so that both can write to one folder.

    Args:
        path: the file.
        timeout: seconds to wait for it at most.

    Raises:
        TimeoutError: somebody else held it all the time.
        OSError: the file cannot be made.
    """
    descriptor = _locked(path, time.monotonic() + timeout)
    try:
        yield
    finally:
        # Said explicitly: a child that was forked meanwhile holds the same open file.
        _unlock(descriptor)
        os.close(descriptor)


def _locked(path: Path, deadline: float) -> int:
    pause = 0.001
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if _try_lock(descriptor) and _is_file(descriptor, path):
            return descriptor
        os.close(descriptor)
        if time.monotonic() >= deadline:
            raise TimeoutError(errno.ETIMEDOUT, "somebody else holds the lock", str(path))
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _is_file(descriptor: int, path: Path) -> bool:
    """Tell whether the open file is still the one of that name; who cleans up may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in _BUSY:
                raise
            return False
        return True

    def _unlock(descriptor: int) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _BUSY:
                raise
            return False
        return True

    def _unlock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
