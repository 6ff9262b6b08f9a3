"""Which values are spans, and how each exporter writes one: OTLP, the SDKs of Python and JavaScript, flattened lists, rows, one map of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._fields import rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._times import read_time
from agentnb.readers.formats.otel._record import Record, SpanEvent
from agentnb.readers.formats.otel._shapes import flattened, jaeger_spans, unified

_RESOURCES = ("resourceSpans", "resource_spans", "batches")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_MAP_PREFIXES = ("gen_ai.", "openinference.", "llm.", "traceloop.", "gcp.vertex.agent.", "codex.turn.")
_MAP_NAMES = frozenset({"ai.operationId", "ai.model.id"})
_IDS = {
    "trace": ("trace_id", "traceId"),
    "span": ("span_id", "spanId"),
    "parent": ("parent_span_id", "parentSpanId", "parent_id", "parentId"),
}
_CONTEXTS = ("context", "spanContext", "span_context")
_STARTS = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp")
_ENDS = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end_timestamp")
_READ = frozenset(
    {
        *(name for names in _IDS.values() for name in names), *_CONTEXTS, *_STARTS, *_ENDS, "parentSpanContext", "name", "span_name", "spanName", "attributes",
        "events", "span_events", "status", "scope", "instrumentationScope", "instrumentationLibrary", "resource", "kind", "flags", "traceState",
        "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount", "scopeName", "duration", "ended", "traceFlags",
    }
)  # fmt: skip


class Log(NamedTuple):
    """A log record that holds an event of a span."""

    trace_id: str
    span_id: str
    event: SpanEvent
    place: int


class NoSpan(NamedTuple):
    """A value that stands among spans and is none."""

    value: Any
    place: int


def is_container(value: Any) -> bool:
    """Tell whether a value is one of OTLP: resources with their spans, or with log records that hold events of a model."""
    return isinstance(value, dict) and (_resources(value) is not None or _has_logs(value))


def is_span(value: Any) -> bool:
    """Tell whether a value is a span of an SDK, or a flattened one."""
    value = unified(value) if isinstance(value, dict) else value
    if not isinstance(value, dict) or not isinstance(value.get("attributes"), dict | list):
        return False
    context = _context(value)
    return bool(_first(value, _IDS["trace"]) or _first(context, _IDS["trace"])) and bool(_first(value, _IDS["span"]) or _first(context, _IDS["span"]))


def is_map(value: Any) -> bool:
    """Tell whether a value is the attributes of one span, alone or with its name and scope."""
    attributes = value.get("attributes") if isinstance(value, dict) and "spanName" in value else value
    if not isinstance(attributes, dict):
        return False
    return any(isinstance(name, str) and (name.startswith(_MAP_PREFIXES) or name in _MAP_NAMES) for name in attributes)


def spans_of(document: Any) -> list[Any] | None:
    """Return the values of a document that may be spans: of a list, of `{session_id, span_count, spans}`, or the document; None when it has none."""
    if isinstance(document, dict) and isinstance(document.get("spans"), list) and any(map(is_span, document["spans"][:20])):
        if isinstance(document.get("resource"), dict):
            # What one scope of one resource sent.
            return [{"resourceSpans": [{"resource": document["resource"], "scopeSpans": [{"scope": document.get("scope"), "spans": document["spans"]}]}]}]
        return list(document["spans"])
    if isinstance(document, dict) and is_container(document.get("trace")):
        return [document["trace"]]
    if isinstance(document, dict) and (found := jaeger_spans(document)) is not None:
        return list(found)
    if isinstance(document, dict) and isinstance(document.get("data"), list) and any(map(is_span, document["data"][:20])):
        return list(document["data"])
    if isinstance(document, list):
        return document if any(is_span(value) or is_container(value) for value in document[:20]) else None
    return [document] if is_container(document) or is_span(document) or is_map(document) else None


def records_of(value: Any, place: int) -> Iterator[Record | Log | NoSpan]:
    """Yield the spans and log records of a value.

    Args:
        value: a container, a span, or a map of attributes.
        place: its place in the recording, from 1; all that it holds stands there.
    """
    if is_container(value):
        yield from _of_container(value, place)
    elif is_span(value):
        yield _record(unified(value), place, {}, "")
    elif is_map(value):
        yield _of_map(value, place)
    else:
        yield NoSpan(value, place)


def plain(value: Any, depth: int = 0) -> Any:
    """Return the value that OTLP writes with its type, `{stringValue: …}`, and attributes that it writes as a list of keys and values."""
    if isinstance(value, list) and value and all(isinstance(item, dict) and "key" in item for item in value):
        return {str(item["key"]): plain(item.get("value"), depth + 1) for item in value}
    if not isinstance(value, dict) or len(value) != 1 or depth > 20:
        return value
    (kind, held), = value.items()  # fmt: skip
    if kind in ("stringValue", "boolValue", "bytesValue", "string_value", "bool_value"):
        return held
    if kind in ("intValue", "int_value"):
        return int(held) if isinstance(held, str) and held.lstrip("-").isdecimal() and len(held) < 20 else held
    if kind in ("doubleValue", "double_value"):
        return held
    if kind in ("arrayValue", "array_value", "values"):
        items = held.get("values") if isinstance(held, dict) else held
        return [plain(item, depth + 1) for item in items] if isinstance(items, list) else []
    if kind in ("kvlistValue", "kvlist_value"):
        inner = held.get("values") if isinstance(held, dict) else None
        return plain(inner, depth + 1) if isinstance(inner, list) and inner else {}
    return value


def _resources(value: dict[str, Any]) -> list[Any] | None:
    found = next((value[name] for name in _RESOURCES if isinstance(value.get(name), list)), None)
    return found if found is None or any(_scopes(item) is not None for item in found[:20]) or not found else None


def _scopes(resource: Any) -> list[Any] | None:
    if not isinstance(resource, dict):
        return None
    return next((resource[name] for name in _SCOPES if isinstance(resource.get(name), list)), None)


def _has_logs(value: dict[str, Any]) -> bool:
    logs = value.get("resourceLogs")
    return isinstance(logs, list) and any("gen_ai" in _event_name(log) for _, log in _logs_of(value))


def _of_container(value: dict[str, Any], place: int) -> Iterator[Record | Log | NoSpan]:
    for resource in _resources(value) or ():
        held = plain(_field(resource, "resource", "attributes"))
        for scope in _scopes(resource) or ():
            named = _field(scope, "scope", "name") or _field(scope, "instrumentationLibrary", "name")
            spans = scope.get("spans") if isinstance(scope, dict) else None
            for span in spans if isinstance(spans, list) else ():
                if isinstance(span, dict) and ("name" in span or "spanId" in span or "span_id" in span):
                    yield _record(span, place, held if isinstance(held, dict) else {}, text_of(named) or "")
                else:
                    yield NoSpan(span, place)
    for _, log in _logs_of(value):
        held = plain(log.get("attributes"))
        body = _plain_body(log.get("body"))
        fields = {**(held if isinstance(held, dict) else {}), **(body if isinstance(body, dict) else {"content": body} if body is not None else {})}
        yield Log(_id_text(_first(log, _IDS["trace"])), _id_text(_first(log, _IDS["span"])), SpanEvent(_event_name(log), fields), place)


def _logs_of(value: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    resources = value.get("resourceLogs")
    for resource in resources if isinstance(resources, list) else ():
        scopes = resource.get("scopeLogs") if isinstance(resource, dict) else None
        for scope in scopes if isinstance(scopes, list) else ():
            logs = scope.get("logRecords") if isinstance(scope, dict) else None
            for number, log in enumerate(logs if isinstance(logs, list) else (), 1):
                yield number, log if isinstance(log, dict) else {}


def _event_name(log: dict[str, Any]) -> str:
    held = plain(log.get("attributes"))
    return text_of(log.get("eventName") or (held.get("event.name") if isinstance(held, dict) else None)) or ""


def _plain_body(value: Any, depth: int = 0) -> Any:
    """Return a log's body: its values are typed all the way down."""
    found = plain(value)
    if isinstance(found, dict) and depth < 20:
        return {name: _plain_body(item, depth + 1) for name, item in found.items()}
    return [_plain_body(item, depth + 1) for item in found] if isinstance(found, list) and depth < 20 else found


def _record(span: dict[str, Any], place: int, resource: dict[str, Any], scope: str) -> Record:
    context = _context(span)
    own, above = (_id_text(_first(span, _IDS[name]) or _first(context, _IDS[name])) for name in ("span", "trace"))
    parent = _first(span, _IDS["parent"])
    if isinstance(span.get("parentSpanContext"), dict):
        parent = _first(span["parentSpanContext"], _IDS["span"])
    own, above = _known_ids(span, own, above)
    name = text_of(span.get("name") or span.get("span_name")) or ""
    record = Record(own, _id_text(parent) or None, above, name, place)
    start, end = (_time(_first(span, names)) for names in (_STARTS, _ENDS))
    record.started, record.ended, record.zone_assumed = start.micros, end.micros, start.zone_assumed or end.zone_assumed
    attributes = plain(span.get("attributes"))
    record.attributes = flattened({str(key): plain(value) for key, value in attributes.items()}) if isinstance(attributes, dict) else {}
    inner = plain(_field(span, "resource", "attributes"))
    record.resource = {**resource, **(inner if isinstance(inner, dict) else {})}
    record.scope = (
        scope or text_of(next((found for key in ("scope", "instrumentationScope", "instrumentationLibrary") if (found := _field(span, key, "name"))), "")) or ""
    )
    record.events = _events(span)
    _read_status(record, span.get("status"))
    record.extra = {key: value for key, value in span.items() if key not in _READ and value not in (None, [], {}, "")}
    return record


def _of_map(value: dict[str, Any], place: int) -> Record:
    wrapped = isinstance(value.get("attributes"), dict) and "spanName" in value
    attributes = value["attributes"] if wrapped else value
    own, above = _known_ids(value, "", "")
    record = Record(own, None, above, text_of(value.get("spanName")) or "" if wrapped else "", place)
    record.attributes = {str(key): plain(held) for key, held in attributes.items()}
    record.scope = text_of(value.get("scopeName")) or "" if wrapped else ""
    record.extra = rest_of(value, _READ) if wrapped else {}
    return record


def _known_ids(value: Any, own: str, above: str) -> tuple[str, str]:
    """Return ids as recorded; in the place of one that is missing, or only zeros, a digest of the span."""
    if own.strip("0") and above.strip("0"):
        return own, above
    digest = digest_of(value, 8)
    return own if own.strip("0") else digest, above if above.strip("0") else f"otel-{digest}"


def _context(span: dict[str, Any]) -> dict[str, Any]:
    return next((span[name] for name in _CONTEXTS if isinstance(span.get(name), dict)), {})


def _first(value: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _field(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _id_text(value: Any) -> str:
    text = text_of(value) or ""
    return text[2:] if text.startswith("0x") else text


def _time(value: Any) -> Any:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) and not isinstance(part, bool) for part in value):
        # JavaScript writes seconds and nanoseconds.
        return read_time(value[0] * 1_000_000_000 + value[1] if 0 < value[0] < 10**11 else None)
    return read_time(value)


def _events(span: dict[str, Any]) -> list[SpanEvent]:
    listed: list[Any] = next((span[name] for name in ("events", "span_events") if isinstance(span.get(name), list) and span[name]), [])
    found = []
    for event in listed:
        if isinstance(event, dict):
            held, body = plain(event.get("attributes")), event.get("body")
            name = text_of(event.get("name") or event.get("event_name")) or ""
            fields = {**(held if isinstance(held, dict) else {}), **(body if isinstance(body, dict) else {})}
            found.append(SpanEvent(name, {key: plain(value) for key, value in fields.items()}))
        else:
            found.append(SpanEvent("", {"value": event}))
    return found


def _read_status(record: Record, status: Any) -> None:
    code = next((status[name] for name in ("code", "status_code", "statusCode") if status.get(name) is not None), None) if isinstance(status, dict) else status
    record.failed = (isinstance(code, str) and code.upper().endswith("ERROR")) or (type(code) is int and code == 2)
    if isinstance(status, dict):
        record.status_message = next((status[name] for name in ("message", "description") if isinstance(status.get(name), str) and status[name]), None)
