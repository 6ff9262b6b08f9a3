"""Traceloop: `traceloop.span.kind` of workflows, agents, tasks and tools; its model calls are the GenAI conventions' older form."""

from __future__ import annotations

from typing import Any

from agentnb.readers.builders.span_tree import SpanKind
from agentnb.readers.dialects.any import parsed
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._values import arguments_in, said_as, words_of

_KINDS: dict[str, SpanKind] = {"workflow": "agent", "agent": "agent", "tool": "tool", "task": "other"}


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that this convention tells."""
    kind = _KINDS.get(record.take_text("traceloop.span.kind") or "")
    if kind is None:
        return {}
    given, returned = record.take("traceloop.entity.input"), record.take("traceloop.entity.output")
    name = record.take_text("traceloop.entity.name") or record.take_text("gen_ai.tool.name" if kind == "tool" else "gen_ai.agent.name")
    fields: dict[str, Any] = {"kind": kind}
    if kind == "tool":
        return fields | {"name": name, "input": arguments_in(_inside(given, "inputs")), "output": words_of(_inside(returned, "outputs", "output"))}
    if kind == "agent":
        heard, replied = said_as(given, "user", record.place), said_as(returned, "assistant", record.place)
        fields |= {"name": name or record.name, "heard": heard or (), "replied": (replied or ())[-1:]}
        return fields | ({} if heard else {"input": words_of(given)}) | ({} if replied else {"output": words_of(returned)})
    return fields


def _inside(value: Any, *names: str) -> Any:
    """Return what a callback of LangChain wraps: `{"inputs": …, "tags": …}`."""
    held = parsed(value)
    return next((held[name] for name in names if name in held), value) if isinstance(held, dict) else value
