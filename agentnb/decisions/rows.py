"""What did each step of a whole workspace decide? As columns of the `decisions` table, without a value per step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.decisions._decide import EMPTY, Decided, decide
from agentnb.decisions._json import parse_json, whole, write_json
from agentnb.decisions._native import Call
from agentnb.decisions.wellformed import Demands, Facts, demands, find_problem
from agentnb.values.decisions import ControlToolRole

COLUMNS: Final = (
    "decision_id", "kind", "encoding", "actions", "sub_agents", "message", "task_complete", "payload_change", "envelope_parsed", "step_type", "diagnostic",
    "diagnostic_category", "concatenated_objects", "dual_channel", "shadow_envelope_kind", "narration_with_calls", "placeholder_call", "discarded",
    "well_formed", "well_formed_reason",
)  # fmt: skip
"""Columns of the table, in order; `actions`, `sub_agents`, `payload_change` and `discarded` are JSON, and an empty list is null there."""

_NOTHING: Final[dict[str, Any]] = {}


class StepTurn(NamedTuple):
    """One step, as the columns of `calls` and `parts` have it."""

    decision_id: str
    """The step's call id."""
    text: str | None = None
    """What the model said, without reasoning."""
    tool_names: Sequence[str | None] = ()
    """Names of the tools it called, in order."""
    tool_inputs: Sequence[str | None] = ()
    """Their arguments as JSON texts, each beside its name."""
    protocol: str | None = None
    """envelope, hybrid or implicit, as far as the recording tells."""
    finish_reason: str | None = None
    """Why the model stopped."""
    error: str | None = None
    """What went wrong with the model call."""
    tool_name_map: Mapping[str, str] | None = None
    """Names on the wire to names of Actions."""
    control_tool_map: Mapping[str, ControlToolRole] | None = None
    """Names of control tools to their roles."""


def decide_rows(steps: Iterable[StepTurn], *, wanted: Demands | None = None) -> dict[str, list[Any]]:
    """Decide many steps at once.

    It is the same function that `normalize_decision` calls, so that a row always says what the value says.

    Args:
        steps: the steps, in the order of the rows; plain tuples in the order of `StepTurn`'s fields will do.
        wanted: what well-formedness demands, as `demands` makes it; MemberJunction's demands by default.

    Returns:
        One list for each of `COLUMNS`. Texts hold no lone surrogates, which no table takes.
    """
    asked = demands() if wanted is None else wanted
    rows = [_row(step, asked) for step in steps]
    return dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)) if rows else {column: [] for column in COLUMNS}


def _row(step: StepTurn | tuple[Any, ...], wanted: Demands) -> tuple[Any, ...]:
    identity, text, names, inputs, protocol, finish_reason, error, name_map, control_map = step
    calls = _calls(names, inputs) if names else ()
    decided = decide(text, calls, name_map or _NOTHING, control_map or _NOTHING, protocol) if calls or text else EMPTY
    facts = Facts(decided.kind, decided.encoding, decided.envelope_parsed, decided.step_type, decided.diagnostic, finish_reason, error)
    problem = find_problem(facts, wanted)
    return (identity, *_columns(decided), problem is None, None if problem is None else problem.reason)


def _columns(decided: Decided) -> tuple[Any, ...]:
    return (
        decided.kind,
        decided.encoding,
        write_json([{"name": name, "params": params} for name, params in decided.actions]) if decided.actions else None,
        write_json([_agent(name, message) for name, message in decided.sub_agents]) if decided.sub_agents else None,
        whole(decided.message),
        decided.task_complete,
        None if decided.payload_change is None else write_json(decided.payload_change),
        decided.envelope_parsed,
        whole(decided.step_type),
        whole(decided.diagnostic),
        decided.category,
        decided.objects,
        decided.dual_channel,
        decided.shadow_kind,
        decided.narration,
        decided.placeholder,
        write_json([{"what": what, "name": name, "reason": reason} for what, name, reason, _ in decided.discarded]) if decided.discarded else None,
    )


def _agent(name: str, message: str | None) -> dict[str, str]:
    return {"name": name} if message is None else {"name": name, "message": message}


def _calls(names: Sequence[str | None], inputs: Sequence[str | None]) -> list[Call]:
    return [(name or "", _arguments(inputs[place]) if place < len(inputs) else None) for place, name in enumerate(names)]


def _arguments(text: str | None) -> Any:
    """Return a call's arguments: an object as a rule; a text that is not JSON counts as none, as a text that is a JSON string does."""
    if not text:
        return None
    if text == "{}":
        return {}
    parsed = parse_json(text)
    return parsed.value if parsed.error is None else text
