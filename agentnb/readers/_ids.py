"""Ids of what was recorded without one: a digest of its content, never of a path or of an order."""

from __future__ import annotations

import hashlib
from typing import Any

from agentnb.readers._json import to_json


def digest_of(value: Any, size: int = 6) -> str:
    """Return a digest of a JSON value, of so many bytes."""
    return hashlib.blake2b(to_json(value).encode(), digest_size=size).hexdigest()
