"""Attributes -> `Span`: which conventions are asked, in which order, and what becomes of what none of them read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders.span_tree import Span, SpanKind
from agentnb.readers.formats.otel import _adk, _agentcore, _codex, _genai, _monocle, _openinference, _traceloop, _vercel
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._sessions import session_of

CONVENTIONS: tuple[Callable[[Record], dict[str, Any]], ...] = (
    _vercel.read, _openinference.read, _monocle.read, _adk.read, _traceloop.read, _agentcore.read, _codex.read, _genai.read,
)  # fmt: skip
"""A span may follow several at once: of each field the first that tells it counts. The GenAI conventions are last, since all others share their names."""

_TRACEBACK = "Traceback (most recent call last)"
_READ_EVENTS = _genai.READ_EVENTS | _monocle.READ_EVENTS
_LABELS = {"user": ("user.id", "enduser.id", "langfuse.user.id"), "tags": ("tag.tags", "langfuse.trace.tags")}
_RESOURCE_LABELS = {"service": "service.name", "environment": "deployment.environment"}


def span_of(record: Record) -> Span:
    """Make a span of what the conventions tell of it."""
    fields: dict[str, Any] = {"conversation_id": session_of(record)}
    for convention in CONVENTIONS:
        told = convention(record)
        for name, value in told.items():
            if name in ("usage", "labels"):
                fields[name] = {**value, **fields.get(name, {})}
            elif fields.get(name) in (None, (), "") and value is not None:
                fields[name] = value
    labels = {label: value for label, names in _LABELS.items() if (value := record.take(*names)) is not None}
    labels |= {label: value for label, name in _RESOURCE_LABELS.items() if (value := record.resource.get(name)) is not None}
    for name in fields.pop("duplicates", ()):
        # Beside messages these hold the same again.
        record.take(name)
    kind: SpanKind = fields.pop("kind", None) or "other"
    error = fields.pop("error", None) or _error_of(record, fields.get("output"))
    extra = record.unread(_READ_EVENTS)
    name = fields.pop("name", None) or ("" if kind == "model" else record.name)
    if record.name and record.name != name:
        extra = {"span": record.name, **extra}
    return Span(
        record.span_id,
        record.parent_id,
        record.trace_id,
        name,
        kind,
        record.place,
        record.started,
        record.ended,
        error=error,
        extra=extra,
        labels={**labels, **fields.pop("labels", {})},
        zone_assumed=record.zone_assumed,
        **{field: value for field, value in fields.items() if field in Span._fields},
    )


def _error_of(record: Record, output: str | None) -> str | None:
    """Return why a span failed: its status, the exception it met, or the type of the error; else how what came out of it begins."""
    exception = next((event.held for event in record.take_events() if event.name == "exception"), {})
    words = record.status_message
    if words is None or (_TRACEBACK in words and exception.get("exception.message")):
        words = text_of(exception.get("exception.message")) or record.take_text("error.message", "exception.message") or words
    kind = record.take_text("error.type", "exception.type") or text_of(exception.get("exception.type"))
    if not record.failed and (kind is None or record.attributes.get("error.type") is None):
        return None
    if words is None:
        return kind or first_line(output or "") or "The span's status is an error; it does not say why."
    return words if kind is None or kind in words else f"{kind}: {words}"
