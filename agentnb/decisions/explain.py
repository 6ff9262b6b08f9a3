"""Why was a turn read as it was? Step by step: what was asked of it, which rule fired, and what was dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from agentnb.decisions._differences import Read, differences
from agentnb.decisions._envelope import CLASS_RULES, classify, read_envelope, read_object
from agentnb.decisions._native import NATIVE_RULES, native_rule, sort_calls
from agentnb.decisions._text import FENCE, is_blank, looks_like_broken_envelope, looks_like_envelope, trim
from agentnb.decisions.normalize import normalize_decision, read_turn
from agentnb.values import Value
from agentnb.values.decisions import ObservedDecision, RawTurn


class ExplainedRule(Value):
    """One thing that was asked of a turn."""

    rule: str
    """Which: the stage and the row of it, such as `class 4`."""
    condition: str
    """What was asked."""
    outcome: Literal["fired", "passed", "noted"]
    """fired decided, passed did not hold, noted is a fact on the way."""
    detail: str | None = None
    """What was found."""


class RuntimeDifference(Value):
    """A situation in which MemberJunction's runtime does something else than its normalizer reads."""

    name: str
    """Short name of the situation."""
    situation: str
    """What the turn is like."""
    normalizer: str
    """What the normalizer reads."""
    runtime: str
    """What the runtime does."""


class Explanation(Value):
    """A decision with the way to it."""

    decision: ObservedDecision
    """What was decided."""
    rules: tuple[ExplainedRule, ...]
    """What was asked, in order; what decided has the outcome fired."""
    differences: tuple[RuntimeDifference, ...] = ()
    """Where the runtime would do something else."""
    looks_like_envelope: bool = False
    """Whether the text is an envelope in the strict sense of the runtime."""
    warnings: tuple[str, ...] = ()
    """What is easily missed about this turn."""


def explain_decision(raw: RawTurn | Mapping[str, Any]) -> Explanation:
    """Say step by step why a turn was read as it was.

    Args:
        raw: the turn, as `normalize_decision` takes it.

    Returns:
        The decision of `normalize_decision`, the rules that were tried with the one that fired, where the runtime differs, and warnings.

    Raises:
        TurnError: what was given is no turn.

    Example:
        [rule.rule for rule in explain_decision({"text": "Done.", "protocol": "implicit"}).rules if rule.outcome == "fired"]
    """
    turn = read_turn(raw)
    decision = normalize_decision(turn)
    text = None if is_blank(turn.text) else turn.text
    rules = _native(turn, text) if turn.tool_calls else _text(turn, text)
    reading = read_object(text) if text is not None else None
    value = reading.value if reading is not None and not turn.tool_calls else None
    found = differences(Read(value, read_envelope(value) if value is not None else None, decision))
    return Explanation(
        decision=decision,
        rules=(*_notes(turn), *rules),
        differences=tuple(
            RuntimeDifference(name=found_one.name, situation=found_one.situation, normalizer=_reads(decision), runtime=found_one.runtime) for found_one in found
        ),
        looks_like_envelope=looks_like_envelope(text),
        warnings=tuple(_warnings(turn, decision, text)),
    )


def _notes(turn: RawTurn) -> list[ExplainedRule]:
    known = turn.protocol in ("envelope", "hybrid", "implicit", None)
    told = "envelope, because none is given" if turn.protocol is None else turn.protocol if known else f"{turn.protocol!r} is unknown and read as envelope"
    calls = len(turn.tool_calls or ())
    said = f"{calls} tool call{'' if calls == 1 else 's'}, {'no text' if is_blank(turn.text) else 'text'}"
    return [_rule("turn", "the protocol", "noted", told), _rule("turn", "what came in", "noted", said)]


def _text(turn: RawTurn, text: str | None) -> list[ExplainedRule]:
    rules = [_rule("turn 2", "there are tool calls", "passed")]
    if text is None:
        return [*rules, _rule("envelope 1", "the text is blank", "fired", "empty: no output")]
    reading = read_object(text)
    if trim(text).startswith(FENCE):
        rules.append(_rule("envelope 2", "the text begins with a fence", "noted", "what stands inside it is read"))
    if reading.value is not None:
        return [*rules, _rule("envelope 3", "the text is a JSON object", "noted", f"with {_keys(reading.value)}"), *_classes(reading.value)]
    failed = _rule("envelope 2", "the text is a JSON object", "passed", reading.diagnostic)
    if turn.protocol == "implicit":
        return [*rules, failed, _rule("turn 3b", "the protocol is implicit, and the text is no JSON object", "fired", "taskComplete: the text is the answer")]
    return [*rules, failed, _rule("envelope 2", "the protocol takes an envelope, and there is none", "fired", f"unparseable ({reading.category})")]


def _classes(value: dict[str, Any]) -> list[ExplainedRule]:
    envelope = read_envelope(value)
    fired = classify(envelope)
    listed = [_rule(f"class {rule.number}", rule.condition, "passed") for rule in CLASS_RULES if rule.number < fired.number]
    odd = [_rule("envelope 3", what, "noted", "it is not what counts and is ignored") for what in _oddities(value)]
    return [*odd, *listed, _rule(f"class {fired.number}", fired.condition, "fired", fired.kind)]


def _oddities(value: dict[str, Any]) -> list[str]:
    step = value.get("nextStep")
    asked = [
        ("taskComplete is not a boolean", value.get("taskComplete"), bool),
        ("message is not a string", value.get("message"), str),
        ("payloadChangeRequest is not an object", value.get("payloadChangeRequest"), dict),
        ("responseForm is not an object", value.get("responseForm"), dict),
        ("nextStep is not an object", step, dict),
        ("nextStep.type is not a string", step.get("type") if isinstance(step, dict) else None, str),
        ("nextStep.actions is not an array", step.get("actions") if isinstance(step, dict) else None, list),
        ("nextStep.subAgents is not an array", step.get("subAgents") if isinstance(step, dict) else None, list),
    ]
    return [what for what, found, wanted in asked if found is not None and not isinstance(found, wanted)]


def _native(turn: RawTurn, text: str | None) -> list[ExplainedRule]:
    calls = [(call.name, call.arguments) for call in turn.tool_calls or ()]
    by_role = sort_calls(calls, turn.control_tool_map or {})
    fired = native_rule(by_role)
    rules = [_rule("turn 2", "there are tool calls", "noted", "the calls decide; the protocol is not asked")]
    if text is not None:
        shadow = read_object(text, why=False).value
        said = "narration: it is no JSON object" if shadow is None else f"a shadow envelope: it would have decided {classify(read_envelope(shadow)).kind}"
        rules.append(_rule("native", "the text beside the calls", "noted", said))
    for rule in NATIVE_RULES:
        if rule is fired:
            break
        rules.append(_rule(f"native {rule.number}", rule.condition, "passed"))
    deciding = [calls[place][0] for places in _deciding(fired.number, by_role) for place in places]
    return [*rules, _rule(f"native {fired.number}", fired.condition, "fired", f"{fired.kind}: {', '.join(deciding[:8]) or 'no call that counts'}")]


def _deciding(number: str, by_role: Any) -> list[list[int]]:
    rows = {"1": by_role.chats[:1], "2": by_role.completions[:1], "3a": by_role.delegations, "3b": by_role.others, "3c": by_role.writes[:1]}
    return [rows[number]]


def _warnings(turn: RawTurn, decision: ObservedDecision, text: str | None) -> list[str]:
    warnings = []
    if text is not None and decision.encoding in ("text", "native") and looks_like_broken_envelope(text):
        ending = "it counts as an answer that completes the task" if decision.encoding == "text" else "it counts as narration"
        warnings.append(f"the text looks like an envelope that is broken, and {ending}")
    if decision.dual_channel:
        strict = "an envelope" if looks_like_envelope(text) else "a JSON object, though not an envelope in the strict sense of the runtime"
        warnings.append(f"the text beside the calls is {strict}: it would have decided {decision.shadow_envelope_kind}")
    if decision.placeholder_call:
        warnings.append("every call says nothing: it was probably made only because a call could be made")
    if decision.envelope_parsed and decision.kind == "other" and (decision.actions or decision.sub_agents):
        warnings.append(f"the step type {decision.step_type!r} is unknown and keeps what is listed from being inferred")
    return warnings


def _reads(decision: ObservedDecision) -> str:
    listed = [f"{len(decision.actions)} action{'s' * (len(decision.actions) != 1)}" if decision.actions else "", _agents(decision)]
    return " with ".join([decision.kind, " and ".join(part for part in listed if part)]) if any(listed) else decision.kind


def _agents(decision: ObservedDecision) -> str:
    return f"sub-agents {', '.join(agent.name for agent in decision.sub_agents[:8])}" if decision.sub_agents else ""


def _keys(value: dict[str, Any]) -> str:
    keys = list(value)[:8]
    return ", ".join(key[:40] for key in keys) + ("…" if len(value) > len(keys) else "") if keys else "no keys"


def _rule(rule: str, condition: str, outcome: Literal["fired", "passed", "noted"], detail: str | None = None) -> ExplainedRule:
    return ExplainedRule(rule=rule, condition=condition, outcome=outcome, detail=detail)
