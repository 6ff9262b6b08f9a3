"""What a recorded text becomes before it is escaped: everything visible, nothing that breaks UTF-8, long texts windowed."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from agentnb.render._numbers import count
from agentnb.render._secrets import mask

SLACK: Final = 512
"""Characters looked at beyond the end of a window, so that a secret that crosses it is recognized and masked."""
SLACK_BEFORE: Final = 4_096
"""Characters looked at before the beginning of a window: a private key begins that far before its last line."""

_ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]")
# U+0080 to U+009F stay as they are: a browser reads references to them as other characters.
_IN_ATTRIBUTE = re.compile("[&<>\"'\x00-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]")
_NEWLINES = re.compile(r"\r\n?")


class Window(NamedTuple):
    """The part of a text that is shown."""

    head: str
    """Its beginning."""
    hidden: int
    """Characters left out between head and tail."""
    tail: str
    """Its end; empty as a rule."""


def visible(value: str) -> str:
    """Show a text as it is, with what could deceive or break made visible.

    Control characters become their pictures, characters that reorder or hide text their names in brackets, lone surrogates the
    replacement character; well-known shapes of secrets are masked unless `options.show_secrets` is set.
    """
    masked = mask(value)
    return _ODD.sub(_shown, masked) if _ODD.search(masked) else masked


def exact(identity: str) -> str:
    """Escape an id for an attribute so that a browser reads back the same text; only NUL and lone surrogates, which no document can hold, are replaced."""
    return _IN_ATTRIBUTE.sub(_referenced, identity) if _IN_ATTRIBUTE.search(identity) else identity


def one_line(value: str, limit: int) -> str:
    """Cut a text to one line of at most `limit` characters, with an ellipsis where something is left out."""
    masked = mask(value[: limit + SLACK])
    flat = " ".join(masked.split())
    return flat if len(flat) <= limit and len(value) <= limit + SLACK else flat[: limit - 1].rstrip() + "…"


def window(value: str, limit: int, *, tail: int = 0) -> Window:
    """Cut a long text to its beginning and, where asked, its end.

    Args:
        value: the text as recorded.
        limit: characters to show.
        tail: how many of them are taken from the end, where what went wrong often stands.

    Returns:
        Head, number of characters left out, tail; secrets are masked before the cut, so that none is shown in halves.
    """
    if len(value) <= limit * 1.2:
        return Window(_NEWLINES.sub("\n", mask(value)), 0, "")
    head = _to_line_end(mask(value[: limit - tail + SLACK])[: limit - tail])
    end = _from_line_start(mask(value[-(tail + SLACK_BEFORE) :])[-tail:]) if tail else ""
    return Window(_NEWLINES.sub("\n", head), len(value) - len(head) - len(end), _NEWLINES.sub("\n", end))


def more(hidden: int, noun: str = "character") -> str:
    """Say how much is left out: `1,204 more characters`."""
    return f"{count(hidden)} more {noun}{'' if hidden == 1 else 's'}"


def _to_line_end(head: str) -> str:
    """Cut at the end of a line where one is near."""
    at = head.rfind("\n")
    return head[:at] if at > len(head) * 0.7 else head


def _from_line_start(end: str) -> str:
    at = end.find("\n")
    return end[at + 1 :] if -1 < at < len(end) * 0.3 else end


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"[U+{code:04X}]" if 0x2000 < code < 0x2100 or code >= 0xE0000 else "\ufffd"


def _referenced(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\ufffd" if code == 0 or 0xD800 <= code <= 0xDFFF else f"&#{code};"
