"""Text -> JSON value as strictly as JavaScript reads it, and back, whatever a model wrote."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

import msgspec

MOST_DEEP: Final = 500
"""Levels of nesting that are read; deeper ones are refused wherever the caller stands, instead of where Python's stack happens to end."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder(enc_hook=str).encode


class Parsed(NamedTuple):
    """A JSON value, or why there is none."""

    value: Any = None
    error: str | None = None


def parse_json(text: str) -> Parsed:
    """Parse one JSON text as JavaScript does: no NaN, no control characters in strings, of equal keys the last, lone surrogates allowed.

    Args:
        text: the text, trimmed or not.

    Returns:
        The value; without one, what is wrong with the text.
    """
    try:
        parsed = Parsed(_decode(text))
    except (ValueError, RecursionError):
        # The quick parser refuses lone surrogates and numbers beyond a double, which are JSON.
        parsed = _parse_slowly(text, _STRICT)
    if parsed.error is None and text.count("{") + text.count("[") > MOST_DEEP and _is_too_deep(parsed.value):
        return Parsed(error=f"it is nested deeper than {MOST_DEEP} levels")
    return parsed


def write_json(value: Any) -> str:
    """Write a JSON value as text that every table takes: lone surrogates escaped, what is nested too deeply as a note."""
    try:
        return _encode(value).decode()
    except (UnicodeEncodeError, OverflowError, TypeError, ValueError):
        return _write_slowly(value)
    except RecursionError:
        return '"(nested too deeply)"'


def whole(text: str | None) -> str | None:
    """Return a text that every table takes: lone surrogates become backslash escapes."""
    if text is None or text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _is_too_deep(value: Any) -> bool:
    level: list[Any] = [value] if type(value) in (dict, list) else []
    for _ in range(MOST_DEEP):
        level = [item for outer in level for item in (outer.values() if type(outer) is dict else outer) if type(item) in (dict, list)]
        if not level:
            return False
    return True


def _parse_slowly(text: str, decoder: json.JSONDecoder) -> Parsed:
    try:
        return Parsed(decoder.decode(text))
    except json.JSONDecodeError as error:
        return Parsed(error=str(error))
    except RecursionError:
        return Parsed(error=f"it is nested deeper than {MOST_DEEP} levels")
    except ValueError as error:
        # Python refuses to make an integer of thousands of digits; JavaScript makes a double of it.
        return Parsed(error=str(error)) if decoder is _WITH_LONG_INTEGERS or isinstance(error, _NotANumber) else _parse_slowly(text, _WITH_LONG_INTEGERS)


class _NotANumber(ValueError):
    pass


def _refuse(name: str) -> Any:
    raise _NotANumber(f"{name} is not JSON")


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)


_STRICT = json.JSONDecoder(parse_constant=_refuse)
_WITH_LONG_INTEGERS = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer)


def _write_slowly(value: Any) -> str:
    try:
        return whole(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str, skipkeys=True)) or ""
    except (RecursionError, ValueError):
        return '"(cannot be written as JSON)"'
