"""A chat history -> blocks of lines of one kind, and sessions of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

Kind = Literal["start", "user", "tool", "reply"]

_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d.*)")
# Histories that were put into one file for tests have a fence around a person's words.
_FENCED = re.compile(r"@@@ #### (.*?) @{20,}\s*")
_BREAK = "  "


class Block(NamedTuple):
    """Lines of one kind that follow one another."""

    kind: Kind
    line: int
    """Number of the first line, from 1."""
    text: str
    """The lines without what marks their kind."""


class _Marks(NamedTuple):
    """Whether the tool's lines end with a line break of Markdown, which tells them from headings and quotes of the model."""

    user: bool
    tool: bool


def blocks_in(text: str) -> Iterator[Block]:
    """Yield the blocks of a history, in order; lines of white space alone belong to the reply they stand in, and alone are no block."""
    lines = text.split("\n")
    marks = _Marks(*(any(line.startswith(mark) and line.rstrip("\r").endswith(_BREAK) for line in lines) for mark in ("#### ", "> ")))
    kind: Kind | None = None
    begin, held = 0, list[str]()
    for number, line in enumerate(lines, 1):
        found, words = _kind_of(line.rstrip("\r"), marks)
        # A blank line between a person's words or the tool's ends neither; a blank line in a reply is part of it.
        if found == "reply" and not words.strip() and kind in (None, "start", "user", "tool"):
            continue
        if found != kind or found == "start":
            if kind is not None:
                yield Block(kind, begin, "\n".join(held).strip("\n") if kind == "reply" else "\n".join(held))
            kind, begin, held = found, number, []
        held.append(words)
    if kind is not None:
        yield Block(kind, begin, "\n".join(held).strip("\n") if kind == "reply" else "\n".join(held))


def sessions_in(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Yield the blocks of each session; what stands before the first heading is a session whose beginning is missing."""
    session: list[Block] = []
    for block in blocks:
        if block.kind == "start" and session:
            yield session
            session = []
        session.append(block)
    if session:
        yield session


def _kind_of(line: str, marks: _Marks) -> tuple[Kind, str]:
    if line.startswith("####") and (line.endswith(_BREAK) or not marks.user) and line[4:5] in ("", " "):
        return "user", line[5:].rstrip()
    if line.startswith(">") and (line.endswith(_BREAK) or not marks.tool) and line[1:2] in ("", " "):
        return "tool", line[2:].rstrip()
    if (start := _START.match(line)) is not None:
        return "start", start[1].strip()
    if line.startswith("@@@ ####") and (fenced := _FENCED.fullmatch(line)) is not None:
        return "user", fenced[1]
    return "reply", line
