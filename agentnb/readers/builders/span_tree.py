"""Spans of a trace -> turns, steps, calls: OpenTelemetry, OpenInference, MLflow, Langfuse, LangSmith and their kin.

Spans come in any order, repeat the whole history at every level, and lack parents. What a format calls a span becomes `Span`; this builder sorts them,
makes one conversation of what they repeat, nests agents and tools, and pairs the tools that ran with the calls that models asked for.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.readers._rows import Micros
from agentnb.readers.builders.message_list import Said

SpanKind = Literal["model", "tool", "agent", "other"]


class Span(NamedTuple):
    """One span, in no format's terms."""

    span_id: str
    """Unique in its trace."""
    parent_id: str | None
    trace_id: str
    name: str
    """Of a model call the model, of a tool or an agent its name, else the name of the span."""
    kind: SpanKind
    """What ran; other is what only wraps or prepares: chains, HTTP requests, parsers."""
    place: int
    """Place in the recording, from 1."""
    started: Micros | None = None
    ended: Micros | None = None
    conversation_id: str | None = None
    """Of the session or thread that the trace belongs to, if the span tells."""
    heard: tuple[Said, ...] = ()
    """Of a model call or an agent what it was given, the repeated history included."""
    replied: tuple[Said, ...] = ()
    """Of a model call or an agent what it said."""
    input: str | None = None
    """Of a tool its arguments as JSON; of others what went in, as text."""
    output: str | None = None
    """Of a tool its result as the agent was shown it; of others what came out, as text."""
    tool_call_id: str | None = None
    error: str | None = None
    """Why it failed; None when it did not."""
    exit_code: int | None = None
    usage: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory
    """Columns of the model call to set: tokens, cost."""
    finish_reason: str | None = None
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed
    """What was not read."""
