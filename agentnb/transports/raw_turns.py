"""From a collected answer to the raw turn that the decision normalizer reads: calls by name, also those that cannot be parsed."""

from __future__ import annotations

from agentnb.transports.collector import Collector
from agentnb.transports.interaction import PreparedModelInteraction
from agentnb.transports.scanner import parse_object
from agentnb.values.decisions import RawToolCall, RawTurn


def to_raw_turn(collector: Collector, prepared: PreparedModelInteraction, *, protocol: str | None = None) -> RawTurn:
    """Make the raw turn of an answer.

    Nothing is dropped: a call whose arguments are no JSON object has none, and a name that is no tool's stands for itself.

    Args:
        collector: the answer, finished or not.
        prepared: what it was meant for; it knows which names on the wire are which tools.
        protocol: envelope, hybrid or implicit, as `normalize_decision` takes it.
    """
    calls: list[RawToolCall] = []
    for slot in collector.assembly.slots:
        scanner = slot.scanner
        parsed = parse_object(slot.arguments[scanner.start : scanner.end]).value if scanner.state == "complete" else None
        calls.append(RawToolCall(name=slot.name, arguments={} if scanner.state == "empty" else parsed))
    return RawTurn(text=collector.text or None, tool_calls=tuple(calls) or None, tool_name_map=dict(prepared.tool_names), protocol=protocol)
