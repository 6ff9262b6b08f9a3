"""Monocle: `span.type`, with what went in and came out in events, as JSON or as Python's `repr`."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._reprs import parse_repr
from agentnb.readers.builders.message_list import Said
from agentnb.readers.builders.span_tree import SpanKind
from agentnb.readers.dialects.any import parsed
from agentnb.readers.dialects.genai import ROLES
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._values import arguments_in, count_of, exit_code_in, said_as, words_of

_KINDS: dict[str, SpanKind] = {
    "inference": "model", "inference.framework": "model", "inference.modelapi": "model", "agentic.tool.invocation": "tool", "agentic.mcp.invocation": "tool",
    "retrieval": "tool", "agentic.invocation": "agent", "agentic.turn": "agent", "agentic.request": "agent", "workflow": "other", "agentic.delegation": "other",
}  # fmt: skip
_USAGE = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens", "cached_tokens": "cached_tokens", "reasoning_tokens": "reasoning_tokens"}

READ_EVENTS = frozenset({"data.input", "data.output"})
"""Names of the events that this convention reads whole."""


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that this convention tells."""
    if not record.has("monocle_apptrace.", "monocle."):
        return {}
    kind = _KINDS.get(record.take_text("span.type") or "", "other")
    fields: dict[str, Any] = {"kind": kind}
    if kind == "other":
        return fields
    given, returned = _held(record, "data.input", "input"), _held(record, "data.output", "response", "output")
    failure = next((event.held.get("error_code") for event in record.events if event.name == "data.output" and event.held.get("error_code")), None)
    fields["error"] = text_of(failure) if failure not in (None, "success") else None
    if kind == "tool":
        output = words_of(returned)
        name = record.take_text("entity.1.name") or record.name
        return fields | {"name": name, "input": arguments_in(given), "output": output, "exit_code": exit_code_in(output)}
    if kind == "agent":
        return fields | {"name": record.take_text("entity.1.name") or record.name, "input": _only(given), "output": words_of(returned)}
    measures = next((event.held for event in record.take_events() if event.name == "metadata"), {})
    return fields | {
        "name": record.take_text("entity.2.name"),
        "usage": {column: count for column, name in _USAGE.items() if (count := count_of(measures.get(name))) is not None},
        "finish_reason": text_of(measures.get("finish_reason")),
        "heard": _heard(given, record.place),
        "replied": _replied(returned, record.place),
    }


def _held(record: Record, event_name: str, *names: str) -> Any:
    held = next((event.held for event in record.take_events() if event.name == event_name), {})
    return next((held[name] for name in names if held.get(name) is not None), None)


def _only(value: Any) -> str | None:
    """Return the text of a list that holds only one."""
    held = parsed(value)
    return words_of(held[0] if isinstance(held, list) and len(held) == 1 else value)


def _heard(value: Any, place: int) -> tuple[Said, ...]:
    """Say what a model was given: a list of `{"user": "hi"}`, each as JSON or as `repr`."""
    listed = value if isinstance(value, list) else [value] if value is not None else []
    return tuple(said for item in listed for said in _said(item, "user", place))


def _replied(value: Any, place: int) -> tuple[Said, ...]:
    listed = value if isinstance(value, list) else [value] if value is not None else []
    return tuple(said for item in listed for said in _said(item, "assistant", place))


def _said(item: Any, role: str, place: int) -> tuple[Said, ...]:
    held = parsed(item)
    if isinstance(held, str) and (found := parse_repr(held)) is not None:
        held = found
    if not isinstance(held, dict) or len(held) != 1:
        return _words(held if held is not None else item, role, place)
    (name, inner), = held.items()  # fmt: skip
    role = ROLES.get(str(name), role)
    inner = parsed(inner)
    calls = [
        call for call in (inner if isinstance(inner, list) else [inner]) if isinstance(call, dict) and isinstance(call.get("name"), str) and "args" in call
    ]
    if calls:
        parts = [{"type": "tool_call", "id": call.get("id"), "name": call["name"], "arguments": call["args"]} for call in calls]
        return said_as([{"role": "assistant", "parts": parts}], role, place) or ()
    if role == "tool":
        return said_as([{"role": "tool", "parts": [{"type": "tool_call_response", "response": inner}]}], role, place) or ()
    return _words(inner, role, place)


def _words(value: Any, role: str, place: int) -> tuple[Said, ...]:
    text = words_of(value)
    return (said_as([{"role": role, "parts": [{"type": "text", "content": text}]}], role, place) or ()) if text else ()
