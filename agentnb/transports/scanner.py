"""Is this the beginning of a JSON object, and if not, at which character does it stop being one?

A text that comes in pieces is read once: every character is looked at when it comes, however small the pieces are. Nothing is ever repaired, and no partial
value is made; pydantic's partial parsing is not used, since it takes `{"a":1 "b"` and `{"a":1}}` for beginnings, and would read all of it again for each piece.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

JsonState = Literal["empty", "not_object", "incomplete", "complete", "trailing", "invalid"]

MOST_DEEP: Final = 500
"""Levels of nesting that are read; deeper ones are refused here, instead of where Python's stack happens to end."""
MOST_DIGITS: Final = 4300
"""Digits that a number may have; Python reads no longer integers."""

_SPACE = re.compile(r"[ \t\n\r]*")
_AROUND = re.compile("[ \t\n\r\ufeff]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"[-+.eE0-9]*")
_DIGITS = frozenset("0123456789")
_HEX = frozenset("0123456789abcdefABCDEF")
_LITERALS = {"t": "true", "f": "false", "n": "null"}
# State of a number -> characters that may follow -> next state. A number may end in the states of _NUMBER_ENDS.
_STEPS: dict[str, dict[str, str]] = {
    "-": dict.fromkeys("123456789", "int") | {"0": "zero"},
    "zero": {".": ".", "e": "e", "E": "e"},
    "int": dict.fromkeys("0123456789", "int") | {".": ".", "e": "e", "E": "e"},
    ".": dict.fromkeys("0123456789", "frac"),
    "frac": dict.fromkeys("0123456789", "frac") | {"e": "e", "E": "e"},
    "e": dict.fromkeys("0123456789", "exp") | {"+": "sign", "-": "sign"},
    "sign": dict.fromkeys("0123456789", "exp"),
    "exp": dict.fromkeys("0123456789", "exp"),
}
_NUMBER_ENDS = frozenset({"zero", "int", "frac", "exp"})


class JsonReading(NamedTuple):
    """What a text is, read as one JSON object."""

    state: JsonState
    """empty, not_object, incomplete (a legal beginning), complete, trailing (an object and then more) or invalid (nothing that follows can mend it)."""
    place: int | None = None
    """The character at which it breaks, from 0; null unless it does."""
    reason: str | None = None
    """What is wrong there."""


class ParsedObject(NamedTuple):
    """An object that was read strictly."""

    value: dict[str, Any]
    repeated_keys: bool
    """Whether a key stood twice in one object; the last one counts."""


class JsonScanner:
    """Reads one JSON object from pieces of text, strictly, and knows at every moment what it has."""

    __slots__ = ("_hex", "_in_key", "_literal", "_number", "_number_state", "_stack", "_step", "chars", "end", "place", "reason", "start", "state")

    def __init__(self) -> None:
        self.state: JsonState = "empty"
        self.chars = 0
        """Characters read so far."""
        self.start: int | None = None
        """Where the object begins."""
        self.end: int | None = None
        """Where it ends: the character after its brace."""
        self.place: int | None = None
        self.reason: str | None = None
        self._stack: list[str] = []
        self._step: Callable[[str, int], int] = self._begin
        self._in_key = False
        self._hex = 0
        self._literal = ""
        self._number = ""
        self._number_state = ""

    def feed(self, piece: str) -> None:
        """Read the next piece."""
        at = 0
        size = len(piece)
        while at < size:
            at = self._step(piece, at)
        self.chars += size

    def feed_object(self, piece: str, at: int) -> int:
        """Read a piece from a place on until the object is complete, and return where that is; the rest of the piece is not read.

        The place of the piece's beginning is `chars`, which the caller moves on.
        """
        size = len(piece)
        while at < size and self.state != "complete":
            at = self._step(piece, at)
        return at

    def reading(self) -> JsonReading:
        """Return what the text is so far."""
        return JsonReading(self.state, self.place, self.reason)

    def _fail(self, piece: str, at: int, state: JsonState, reason: str) -> int:
        self.state, self.place, self.reason = state, self.chars + at, reason
        self._step = _skip
        return len(piece)

    def _invalid(self, piece: str, at: int, expected: str) -> int:
        return self._fail(piece, at, "invalid", f"{piece[at]!r} where {expected} is expected")

    def _begin(self, piece: str, at: int) -> int:
        at = _end_of(_AROUND, piece, at)
        if at == len(piece):
            return at
        if piece[at] != "{":
            return self._fail(piece, at, "not_object", f"it begins with {piece[at]!r}, not with a brace")
        self.state, self.start = "incomplete", self.chars + at
        return self._open(piece, at)

    def _open(self, piece: str, at: int) -> int:
        if len(self._stack) >= MOST_DEEP:
            return self._fail(piece, at, "invalid", f"it is nested deeper than {MOST_DEEP} levels")
        self._stack.append(piece[at])
        self._step = self._first_key if piece[at] == "{" else self._first_item
        return at + 1

    def _close(self, at: int) -> int:
        self._stack.pop()
        self._step = self._after
        if not self._stack:
            self.state, self.end, self._step = "complete", self.chars + at + 1, self._trail
        return at + 1

    def _first_key(self, piece: str, at: int) -> int:
        at = _end_of(_SPACE, piece, at)
        if at < len(piece) and piece[at] == "}":
            return self._close(at)
        return self._key(piece, at, "a key in double quotes or a closing brace")

    def _key(self, piece: str, at: int, expected: str = "a key in double quotes") -> int:
        at = _end_of(_SPACE, piece, at)
        if at == len(piece):
            return at
        if piece[at] != '"':
            return self._invalid(piece, at, expected)
        self._in_key, self._step = True, self._string
        return at + 1

    def _first_item(self, piece: str, at: int) -> int:
        at = _end_of(_SPACE, piece, at)
        if at < len(piece) and piece[at] == "]":
            return self._close(at)
        return self._value(piece, at)

    def _value(self, piece: str, at: int) -> int:
        at = _end_of(_SPACE, piece, at)
        if at == len(piece):
            return at
        char = piece[at]
        if char == '"':
            self._in_key, self._step = False, self._string
        elif char in "{[":
            return self._open(piece, at)
        elif char in _LITERALS:
            self._literal, self._step = _LITERALS[char][1:], self._word
        elif char in _DIGITS or char == "-":
            self._number, self._number_state, self._step = char, {"-": "-", "0": "zero"}.get(char, "int"), self._digits
        else:
            return self._invalid(piece, at, "a value")
        return at + 1

    def _colon(self, piece: str, at: int) -> int:
        at = _end_of(_SPACE, piece, at)
        if at == len(piece):
            return at
        if piece[at] != ":":
            return self._invalid(piece, at, "a colon")
        self._step = self._value
        return at + 1

    def _after(self, piece: str, at: int) -> int:
        at = _end_of(_SPACE, piece, at)
        if at == len(piece):
            return at
        in_object = self._stack[-1] == "{"
        if piece[at] == ",":
            self._step = self._key if in_object else self._value
            return at + 1
        if piece[at] == ("}" if in_object else "]"):
            return self._close(at)
        return self._invalid(piece, at, f"a comma or a closing {'brace' if in_object else 'bracket'}")

    def _string(self, piece: str, at: int) -> int:
        at = _end_of(_PLAIN, piece, at)
        if at == len(piece):
            return at
        if piece[at] == '"':
            self._step = self._colon if self._in_key else self._after
        elif piece[at] == "\\":
            self._step = self._escape
        else:
            return self._fail(piece, at, "invalid", f"{piece[at]!r} in a string, where it has to be escaped")
        return at + 1

    def _escape(self, piece: str, at: int) -> int:
        if piece[at] == "u":
            self._hex, self._step = 4, self._code_point
        elif piece[at] in '"\\/bfnrt':
            self._step = self._string
        else:
            return self._invalid(piece, at, "the rest of an escape")
        return at + 1

    def _code_point(self, piece: str, at: int) -> int:
        if piece[at] not in _HEX:
            return self._invalid(piece, at, "a hexadecimal digit")
        self._hex -= 1
        if not self._hex:
            self._step = self._string
        return at + 1

    def _word(self, piece: str, at: int) -> int:
        if piece[at] != self._literal[0]:
            return self._invalid(piece, at, f"{self._literal[0]!r}")
        self._literal = self._literal[1:]
        if not self._literal:
            self._step = self._after
        return at + 1

    def _digits(self, piece: str, at: int) -> int:
        begin, end = at, _end_of(_NUMBER, piece, at)
        state = self._number_state
        while at < end:
            following = _STEPS[state].get(piece[at])
            if following is None:
                return self._invalid(piece, at, "the rest of a number" if state not in _NUMBER_ENDS else "a comma or the end")
            state = following
            at += 1
        self._number_state = state
        if len(self._number) + end - begin > MOST_DIGITS:
            return self._fail(piece, begin + MOST_DIGITS - len(self._number), "invalid", f"a number of more than {MOST_DIGITS:,} characters")
        self._number += piece[begin:end]
        return at if at == len(piece) else self._end_number(piece, at)

    def _end_number(self, piece: str, at: int) -> int:
        if self._number_state not in _NUMBER_ENDS:
            return self._invalid(piece, at, "the rest of a number")
        if self._number_state != "int" and not math.isfinite(float(self._number)):
            return self._fail(piece, at - len(self._number), "invalid", "a number that is too large")
        self._step = self._after
        return at

    def _trail(self, piece: str, at: int) -> int:
        at = _end_of(_AROUND, piece, at)
        return at if at == len(piece) else self._fail(piece, at, "trailing", f"{piece[at]!r} after the end of the object")


def classify(text: str) -> JsonReading:
    """Say what a whole text is, read as one JSON object."""
    scanner = JsonScanner()
    scanner.feed(text)
    return scanner.reading()


def parse_object(text: str) -> ParsedObject:
    """Parse the text of one complete JSON object, strictly; integers keep every digit.

    Raises:
        ValueError: it is none; a `JsonScanner` tells where.
    """
    repeated: list[str] = []

    def collected(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.append(pairs[0][0])
        return found

    value = json.JSONDecoder(object_pairs_hook=collected, parse_constant=_refuse).decode(text)
    if not isinstance(value, dict):
        raise ValueError(f"an object is expected, not {type(value).__name__}")
    return ParsedObject(value, bool(repeated))


def _end_of(run: re.Pattern[str], piece: str, at: int) -> int:
    match = run.match(piece, at)
    return match.end() if match is not None else at


def _skip(piece: str, at: int) -> int:
    return len(piece)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
