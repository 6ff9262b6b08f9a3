"""Pieces -> parts: what each event of a provider's stream says, in the same words for every provider, one event at a time.

Whole answers that were not streamed are read too, as one event. Nothing is put together here: which pieces belong to which call is for a collector to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol

from agentnb.errors import AdapterError
from agentnb.streams.parts_chat import ChatLifter
from agentnb.streams.parts_cohere import CohereLifter
from agentnb.streams.parts_gemini import GeminiLifter
from agentnb.streams.parts_messages import MessageLifter
from agentnb.streams.parts_responses import ResponseLifter
from agentnb.values.model_parts import ModelPart


class Lifter(Protocol):
    """Lifts the events of one answer, in order."""

    notes: list[str]
    """What was left out, as words."""

    def lift(self, event: Any) -> list[ModelPart]:
        """Return the parts of an event; none for what says nothing about the answer. Never raises, whatever the event is."""

    def close(self) -> list[ModelPart]:
        """Return what was held back until more of it came; there are no more events."""


class LiftedPart(NamedTuple):
    """A part and the event that it came in."""

    event_index: int
    """The event, from 0; their number for what was held back."""
    part: ModelPart


_LIFTERS: Final[dict[str, Callable[[], Lifter]]] = {
    "openai-chat": ChatLifter,
    "openai-responses": ResponseLifter,
    "anthropic": MessageLifter,
    "gemini": GeminiLifter,
    "cohere": CohereLifter,
}
LIFTED: Final = tuple(_LIFTERS)
"""The dialects that are read."""


def lifter(dialect: str) -> Lifter:
    """Return a lifter for one answer.

    Raises:
        AdapterError: with the code unknown_dialect.
    """
    made = _LIFTERS.get(dialect)
    if made is None:
        raise AdapterError("unknown_dialect", f"there is no dialect {dialect!r}; there are {', '.join(_LIFTERS)}")
    return made()


def lift_parts(events: Iterable[Any], dialect: str) -> Iterator[ModelPart]:
    """Yield the parts of an answer.

    Args:
        events: the events of one answer as JSON values, in order.
        dialect: openai-chat, openai-responses, anthropic, gemini or cohere.

    Raises:
        AdapterError: with the code unknown_dialect.
    """
    return (lifted.part for lifted in lift_events(events, dialect))


def lift_events(events: Iterable[Any], dialect: str) -> Iterator[LiftedPart]:
    """Yield the parts of an answer, each with the event that it came in; see `lift_parts`."""
    return _lifted(events, lifter(dialect))


def _lifted(events: Iterable[Any], made: Lifter) -> Iterator[LiftedPart]:
    at = -1
    for at, event in enumerate(events):
        for part in made.lift(event):
            yield LiftedPart(at, part)
    for part in made.close():
        yield LiftedPart(at + 1, part)
