"""One exchange: from a thing a person said to the agent's stop."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from functools import cached_property
from typing import Literal

from agentnb.values._base import Value
from agentnb.values.approvals import Approval
from agentnb.values.calls import Call, RecordedProtocol, Step
from agentnb.values.messages import Message, Part
from agentnb.values.ratings import Rating
from agentnb.values.usage import Usage

TurnState = Literal["running", "waiting", "interrupted", "done", "failed", "stopped", "abandoned"]


class Turn(Value):
    """From one thing a person said to the agent's stop; a row of the `turns` table, with its messages and calls."""

    turn_id: str
    """Id that survives reading the file again; also the id of the turn's own call."""
    conversation_id: str
    """The conversation it belongs to."""
    turn_index: int
    """Place in the conversation, from 0, in file order."""
    parent_turn_id: str | None = None
    """The turn it continues; null for a first turn."""
    state: TurnState | None = None
    """running, waiting, interrupted, done, failed, stopped or abandoned; null when the recording does not tell."""
    prompt: str | None = None
    """What the person said; null when the recording starts with the agent."""
    answer: str | None = None
    """The last text the agent gave; null when it gave none."""
    started_at: datetime | None = None
    """When it started, in UTC."""
    ended_at: datetime | None = None
    """When the last record of it was written, in UTC."""
    seconds: float | None = None
    """How long it took, in seconds."""
    source_id: str
    """The file it was read from."""
    source_line: int | None = None
    """Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1."""
    extra: str | None = None
    """JSON object of what the reader did not understand."""
    messages: tuple[Message, ...] = ()
    """What was said, in order, the conversations of sub-agents with their models included."""
    calls: tuple[Call, ...] = ()
    """Every call of it, in order; the turn's own call first."""
    approvals: tuple[Approval, ...] = ()
    """Questions to a person."""
    ratings: tuple[Rating, ...] = ()
    """Ratings of its calls, oldest first."""
    protocol: RecordedProtocol = "implicit"
    """How the agent of its conversation answers, which its steps take over; a workspace tells it by all steps of the conversation."""

    @property
    def call(self) -> Call | None:
        """The turn's own call."""
        return next((call for call in self.calls if call.call_id == self.turn_id), None)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The model calls of the turn's own agent, in order; `steps_of` gives a sub-agent's."""
        return self.steps_of(self.turn_id)

    @property
    def tool_calls(self) -> tuple[Call, ...]:
        """Every tool call, sub-agents' included, in order."""
        return tuple(call for call in self.calls if call.kind == "tool")

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all its model calls."""
        return sum((call.usage for call in self.calls if call.kind == "model"), Usage())

    def steps_of(self, agent_call_id: str) -> tuple[Step, ...]:
        """Return the model calls of one agent call, in order.

        Args:
            agent_call_id: the turn's id, or the id of a sub-agent's call.

        Returns:
            One step per model call; empty when there is no such agent call in this turn.
        """
        models = [call for call in self.calls if call.kind == "model" and call.parent_call_id == agent_call_id]
        return tuple(
            Step(
                call=call,
                step_index=index,
                parts=tuple(self._parts_by_step[call.call_id]),
                tool_calls=tuple(self._calls_by_step[call.call_id]),
                protocol=self.protocol,
            )
            for index, call in enumerate(models)
        )

    @cached_property
    def _parts_by_step(self) -> defaultdict[str | None, list[Part]]:
        parts: defaultdict[str | None, list[Part]] = defaultdict(list)
        for message in self.messages:
            for part in message.parts:
                parts[part.step_id].append(part)
        return parts

    @cached_property
    def _calls_by_step(self) -> defaultdict[str | None, list[Call]]:
        calls: defaultdict[str | None, list[Call]] = defaultdict(list)
        for call in self.tool_calls:
            calls[call.step_id].append(call)
        return calls
