"""Are two values the same? JSON written in one way, so that equal values are equal texts, in Python and in SQL."""

from __future__ import annotations

import json
from typing import Any, Final

_EXACT: Final = 1e21
"""From here on JavaScript writes a number with an exponent (ECMA-262, Number::toString)."""


def canonical(value: Any) -> str:
    """Write a value as JSON, the same for equal values: keys sorted, 1.0 as 1, a lone surrogate spelled as JSON spells it."""
    return spelled(json.dumps(_plain(value), ensure_ascii=False, sort_keys=True))


def spelled(text: str) -> str:
    """Return a text that a table can hold: a lone surrogate, which is no character, is spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, dict):
        return {name: _plain(held) for name, held in value.items()}
    return [_plain(held) for held in value] if isinstance(value, list | tuple) else value
