"""A row of the table always says what the value says."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.decisions import COLUMNS, StepTurn, check_well_formed, decide_rows, normalize_decision
from agentnb.decisions._json import whole
from agentnb.values import ControlToolRole, ObservedDecision
from tests.decisions.test_hostile import ENVELOPES, JSON_VALUES, PIECES
from tests.decisions.turns import NAMES, ROLES

CONTROLS = {name: ControlToolRole(**role) for name, role in ROLES.items()}
TEXTS = st.one_of(st.none(), st.text(), PIECES.map("".join), ENVELOPES.map(json.dumps))
CALLS = st.lists(
    st.tuples(st.sampled_from([*ROLES, *NAMES, "other", ""]), st.one_of(st.none(), JSON_VALUES.map(json.dumps), ENVELOPES.map(json.dumps))), max_size=4
)


def from_value(decision: ObservedDecision, finish_reason: str | None, error: str | None) -> dict[str, Any]:
    """What a row should say, from the value."""
    record, judged = decision.record(), check_well_formed(decision, finish_reason=finish_reason, execution_error=error)
    row: dict[str, Any] = {name: getattr(decision, name, None) for name in COLUMNS[1:]}
    for column, key in (("actions", "actions"), ("sub_agents", "subAgents"), ("payload_change", "payloadChange")):
        row[column] = record.get(key) if column == "payload_change" or record.get(key) else None
    row["discarded"] = [{"what": one.what, "name": one.name, "reason": one.reason} for one in decision.discarded] or None
    return row | {"well_formed": judged.passed, "well_formed_reason": judged.reason}


def comparable(value: Any) -> Any:
    """Take the difference between a value and its JSON away: surrogates escaped, infinities null."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, float):
        return value if abs(value) < 1e308 else None
    if isinstance(value, dict):
        return {whole(key): comparable(item) for key, item in value.items()}
    return [comparable(item) for item in value] if isinstance(value, (list, tuple)) else value


@settings(derandomize=True, max_examples=400, deadline=None)
@given(text=TEXTS, calls=CALLS, protocol=st.sampled_from([None, "implicit", "hybrid"]), reason=st.sampled_from([None, "stop", "LENGTH"]), mapped=st.booleans())
def test_a_row_says_what_the_value_says(text: str | None, calls: list[tuple[str, str | None]], protocol: str | None, reason: str | None, mapped: bool) -> None:
    step = StepTurn(
        "s1", text, [name for name, _ in calls], [put for _, put in calls], protocol, reason, None, NAMES if mapped else None, CONTROLS if mapped else None
    )
    parsed = [{"name": name, "arguments": None if put is None else strict(put)} for name, put in calls]
    decision = normalize_decision(
        {"text": text, "toolCalls": parsed, "protocol": protocol, "toolNameMap": NAMES if mapped else None, "controlToolMap": ROLES if mapped else None}
    )
    rows = decide_rows([step])
    assert list(rows) == list(COLUMNS)
    row = {name: column[0] for name, column in rows.items()}
    assert row.pop("decision_id") == "s1"
    for name in ("actions", "sub_agents", "payload_change", "discarded"):
        row[name] = None if row[name] is None else json.loads(row[name])
    assert comparable(row) == comparable(from_value(decision, reason, None))


def strict(text: str) -> Any:
    """Parse as the table's inputs are parsed: what is not strict JSON stays a text."""

    def refuse(name: str) -> Any:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=refuse)
    except ValueError:
        return text


def test_no_steps_are_empty_columns() -> None:
    assert decide_rows([]) == {column: [] for column in COLUMNS}


def test_many_steps_stay_in_order() -> None:
    rows = decide_rows([StepTurn(str(place), "Done.", protocol="implicit") for place in range(100)])
    assert rows["decision_id"] == [str(place) for place in range(100)]
    assert set(rows["kind"]) == {"taskComplete"}


def test_names_without_inputs_and_inputs_that_are_not_json_are_taken() -> None:
    rows = decide_rows([StepTurn("a", None, ["x", None], ["{broken"])])
    assert json.loads(rows["actions"][0]) == [{"name": "x", "params": {}}, {"name": "", "params": {}}]
    assert json.loads(rows["discarded"][0]) == [{"what": "argument", "name": "x", "reason": "its arguments are not an object"}]


def test_a_failed_call_is_not_well_formed_and_says_why() -> None:
    rows = decide_rows([StepTurn("a", "hello", error="429"), StepTurn("b", "hello"), StepTurn("c", None, ["x"], ["{}"], finish_reason="length")])
    assert rows["well_formed"] == [False, False, False]
    assert rows["well_formed_reason"] == ["execution_error", "unparseable", "finish_reason"]


def test_texts_of_a_row_can_be_stored() -> None:
    rows = decide_rows([StepTurn("a", '{"message": "\\ud800", "nextStep": {"type": "\\udfff"}}')])
    for column in ("message", "step_type"):
        rows[column][0].encode("utf-8")
    assert rows["message"] == ["\\ud800"]
