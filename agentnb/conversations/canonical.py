"""Which bytes stand for a JSON value, whoever writes it? Keys sorted by code point, no blanks, numbers spelled as ECMAScript spells them."""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any

import rfc8785

_quote = json.JSONEncoder(ensure_ascii=False).encode
# JSON.stringify escapes half of a pair, which is no character and has no UTF-8.
_HALF = re.compile("[\ud800-\udfff]")


class _Mark(str):
    """A piece of JSON that is written already; values are written piece by piece, so that no depth is too much."""

    __slots__ = ()


def canonical_json(value: Any) -> str:
    """Write a JSON value in the one way that two writers of any language agree on.

    RFC 8785 sorts keys by UTF-16 units and has no integers beyond 2**53; here keys are sorted by code point, and integers are written out.
    `agentnb.transports.canonical_json` is another thing: what a model is sent, with keys in their own order.

    Args:
        value: null, booleans, numbers, texts, lists, tuples, and objects whose keys are texts.

    Raises:
        ValueError: it holds NaN or an infinite number.
        TypeError: it holds something that is not JSON.
    """
    pieces: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, _Mark):
            pieces.append(each)
        elif isinstance(each, list | tuple | dict):
            waiting += reversed(_object_pieces(each) if isinstance(each, dict) else _list_pieces(each))
        else:
            pieces.append(_scalar(each))
    return "".join(pieces)


def sha256_of(value: Any) -> str:
    """Return `sha256:` and the digest of a value's canonical JSON."""
    return f"sha256:{hashlib.sha256(canonical_json(value).encode()).hexdigest()}"


def size_of(value: Any) -> int:
    """Count the code points of a value's canonical JSON, which is how the size of a field is recorded."""
    return len(canonical_json(value))


def text_of(value: Any) -> str:
    """Return a text as it is and anything else as canonical JSON: how a result that a person gives for a tool is recorded."""
    return value if isinstance(value, str) else canonical_json(value)


def _list_pieces(values: list[Any] | tuple[Any, ...]) -> list[Any]:
    pieces: list[Any] = [piece for value in values for piece in (_Mark(","), value)]
    return [_Mark("["), *pieces[1:], _Mark("]")]


def _object_pieces(value: dict[Any, Any]) -> list[Any]:
    unnamed = next((name for name in value if not isinstance(name, str)), None)
    if unnamed is not None:
        raise TypeError(f"the key {unnamed!r:.80} is no text; JSON has texts as keys only")
    pieces: list[Any] = [piece for name in sorted(value) for piece in (_Mark(","), _Mark(f"{_text(name)}:"), value[name])]
    return [_Mark("{"), *pieces[1:], _Mark("}")]


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _number(value)
    raise TypeError(f"{value!r:.80} is a {type(value).__name__}, which is not JSON; make it a text, a number, a list or an object first")


def _text(value: str) -> str:
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", _quote(value))


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number of JSON; null says that there is none")
    return rfc8785.dumps(float(value)).decode()
