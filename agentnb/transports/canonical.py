"""How long is it, in characters, and is it the same? JSON written in one way, and the measure of all counts here."""

from __future__ import annotations

import hashlib
import json
from typing import Any

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_encode_freely = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str).encode


def canonical_json(value: Any) -> str:
    """Write JSON in one way: no white space, no escapes that are not needed, keys in their order.

    Characters are code points, as `len` counts them; JavaScript counts UTF-16 units, so one emoji is 1 here and 2 there.

    Args:
        value: a JSON value.

    Raises:
        ValueError: it holds NaN or Infinity, or itself.
        TypeError: it holds something that is not JSON.
    """
    return _encode(value)


def char_count(value: Any) -> int:
    """Count the characters of a value's canonical JSON."""
    return len(canonical_json(value))


def write_arguments(value: dict[str, Any]) -> str:
    """Write arguments that came as an object; what is not JSON in them stays visible and makes them invalid, as it would in a text."""
    try:
        return _encode_freely(value)
    except RecursionError:
        return '{"":' * 600


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical_json(value).encode("utf-8", "surrogatepass")).hexdigest()
