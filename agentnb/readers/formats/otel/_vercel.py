"""The Vercel AI SDK: `ai.*` attributes; a call of the SDK is an agent, and each request to a provider below it a model call."""

from __future__ import annotations

from typing import Any

from agentnb.readers._json import to_json
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.builders.span_tree import Span, SpanKind
from agentnb.readers.dialects.any import parsed
from agentnb.readers.formats.otel._genai import usage_in
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._values import arguments_in, exit_code_in, said_as, words_of

_AGENTS = frozenset({"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"})
_USAGE = {
    "input_tokens": ("ai.usage.inputTokens", "ai.usage.promptTokens"),
    "output_tokens": ("ai.usage.outputTokens", "ai.usage.completionTokens"),
    "cached_tokens": ("ai.usage.cachedInputTokens", "ai.usage.inputTokenDetails.cacheReadTokens"),
    "cache_write_tokens": ("ai.usage.inputTokenDetails.cacheWriteTokens",),
    "reasoning_tokens": ("ai.usage.reasoningTokens", "ai.usage.outputTokenDetails.reasoningTokens"),
}


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that this convention tells."""
    operation = record.take_text("ai.operationId")
    if operation is None:
        return {}
    user = record.take_text("ai.telemetry.metadata.userId")
    fields: dict[str, Any] = {"kind": _kind_of(operation), "labels": {"user": user} if user else {}}
    if operation == "ai.toolCall":
        return fields | _tool(record)
    if fields["kind"] == "other":
        return fields
    said = _said(record)
    fields |= {"heard": _heard(record), "replied": said, "finish_reason": record.take_text("ai.response.finishReason")}
    if fields["kind"] == "agent":
        return fields | {"name": record.take_text("ai.telemetry.functionId") or operation}
    return fields | {"name": record.take_text("ai.response.model", "ai.model.id"), "usage": usage_in(record, _USAGE, ())}


def adopted(spans: list[Span]) -> list[Span]:
    """Hang requests to a provider below the call of the SDK that made them, where an exporter lost their parents and gave each a trace of its own.

    A request belongs to the shortest call of the same operation and name that lasted all the while, and has no request of its own.
    """
    calls = [span for span in spans if _operation(span) in _AGENTS]
    with_requests = {(span.trace_id, span.parent_id) for span in spans}
    lonely = [span for span in calls if (span.trace_id, span.span_id) not in with_requests]
    found = []
    for span in spans:
        fits = [call for call in lonely if _made(call, span)] if span.parent_id is None and span.kind == "model" and lonely else []
        above = min(fits, key=lambda call: (call.ended or 0) - (call.started or 0), default=None)
        found.append(span if above is None else span._replace(parent_id=above.span_id, trace_id=above.trace_id))
    return found


def _kind_of(operation: str) -> SpanKind:
    if operation in _AGENTS:
        return "agent"
    if operation == "ai.toolCall":
        return "tool"
    return "model" if operation.endswith((".doGenerate", ".doStream")) else "other"


def _tool(record: Record) -> dict[str, Any]:
    result = record.take("ai.toolCall.result")
    return {
        "name": record.take_text("ai.toolCall.name") or record.name,
        "tool_call_id": record.take_text("ai.toolCall.id"),
        "input": arguments_in(record.take("ai.toolCall.args", "ai.toolCall.input")),
        "output": words_of(result),
        "exit_code": exit_code_in(result),
    }


def _heard(record: Record) -> tuple[Said, ...]:
    messages = said_as(record.take("ai.prompt.messages"), "user", record.place)
    prompt = record.take("ai.prompt")
    held = parsed(prompt)
    if messages is not None:
        return messages
    if isinstance(held, dict) and isinstance(held.get("messages"), list):
        said = said_as(held["messages"], "user", record.place) or ()
        system = held.get("system")
        return (Said("system", record.place, (Piece("text", system),)), *said) if isinstance(system, str) and system else said
    return said_as(prompt, "user", record.place) or ((Said("user", record.place, (Piece("text", words_of(prompt)),)),) if prompt is not None else ())


def _said(record: Record) -> tuple[Said, ...]:
    """Say the reply, whose text, reasoning and calls stand in attributes of their own."""
    thought, text, shaped = (words_of(record.take(name)) for name in ("ai.response.reasoning", "ai.response.text", "ai.response.object"))
    calls = parsed(record.take("ai.response.toolCalls"))
    pieces = [Piece(kind, words) for kind, words in (("reasoning", thought), ("text", text), ("text", shaped)) if words]
    asked = said_as(calls, "assistant", record.place) if isinstance(calls, list) and calls else None
    if not pieces and not asked:
        return (Said("assistant", record.place, (Piece("other", to_json(calls)),)),) if calls else ()
    head = asked[0] if asked else Said("assistant", record.place)
    return (head._replace(pieces=(*pieces, *head.pieces)), *(asked[1:] if asked else ()))


def _operation(span: Span) -> str:
    held = span.extra.get("attributes")
    name = held.get("operation.name") if isinstance(held, dict) else None
    return name.split(" ")[0] if isinstance(name, str) else ""


def _made(call: Span, request: Span) -> bool:
    own, inner = call.extra.get("attributes"), request.extra.get("attributes")
    if not isinstance(own, dict) or not isinstance(inner, dict) or not _operation(request).startswith(f"{_operation(call)}."):
        return False
    if None in (call.started, call.ended, request.started, request.ended) or own.get("resource.name") != inner.get("resource.name"):
        return False
    return (call.started or 0) <= (request.started or 0) and (request.ended or 0) <= (call.ended or 0)
