"""The normalizer itself, on plain Python values: one function for a single turn and for the rows of a table, so that both always agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agentnb.decisions._envelope import Dropped, Reading, classify, read_envelope, read_object
from agentnb.decisions._native import Call, Role, decide_calls, is_placeholder
from agentnb.decisions._text import is_blank, trim
from agentnb.values.decisions import DecisionKind, DiagnosticCategory, Encoding

IMPLICIT = "implicit"


class Decided(NamedTuple):
    """The fields of an observed decision, before they become a value or a row."""

    kind: DecisionKind
    encoding: Encoding
    actions: Sequence[tuple[str, dict[str, Any]]] = ()
    sub_agents: Sequence[tuple[str, str | None]] = ()
    message: str | None = None
    task_complete: bool = False
    payload_change: dict[str, Any] | None = None
    envelope_parsed: bool | None = None
    step_type: str | None = None
    diagnostic: str | None = None
    category: DiagnosticCategory | None = None
    objects: int | None = None
    dual_channel: bool | None = None
    shadow_kind: DecisionKind | None = None
    narration: bool | None = None
    placeholder: bool | None = None
    discarded: Sequence[Dropped] = ()


EMPTY = Decided("empty", "none", diagnostic="no output", category="no_output")


def decide(text: str | None, calls: Sequence[Call], names: Mapping[str, str], roles: Mapping[str, Role], protocol: str | None) -> Decided:
    """Map a turn to the one decision it makes; never raises on what a model put out.

    Args:
        text: the output's text.
        calls: name and arguments of each native tool call, in order.
        names: names on the wire to names of Actions.
        roles: names of control tools to their roles.
        protocol: only `implicit` has a rule of its own.
    """
    if calls:
        return _decide_native(None if is_blank(text) else text, calls, names, roles)
    if text is None or is_blank(text):
        return EMPTY
    reading = read_object(text, why=protocol != IMPLICIT)
    if reading.value is not None:
        return _decide_envelope(reading.value)
    if protocol == IMPLICIT:
        return Decided("taskComplete", "text", message=trim(text), task_complete=True)
    return _unparseable(reading)


def shadow_of(text: str | None) -> DecisionKind | None:
    """Return what an envelope in the text beside calls would have decided; null when there is none."""
    value = read_object(text, why=False).value if text is not None else None
    return classify(read_envelope(value)).kind if value is not None else None


def _decide_envelope(value: dict[str, Any]) -> Decided:
    envelope = read_envelope(value)
    return Decided(
        kind=classify(envelope).kind,
        encoding="envelope",
        actions=envelope.actions,
        sub_agents=envelope.sub_agents,
        message=envelope.message,
        task_complete=envelope.task_complete,
        payload_change=envelope.payload_change,
        envelope_parsed=True,
        step_type=envelope.step_type,
        discarded=envelope.dropped,
    )


def _unparseable(reading: Reading) -> Decided:
    return Decided("unparseable", "envelope", envelope_parsed=False, diagnostic=reading.diagnostic, category=reading.category, objects=reading.objects)


def _decide_native(text: str | None, calls: Sequence[Call], names: Mapping[str, str], roles: Mapping[str, Role]) -> Decided:
    decision, shadow = decide_calls(calls, text, names, roles), shadow_of(text)
    discarded = decision.dropped
    if shadow is not None:
        discarded = [*discarded, Dropped("envelope", shadow, "the calls beside it decide the turn")]
    return Decided(
        kind=decision.kind,
        encoding="native",
        actions=decision.actions,
        sub_agents=decision.sub_agents,
        message=decision.message,
        task_complete=decision.kind == "taskComplete",
        payload_change=decision.payload_change,
        dual_channel=shadow is not None,
        shadow_kind=shadow,
        narration=text is not None and shadow is None,
        placeholder=is_placeholder(calls, text),
        discarded=discarded,
    )
