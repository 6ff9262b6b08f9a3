"""Server-sent events: the text of a streamed HTTP answer -> its events.

Source: the event stream format of the HTML standard. An event that the end of the text cuts is yielded too, since a recording is kept for what it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

DONE = "[DONE]"
"""Data by which OpenAI and those who follow it say that nothing more will come."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_EVENT_LINE = re.compile(r"\ufeff?(?:data|event|id|retry)?:")


class Event(NamedTuple):
    """One event."""

    name: str
    """What the field `event` says, else message."""
    data: str
    line: int
    """Line of the text in which it begins, from 1."""


def is_sse(text: str) -> bool:
    """Tell whether a text begins like an event stream."""
    return _EVENT_LINE.match(text.lstrip()[:32]) is not None and "data:" in text


def read_events(pieces: str | Iterable[str]) -> Iterator[Event]:
    """Yield the events of a text, which may come in pieces that end anywhere."""
    name, data, begin = "", list[str](), 0
    for number, line in enumerate(_lines(pieces), 1):
        if not line:
            if data:
                yield Event(name or "message", "\n".join(data), begin)
            name, data, begin = "", [], 0
            continue
        begin = begin or number
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
    if data:
        yield Event(name or "message", "\n".join(data), begin)


def _lines(pieces: str | Iterable[str]) -> Iterator[str]:
    pending, begun = "", False
    for piece in (pieces,) if isinstance(pieces, str) else pieces:
        pending += piece
        if not begun and pending:
            begun, pending = True, pending.removeprefix("\ufeff")
        held = pending.endswith("\r")
        *whole, pending = _LINE_END.split(pending[:-1] if held else pending)
        # A carriage return at the end may be half of CR LF.
        pending += "\r" if held else ""
        yield from whole
    if pending.endswith("\r"):
        yield pending[:-1]
    elif pending:
        yield pending
