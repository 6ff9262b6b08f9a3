"""Messages reduced to what stays the same when they are sent again: whether an exchange or a span repeats what was said before."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from agentnb.readers._ids import digest_of
from agentnb.readers._json import parse_json
from agentnb.readers.builders.message_list import Said


def print_of(said: Said) -> str:
    """Reduce a message to a digest of what stays the same when a client sends it back: role, and tool calls without ids, else the text.

    Reasoning, ids, times and how arguments are spaced do not count; of a message without text the other pieces do.
    """
    words: object = [[call.name, canonical(call.input)] for call in said.asked] if said.asked else _text_of(said)
    return digest_of([said.role, words], 12)


def prints_of(messages: Iterable[Said]) -> list[str]:
    """Reduce messages, in their order."""
    return [print_of(said) for said in messages]


def canonical(arguments: str | None) -> str:
    """Write a tool's arguments so that equal ones are equal texts: keys sorted, no spaces; arguments that are not JSON stay as they are."""
    parsed = parse_json((arguments or "{}").encode())
    try:
        return msgspec.json.encode(parsed.value, order="sorted").decode() if parsed.ok else arguments or ""
    except (msgspec.ValidationError, RecursionError, TypeError, OverflowError, UnicodeEncodeError):
        return arguments or ""


def _text_of(said: Said) -> object:
    text = "".join(piece.text for piece in said.pieces if piece.type == "text" and piece.text is not None).strip()
    return text or [[piece.type, piece.text, piece.extra] for piece in said.pieces if piece.type not in ("text", "reasoning")]
