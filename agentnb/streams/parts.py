"""Pieces -> parts: what each event of a provider's stream says, in the same words for every provider, one event at a time.

Whole answers that were not streamed are read too, as one event. Nothing is put together here: which pieces belong to which call is for a collector to say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol

from agentnb.errors import AdapterError
from agentnb.streams._lifted import text_in
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
_BEGINNINGS: Final = {"openai-responses": "response.created", "anthropic": "message_start", "cohere": "message-start"}
_IDS: Final = {"openai-chat": "id", "gemini": "responseId"}
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


def split_answers(events: Iterable[Any], dialect: str) -> list[list[Any]]:
    """Tell the answers of a recording apart, in the order of their first events.

    Args:
        events: the events of several answers; chunks of Chat Completions and of Gemini, which have ids, may alternate.
        dialect: openai-chat, openai-responses, anthropic, gemini or cohere.

    Returns:
        The events of each answer.
    """
    begins, name = _BEGINNINGS.get(dialect), _IDS.get(dialect)
    answers: list[list[Any]] = []
    by_id: dict[str, list[Any]] = {}
    for event in events:
        own_id = text_in(event, name) if name is not None else None
        known = by_id.get(own_id) if own_id is not None else None
        starts = not answers or (begins is not None and text_in(event, "type") == begins) or (own_id is not None and known is None and bool(by_id))
        if starts:
            answers.append([])
        answer = known if known is not None else answers[-1]
        answer.append(event)
        if own_id is not None:
            by_id[own_id] = answer
    return answers


def _lifted(events: Iterable[Any], made: Lifter) -> Iterator[LiftedPart]:
    at = -1
    for at, event in enumerate(events):
        for part in made.lift(event):
            yield LiftedPart(at, part)
    for part in made.close():
        yield LiftedPart(at + 1, part)
