"""Who ran what: calls of agents, models and tools."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Literal

from agentnb.values._base import Value
from agentnb.values.control_tools import control_tools
from agentnb.values.decisions import RawToolCall, RawTurn
from agentnb.values.messages import Part
from agentnb.values.usage import Usage

CallKind = Literal["agent", "model", "tool", "program"]
CallState = Literal["done", "failed", "denied", "unanswered", "running"]
RecordedProtocol = Literal["implicit", "envelope"]


class Call(Value):
    """One run of an agent, model, tool or program; a row of the `calls` table.

    Calls nest: a turn's own call (whose id is the turn's id) holds its model and tool calls, a tool call that starts a sub-agent holds the
    sub-agent's call, and that one holds the sub-agent's.
    """

    call_id: str
    """Id that survives reading the file again; opaque text."""
    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn it belongs to."""
    parent_call_id: str | None = None
    """The call it ran inside; null for the turn's own call."""
    step_id: str | None = None
    """For a tool call the model call that asked for it."""
    call_index: int
    """Place in the conversation, from 0, in file order."""
    kind: CallKind
    """What ran: agent, model, tool or program."""
    name: str
    """Name of the agent, model, tool or program; empty when the recording has none."""
    state: CallState | None = None
    """How it ended: done, failed, denied, unanswered or running; null when the recording does not tell."""
    failed: bool = False
    """Whether it failed; false when unknown."""
    input: str | None = None
    """A tool's arguments as JSON; arguments that are not JSON are kept as one JSON string."""
    output: str | None = None
    """A tool's result as the agent was shown it, as text."""
    error: str | None = None
    """What went wrong, in the recording's words."""
    exit_code: int | None = None
    """Exit code of the program that it ran; null when the recording has none."""
    tool_call_id: str | None = None
    """The provider's id of a tool call; for display only, since it repeats."""
    finish_reason: str | None = None
    """Why the model stopped, in the provider's word."""
    input_tokens: int | None = None
    """Tokens sent, with what was read from and written to the cache."""
    output_tokens: int | None = None
    """Tokens received, with reasoning; null for the placeholder of a stream."""
    cached_tokens: int | None = None
    """Input tokens read from the cache; part of input_tokens."""
    cache_write_tokens: int | None = None
    """Input tokens written to the cache; part of input_tokens."""
    reasoning_tokens: int | None = None
    """Output tokens spent on reasoning; part of output_tokens."""
    cost: float | None = None
    """Price in US dollars as the recording gives it; never computed."""
    started_at: datetime | None = None
    """When it started, in UTC."""
    ended_at: datetime | None = None
    """When it ended, in UTC."""
    seconds: float | None = None
    """How long it took, in seconds; as recorded, else from start to end."""
    source_id: str
    """The file it was read from."""
    source_line: int | None = None
    """Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1."""
    extra: str | None = None
    """JSON object of what the reader did not understand."""

    @property
    def usage(self) -> Usage:
        """Its tokens and cost as one value."""
        return Usage(**{name: getattr(self, name) for name in Usage.model_fields})

    @property
    def arguments(self) -> Any:
        """A tool's arguments as Python values: a dict as a rule, a str where they were not JSON, None where there are none."""
        return None if self.input is None else json.loads(self.input)


class Step(Value):
    """One model call inside a turn, with what it said and the tool calls it asked for."""

    call: Call
    """The model call."""
    step_index: int
    """Place among the model calls of its agent call, from 0."""
    parts: tuple[Part, ...] = ()
    """What the model said, in order: text, reasoning, tool calls."""
    tool_calls: tuple[Call, ...] = ()
    """The tool calls it asked for, in order, with what became of them."""
    protocol: RecordedProtocol = "implicit"
    """How the agent of its conversation answers: implicit (plain words) or envelope (JSON); told by all its steps, since a recording does not say."""

    @property
    def step_id(self) -> str:
        """Id of the model call."""
        return self.call.call_id

    @property
    def text(self) -> str:
        """What it said, without reasoning."""
        return "\n\n".join(part.text for part in self.parts if part.type == "text" and part.text)

    @property
    def raw(self) -> RawTurn:
        """The turn as the normalizer takes it: text, tool calls, and which of the tools ask, finish or hand over.

        Plain words that end a turn are taken as its completion, as most agents mean them, unless the agent answers in JSON envelopes elsewhere in its
        conversation (`protocol`).
        """
        calls = tuple(RawToolCall(name=call.name, arguments=_read(call.input)) for call in self.tool_calls)
        roles = control_tools((call.name, call.input) for call in self.tool_calls)
        return RawTurn(text=self.text, tool_calls=calls, protocol=self.protocol, control_tool_map={**roles})

    @property
    def reasoning(self) -> str:
        """What it thought, as far as the recording shows it."""
        return "\n\n".join(part.text for part in self.parts if part.type == "reasoning" and part.text)

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped, in the provider's word."""
        return self.call.finish_reason

    @property
    def usage(self) -> Usage:
        """Its tokens and cost."""
        return self.call.usage


def _read(arguments: str | None) -> Any:
    """Return arguments as Python values; what is not strict JSON, or nested too deeply, stays a text, as it does in the `decisions` table."""
    try:
        return json.loads(arguments, parse_constant=_refuse) if arguments else None
    except (ValueError, RecursionError):
        return arguments


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
