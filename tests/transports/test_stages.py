"""Stages are checked together, frozen when an interaction is prepared, and cost what they say."""

from __future__ import annotations

from typing import Any

import pytest

import agentnb.transports as tr
from agentnb.errors import AdapterError, ResolveError, SchemaBudgetExceeded, StageError, UnknownStage
from tests.transports.made import STAGES, catalog, prepared, transport


def staged(stages: Any) -> tr.StageTransport:
    return tr.StageTransport("t", tools=catalog(), stages=stages)


@pytest.mark.parametrize(
    ("stages", "code", "position"),
    [
        ([], "empty_stages", None),
        ([{"id": "a", "tool_ids": ["greet"]}, {"id": "a", "tool_ids": ["greet"]}], "duplicate_stage", 1),
        ([{"id": "a", "tool_ids": ["nope"]}], "unknown_tool", 0),
        ([{"id": "a", "tool_ids": []}], "empty_stage", 0),
        ([{"id": "a", "tool_ids": ["greet", "greet"]}], "duplicate_stage_tool", 0),
        ([{"id": "a", "tool_ids": "greet"}], "bad_tool_ids", 0),
        ([{"id": " ", "tool_ids": ["greet"]}], "bad_stage_id", 0),
        (["a"], "bad_stage", 0),
        ({"id": "a"}, "bad_stage", None),
    ],
)
def test_stages_that_cannot_be_are_told_by_their_code(stages: Any, code: str, position: int | None) -> None:
    with pytest.raises(StageError) as caught:
        staged(stages)
    assert (caught.value.code, caught.value.issues[0].position) == (code, position)


def test_everything_that_is_wrong_with_stages_is_told_at_once() -> None:
    with pytest.raises(StageError) as caught:
        staged([{"id": "a", "tool_ids": ["nope"]}, {"id": "a", "tool_ids": []}])
    assert [(issue.code, issue.position) for issue in caught.value.issues] == [("unknown_tool", 0), ("duplicate_stage", 1), ("empty_stage", 1)]


def test_a_stage_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(UnknownStage) as caught:
        transport().prepare("zzz")
    assert caught.value.known == ("recognize", "status-only", "full")
    assert isinstance(caught.value, KeyError)


@pytest.mark.parametrize(("stage", "native", "json", "instruction"), [("recognize", 228, 212, 481), ("status-only", 116, 107, 376), ("full", 422, 399, 668)])
def test_the_sizes_of_a_stage(stage: str, native: int, json: int, instruction: int) -> None:
    by_function, by_text = prepared(stage), prepared(stage, "json")
    assert (by_function.schema_chars, by_function.instruction, by_function.total_input_chars) == (native, None, native)
    assert (by_text.schema_chars, by_text.instruction_chars, by_text.total_input_chars) == (json, instruction, instruction)


def test_sizes_are_told_by_tool() -> None:
    assert dict(prepared().schema_chars_by_tool) == {"weather.lookup": 193, "greet": 111, "status": 114}


def test_the_teaching_text_costs_the_same_for_any_tools() -> None:
    assert {prepared(stage["id"], "json").instruction_chars - prepared(stage["id"], "json").schema_chars for stage in STAGES} == {269}  # type: ignore[arg-type]


def test_a_json_interaction_asks_for_json_and_nothing_else() -> None:
    assert prepared("full", "json").options.to_dict() == {"json": True}
    native = prepared("status-only").options.to_dict(by_alias=True)
    assert list(native) == ["functions", "toolChoice", "parallelToolCalls"]
    assert (native["toolChoice"], native["parallelToolCalls"]) == ("required", False)


def test_a_budget_is_charged_the_schemas_and_may_be_met_exactly() -> None:
    assert transport(schema_budget=116).prepare("status-only").schema_chars == 116
    with pytest.raises(SchemaBudgetExceeded) as caught:
        transport(schema_budget=115).prepare("status-only")
    assert (caught.value.chars, caught.value.budget, caught.value.by_tool) == (116, 115, {"status": 114})
    assert transport(schema_budget=115).prepare("status-only", adapter="json").schema_chars == 107
    assert transport(schema_budget=1).prepare("status-only", schema_budget=116).schema_chars == 116


def test_what_was_prepared_does_not_follow_its_source() -> None:
    offered = ["status"]
    moving = staged(lambda: [{"id": "a", "tool_ids": offered}])
    before = moving.prepare("a")
    offered.append("greet")
    after = moving.prepare("a")
    assert [len(item.options.functions or ()) for item in (before, after)] == [1, 2]
    greet = tr.ModelSelection(tool_id="greet", input={})
    with pytest.raises(ResolveError, match="tool_not_in_stage"):
        before.resolve(greet, "a")
    assert after.resolve(greet, "a") == "greet"
    assert before.stage_digest != after.stage_digest


def test_a_source_that_fails_leaves_what_was_prepared() -> None:
    offered = ["status"]
    moving = staged(lambda: [{"id": "a", "tool_ids": offered}])
    before = moving.prepare("a")
    offered.clear()
    with pytest.raises(StageError):
        moving.prepare("a")
    assert before.resolve(tr.ModelSelection(tool_id="status", input={}), "a") == "status"


def test_a_tool_may_be_in_no_stage() -> None:
    assert staged([{"id": "a", "tool_ids": ["greet"]}]).unused_tool_ids == ("status", "weather.lookup")


def test_every_response_is_new() -> None:
    interaction = prepared()
    assert interaction.create_response() is not interaction.create_response()


def test_no_adapter_stands_in_for_another() -> None:
    with pytest.raises(AdapterError, match="unknown_adapter"):
        transport().prepare("full", adapter="xml")
    with pytest.raises(AdapterError, match="duplicate_adapter"):
        tr.AdapterCatalog([tr.JsonAdapter(), tr.JsonAdapter()])
    only = tr.StageTransport("t", tools=catalog(), stages=STAGES, adapters=tr.AdapterCatalog([tr.NativeAdapter()]))
    with pytest.raises(AdapterError, match="unknown_adapter"):
        only.prepare("full", adapter="json")


def test_an_adapter_of_your_own_is_checked() -> None:
    class Silent:
        id = "silent"

        def prepare(self, projection: Any) -> tr.AdapterOutput:
            return tr.AdapterOutput(tr.ModelOptions(), 0, {}, None, lambda: tr.TextCollector())

    own = tr.StageTransport("t", tools=catalog(), stages=STAGES, adapter="silent", adapters=tr.AdapterCatalog([Silent()]))
    with pytest.raises(AdapterError, match="neither functions nor an instruction"):
        own.prepare("full")


def test_a_wrong_extraction_is_told() -> None:
    with pytest.raises(AdapterError, match="strict, fenced, embedded"):
        tr.JsonAdapter(extraction="loose")  # type: ignore[arg-type]  # the mistake that is tested
