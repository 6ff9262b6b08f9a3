"""What a person reads when a store cannot do its work: what happened, that nothing is half written, and what to do."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from agentnb.errors import ConversationError

CODE = "store-failed"
"""Code of every failure of a store itself."""

Doing: TypeAlias = Literal["written", "read", "opened", "pruned"]

_LEFT = {
    "written": "Nothing was written",
    "read": "Nothing was changed",
    "opened": "Nothing was changed",
    "pruned": "What ratings need is still there",
}

_ADVICE = {
    errno.ENOSPC: "make room on the disk",
    errno.EDQUOT: "make room within your quota",
    errno.EFBIG: "raise the limit on the size of files",
    errno.EACCES: "give this account the right to read and write it",
    errno.EPERM: "give this account the right to read and write it",
    errno.EROFS: "name a place that can be written to",
    errno.ENOTDIR: "name a folder, or a place where one can be made",
    errno.EEXIST: "name a folder, or a place where one can be made",
    errno.EISDIR: "name a file, or a place where one can be made",
    errno.ETIMEDOUT: "end the process that holds it, or wait",
    errno.EIO: "look after the disk",
}


def store_failed(what: str, reason: str, advice: str, *, doing: Doing) -> ConversationError:
    """Return the error of a store that cannot do its work.

    Args:
        what: the store or file, as a person knows it.
        reason: what happened.
        advice: what to do about it.
        doing: what was to be done with it.
    """
    return ConversationError(CODE, f"{what} cannot be {doing}: {reason}. {_LEFT[doing]}; {advice}, and try again")


@contextmanager
def failing_clearly(what: object, *, doing: Doing) -> Iterator[None]:
    """Turn what the operating system says into an error that says what to do.

    Args:
        what: the file or folder.
        doing: what is to be done with it.
    """
    try:
        yield
    except OSError as error:
        place = error.filename if isinstance(error.filename, str) else str(what)
        reason = error.strerror or str(error)
        raise store_failed(place, reason, _ADVICE.get(error.errno or 0, "look after it"), doing=doing) from error
