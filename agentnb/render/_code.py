"""Code, JSON and terminal output: coloured by classes, cut to a window, never trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

from agentnb.render._markup import Html, join, tag, text
from agentnb.render._numbers import count
from agentnb.render._text import Window, more, window

LANGUAGES: Final = {
    alias: name
    for name, aliases in {
        "bash": "bash sh shell zsh console terminal",
        "python": "python py python3 ipython",
        "json": "json jsonc jsonl",
        "javascript": "javascript js jsx mjs",
        "typescript": "typescript ts tsx",
        "sql": "sql postgresql mysql sqlite duckdb",
        "yaml": "yaml yml",
        "toml": "toml",
        "html": "html xml svg",
        "css": "css",
        "diff": "diff patch",
        "rust": "rust rs",
        "go": "go",
        "java": "java",
        "c": "c h",
        "cpp": "cpp cc hpp cxx",
        "ruby": "ruby rb",
    }.items()
    for alias in aliases.split()
}
COLOURS: Final = {
    Token.Keyword: "k", Token.Operator.Word: "k", Token.Name.Builtin: "k", Token.Literal.String: "s", Token.Literal.Number: "n", Token.Comment: "c",
    Token.Name.Tag: "f", Token.Name.Function: "f", Token.Name.Class: "f", Token.Name.Decorator: "f", Token.Name.Attribute: "f",
    Token.Generic.Deleted: "bad", Token.Generic.Inserted: "good", Token.Generic.Heading: "k", Token.Generic.Subheading: "k",
}  # fmt: skip
LONGEST_COLOURED: Final = 12_000
LONGEST_PARSED: Final = 200_000

_ANSI = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\^_])")
_COLOUR = re.compile(r"\x1b\[([\d;]{0,32})m")
_BRIGHT: Final = 60
_PAINTS: Final = {31: "bad", 32: "good", 33: "warn", 34: "f", 35: "n", 36: "f"}
_TERMINAL: Final = {1: "strong", 2: "dim", **_PAINTS, **{number + _BRIGHT: class_ for number, class_ in _PAINTS.items()}}


def code(source: str, language: str | None, *, limit: int, colour: bool = True) -> Html:
    """Show a program or a piece of data.

    Args:
        source: the text as recorded.
        language: a word for its language; one that is not in `LANGUAGES` is shown without colours.
        limit: characters to show.
        colour: whether to colour it at all; colours cost bytes.
    """
    shown = window(source, limit)
    head = shown.head
    lexer = _lexer(LANGUAGES.get((language or "").lower(), "")) if colour and len(head) <= LONGEST_COLOURED else None
    return tag("pre", join(_coloured(head, lexer)) if lexer else head, _rest(shown), class_="code")


def pretty_json(value: Any, *, limit: int, colour: bool = True) -> Html:
    """Show a JSON value over several lines, long texts inside it cut one by one."""
    try:
        written = json.dumps(_trimmed(value, max(limit // 3, 80)), indent=2, ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        written = str(value)[: limit * 2] if isinstance(value, str) else "nested too deep to show"
    return code(written, "json", limit=limit, colour=colour)


def parsed(source: str) -> Any:
    """Return what a JSON text says, or the text itself when it says nothing that can be parsed."""
    if len(source) > LONGEST_PARSED:
        return source
    try:
        return json.loads(source, strict=False)
    except (RecursionError, ValueError):
        return source


def terminal(output: str, *, limit: int, tail: int = 0, class_: str = "out") -> Html:
    """Show what a program or tool printed: terminal colours as classes, other terminal commands left out."""
    shown = window(output, limit, tail=tail)
    return tag("pre", _painted(shown.head), _rest(shown), class_=class_)


def _rest(shown: Window) -> Html | None:
    if not shown.hidden:
        return None
    return join("\n" if shown.tail else "", tag("span", f"… {more(shown.hidden)}", " …\n" if shown.tail else "", class_="cut"), _painted(shown.tail))


def _coloured(source: str, lexer: Lexer) -> Iterator[Html]:
    held, held_class = "", None
    for kind, piece in lexer.get_tokens(source):
        class_ = None if piece.isspace() and held else _class_of(kind)
        if class_ == held_class or piece.isspace():
            held += piece
            continue
        yield _span(held, held_class)
        held, held_class = piece, class_
    yield _span(held.rstrip("\n"), held_class)


def _span(piece: str, class_: str | None) -> Html:
    return tag("span", piece, class_=class_) if class_ and piece else text(piece)


@cache
def _class_of(kind: Any) -> str | None:
    while kind is not None:
        if kind in COLOURS:
            return COLOURS[kind]
        kind = kind.parent
    return None


@cache
def _lexer(name: str) -> Lexer | None:
    return get_lexer_by_name(name, stripnl=False) if name else None


def _painted(output: str) -> Html:
    if "\x1b" not in output:
        return text(output)
    pieces, class_, at = [], None, 0
    for match in _ANSI.finditer(output):
        pieces.append(_span(output[at : match.start()], class_))
        at = match.end()
        if colour := _COLOUR.fullmatch(match[0]):
            class_ = _painted_class(colour[1], class_)
    return join(pieces, _span(output[at:], class_))


def _painted_class(codes: str, before: str | None) -> str | None:
    for part in codes.split(";"):
        number = int(part[:3]) if part else 0
        before = None if number in (0, 22, 39) else _TERMINAL.get(number, before)
    return before


def _trimmed(value: Any, limit: int, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value if len(value) <= limit * 1.2 else f"{value[:limit]}… {more(len(value) - limit)}"
    if depth > 40 and isinstance(value, (dict, list)) and value:
        return "… nested deeper"
    if isinstance(value, list):
        kept = [_trimmed(item, limit, depth + 1) for item in value[:limit]]
        return kept if len(value) <= limit else [*kept, f"… {count(len(value) - limit)} more"]
    if isinstance(value, dict):
        members = {str(key)[:200]: _trimmed(item, limit, depth + 1) for key, item in list(value.items())[:limit]}
        return members if len(value) <= limit else {**members, "…": f"{count(len(value) - limit)} more"}
    return value
