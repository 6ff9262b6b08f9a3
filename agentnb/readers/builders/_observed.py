"""Agents that ask for tools in words (ReAct): what the tool returned stands behind the model's own words when a client sends them back.

`Thought: … Action: … Action Input: …` is what the model said; from the line `Observation:` on, a message says what it was shown, and a reply what it made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentnb.readers.builders.message_list import Piece, Said

_ACTION = re.compile(r"^[ \t]*Action:", re.MULTILINE)
_OBSERVATION = re.compile(r"^[ \t]*Observation:", re.MULTILINE)


def words_of(text: str) -> str:
    """Return the model's own words: what stands before the first observation that follows an action, or all of it."""
    action = _ACTION.search(text)
    observation = _OBSERVATION.search(text, action.end()) if action is not None else None
    return text[: observation.start()] if observation is not None else text


def with_observations(messages: Iterable[Said]) -> Iterator[Said]:
    """Say what the model was shown after its words, not as its words."""
    for said in messages:
        piece = said.pieces[0] if said.role == "assistant" and len(said.pieces) == 1 and not said.asked else None
        text = piece.text if piece is not None and piece.type == "text" else None
        words = words_of(text) if text is not None else None
        if piece is None or text is None or words is None or len(words) == len(text):
            yield said
            continue
        yield said._replace(pieces=(piece._replace(text=words.rstrip("\n")),))
        yield Said("tool", said.place, (Piece("text", text[len(words) :].lstrip()),), loose=True, at=said.at, zone_assumed=said.zone_assumed, records=0)
