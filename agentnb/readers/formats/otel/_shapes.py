"""Spans as stores and viewers write them -> spans as an SDK writes them: rows of Phoenix, answers of Jaeger, attributes as JSON text or as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentnb.readers.dialects.any import parsed

_TREES = frozenset({"llm", "openinference", "gen_ai", "input", "output", "tool", "tool_call", "session", "agent", "user", "retrieval", "traceloop", "ai"})
_LISTS = ("llm.input_messages", "llm.output_messages", "llm.tools", "retrieval.documents", "gen_ai.prompt", "gen_ai.completion")
_DEEPEST = 12


def unified(value: dict[str, Any]) -> dict[str, Any]:
    """Return a span as an SDK writes it; what is none of the known shapes is returned as it is."""
    if "context.span_id" in value and "context.trace_id" in value:
        return _of_row(value)
    if isinstance(value.get("operationName"), str) and "traceID" in value and "spanID" in value:
        return _of_jaeger(value)
    if isinstance(value.get("attributes"), str):
        found = parsed(value["attributes"])
        return {**value, "attributes": found} if isinstance(found, dict) else value
    return value


def jaeger_spans(document: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the spans of an answer of Jaeger, each with the name of its service; None of anything else."""
    listed = document.get("data")
    traces = [trace for trace in (listed if isinstance(listed, list) else [document]) if isinstance(trace, dict) and "traceID" in trace]
    spans = [(trace, span) for trace in traces if isinstance(trace.get("spans"), list) for span in trace["spans"]]
    if not any(isinstance(span, dict) and "spanID" in span for _, span in spans[:20]):
        return None
    return [_with_service(span, trace.get("processes")) if isinstance(span, dict) else span for trace, span in spans]


def flattened(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return attributes by their whole names, where they were written as a tree, or messages as a list."""
    found: dict[str, Any] = {}
    for name, value in attributes.items():
        is_tree = name in _TREES and isinstance(value, dict)
        is_list = name in _LISTS and isinstance(value, list) and all(isinstance(item, dict) for item in value)
        found |= dict(_leaves(name, value, 0)) if is_tree or is_list else {name: value}
    return found


def _leaves(name: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict) and depth < _DEEPEST:
        items = list(value.items())
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value) and depth < _DEEPEST:
        items = list(enumerate(value))
    if not items:
        yield name, value
    for key, item in items:
        yield from _leaves(f"{name}.{key}", item, depth + 1)


def _of_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of a table of Phoenix, whose columns are `context.span_id` and `attributes.llm.model_name`."""
    attributes = {name.removeprefix("attributes."): value for name, value in row.items() if name.startswith("attributes.") and value is not None}
    if isinstance(row.get("span_kind"), str):
        attributes.setdefault("openinference.span.kind", row["span_kind"])
    read = ("status_code", "status_message", "span_kind")
    rest = {name: value for name, value in row.items() if not name.startswith(("attributes.", "context.")) and name not in read}
    context = {"trace_id": row["context.trace_id"], "span_id": row["context.span_id"]}
    return {**rest, "context": context, "attributes": attributes, "status": {"code": row.get("status_code"), "message": row.get("status_message")}}


def _of_jaeger(span: dict[str, Any]) -> dict[str, Any]:
    tags = _tags(span.get("tags"))
    references = [item for item in span.get("references") or () if isinstance(item, dict)] if isinstance(span.get("references"), list) else []
    parent = next((item.get("spanID") for item in references if item.get("refType", "CHILD_OF") == "CHILD_OF"), None)
    start, lasted = span.get("startTime"), span.get("duration")
    ended = start + lasted if type(start) is int and type(lasted) is int else None
    code = tags.pop("otel.status_code", None) or ("ERROR" if tags.pop("error", None) in (True, "true") else None)
    logs = span["logs"] if isinstance(span.get("logs"), list) else []
    events = [_tags(log.get("fields")) for log in logs if isinstance(log, dict)]
    return {
        "name": span["operationName"], "traceId": span["traceID"], "spanId": span["spanID"], "parentSpanId": parent, "attributes": tags,
        "startTimeUnixNano": start * 1000 if type(start) is int else None, "endTimeUnixNano": ended * 1000 if ended is not None else None,
        "status": {"code": code, "message": tags.pop("otel.status_description", None)},
        "events": [{"name": event.pop("event", ""), "attributes": event} for event in events], "resource": span.get("resource"),
    }  # fmt: skip


def _with_service(span: dict[str, Any], processes: Any) -> dict[str, Any]:
    process = processes.get(span.get("processID")) if isinstance(processes, dict) and isinstance(span.get("processID"), str) else None
    name = process.get("serviceName") if isinstance(process, dict) else None
    return {**span, "resource": {"attributes": {"service.name": name}}} if isinstance(name, str) else span


def _tags(tags: Any) -> dict[str, Any]:
    return {str(tag["key"]): tag.get("value") for tag in tags if isinstance(tag, dict) and "key" in tag} if isinstance(tags, list) else {}
