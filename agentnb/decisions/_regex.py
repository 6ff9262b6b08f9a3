"""A JavaScript regular expression as one of Python, so that a pattern in a case finds the same text in both."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agentnb.decisions._text import BLANKS

_LINE_ENDS: Final = "\\n\\r\\u2028\\u2029"
_SPACES: Final = "".join(f"\\u{ord(blank):04x}" for blank in BLANKS)
_SETS: Final = {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACES}
_CONTROLS: Final = frozenset("nrtvf")
_FLAGS: Final = {"i": re.IGNORECASE}
_KNOWN_FLAGS: Final = frozenset("dgimsuvy")
_HEX: Final = {"x": re.compile("x([0-9a-fA-F]{2})"), "u": re.compile(r"u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))")}
_NUMBER: Final = re.compile("[1-9][0-9]?")
_NAME: Final = re.compile(r"<([A-Za-z_$][\w$]*)>")
_QUANTIFIER: Final = re.compile(r"[*+?]|\{\d+(?:,\d*)?\}")


class InvalidPattern(ValueError):
    """A pattern that JavaScript would refuse, or that has no equal in Python."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str, flags: str = "") -> re.Pattern[str]:
    """Compile a JavaScript pattern.

    Args:
        pattern: the pattern without slashes.
        flags: JavaScript's letters; `g`, `d`, `u` and `v` change nothing for a search.

    Raises:
        InvalidPattern: the pattern or its flags are none, or Python has nothing equal.
    """
    if len(set(flags)) < len(flags) or not set(flags) <= _KNOWN_FLAGS or {"u", "v"} <= set(flags):
        raise InvalidPattern(f"flags {flags!r} are none of a regular expression")
    translated = _Translation(pattern, flags).translate()
    try:
        return re.compile(f"\\A(?:{translated})" if "y" in flags else translated, _FLAGS["i"] if "i" in flags else 0)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidPattern(str(error)) from None


class _Translation:
    """One pass over a pattern, piece by piece."""

    def __init__(self, pattern: str, flags: str) -> None:
        self.pattern, self.flags, self.at = pattern, flags, 0

    def translate(self) -> str:
        pieces = []
        while self.at < len(self.pattern):
            pieces.append(self._piece())
        return "".join(pieces)

    def _piece(self) -> str:
        char = self.pattern[self.at]
        quantifier = _QUANTIFIER.match(self.pattern, self.at)
        if quantifier:
            return self._quantifier(quantifier)
        self.at += 1
        if char == "\\":
            return self._escape()
        if char == "[":
            return self._set()
        if char == "(":
            return self._group()
        if char == ".":
            return "(?s:.)" if "s" in self.flags else f"[^{_LINE_ENDS}]"
        if char == "^":
            return f"(?:(?<=[{_LINE_ENDS}])|\\A)" if "m" in self.flags else "\\A"
        if char == "$":
            return f"(?=[{_LINE_ENDS}]|\\Z)" if "m" in self.flags else "\\Z"
        return char if char in ")|" else re.escape(char)

    def _quantifier(self, found: re.Match[str]) -> str:
        self.at = found.end()
        lazy = self.pattern.startswith("?", self.at)
        self.at += lazy
        if _QUANTIFIER.match(self.pattern, self.at):
            raise InvalidPattern("nothing to repeat")
        return found[0] + ("?" if lazy else "")

    def _group(self) -> str:
        if not self.pattern.startswith("?", self.at):
            return "("
        for opening in ("?:", "?=", "?!", "?<=", "?<!"):
            if self.pattern.startswith(opening, self.at):
                self.at += len(opening)
                return f"({opening}"
        named = _NAME.match(self.pattern, self.at + 1)
        if named is None:
            raise InvalidPattern("invalid group")
        self.at = named.end()
        return f"(?P<{named[1].replace('$', '_')}>"

    def _escape(self) -> str:
        char = self._next()
        if char in "bB":
            return f"(?a:\\{char})"
        if char == "k" and (named := _NAME.match(self.pattern, self.at)):
            self.at = named.end()
            return f"(?P={named[1].replace('$', '_')})"
        number = _NUMBER.match(self.pattern, self.at - 1)
        if number:
            self.at = number.end()
            return f"(?:\\{number[0]})"
        if char.lower() in _SETS:
            return f"[{'^' if char.isupper() else ''}{_SETS[char.lower()]}]"
        return self._character(char)

    def _set(self) -> str:
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        pieces = []
        while not self.pattern.startswith("]", self.at):
            pieces.append(self._set_piece())
        self.at += 1
        if not pieces:
            return "(?s:.)" if negated else "(?!)"
        return f"[{'^' if negated else ''}{''.join(pieces)}]"

    def _set_piece(self) -> str:
        char = self._next()
        if char != "\\":
            return char if char == "-" else re.escape(char)
        char = self._next()
        if char in _SETS:
            return _SETS[char]
        if char in "DWS":
            return {"D": "\\x00-/:-\\U0010ffff", "W": "\\x00-/:-@\\[-^`{-\\U0010ffff", "S": _NOT_SPACES}[char]
        return "\\x08" if char == "b" else self._character(char)

    def _character(self, char: str) -> str:
        if char in _CONTROLS:
            return f"\\{char}"
        if char in "pP" and ("u" in self.flags or "v" in self.flags):
            raise InvalidPattern(f"classes such as \\{char}{{…}} are not known here")
        if char == "0":
            return "\\x00"
        if char == "c" and (letter := self.pattern[self.at : self.at + 1]).isascii() and letter.isalpha():
            self.at += 1
            return f"\\x{ord(letter) % 32:02x}"
        code = _HEX[char].match(self.pattern, self.at - 1) if char in _HEX else None
        if code is None or (code[0].startswith("u{") and "u" not in self.flags):
            return re.escape(char)
        self.at = code.end()
        number = int(next(group for group in code.groups() if group), 16)
        if number > 0x10FFFF:
            raise InvalidPattern("a code point is too large")
        return re.escape(chr(number))

    def _next(self) -> str:
        if self.at >= len(self.pattern):
            raise InvalidPattern("it ends too early")
        self.at += 1
        return self.pattern[self.at - 1]


def _complement(characters: str) -> str:
    pieces, begin = [], 0
    for code in sorted(map(ord, characters)):
        if begin < code:
            pieces.append(f"\\U{begin:08x}-\\U{code - 1:08x}")
        begin = code + 1
    return "".join([*pieces, f"\\U{begin:08x}-\\U0010ffff"])


_NOT_SPACES: Final = _complement(BLANKS)
