"""What of an output's text is read: blanks as JavaScript sees them, the fence around an envelope, objects that run together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final, Literal

from agentnb.decisions._json import parse_json

BLANKS: Final = "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What JavaScript trims: unlike Python's `str.strip` not U+001C to U+001F and U+0085, but the byte order mark."""

FENCE: Final = "```"
ENVELOPE_KEYS: Final = ("taskComplete", "nextStep", "payloadChangeRequest")

_OPENING = re.compile("```[A-Za-z]*")
_NO_BRACE = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[^"{}]++', re.DOTALL)
_STEPS: Final = {"{": 1, "}": -1}


def trim(text: str) -> str:
    """Take blanks from both ends, as JavaScript's `trim` does."""
    return text.strip(BLANKS)


def is_blank(text: str | None) -> bool:
    """Say whether there is no character that can be seen; null is blank."""
    return text is None or not text.strip(BLANKS)


def strip_fence(text: str) -> str:
    """Take a code fence from around a text that begins with one.

    Only a fence that opens the text is taken, and its end only when that ends the text; nothing is searched for and nothing is repaired.

    Args:
        text: the output.

    Returns:
        What stands inside, trimmed; the trimmed text when it does not begin with a fence.
    """
    trimmed = text.strip(BLANKS)
    opening = _OPENING.match(trimmed)
    if opening is None:
        return trimmed
    inside = trimmed[opening.end() :].lstrip(BLANKS)
    return inside.removesuffix(FENCE).strip(BLANKS)


def count_concatenated_objects(text: str) -> int:
    """Count objects that were written one after the other.

    It counts braces outside of strings, nothing more: prose with two pairs of braces counts as two, and a stray `}` hides what follows, as upstream.

    Returns:
        How often the depth came back to 0; 0 when that is less than twice.
    """
    if text.count("}") < 2 or "{" not in text:
        return 0
    braces = _NO_BRACE.sub("", text)
    depths = accumulate(map(_STEPS.__getitem__, braces))
    found = sum(1 for depth, brace in zip(depths, braces, strict=True) if depth == 0 and brace == "}")
    return found if found >= 2 else 0


def looks_like_envelope(content: str | Sequence[Any] | None) -> bool:
    """Say whether an output is an envelope in the strict sense of the runtime, not of the normalizer, for which any JSON object is one.

    Args:
        content: the text, or a list of blocks of which the texts are joined.

    Returns:
        Whether the text, without its fence, is a JSON object with one of `taskComplete`, `nextStep`, `payloadChangeRequest`.
    """
    text = text_of_content(content)
    stripped = strip_fence(text) if text else ""
    value = parse_json(stripped).value if stripped.startswith("{") else None
    return isinstance(value, dict) and any(key in value for key in ENVELOPE_KEYS)


def recorded_protocol(texts: Iterable[str | None]) -> Literal["implicit", "envelope"]:
    """Tell by what an agent said in which protocol it answers, since a recording does not say; ours, no rule of the engine.

    One envelope in the strict sense is enough: an agent that was told nothing of envelopes writes none. Then plain words, or an envelope that is broken,
    complete nothing, and are unparseable.

    Args:
        texts: the texts of the steps of a conversation that called no tool.
    """
    meant = (text for text in texts if text and any(key in text for key in ENVELOPE_KEYS))
    return "envelope" if any(looks_like_envelope(text) for text in meant) else "implicit"


def looks_like_broken_envelope(text: str | None) -> bool:
    """Say whether a text was probably meant as an envelope although it cannot be read as one.

    Under the implicit protocol such a text counts as an answer that completes the task, which is the easiest mistake to miss.

    Args:
        text: the output.

    Returns:
        Whether it begins with a brace, inside a fence or not, or with a fence for JSON, and no JSON object can be read.
    """
    trimmed = "" if text is None else text.strip(BLANKS)
    if not trimmed.startswith(("{", FENCE)):
        return False
    stripped = strip_fence(trimmed)
    meant = stripped.startswith("{") or trimmed[len(FENCE) : len(FENCE) + 4].lower() == "json"
    return meant and not isinstance(parse_json(stripped).value, dict)


def text_of_content(content: Any) -> str | None:
    """Return the text of a message's content: itself, or the texts of its blocks joined by line breaks; null when there is none."""
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return None
    texts = [text for block in content if (text := _text_of_block(block)) is not None]
    return "\n".join(texts) if texts else None


def _text_of_block(block: Any) -> str | None:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping) or block.get("type", "text") not in ("text", "input_text", "output_text"):
        return None
    return next((block[key] for key in ("text", "content") if isinstance(block.get(key), str)), None)
