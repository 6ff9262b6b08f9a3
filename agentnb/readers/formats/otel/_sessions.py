"""Which session or thread a span belongs to, by whatever name an instrumentation gives it."""

from __future__ import annotations

from agentnb.readers._fields import text_of
from agentnb.readers.dialects.any import parsed
from agentnb.readers.formats.otel._record import Record

_NAMES = (
    "gen_ai.conversation.id", "session.id", "gcp.vertex.agent.session_id", "scope.agentic.session", "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.session_id", "ai.telemetry.metadata.threadId", "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id", "traceloop.association.properties.chat_id", "langfuse.session.id", "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id", "thread.id",
)  # fmt: skip
_ENDINGS = (".session_id", ".sessionId", ".thread_id", ".conversation_id")
_IN_METADATA = ("session_id", "thread_id", "conversation_id", "sessionId")


def session_of(record: Record) -> str | None:
    """Return the session that a span names: under a known name, else under one that ends like one, else in its metadata."""
    # By its convention `thread.id` is a thread of the machine, a number; some agents name their own threads so.
    told = record.take_text(*(name for name in _NAMES if name in record.attributes and (name != "thread.id" or isinstance(record.attributes[name], str))))
    if told is not None:
        return told
    name = next((name for name in record.attributes if name.endswith(_ENDINGS)), None)
    if name is not None and (told := record.take_text(name)) is not None:
        return told
    metadata = parsed(record.attributes.get("metadata"))
    return text_of(next((metadata[key] for key in _IN_METADATA if metadata.get(key)), None)) if isinstance(metadata, dict) else None
