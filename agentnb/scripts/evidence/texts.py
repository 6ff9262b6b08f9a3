"""What a tool returned -> its leaves: JSON is read as values, also when it is cut short or followed by a note, everything else as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final, NamedTuple

DEEPEST: Final = 4
"""How often JSON inside a text inside JSON is read."""
_NO_BLANK = re.compile(r"[^ \t\r\n]")
_LEAF = re.compile(r'"((?:[^"\\]|\\.)*+)(")?|(-?[0-9][0-9.eE+-]*+)|(true|false|null)\b', re.DOTALL)
_LAST_WORD = re.compile(r"(?<![A-Za-z0-9:_\-/.,%+@#$])[A-Za-z0-9:_\-/.,%+@#$]++\Z")


class Leaf(NamedTuple):
    """A piece of what was returned."""

    text: str
    """Its text."""
    whole: bool = False
    """Whether it is a value by itself, such as a key or a string of JSON, and not running text."""


class _Literal(str):
    """A number as it was written."""

    __slots__ = ()


_decoder = JSONDecoder(strict=False, parse_int=_Literal, parse_float=_Literal, parse_constant=_Literal)


def leaves_of(text: str, depth: int = 0) -> Iterator[Leaf]:
    """Read a text that an agent was shown.

    Args:
        text: what a tool returned, or what a file or a message holds.
        depth: how deep inside other JSON it stands.

    Returns:
        Keys, strings, numbers and words of the JSON that it opens with, then its rest as text. Of JSON that is cut short every whole leaf is read, of a
        cut string its whole words, of a cut number nothing.
    """
    at = _past_blank(text, 0)
    while text[at : at + 1] in ("{", "["):
        try:
            value, end = _decoder.raw_decode(text, at)
        except JSONDecodeError as error:
            if _is_cut(text, error):
                yield from _cut_leaves(text, at, depth)
                return
            break
        except RecursionError:
            break
        yield from _walk(value, depth)
        at = _past_blank(text, end)
    if at < len(text):
        yield Leaf(text[at:] if at else text)


def _past_blank(text: str, at: int) -> int:
    """Where the first character that JSON does not skip stands, from a place on; the end of the text when there is none."""
    found = _NO_BLANK.search(text, at)
    return found.start() if found else len(text)


def _walk(value: Any, depth: int) -> Iterator[Leaf]:
    """Walk a value in its order; a text inside it that is JSON is read as such."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            for key, member in reversed(item.items()):
                waiting += [member, _Key(key)]
        elif isinstance(item, list):
            waiting += item[::-1]
        elif isinstance(item, _Literal | _Key):
            yield Leaf(str(item), whole=True)
            if isinstance(item, _Literal):
                yield from _written_out(item)
        elif isinstance(item, str):
            yield from _string(item, depth)
        elif item is not None:
            yield Leaf("true" if item else "false", whole=True)


class _Key(str):
    """A key of an object."""

    __slots__ = ()


def _string(item: str, depth: int) -> Iterator[Leaf]:
    if depth < DEEPEST and item.lstrip()[:1] in ("{", "["):
        yield from leaves_of(item, depth + 1)
    else:
        yield Leaf(item, whole=True)


def _written_out(number: str) -> Iterator[Leaf]:
    """Write a number with an exponent in full too, as other tools show it."""
    if ("e" in number or "E" in number) and len(number) < 40:
        value = float(number)
        if value.is_integer() and abs(value) < 1e21:
            yield Leaf(str(int(value)), whole=True)
        elif value == value and abs(value) != float("inf"):
            yield Leaf(repr(value), whole=True)


def _is_cut(text: str, error: JSONDecodeError) -> bool:
    """Tell JSON without its end from a text that only begins like JSON."""
    if error.msg.startswith("Unterminated string") or not text[error.pos :].strip():
        return True
    # A word that is cut, such as `tru`, is told at its beginning.
    return error.pos >= len(text) - 8 and text[error.pos :].rstrip().isalnum()


def _cut_leaves(text: str, at: int, depth: int) -> Iterator[Leaf]:
    for match in _LEAF.finditer(text, at):
        inside, closed, number, word = match.groups()
        if inside is not None:
            yield from _string(_unescaped(inside), depth) if closed else iter([Leaf(_LAST_WORD.sub("", _unescaped(inside)))])
        elif match.end() < len(text):
            yield Leaf(number or word, whole=True)


def _unescaped(inside: str) -> str:
    if "\\" not in inside:
        return inside
    try:
        return str(json.loads(f'"{inside}"', strict=False))
    except ValueError:
        return inside.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
