"""Spans that the SDK uploads: agents, model calls, functions, hand-overs and guardrails."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import read_arguments, text_of
from agentnb.readers._times import read_time
from agentnb.readers.builders.message_list import Said
from agentnb.readers.builders.span_tree import Span, SpanKind, SpanTree
from agentnb.readers.dialects.any import said_in_any
from agentnb.readers.dialects.responses import usage_in


class _Kind(NamedTuple):
    """What a type of span data is, and where it keeps its name."""

    kind: SpanKind
    name: str


_KINDS = {
    "agent": _Kind("agent", "name"),
    "generation": _Kind("model", "model"),
    "response": _Kind("model", "model"),
    "function": _Kind("tool", "name"),
    "handoff": _Kind("tool", "to_agent"),
}
_READ_DATA = frozenset({"type", "name", "input", "output", "usage", "model"})


def is_trace_item(value: Any) -> bool:
    """Tell whether a value is a trace or a span as it is uploaded."""
    if not isinstance(value, dict) or value.get("object") not in ("trace", "trace.span"):
        return False
    return value["object"] == "trace" or isinstance(value.get("span_data"), dict)


class Traces:
    """Traces and their spans, which may come in any order; `finish` makes conversations of them."""

    def __init__(self, spans: SpanTree) -> None:
        """Hand the spans to a builder."""
        self._spans = spans
        self._groups: dict[str, str] = {}
        self._waiting: list[tuple[Span, Account]] = []

    def add(self, value: dict[str, Any], place: int, account: Account) -> None:
        """Take a trace or a span."""
        own_id = str(text_of(value.get("id")))
        if value["object"] != "trace":
            self._waiting.append((_span(value, own_id, place), account))
            return
        group = text_of(value.get("group_id"))
        if group:
            self._groups[own_id] = group
        self._spans.note(own_id, title=text_of(value.get("workflow_name")), labels=_labels(value))
        account.keep()

    def finish(self) -> None:
        """Make conversations: several traces of one group are turns of one."""
        for span, account in self._waiting:
            self._spans.add(span._replace(conversation_id=self._groups.get(span.trace_id)), account)
        self._spans.finish()


def _labels(trace: dict[str, Any]) -> dict[str, Any]:
    metadata = trace.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _span(value: dict[str, Any], own_id: str, place: int) -> Span:
    data = value["span_data"]
    kind = _KINDS.get(str(data.get("type")), _Kind("other", "name"))
    input, output = data.get("input"), data.get("output")
    is_tool = kind.kind == "tool"
    error = value.get("error")
    words = text_of(error.get("message")) or text_of(error) if isinstance(error, dict) else text_of(error)
    return Span(
        own_id,
        text_of(value.get("parent_id")),
        str(text_of(value.get("trace_id"))),
        text_of(data.get(kind.name)) or ("" if kind.kind == "model" else str(text_of(data.get("type")))),
        kind.kind,
        place,
        started=read_time(value.get("started_at")).micros,
        ended=read_time(value.get("ended_at")).micros,
        heard=_said(input, place, "user") if not is_tool else (),
        replied=_said(output, place, "assistant") if not is_tool else (),
        input=read_arguments(input).text if is_tool else text_of(input),
        output=text_of(output),
        error=words,
        usage=usage_in(data.get("usage")) if isinstance(data.get("usage"), dict) else {},
        extra={name: item for name, item in data.items() if name not in _READ_DATA and item not in (None, [], {})},
    )


def _said(value: Any, place: int, role: str) -> tuple[Said, ...]:
    said = said_in_any(value, place) or ()
    return tuple(item._replace(role=role) if len(said) == 1 and role == "assistant" and item.role == "user" else item for item in said)
