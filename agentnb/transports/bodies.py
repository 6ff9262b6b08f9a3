"""Where in an answer's text is the JSON object? In all of it, in a code fence around it, or somewhere in prose; found piece by piece."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, Literal, get_args

from agentnb.transports.scanner import JsonReading, JsonScanner, JsonState

Extraction = Literal["strict", "fenced", "embedded"]
EXTRACTIONS: Final = get_args(Extraction)

_AROUND = re.compile("[ \t\r\n\ufeff]*")
_FENCE = 3


class JsonBody:
    """Finds one JSON object in a text that comes in pieces.

    strict takes the whole text. fenced takes off one Markdown fence around it, of which the closing one may still be missing. embedded also skips what stands
    before the first brace, and ignores what follows the object. Broken JSON stays broken under all of them.
    """

    def __init__(self, extraction: Extraction) -> None:
        self._extraction = extraction
        self._scanner = JsonScanner()
        self._step: Callable[[str, int], int] = self._lead
        self._ticks = 0
        self._fenced = False
        self._failed: JsonReading | None = None

    @property
    def state(self) -> JsonState:
        """What the object is so far."""
        return self._failed.state if self._failed is not None else self._scanner.state

    @property
    def bounds(self) -> tuple[int, int] | None:
        """Where the complete object begins and ends in the text."""
        scanner = self._scanner
        return None if scanner.start is None or scanner.end is None else (scanner.start, scanner.end)

    def feed(self, piece: str) -> None:
        """Read the next piece of the text."""
        at = 0
        while at < len(piece):
            at = self._step(piece, at)
        self._scanner.chars += len(piece)

    def reading(self) -> JsonReading:
        """Return what the object is so far, and where it breaks, in characters of the text."""
        return self._failed if self._failed is not None else self._scanner.reading()

    def _lead(self, piece: str, at: int) -> int:
        at = _after_space(piece, at)
        if at == len(piece):
            return at
        if piece[at] == "`" and self._extraction != "strict":
            self._step = self._opening
            return at
        return self._object(piece, at)

    def _opening(self, piece: str, at: int) -> int:
        while at < len(piece) and piece[at] == "`":
            self._ticks += 1
            at += 1
        if at == len(piece):
            return at
        if self._ticks < _FENCE:
            return self._no_object(piece, at - self._ticks, at)
        self._fenced, self._step = True, self._info
        return at

    def _info(self, piece: str, at: int) -> int:
        """Skip the word after the fence; a fence on one line has its object right there."""
        while at < len(piece) and piece[at] not in "\n{`":
            at += 1
        if at == len(piece):
            return at
        if piece[at] == "`":
            return self._no_object(piece, at, at)
        self._step = self._lead_inside
        return at

    def _lead_inside(self, piece: str, at: int) -> int:
        at = _after_space(piece, at)
        return at if at == len(piece) else self._object(piece, at)

    def _object(self, piece: str, at: int) -> int:
        if piece[at] != "{":
            return self._no_object(piece, at, at)
        self._step = self._inside
        return at

    def _no_object(self, piece: str, place: int, at: int) -> int:
        self._failed = JsonReading("not_object", self._scanner.chars + place, "text where a brace is expected")
        self._step = self._seek if self._extraction == "embedded" else _skip
        return at

    def _seek(self, piece: str, at: int) -> int:
        found = piece.find("{", at)
        if found < 0:
            return len(piece)
        self._failed, self._step = None, self._inside
        return found

    def _inside(self, piece: str, at: int) -> int:
        at = self._scanner.feed_object(piece, at)
        if self._scanner.state == "complete":
            self._ticks, self._step = 0, _skip if self._extraction == "embedded" else self._tail
        return at

    def _tail(self, piece: str, at: int) -> int:
        at = _after_space(piece, at)
        if at == len(piece):
            return at
        if piece[at] == "`" and self._fenced:
            self._step = self._closing
            return at
        return self._trailing(piece, at)

    def _closing(self, piece: str, at: int) -> int:
        while at < len(piece) and piece[at] == "`":
            self._ticks += 1
            at += 1
        if at == len(piece):
            return at
        if self._ticks < _FENCE:
            return self._trailing(piece, at - self._ticks)
        self._fenced, self._step = False, self._tail
        return at

    def _trailing(self, piece: str, at: int) -> int:
        self._failed = JsonReading("trailing", self._scanner.chars + at, "text after the end of the object")
        self._step = _skip
        return len(piece)


def _after_space(piece: str, at: int) -> int:
    match = _AROUND.match(piece, at)
    return match.end() if match is not None else at


def _skip(piece: str, at: int) -> int:
    return len(piece)
