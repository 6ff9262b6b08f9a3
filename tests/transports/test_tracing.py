"""Where a selection broke: traces, frames for a slider, other stages and adapters, and rows for the tables."""

from __future__ import annotations

import json
from typing import Any

import pytest

import agentnb.transports as tr
from agentnb.transports.columns import MODEL_PARTS, MODEL_SELECTIONS
from agentnb.values.model_parts import ModelPartRow
from agentnb.values.model_selections import ModelSelectionRow
from tests.transports.made import CALLED, LENGTH, STOP, W, call, catalog, definitions, prepared, trace, transport

CHUNKS = [
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": W, "arguments": '{"ci'}}]}}]},
    {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": 'ty":oops}'}}]}}]},
    {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
]


def test_a_trace_says_its_outcome_in_a_line() -> None:
    assert str(trace(call(0, "a", "forecast", "{}"), CALLED)) == "broken at part 0 of 2: unknown_tool"
    assert str(trace(call(0, "a", W))) == "cut after 1 parts: arguments_incomplete"
    assert str(trace(call(0, "a", "status", "{}"), CALLED)) == "ok after 2 parts"


def test_recorded_objects_are_parts_too() -> None:
    recorded = [{"kind": "call", "index": 0, "id": "a", "name": "status", "arguments": "{}"}, {"kind": "finish", "reason": "stop"}]
    assert trace(*recorded) == trace(call(0, "a", "status", "{}"), STOP)
    assert [tr.read_part(part.record()) for part in (call(0, "a", "x", {"b": 1}), STOP)] == [call(0, "a", "x", {"b": 1}), STOP]
    for wrong in (3, {"kind": "song"}, {"kind": "finish", "reason": "tired"}):
        with pytest.raises(TypeError, match="part"):
            trace(wrong)


def test_frames_hold_what_had_come_and_where_it_breaks() -> None:
    frames = tr.replay_frames(prepared(), CHUNKS, dialect="openai-chat")
    assert len(frames) == 3
    assert (frames[0].verdict, frames[0].arguments, frames[0].place) == ("pending", '{"ci', None)
    broken = frames[1]
    assert (broken.verdict, broken.code, broken.arguments, broken.place) == ("doomed", "arguments_invalid", '{"city":oops}', 8)
    assert broken.call == tr.SelectedCall(id="a", name=W, argument_chars=13)
    assert broken.part == {"kind": "call", "index": 0, "arguments": 'ty":oops}'}
    assert frames[0] == frames[-3]
    assert frames[1:] == (broken, frames[2])
    with pytest.raises(IndexError):
        frames[3]


def test_a_frame_of_a_session_is_about_the_call_that_broke() -> None:
    session = tr.SessionTransport("chat", tools=catalog()).prepare()
    frame = tr.replay_frames(session, ["Hm. ", call(0, "a", "status", "[]"), call(1, "b", W, '{"city"'), CALLED])[-1]
    assert (frame.call and frame.call.id, frame.arguments, frame.text, frame.place) == ("a", "[]", "Hm. ", 0)


def test_the_same_answer_under_another_stage_or_adapter() -> None:
    parts = [call(0, "a", W, '{"city":"Oslo"}'), CALLED]
    assert tr.what_if(parts, transport(), stage="full").outcome == "ok"
    assert tr.what_if(parts, transport(), stage="recognize").code == "tool_not_in_stage"
    assert tr.what_if(parts, transport(), stage="full", adapter="json").code == "unexpected_call"
    assert tr.what_if(CHUNKS, transport(), stage="full", dialect="openai-chat").code == "arguments_invalid"
    assert tr.what_if(["Hi."], tr.text_transport("text")).outcome == "ok"
    assert tr.what_if(["Hi."], tr.SessionTransport("chat", tools=catalog())).outcome == "ok"


def test_a_grid_of_answers_by_stage_and_adapter() -> None:
    answers: dict[str, list[Any]] = {
        "weather": [call(0, "a", W, '{"city":"Oslo"}'), CALLED],
        "cut": [call(0, "a", "status", "{")],
        "text": ['{"tool":"status","input":{}}'],
    }
    grid = tr.what_if_grid(answers, transport())
    assert list(grid.index) == ["weather", "cut", "text"]
    assert grid[("full", "native")].tolist() == ["ok", "arguments_incomplete (cut)", "no_call (cut)"]
    assert grid[("status-only", "native")].tolist() == ["tool_not_in_stage", "arguments_incomplete (cut)", "no_call (cut)"]
    assert grid[("full", "json")].tolist() == ["unexpected_call", "unexpected_call", "ok"]


def test_what_each_stage_costs_under_each_adapter() -> None:
    compared = tr.compare_adapters(transport(schema_budget=200))
    assert compared[["stage", "adapter", "tools", "schema_chars", "total_input_chars", "budget_left"]].values.tolist() == [
        ["recognize", "native", 2, 228, 228, -28],
        ["recognize", "json", 2, 212, 481, -12],
        ["status-only", "native", 1, 116, 116, 84],
        ["status-only", "json", 1, 107, 376, 93],
        ["full", "native", 3, 422, 422, -222],
        ["full", "json", 3, 399, 668, -199],
    ]
    assert compared["wire_chars gemini"].tolist() == [255, 0, 143, 0, 449, 0]


def test_which_stage_offers_which_tool() -> None:
    matrix = tr.stage_matrix(transport())
    assert matrix["chars"].to_dict() == {"greet": 111, "status": 114, "weather.lookup": 193}
    assert matrix["full"].tolist() == [2, 3, 1]
    assert matrix["status-only"].isna().tolist() == [True, False, True]
    assert tr.stage_diff(transport(), "full", "status-only") == tr.StageDiff(("weather.lookup", "greet"), (), -306)


def traced(response_id: str, *parts: Any, session: bool = False, **more: Any) -> tr.TracedResponse:
    interaction = tr.SessionTransport("chat", tools=catalog()).prepare() if session else prepared()
    return tr.TracedResponse(response_id, tr.trace_selection(interaction, parts), parts, **more)


def test_rows_of_parts() -> None:
    columns = tr.model_part_columns([traced("r1", "Hm", call(0, "a\ud800", W, "{"), CALLED), traced("r2", STOP)])
    assert tuple(columns) == MODEL_PARTS == tuple(ModelPartRow.model_fields)
    rows = [ModelPartRow(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]
    assert rows[1] == ModelPartRow(
        response_id="r1",
        part_index=1,
        kind="call",
        call_index=0,
        call_id="a\\ud800",
        name=W,
        chars=1,
        output_chars=3,
        verdict="pending",
        code="arguments_incomplete",
    )
    assert [(row.response_id, row.part_index, row.verdict) for row in rows] == [
        ("r1", 0, "pending"),
        ("r1", 1, "pending"),
        ("r1", 2, "doomed"),
        ("r2", 0, "doomed"),
    ]


def test_rows_of_selections() -> None:
    columns = tr.model_selection_columns(
        [
            traced("r1", call(0, "a", W, '{"city":"\\ud800"}'), CALLED, turn_id="t", resolution="ok"),
            traced("r2", call(0, "b", "forecast", "{}"), LENGTH),
            traced("r3", call(0, "c", "status", "{}"), call(1, "d", "greet", "{}"), CALLED, session=True, resolution={1: "input_rejected"}),
            traced("r4", "Hello.", STOP, session=True),
        ]
    )
    assert tuple(columns) == MODEL_SELECTIONS
    rows = [ModelSelectionRow(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]
    assert [(row.response_id, row.selection_index, row.tool_id, row.call_id, row.code, row.broke_at, row.resolution) for row in rows] == [
        ("r1", 0, "weather.lookup", "a", None, None, "ok"),
        ("r2", 0, None, "b", "unknown_tool", 0, None),
        ("r3", 0, "status", "c", None, None, None),
        ("r3", 1, "greet", "d", None, None, "input_rejected"),
        ("r4", 0, None, None, None, None, None),
    ]
    assert rows[0].input == '{"city":"\\ud800"}'
    assert (rows[0].turn_id, rows[0].stage, rows[1].call_name, rows[1].finish_reason, rows[1].argument_chars) == ("t", "full", "forecast", "length", 2)
    assert json.dumps(columns["input"]).isascii()


def test_a_raw_turn_holds_every_call_also_those_that_cannot_be_parsed() -> None:
    interaction = tr.SessionTransport("chat", tools=catalog()).prepare()
    collector = interaction.create_response()
    parts: list[Any] = ["Hm.", call(0, "a", W, '{"city":"Oslo"}'), call(1, "b", "forecast", "{oops"), call(2, "c", "status")]
    for part in parts:
        collector.push(part)
    raw = tr.to_raw_turn(collector, interaction)
    assert raw.text == "Hm."
    assert [(item.name, item.arguments) for item in raw.tool_calls or ()] == [(W, {"city": "Oslo"}), ("forecast", None), ("status", {})]
    assert raw.tool_name_map == {"greet": "greet", "status": "status", W: "weather.lookup"}


def test_a_recording_made_with_other_tools_can_be_told() -> None:
    other = tr.define_model_tools([{**item, "description": "changed"} for item in definitions()])
    assert prepared().catalog_digest == catalog().digest != other.digest
