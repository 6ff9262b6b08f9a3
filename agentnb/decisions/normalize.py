"""What did this turn decide? Whatever form a model chose, the answer is one record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentnb.decisions._decide import Decided, decide
from agentnb.errors import TurnError
from agentnb.values.decisions import Discarded, ObservedAction, ObservedDecision, ObservedSubAgent, RawTurn

_NOTHING: dict[str, Any] = {}


def normalize_decision(raw: RawTurn | Mapping[str, Any]) -> ObservedDecision:
    """Map a raw turn to the one decision it makes: an envelope, native calls and plain text that say the same give the same.

    The rules are those of MemberJunction's decision normalizer, its quirks included, so that results agree; `explain_decision` says what they did.
    Nothing that a model put out raises.

    Args:
        raw: the turn, as a `RawTurn` or as a mapping with its fields in camelCase or snake_case; further fields are ignored.

    Returns:
        The decision.

    Raises:
        TurnError: what was given is no turn: not a mapping, tool calls that are no list, a call without a name. It is a TypeError.

    Example:
        normalize_decision({"text": '{"taskComplete": true}'}).kind  # "taskComplete"
    """
    turn = read_turn(raw)
    calls = [(call.name, call.arguments) for call in turn.tool_calls or ()]
    return observed(decide(turn.text, calls, turn.tool_name_map or _NOTHING, turn.control_tool_map or _NOTHING, turn.protocol))


def read_turn(raw: RawTurn | Mapping[str, Any]) -> RawTurn:
    """Read a raw turn from a mapping.

    Raises:
        TurnError: it is no turn; the message says which field.
    """
    if isinstance(raw, RawTurn):
        return raw
    if not isinstance(raw, Mapping):
        raise TurnError(f"a raw turn is a RawTurn or a mapping with text, toolCalls, protocol, …, not {type(raw).__name__}")
    return RawTurn.model_validate({name: raw[name] for name in _KEYS if name in raw})


def observed(decided: Decided) -> ObservedDecision:
    """Make the value of what was decided."""
    return ObservedDecision(
        kind=decided.kind,
        encoding=decided.encoding,
        actions=tuple(ObservedAction(name=name, params=params) for name, params in decided.actions),
        sub_agents=tuple(ObservedSubAgent(name=name, message=message) for name, message in decided.sub_agents),
        message=decided.message,
        task_complete=decided.task_complete,
        payload_change=decided.payload_change,
        envelope_parsed=decided.envelope_parsed,
        step_type=decided.step_type,
        diagnostic=decided.diagnostic,
        diagnostic_category=decided.category,
        concatenated_objects=decided.objects,
        dual_channel=decided.dual_channel,
        shadow_envelope_kind=decided.shadow_kind,
        narration_with_calls=decided.narration,
        placeholder_call=decided.placeholder,
        discarded=tuple(Discarded(what=what, name=name, reason=reason, content=content) for what, name, reason, content in decided.discarded),
    )


_KEYS = tuple(key for name, field in RawTurn.model_fields.items() for key in (field.alias or name, name))
