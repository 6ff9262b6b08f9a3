"""WHAT A WIDGET SHOWS: a conversation's turns, a window at a time, from a workspace or from a value alone."""

from __future__ import annotations

import json
from typing import Final, NamedTuple, Protocol

from agentnb.errors import UnknownId
from agentnb.render import TurnLine, turn_line
from agentnb.rules import explain_rules
from agentnb.values import Call, Conversation, RuleExplanation, Turn


class Question(NamedTuple):
    """Which turns are wanted."""

    find: str = ""
    """Text that occurs in them, in any case; empty for all."""
    errors: bool = False
    """Whether only turns with failed, denied or unanswered calls are wanted."""


EVERY = Question()
LONGEST_TOLD: Final = 2_000
"""Calls up to which a turn is asked what the rules said in it, while somebody waits for it to unfold."""


class Shown(Protocol):
    """What is shown: the conversation's row, and its turns on demand."""

    conversation: Conversation
    """The conversation, without its turns."""

    def count(self, question: Question = EVERY) -> int:
        """Return how many turns match."""

    def lines(self, question: Question, *, first: int, count: int) -> tuple[TurnLine, ...]:
        """Return a window of the turns that match, in order."""

    def turn(self, turn_id: str) -> Turn:
        """Return a turn with its messages and calls; UnknownId when it is not among those shown."""

    def told(self, turn: Turn) -> RuleExplanation | None:
        """Return what the rules said in a turn; None where it is too long for that, or a rule raised."""

    def turn_of(self, call_id: str) -> str:
        """Return the id of the turn that a call belongs to; UnknownId when it is not among those shown."""

    def place(self, turn_id: str) -> int:
        """Return how many turns stand before this one."""


class Given:
    """Turns that were given as values: they are shown, and nothing about them can be kept."""

    def __init__(self, conversation: Conversation, turns: tuple[Turn, ...]) -> None:
        self.conversation = conversation.model_copy(update={"turns": ()})
        self._turns = {turn.turn_id: turn for turn in turns}

    def count(self, question: Question = EVERY) -> int:
        """Return how many turns match."""
        return len(self._matching(question))

    def lines(self, question: Question, *, first: int, count: int) -> tuple[TurnLine, ...]:
        """Return a window of the turns that match, in order."""
        return tuple(turn_line(turn) for turn in self._matching(question)[first : first + count])

    def turn(self, turn_id: str) -> Turn:
        """Return a turn of those that were given."""
        if turn_id not in self._turns:
            raise UnknownId(f"No turn shown here has the id {turn_id!r}.")
        return self._turns[turn_id]

    def told(self, turn: Turn) -> RuleExplanation | None:
        """Return what the default rules said in a turn."""
        return explain_rules(turn, counting="counterfactual") if len(turn.calls) <= LONGEST_TOLD else None

    def turn_of(self, call_id: str) -> str:
        """Return the id of the turn that a call belongs to."""
        found = next((turn.turn_id for turn in self._turns.values() if any(call.call_id == call_id for call in turn.calls)), None)
        if found is None and call_id not in self._turns:
            raise UnknownId(f"No call or turn shown here has the id {call_id!r}.")
        return found or call_id

    def place(self, turn_id: str) -> int:
        """Return how many turns stand before this one."""
        return list(self._turns).index(turn_id)

    def _matching(self, question: Question) -> list[Turn]:
        return [turn for turn in self._turns.values() if (not question.errors or _went_wrong(turn)) and _says(turn, question.find.lower())]


def in_json(text: str) -> str:
    """Return a text as it stands inside JSON, where a quote or a line break is written with a backslash."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _went_wrong(turn: Turn) -> bool:
    return any(call.failed or call.state in ("denied", "unanswered") for call in turn.tool_calls)


def _says(turn: Turn, find: str) -> bool:
    texts = [part.text for message in turn.messages for part in message.parts] + [turn.prompt]
    texts += [text for call in turn.calls for text in _texts_of(call)]
    inputs = [call.input for call in turn.calls if call.input]
    return find == "" or any(find in text.lower() for text in texts if text) or any(in_json(find) in text.lower() for text in inputs)


def _texts_of(call: Call) -> tuple[str | None, ...]:
    return (call.name, call.input, call.output, call.error)
