"""A span of MLflow, of either version -> a span in no format's terms."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from agentnb.readers._fields import amount_in, count_in, text_of
from agentnb.readers._times import read_time
from agentnb.readers.builders.span_tree import Span, SpanKind
from agentnb.readers.dialects import langchain
from agentnb.readers.dialects.any import heard_in, replied_in
from agentnb.readers.dialects.langchain import is_told
from agentnb.readers.dialects.passed import arguments_in, conversed_in, returned_in, with_top, without_inherited
from agentnb.readers.formats.mlflow._traces import Trace, attributes_of

_KINDS: dict[str, SpanKind] = {"LLM": "model", "CHAT_MODEL": "model", "TOOL": "tool", "RETRIEVER": "tool", "AGENT": "agent"}
# A graph of LangGraph is an agent, although it is recorded as a chain.
_GRAPH = "LangGraph"
_MODELS = ("mlflow.llm.model", "mlflow.chat.model", "model", "model_name")
_READ = frozenset(
    {"mlflow.traceRequestId", "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanLogLevel", "mlflow.chat.tokenUsage", "mlflow.llm.cost"}
    | {"mlflow.llm.model", "mlflow.message.format", "tool_call_id", "color", "batch_size", "mlflow.spanFunctionName"}
)
_FAILED = ("ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR", 2)


def spans_of(trace: Trace, first: int) -> list[Span]:
    """Make spans of those of a trace that are objects, placed from a number on."""
    known = [(place, span) for place, span in enumerate(trace.spans, first) if isinstance(span, dict)]
    attributes = [attributes_of(span) for _, span in known]
    spans = [_span_of(span, told, place, trace) for (place, span), told in zip(known, attributes, strict=True)]
    return without_inherited([_filled(span, told) for span, told in zip(with_top(spans), attributes, strict=True)])


def _span_of(recorded: dict[str, Any], attributes: dict[str, Any], place: int, trace: Trace) -> Span:
    context = recorded.get("context")
    own_id = (context.get("span_id") if isinstance(context, dict) else None) or recorded.get("span_id")
    parent = _id(recorded.get("parent_span_id") or recorded.get("parent_id"))
    name = text_of(recorded.get("name")) or ""
    kind = _KINDS.get(str(attributes.get("mlflow.spanType")).upper()) or ("agent" if name == _GRAPH else "other")
    return Span(
        _id(own_id) or f"{trace.trace_id}/{place}",
        parent,
        trace.trace_id,
        name,
        kind,
        place,
        started=_time(recorded, "start_time_unix_nano", "start_time", "start_time_ns"),
        ended=_time(recorded, "end_time_unix_nano", "end_time", "end_time_ns"),
        conversation_id=trace.session,
        error=_error_of(recorded),
        extra=_extra(recorded, attributes),
        labels=trace.labels if parent is None else {},
    )


def _filled(span: Span, attributes: dict[str, Any]) -> Span:
    inputs, outputs = attributes.get("mlflow.spanInputs"), attributes.get("mlflow.spanOutputs")
    if span.kind == "model":
        replied = replied_in(outputs, span.place) if is_told(outputs) else ()
        model = next((said.model for said in replied if said.model), None) or next((attributes[name] for name in _MODELS if attributes.get(name)), "")
        finish = next((said.finish_reason for said in replied if said.finish_reason), None)
        heard = heard_in(inputs, span.place) if is_told(inputs) else ()
        return span._replace(name=text_of(model) or "", heard=heard, replied=replied, usage=_usage(attributes), finish_reason=finish)
    if span.kind == "tool":
        returned = returned_in(outputs, span.place)
        call_id = text_of(attributes.get("tool_call_id")) or returned.tool_call_id
        extra = span.extra | returned.extra
        error = span.error or returned.error
        return span._replace(input=arguments_in(inputs), output=returned.text, tool_call_id=call_id or None, error=error, extra=extra)
    if span.kind == "agent":
        conversed = conversed_in(inputs, outputs, span.place)
        return span._replace(heard=conversed.heard, replied=conversed.replied)
    return span


def _usage(attributes: dict[str, Any]) -> dict[str, Any]:
    told, cost = attributes.get("mlflow.chat.tokenUsage"), attributes.get("mlflow.llm.cost")
    told = told if isinstance(told, dict) else {}
    found = {
        "cached_tokens": count_in(told.get("cache_read_input_tokens")),
        "cache_write_tokens": count_in(told.get("cache_creation_input_tokens")),
        "cost": amount_in(cost.get("total_cost")) if isinstance(cost, dict) else None,
    }
    return langchain.usage_in(told) | {name: value for name, value in found.items() if value is not None}


def _error_of(recorded: dict[str, Any]) -> str | None:
    """Return why a span failed: what was raised in it, else what its status says."""
    status = recorded.get("status")
    code = status.get("code") if isinstance(status, dict) else recorded.get("status_code") or status
    if code not in _FAILED:
        return None
    events = recorded.get("events")
    for event in events if isinstance(events, list) else ():
        attributes = event.get("attributes") if isinstance(event, dict) and event.get("name") == "exception" else None
        if isinstance(attributes, dict) and (attributes.get("exception.type") or attributes.get("exception.message")):
            told = [text_of(attributes.get(f"exception.{name}")) for name in ("type", "message")]
            return ": ".join(words for words in told if words)[:500]
    message = status.get("message") if isinstance(status, dict) else recorded.get("status_message")
    return message[:500] if isinstance(message, str) and message else "The span failed."


def _extra(recorded: dict[str, Any], attributes: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in attributes.items() if name not in _READ and is_told(value)}
    return rest | {name: recorded[name] for name in ("events", "links") if is_told(recorded.get(name))}


def _id(value: Any) -> str | None:
    """Return an id of a span; one in Base64 in the hexadecimal digits that other exports of the same trace have."""
    text = text_of(value)
    if not text or not text.endswith("="):
        return text or None
    try:
        return base64.b64decode(text, validate=True).hex() or text
    except (binascii.Error, ValueError):
        return text


def _time(recorded: dict[str, Any], *names: str) -> int | None:
    return next((time for time in (read_time(recorded.get(name)).micros for name in names) if time is not None), None)
