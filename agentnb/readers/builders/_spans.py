"""What a span is, in no format's terms."""

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
    """Columns of the model call to set: tokens, cost; of an agent what its model calls had together."""
    finish_reason: str | None = None
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed
    """What was not read."""
    labels: dict[str, Any] = {}  # noqa: RUF012 - never changed
    """Of the conversation, things to group by: user, project, version."""
    agent_version: str | None = None
    zone_assumed: bool = False
    """Whether its times had no zone and were read as UTC."""


def united(inner: Span, outer: Span) -> Span:
    """Make one span of two that stand for the same: the first one's fields, and where it has none the second one's; what of that was not read is around."""
    filled: dict[str, Any] = {
        name: theirs
        for name, own, theirs in zip(Span._fields, inner, outer, strict=True)
        if own in (None, (), "", {}) and theirs not in (None, (), "", {}) and name != "parent_id"
    }
    around = {} if outer.extra in ({}, inner.extra) else {"around": outer.extra}
    filled |= {"extra": {**inner.extra, **around}, "usage": {**outer.usage, **inner.usage}, "labels": {**outer.labels, **inner.labels}}
    return inner._replace(**filled)
