"""MLflow: traces of version 2 and 3, alone, in lists and lines, as rows of a table, and in notebooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "mlflow"


def span(span_id: str, kind: str, second: int, inputs: Any, outputs: Any, parent: str | None = None, **attributes: Any) -> dict[str, Any]:
    told = {"mlflow.spanType": kind, "mlflow.spanInputs": inputs, "mlflow.spanOutputs": outputs, **attributes}
    start = 1_775_000_000_000_000_000 + second * 10**9
    return {
        "trace_id": "AAAAAAAAAAAAAAAAAAAAAQ==", "span_id": span_id, "parent_span_id": parent, "name": span_id, "start_time_unix_nano": start,
        "end_time_unix_nano": start + 10**9, "status": {"code": "STATUS_CODE_OK"}, "events": [],
        "attributes": {name: json.dumps(value) for name, value in told.items()},
    }  # fmt: skip


def trace(*spans: dict[str, Any], **info: Any) -> dict[str, Any]:
    return {"info": {"trace_id": "tr-1", "state": "OK", "trace_metadata": {}, "tags": {}} | info, "data": {"spans": list(spans)}}


def read_value(folder: Path, value: Any) -> Rows:
    path = folder / "trace.json"
    path.write_text(json.dumps(value))
    return read(path)


ASKED = {"messages": [{"role": "user", "content": "Is it wet?"}]}
SAID = {"choices": [{"message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}]}
MODEL = span("m", "CHAT_MODEL", 1, ASKED, SAID)


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("mlflow", outline_of(read(SAMPLES)))


def test_the_traces_of_a_session_are_turns_of_one_conversation() -> None:
    rows = read(SAMPLES / "bakery.traces.json")
    assert [(turn.prompt, turn.state) for turn in rows.turns] == [("How much flour for two loaves?", "done"), ("Is the oven hot?", "failed")]
    assert texts_of(rows) == ["You bake.", "How much flour for two loaves?", "One kilogram.", "Is the oven hot?"]
    assert account_of(rows) == (7, 7, 0, 0)


def test_tokens_and_cost_are_those_of_the_model_calls() -> None:
    models = calls_of(read(SAMPLES / "bakery.traces.json"), "model")
    assert [(model.input_tokens, model.output_tokens, model.cached_tokens, model.cost) for model in models] == [
        (30, 5, 10, 0.0011),
        (44, 4, None, 0.0009),
        (60, 6, None, None),
    ]


def test_what_was_raised_is_the_error_of_the_tool_and_of_the_turn() -> None:
    rows = read(SAMPLES / "bakery.traces.json")
    assert [(call.name, call.error) for call in rows.calls if call.failed] == [
        ("bake", "TimeoutError: the oven does not answer"),
        ("oven", "TimeoutError: the oven does not answer"),
    ]


def test_what_people_found_is_a_label_with_its_reasons_beside_it() -> None:
    (conversation,) = read(SAMPLES / "bakery.traces.json").conversations
    assert json.loads(conversation.labels or "") == {"user": "lena", "stage": "trial", "correct": True}
    assert json.loads(conversation.extra or "")["traces"]["tr-b1"]["assessments"][0]["rationale"] == "Weighed it."


def test_the_older_version_is_read_and_a_trace_that_is_not_over_is_running() -> None:
    rows = read(SAMPLES / "clock.v2.jsonl")
    assert [(turn.state, turn.prompt, turn.answer) for turn in rows.turns] == [("running", "What time is it?", "Noon.")]
    assert [(call.name, call.input) for call in calls_of(rows)] == [("search", '{"query":"time"}')]
    assert (codes(rows), account_of(rows)) == ({"empty_trace": 1}, (4, 3, 0, 1))


@pytest.mark.parametrize(
    "form",
    [
        lambda value: value,
        lambda value: [value],
        lambda value: {"traces": [value]},
        lambda value: [{"trace_id": "tr-1", "trace": json.dumps(value), "state": "OK"}],
        lambda value: {"cells": [{"outputs": [{"data": {"application/databricks.mlflow.trace": json.dumps(value)}}]}], "nbformat": 4},
        lambda value: {"cells": [{"outputs": [{"data": {"application/databricks.mlflow.trace": json.dumps([json.dumps(value)])}}]}], "nbformat": 4},
    ],
    ids=["object", "list", "traces", "rows of a table", "notebook", "notebook with several"],
)
def test_a_trace_is_found_wherever_it_is_kept(tmp_path: Path, form: Any) -> None:
    rows = read_value(tmp_path, form(trace(MODEL)))
    assert ([source.format for source in rows.sources], [turn.answer for turn in rows.turns]) == (["mlflow"], ["Yes."])


def test_ids_in_base64_are_written_in_hexadecimal_digits(tmp_path: Path) -> None:
    rows = read_value(tmp_path, trace(MODEL | {"span_id": "AAAAAAAAAP8="}))
    assert [model.call_id for model in calls_of(rows, "model")] == ["tr-1/00000000000000ff/00000000000000ff"]


def test_an_error_that_the_agent_dealt_with_leaves_the_turn_as_it_is(tmp_path: Path) -> None:
    failed = span("t", "TOOL", 2, {}, None, "top") | {"status": {"code": "STATUS_CODE_ERROR", "message": "too wet"}}
    rows = read_value(tmp_path, trace(span("top", "CHAIN", 0, ASKED, SAID), failed, span("m", "CHAT_MODEL", 3, ASKED, SAID, "top")))
    assert [(call.name, call.error) for call in rows.calls if call.failed] == [("t", "too wet")]
    assert rows.turns[0].state == "done"


def test_a_span_that_is_no_object_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = read_value(tmp_path, {"info": {"trace_id": "tr-1"}, "data": {"spans": [7, MODEL]}})
    assert (account_of(rows), codes(rows)) == ((2, 1, 0, 1), {"no_span": 1})


def test_spans_of_other_tools_are_left_to_their_readers(tmp_path: Path) -> None:
    other = [{"trace_id": "ab", "span_id": "cd", "attributes": {"gen_ai.operation.name": "chat"}, "name": "chat", "start_time": 1, "end_time": 2}]
    (tmp_path / "spans.json").write_text(json.dumps({"session_id": "s", "span_count": 1, "spans": other}))
    assert [source.format for source in read(tmp_path).sources] != ["mlflow"]
