"""Bytes -> JSON values, whatever state they are in: strict first, then lenient, then what can be saved, each with a note of what was odd."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import msgspec
import pydantic_core

AS_RECORDED = "as_recorded"
"""Key under which a record that was changed is kept as it was, as JSON in ASCII."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_MOST_DEEP = 100
_DEEPER = b'"(nested too deeply)"'
_decode = msgspec.json.Decoder().decode


class Parsed(NamedTuple):
    """A JSON value with the codes of what was odd about its text; `ok` is false when there is no value."""

    value: Any
    oddities: tuple[str, ...] = ()
    ok: bool = True


def parse_json(data: bytes | memoryview, *, keep_original: bool = False) -> Parsed:
    """Parse one JSON text.

    Args:
        data: the text in UTF-8, or in what was meant to be UTF-8.
        keep_original: whether an object in a list that holds lone surrogates keeps what it was, under the key `as_recorded`.

    Returns:
        The value. Bytes that are not UTF-8 become backslash escapes, NaN and infinities their names as text, lone surrogates backslash escapes, what is
        nested too deeply a text that says so, and each is named among the oddities. `ok` is false, with the code not_json, when no value can be made.
    """
    try:
        return Parsed(_decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _parse_leniently(bytes(data), keep_original=keep_original)


def parse_document(data: bytes) -> Parsed:
    """Parse a file that is one JSON document; of a cut or damaged one what stands before the damage is kept, with the code cut_document."""
    parsed = parse_json(data, keep_original=True)
    if parsed.ok:
        return parsed
    text, oddities = _decode_text(_pruned(data) if "too_deep" in parsed.oddities else data)
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        # Of a text without its end the decoder tells the beginning, of anything else the place of the damage.
        end = len(text) if error.msg.startswith("Unterminated string") else error.pos
        return _parse_until(text[:end], tuple(dict.fromkeys((*oddities, *parsed.oddities[:-1]))))
    except (RecursionError, ValueError):
        return parsed
    return parsed


def to_json(value: Any) -> str:
    """Write a JSON value as text, keys in their order; what has no JSON form is written as its text, what is nested too deeply as a note."""
    try:
        return msgspec.json.encode(value, enc_hook=str).decode()
    except RecursionError:
        return '{"too_deep":true}' if isinstance(value, dict) else _DEEPER.decode()


def _parse_until(text: str, oddities: tuple[str, ...]) -> Parsed:
    try:
        value = pydantic_core.from_json(text.encode("utf-8", "replace"), allow_partial="trailing-strings")
    except ValueError:
        return Parsed(None, (*oddities, "not_json"), ok=False)
    return Parsed(value, (*oddities, "cut_document"))


def _parse_leniently(data: bytes, *, keep_original: bool, pruned: bool = False) -> Parsed:
    text, oddities = _decode_text(data)
    notes = [*oddities, "too_deep"] if pruned else list(oddities)

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
        cleaned = _clean(value, keep_original=keep_original)
    except RecursionError:
        return Parsed(None, (*notes, "not_json"), ok=False) if pruned else _parse_leniently(_pruned(data), keep_original=keep_original, pruned=True)
    except ValueError:
        return Parsed(None, (*notes, "not_json"), ok=False)
    if cleaned.changed and "invalid_utf8" not in notes:
        notes.append("lone_surrogate")
    return Parsed(cleaned.value, tuple(dict.fromkeys(notes)) or ("loose_json",))


def _pruned(data: bytes) -> bytes:
    """Put a note in the place of everything that is nested too deeply, so that what is around it can be read."""
    pieces: list[bytes] = []
    depth = begin = kept_until = 0
    for match in _STRING_OR_BRACKET.finditer(data):
        token = match.group()
        if token in (b"[", b"{"):
            depth += 1
            if depth == _MOST_DEEP + 1:
                begin = match.start()
        elif token in (b"]", b"}"):
            depth -= 1
            if depth == _MOST_DEEP:
                pieces += [data[kept_until:begin], _DEEPER]
                kept_until = match.end()
    return b"".join([*pieces, data[kept_until:begin] if depth > _MOST_DEEP else data[kept_until:]])


def _decode_text(data: bytes) -> tuple[str, tuple[str, ...]]:
    try:
        return data.decode(), ()
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape"), ("invalid_utf8",)


class _Cleaned(NamedTuple):
    """A value without lone surrogates, whether that changed it, and whether what it was is kept inside it."""

    value: Any
    changed: bool = False
    kept: bool = True


def _clean(value: Any, *, keep_original: bool) -> _Cleaned:
    if isinstance(value, str):
        text = _SURROGATE.sub(_escape, value)
        return _Cleaned(text, changed=text != value, kept=text == value)
    if isinstance(value, list):
        items = [_clean_item(item, keep_original=keep_original) for item in value]
        return _Cleaned([item.value for item in items], any(item.changed for item in items), all(item.kept for item in items))
    if isinstance(value, dict):
        keys = [_clean(key, keep_original=keep_original) for key in value]
        fields = [_clean(item, keep_original=keep_original) for item in value.values()]
        cleaned = {key.value: field.value for key, field in zip(keys, fields, strict=True)}
        return _Cleaned(cleaned, any(item.changed for item in (*keys, *fields)), all(item.kept for item in (*keys, *fields)))
    return _Cleaned(value)


def _clean_item(item: Any, *, keep_original: bool) -> _Cleaned:
    cleaned = _clean(item, keep_original=keep_original)
    if not keep_original or cleaned.kept or not isinstance(item, dict):
        return cleaned
    return _Cleaned({**cleaned.value, AS_RECORDED: json.dumps(item)}, changed=True)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
