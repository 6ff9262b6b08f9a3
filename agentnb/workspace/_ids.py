"""Ids of what people make: UUID version 7, which sort by time."""

from __future__ import annotations

import secrets
import threading
import time
import uuid

_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """Return a UUID version 7: milliseconds since 1970, a counter within the millisecond, and chance (RFC 9562, method 1)."""
    global _last
    with _lock:
        # 48 bits of time and 12 of counter as one number: a clock that stands still or goes back counts on from the last id.
        stamp = (time.time_ns() // 1_000_000 << 12) | secrets.randbits(11)
        _last = stamp if stamp > _last else _last + 1
        stamp = _last
    value = (stamp >> 12 << 80) | (7 << 76) | ((stamp & 0xFFF) << 64) | (2 << 62) | secrets.randbits(62)
    return str(uuid.UUID(int=value))
