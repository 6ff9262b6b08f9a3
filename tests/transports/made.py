"""The tools, stages and parts that the tests of transports share."""

from __future__ import annotations

from typing import Any

from agentnb.transports import CallEndPart, CallPart, FinishPart, PreparedModelInteraction, StageTransport, Trace, define_model_tools, trace_selection
from agentnb.transports.catalog import ToolCatalog

EMPTY: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
CITY: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
STAGES = [
    {"id": "recognize", "tool_ids": ["greet", "status"]},
    {"id": "status-only", "tool_ids": ["status"]},
    {"id": "full", "tool_ids": ["weather.lookup", "greet", "status"]},
]
W = "weather_lookup"
STOP = FinishPart(reason="stop")
CALLED = FinishPart(reason="tool_calls")
LENGTH = FinishPart(reason="length")


def parse_nothing(value: Any) -> dict[str, Any]:
    if value != {}:
        raise TypeError("an empty object is expected")
    return {}


def parse_city(value: Any) -> dict[str, Any]:
    if set(value) != {"city"} or not isinstance(value["city"], str):
        raise TypeError("one city is expected")
    return dict(value)


def definitions() -> list[dict[str, Any]]:
    return [
        {"id": "greet", "description": "问候", "input_schema": {"json_schema": EMPTY, "parse": parse_nothing}, "resolve": lambda: "greet"},
        {"id": "status", "description": "状态查询", "inputSchema": {"jsonSchema": EMPTY, "parse": parse_nothing}, "resolve": lambda: "status"},
        {
            "id": "weather.lookup",
            "description": "Look up the weather for a city.",
            "input_schema": {"json_schema": CITY, "parse": parse_city},
            "resolve": lambda value, context: (value["city"], context.stage),
        },
    ]


def catalog() -> ToolCatalog:
    return define_model_tools(definitions())


def transport(**options: Any) -> StageTransport:
    return StageTransport("support", tools=catalog(), stages=STAGES, **options)


def prepared(stage: str = "full", adapter: str = "native") -> PreparedModelInteraction:
    return transport().prepare(stage, adapter=adapter)


def call(index: int | None, own_id: str | None = None, name: str | None = None, arguments: Any = None) -> CallPart:
    return CallPart(index=index, id=own_id, name=name, arguments=arguments)


def end(index: int | None = None, arguments: str | None = None, own_id: str | None = None) -> CallEndPart:
    return CallEndPart(index=index, id=own_id, arguments=arguments)


def trace(*parts: Any, stage: str = "full", adapter: str = "native") -> Trace:
    return trace_selection(prepared(stage, adapter), parts)


def noted(found: Trace) -> list[tuple[str, int | None]]:
    return [(note.code, note.part_index) for note in found.notes]
