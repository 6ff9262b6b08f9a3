"""Messages reduced to what a client sends back of them, so that a request is known that repeats a conversation and goes on.

A reply comes back in one message or in several, its ids may be another service's, old results may be shortened, and what is beside a person's words changes.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from agentnb.readers._json import to_json
from agentnb.readers.builders._prints import canonical
from agentnb.readers.builders.message_list import Said

_NOTHING = "[]"
"""What a message without text and other pieces is reduced to."""


class Print(NamedTuple):
    """What of a message stays the same when a client sends it back: role, tool calls, text without reasoning; and the ids of calls, if they stay."""

    role: str
    calls: tuple[str, ...]
    text: str
    ids: tuple[str, ...]
    """Of each call its id, or what it asks; of a result the id of its call, or its text."""


class Known(NamedTuple):
    """Prints of messages: one for each run of messages of the model, since a reply comes back in one message or in several, and one for each other message."""

    prints: list[str]
    by_ids: list[str]

    @classmethod
    def of(cls, messages: list[Print]) -> Known:
        """Reduce messages, in their order."""
        runs = [messages[begin:end] for begin, end in _runs(messages)]
        texts = ["".join(message.text for message in run if message.text != _NOTHING) for run in runs]
        said = [[call for message in run for call in message.calls] or text for run, text in zip(runs, texts, strict=True)]
        ids = [[own_id for message in run for own_id in message.ids] or text for run, text in zip(runs, texts, strict=True)]
        return cls(*([digest_of([run[0].role, item]) for run, item in zip(runs, items, strict=True)] for items in (said, ids)))

    def repeats(self, known: Known, *, by_ids: bool) -> bool:
        """Tell whether these begin with all of others."""
        own, other = (self.by_ids, known.by_ids) if by_ids else (self.prints, known.prints)
        count = len(other)
        return 0 < count <= len(own) and own[count - 1] == other[-1] and own[:count] == other


def is_compared(said: Said) -> bool:
    """Tell whether a message is one that stays: no system prompt, and nothing that a client puts beside a person's words."""
    return said.role != "system" and not said.injected


def print_of(said: Said) -> Print:
    """Reduce a message."""
    calls = tuple(to_json([call.name, canonical(call.input)]) for call in said.asked)
    text = "".join(piece.text or "" for piece in said.pieces if piece.type == "text").strip()
    text = text or to_json([[piece.type, piece.text] for piece in said.pieces if piece.type not in ("text", "reasoning")])
    ids = (said.result_of or text,) if said.role == "tool" else tuple(asked.tool_call_id or call for asked, call in zip(said.asked, calls, strict=True))
    return Print(said.role, calls, text, ids)


def length_of(messages: list[Print], prints: int) -> int:
    """Return for how many of the messages the first prints stand."""
    return _runs(messages)[prints - 1][1] if prints else 0


def digest_of(value: Any) -> str:
    """Return a short digest of a JSON value."""
    return hashlib.blake2b(to_json(value).encode(), digest_size=6).hexdigest()


def _runs(messages: list[Print]) -> list[tuple[int, int]]:
    starts = [index for index, message in enumerate(messages) if index == 0 or message.role != "assistant" or messages[index - 1].role != "assistant"]
    return list(zip(starts, [*starts[1:], len(messages)], strict=True)) if starts else []
