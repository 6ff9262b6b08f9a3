"""Ids of conversations, turns and calls: how they are made, and which texts can be one."""

from __future__ import annotations

import re
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, Final

from agentnb.errors import ConversationIdError

_CONVERSATION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


class IdMint:
    """Makes ids that sort by time, for many threads: UUID version 7 with a counter within the millisecond (RFC 9562, method 1).

    Args:
        clock: returns nanoseconds since 1970.
        chance: returns that many bits of chance.
    """

    def __init__(self, clock: Callable[[], int] = time.time_ns, chance: Callable[[int], int] = secrets.randbits) -> None:
        self._clock, self._chance = clock, chance
        self._lock = threading.Lock()
        self._last = 0

    def __call__(self) -> str:
        """Return the next id; greater than each one before, also when the clock stands still or goes back."""
        with self._lock:
            # 48 bits of milliseconds and 12 of counter as one number: a counter that overflows counts the millisecond up.
            stamp = (self._clock() // 1_000_000 << 12) | self._chance(11)
            self._last = stamp = max(stamp, self._last + 1)
        value = (stamp >> 12 << 80) | (7 << 76) | ((stamp & 0xFFF) << 64) | (2 << 62) | self._chance(62)
        return str(uuid.UUID(int=value))


new_id: Final = IdMint()
"""Makes the ids of this process."""


def check_conversation_id(value: Any) -> str:
    """Return the id of a conversation as given.

    Args:
        value: 1 to 200 of the letters A to Z, digits, dot, underscore and hyphen, with a letter or digit first; it may become the name of a file.

    Raises:
        ConversationIdError: it cannot be one.
    """
    if isinstance(value, str) and _CONVERSATION.fullmatch(value):
        return value
    allowed = "1 to 200 letters from A to Z, digits, dots, underscores and hyphens, with a letter or digit first"
    raise ConversationIdError(f"{value!r:.220} cannot be the id of a conversation; use {allowed}")


def request_id_text(value: Any) -> str | None:
    """Return the id of a request as the text that is recorded and looked up, so that 7 and "7" are the same request; None stays None."""
    return None if value is None else str(value)
