"""Messages reduced to what a client sends back of them, so that a request is known that repeats a conversation and goes on.

A reply comes back in one message or in several, its ids may be another service's, old results may be shortened, and what is beside a person's words changes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers.builders._observed import words_of
from agentnb.readers.builders._prints import canonical
from agentnb.readers.builders.message_list import Said

# A client that goes to another service may write into the text what the model thought.
_THOUGHT = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_NOTHING = "[]"
"""What a message without other pieces than text is reduced to."""


class Print(NamedTuple):
    """What of a message stays the same when a client sends it back: role, tool calls, text without reasoning; and the ids of calls, if they stay."""

    role: str
    calls: tuple[str, ...]
    text: str
    ids: tuple[str, ...]
    """Of each call its id, or what it asks; of a result the id of its call, or its text."""
    first: str | None = None
    """Id of its first call."""
    other: str = _NOTHING
    """What else it holds, which counts where a reply says nothing: some clients send it back as a message of its own, and others not at all."""
    hosted: bool = False
    """Whether it is the result of a tool that the service ran itself."""

    @property
    def is_silent(self) -> bool:
        """Whether it says nothing and asks for nothing."""
        return not self.text and not self.calls and self.other == _NOTHING


class Runs(NamedTuple):
    """Messages as one digest for each run of messages of the model, since a reply comes back in one message or in several, and one for each other message."""

    digests: list[str]
    ends: list[int]
    """How many messages there are up to the end of each."""


class Known(NamedTuple):
    """Messages reduced in three ways, the strictest first."""

    words: Runs
    by_ids: Runs
    by_first: Runs
    """As `by_ids`, but of calls with ids only the first one of a reply counts, and no result of a tool that the service ran: not all clients send them back."""

    @classmethod
    def of(cls, messages: list[Print]) -> Known:
        """Reduce messages, in their order."""
        runs = _runs(messages)
        words = [(role, [call for message in run for call in message.calls] or _text_of(run)) for role, run, _ in runs]
        ids = [(role, _ids_of(run) or _text_of(run)) for role, run, _ in runs]
        ends = [end for _, _, end in runs]
        loose = _runs(messages, hosted=True)
        first = [(role, [own_id] if (own_id := _first_of(run)) else _ids_of(run) or _text_of(run)) for role, run, _ in loose]
        return cls(Runs(_digests(words), ends), Runs(_digests(ids), ends), Runs(_digests(first), [end for _, _, end in loose]))

    def repeats(self, known: Known, by: int) -> int | None:
        """Return how many of these messages repeat all of others, by one of the three ways to reduce them; None when they do not."""
        own, other = self[by], known[by].digests
        count = len(other)
        is_same = 0 < count <= len(own.digests) and own.digests[count - 1] == other[-1] and own.digests[:count] == other
        return own.ends[count - 1] if is_same else None


def is_compared(said: Said) -> bool:
    """Tell whether a message is one that stays: no system prompt, and nothing that a client puts beside a person's words."""
    return said.role != "system" and not said.injected


def print_of(said: Said) -> Print:
    """Reduce a message."""
    calls = tuple(to_json([call.name, canonical(call.input)]) for call in said.asked)
    text = "".join(piece.text or "" for piece in said.pieces if piece.type == "text")
    if said.role == "assistant":
        text = words_of(_THOUGHT.sub("", text)) or text
    text = text.strip()
    other = to_json([[piece.type, piece.text] for piece in said.pieces if piece.type not in ("text", "reasoning")])
    asked = tuple(asked.tool_call_id or call for asked, call in zip(said.asked, calls, strict=True))
    ids = (said.result_of or text or other,) if said.role == "tool" else asked
    first = said.asked[0].tool_call_id if said.asked else None
    return Print(said.role, calls, text, ids, first, other, said.role == "tool" and said.same_step)


class _Run(NamedTuple):
    role: str
    messages: list[Print]
    end: int


def _runs(messages: list[Print], *, hosted: bool = False) -> list[_Run]:
    """Cut messages into runs; results of tools that the service ran belong to the reply, if so wanted, and count nothing in it."""
    runs: list[_Run] = []
    for end, message in enumerate(messages, 1):
        role, counted = ("assistant", []) if hosted and message.hosted else (message.role, [message])
        if role == "assistant" and runs and runs[-1].role == role:
            run = runs.pop()
            run.messages.extend(counted)
            runs.append(run._replace(end=end))
        else:
            runs.append(_Run(role, counted, end))
    return runs


def _text_of(run: list[Print]) -> str:
    return "".join(message.text for message in run) or "".join(message.other for message in run if message.other != _NOTHING)


def _ids_of(run: list[Print]) -> list[str]:
    return [own_id for message in run for own_id in message.ids]


def _first_of(run: list[Print]) -> str | None:
    return next((message.first for message in run if message.calls), None)


def _digests(runs: list[tuple[str, list[str] | str]]) -> list[str]:
    return [digest_of(list(run)) for run in runs]
