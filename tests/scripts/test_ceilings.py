"""A result over its tool's own ceiling is withheld whole; facts that disagree and values without a good source are found in the ledger."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from agentnb.scripts import ResultCeiling, Withheld, contingent_values, new_conflicts, withhold


def over(result: Any, ceiling: ResultCeiling) -> Withheld | None:
    return withhold(ceiling, result, tool="query", tool_call_id="c1", iteration=2)


def test_a_result_of_just_the_ceiling_passes() -> None:
    assert over("x" * 100, ResultCeiling(max_chars=100)) is None


def test_a_result_over_the_ceiling_is_refused_by_name_and_size_and_how_to_ask_for_less() -> None:
    refused = over("x" * 101, ResultCeiling(max_chars=100, narrow_by=("limit", "fields")))
    assert refused is not None
    assert all(word in refused.text for word in ("query", "101", "100", "limit", "fields"))
    assert "xx" not in refused.text
    assert refused.event == {"toolName": "query", "toolCallId": "c1", "iteration": 2, "sizeChars": 101, "maxChars": 100, "narrowBy": ["limit", "fields"]}
    assert refused.status == "invalid"


def test_what_is_no_text_is_measured_as_compact_json() -> None:
    result = {"rows": ["x" * 10] * 7, "n": 1}
    refused = over(result, ResultCeiling(max_chars=50))
    assert refused is not None
    assert refused.event["sizeChars"] == len('{"rows":[' + ",".join(['"xxxxxxxxxx"'] * 7) + '],"n":1}')
    assert "narrowBy" not in refused.event
    assert "Ask again" not in refused.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_chars": 0}, {"max_chars": -1}, {"max_chars": 1.5}, {"max_chars": float("nan")}, {"max_chars": True}, {"maxChars": 5, "narrowBy": []},
        {"max_chars": 5, "narrow_by": [" "]}, {"max_chars": 5, "narrow_by": [5]},
    ],
)  # fmt: skip
def test_a_ceiling_that_cannot_be_is_refused_when_it_is_defined(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ResultCeiling.model_validate(wrong)


def standing(call: str, standing_: str, value: str | None = None) -> dict[str, Any]:
    assertions = [{"subject": {"kind": "port", "id": "fc1"}, "predicate": "state", "value": value}] if value is not None else []
    return {"kind": "standing", "toolCallId": call, "standing": standing_, "assertions": assertions}


def test_a_used_value_is_contingent_when_the_model_had_set_every_source_aside() -> None:
    rows = [standing("c1", "noise"), standing("c2", "fact")]
    carriers = {"fc1/7": ["c1"], "fc2/9": ["c2"], "sw-01": ["c1", "c2"], "sw-02": ["c1", "c3"]}
    found = contingent_values(carriers, rows, declared_on="answer", iteration=4)
    assert [(row["value"], row["carriers"]) for row in found] == [("fc1/7", [{"toolCallId": "c1", "standing": "noise"}])]


def test_the_last_standing_of_a_result_holds() -> None:
    assert contingent_values({"fc1/7": ["c1"]}, [standing("c1", "open"), standing("c1", "fact")], declared_on="answer", iteration=1) == []


def test_nothing_is_concluded_from_a_part_of_the_evidence() -> None:
    noise = [standing(f"c{number}", "noise") for number in range(9)]
    nine = {"v": [f"c{number}" for number in range(9)]}
    assert contingent_values(nine, noise, declared_on="answer", iteration=1) == []
    assert contingent_values({"v": ["c1"]}, noise, declared_on="answer", iteration=1, truncated=True) == []
    assert contingent_values({"v": ["c1"]}, noise, declared_on="answer", iteration=1, cut=["v"]) == []
    assert contingent_values({"v": []}, noise, declared_on="answer", iteration=1) == []


def test_facts_that_disagree_conflict_once_per_key() -> None:
    rows: list[Any] = [standing("c1", "fact", "up"), standing("c2", "fact", "down")]
    (conflict,) = new_conflicts(rows, iteration=3)
    assert [witness["toolCallId"] for witness in conflict["witnesses"]] == ["c1", "c2"]
    assert new_conflicts([*rows, conflict], iteration=4) == []


@pytest.mark.parametrize("other", [standing("c2", "ruled-out", "down"), standing("c2", "fact", "up"), standing("c2", "open", "down"), {"kind": "poem"}, 5])
def test_only_facts_with_different_values_conflict(other: Any) -> None:
    assert new_conflicts([standing("c1", "fact", "up"), other], iteration=1) == []
