"""Bytes -> JSON values, whatever state they are in: strict first, then lenient, then what can be saved, each with a note of what was odd."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import msgspec
import pydantic_core

_SURROGATE = re.compile("[\ud800-\udfff]")
_decode = msgspec.json.Decoder().decode


class Parsed(NamedTuple):
    """A JSON value with the codes of what was odd about its text; `ok` is false when there is no value."""

    value: Any
    oddities: tuple[str, ...] = ()
    ok: bool = True


def parse_json(data: bytes | memoryview) -> Parsed:
    """Parse one JSON text.

    Args:
        data: the text in UTF-8, or in what was meant to be UTF-8.

    Returns:
        The value. Bytes that are not UTF-8 become backslash escapes, NaN and infinities their names as text, lone surrogates backslash escapes, and
        each is named among the oddities. `ok` is false, with the code not_json or too_deep, when no value can be made.
    """
    try:
        return Parsed(_decode(data))
    except RecursionError:
        return Parsed(None, ("too_deep",), ok=False)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _parse_leniently(bytes(data))


def parse_document(data: bytes) -> Parsed:
    """Parse a file that is one JSON document; of a cut or damaged one what stands before the damage is kept, with the code cut_document."""
    parsed = parse_json(data)
    if parsed.ok or parsed.oddities[-1] == "too_deep":
        return parsed
    text, oddities = _decode_text(data)
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return _parse_until(text[: error.pos], oddities)
    except (RecursionError, ValueError):
        return parsed
    return parsed


def to_json(value: Any) -> str:
    """Write a JSON value as text, keys in their order; what has no JSON form is written as its text."""
    return msgspec.json.encode(value, enc_hook=str).decode()


def _parse_until(text: str, oddities: tuple[str, ...]) -> Parsed:
    try:
        value = pydantic_core.from_json(text.encode("utf-8", "replace"), allow_partial="trailing-strings")
    except ValueError:
        return Parsed(None, (*oddities, "not_json"), ok=False)
    return Parsed(value, (*oddities, "cut_document"))


def _parse_leniently(data: bytes) -> Parsed:
    text, oddities = _decode_text(data)
    notes = list(oddities)

    def keep_constant(name: str) -> str:
        notes.append("not_a_number")
        return name

    def keep_integer(digits: str) -> int | str:
        if len(digits) > 4000:
            notes.append("long_integer")
            return digits
        return int(digits)

    try:
        value = json.loads(text, strict=False, parse_constant=keep_constant, parse_int=keep_integer)
    except RecursionError:
        return Parsed(None, (*notes, "too_deep"), ok=False)
    except ValueError:
        return Parsed(None, (*notes, "not_json"), ok=False)
    cleaned = _without_surrogates(value)
    if cleaned != value and "invalid_utf8" not in notes:
        notes.append("lone_surrogate")
    return Parsed(cleaned, tuple(dict.fromkeys(notes)) or ("loose_json",))


def _decode_text(data: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode(), ()
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), ("invalid_utf8",)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub(_escape, value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value
