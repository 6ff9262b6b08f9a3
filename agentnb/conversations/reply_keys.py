"""Under which key is a model's reply kept, so that a turn that is resumed finds it again?"""

from __future__ import annotations

from typing import Any, Final

from agentnb.conversations.canonical import sha256_of

REPLY_FORMAT: Final = 1


def reply_key(request: Any, *, replicate: int = 0) -> str:
    """Return the key of a reply: `sha256:` and the digest of the request.

    Args:
        request: what is sent to the model, as JSON; requests that mean the same and are spelled alike have one key.
        replicate: which of several independent answers to the same request it is, from 0.

    Raises:
        ValueError: the request holds NaN or an infinite number.
        TypeError: the request holds something that is not JSON.
    """
    return sha256_of({"functai_reply": REPLY_FORMAT, "replicate": replicate, "request": request})
