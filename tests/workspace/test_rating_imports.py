"""Ratings of other tools: found by content, kept once, what was left out said, and the way back."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import agentnb as anb
from agentnb.ratings import verdict_of
from agentnb.render import plain_table
from agentnb.values import Call, Conversation, Turn
from agentnb.workspace import Workspace
from tests.workspace.recordings import count, workspace_of

TRACE, ROOT, MODEL, TOOL = "0f" * 16, "aaaa000000000001", "aaaa000000000002", "aaaa000000000003"
SPAN = json.dumps({"span_id": TOOL})
NOON = "2026-03-01T12:00:00.000000Z"


@pytest.fixture
def ws() -> Workspace:
    return trace_workspace()


def trace_workspace() -> Workspace:
    """Open a trace of another tool: a turn, a model call, and a tool call that has the id of the provider."""
    turn_id = f"talk/{ROOT}"
    known: dict[str, Any] = {"conversation_id": "talk", "turn_id": turn_id, "source_id": "s", "state": "done"}
    calls = [
        Call(call_id=turn_id, call_index=0, kind="agent", name="shop", extra=json.dumps({"trace_id": TRACE}), **known),
        Call(call_id=f"{turn_id}/{MODEL}", call_index=1, kind="model", name="made-1", parent_call_id=turn_id, **known),
        Call(
            call_id=f"{turn_id}/call_1",
            call_index=2,
            kind="tool",
            name="refund",
            parent_call_id=turn_id,
            output="12",
            extra=f'{{"span_id": "{TOOL}"}}',
            **known,
        ),
    ]
    turn = Turn(turn_id=turn_id, conversation_id="talk", turn_index=0, prompt="Refund?", answer="Done.", source_id="s")
    conversation = Conversation(conversation_id="talk", format="mlflow", source_id="s")
    made = workspace_of({"conversations": [conversation], "turns": [turn], "calls": calls})
    made.rater = "ana"
    return made


def rated(ws: Workspace) -> list[tuple[Any, ...]]:
    rows = ws.sql("from rated_calls select name, verdict, rated_by, note, answer, origin order by name, rated_by, rated_at").fetchall()
    return [tuple(row) for row in rows]


def phoenix(span: str = TOOL, label: Any = "correct", **fields: Any) -> dict[str, Any]:
    known = {"id": "U3Bhbg==", "span_id": span, "name": "correctness", "annotator_kind": "HUMAN", "identifier": "", "user_id": "ben", "created_at": NOON}
    return known | {"result": {"label": label, "score": None, "explanation": "as it should be"}, "metadata": {}} | fields


def mlflow(**fields: Any) -> dict[str, Any]:
    known = {"assessment_id": "a-1", "assessment_name": "correctness", "trace_id": TRACE, "source": {"source_type": "HUMAN", "source_id": "ben"}}
    return known | {"create_time": NOON, "feedback": {"value": True}, "rationale": "as it should be"} | fields


def langfuse(**fields: Any) -> dict[str, Any]:
    known = {"id": "s-1", "traceId": TRACE, "observationId": TOOL, "name": "correctness", "value": 1, "stringValue": None, "dataType": "BOOLEAN"}
    return known | {"source": "ANNOTATION", "authorUserId": "ben", "comment": "as it should be", "timestamp": NOON} | fields


def langsmith(**fields: Any) -> dict[str, Any]:
    known = {"id": "f-1", "run_id": TOOL, "key": "correctness", "score": 1, "value": None, "comment": "as it should be", "correction": None}
    return known | {"created_at": NOON, "feedback_source": {"type": "app", "user_id": "ben", "metadata": {}}} | fields


RIGHT = ("refund", "right", "ben", "as it should be", None, "import")


@pytest.mark.parametrize(
    ("form", "rows", "kept"),
    [
        ("phoenix", [phoenix()], RIGHT),
        ("phoenix", {"data": [phoenix()], "next_cursor": None}, RIGHT),
        ("phoenix", [{"context.span_id": TOOL, "label": "correct", "score": 1.0, "explanation": "as it should be"}], ("refund", "right", "ana", *RIGHT[3:])),
        ("mlflow", [mlflow(span_id=TOOL)], RIGHT),
        ("mlflow", [mlflow()], ("shop", *RIGHT[1:])),
        ("mlflow", {"info": {"trace_id": TRACE, "assessments": [mlflow()]}, "data": {"spans": []}}, ("shop", *RIGHT[1:])),
        ("mlflow", [{"trace_id": TRACE, "assessments": json.dumps([mlflow(name="correctness")])}], ("shop", *RIGHT[1:])),
        ("langfuse", [langfuse()], RIGHT),
        ("langfuse", {"data": [langfuse()], "meta": {"page": 1}}, RIGHT),
        ("langfuse", {"trace": {"id": TRACE, "scores": [langfuse()]}, "observations": []}, RIGHT),
        ("langfuse", [langfuse(observationId=None, stringValue="True", value=None)], ("shop", *RIGHT[1:])),
        ("langsmith", [langsmith()], RIGHT),
        ("langsmith", [langsmith(score=None, value="correct")], RIGHT),
        ("table", [{"call_id": TOOL, "verdict": "right", "rated_by": "ben", "note": "as it should be"}], RIGHT),
        ("functai", [{"functai_rating": 1, "id": "x", "call": TOOL, "at": NOON, "by": "ben", "verdict": "right", "note": "as it should be"}], RIGHT),
    ],
)
def test_a_form_is_found_by_content_and_says_the_same_from_a_file(form: str, rows: Any, kept: Any, ws: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "export"
    path.write_text(json.dumps(rows))
    found = ws.import_ratings(path)
    assert (found.forms, found.kept, found.already, found.left_out) == ((form,), 1, 0, ())
    assert rated(ws) == [kept]
    again = ws.import_ratings(rows)
    assert (again.kept, again.already) == (0, 1)
    assert count(ws, "ratings") == 1


def test_lines_csv_parquet_and_frames_are_read(ws: Workspace, tmp_path: Path) -> None:
    rows = [{"call_id": TOOL, "verdict": "wrong", "answer": "13", "rated_by": f"p{place}", "tags": "late;tone"} for place in range(2)]
    (tmp_path / "lines").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for delimiter in ",;\t":
        with (tmp_path / f"csv{ord(delimiter)}").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
    pq.write_table(pa.Table.from_pylist(rows), str(tmp_path / "parquet"))
    assert ws.import_ratings(pd.DataFrame(rows).set_index("call_id")).kept == 2
    for path in sorted(tmp_path.iterdir()):
        found = ws.import_ratings(path)
        assert (path.name, found.kept, found.already) == (path.name, 0, 2)
    assert [row[4] for row in rated(ws)] == ["13", "13"]
    assert ws.sql("from call_tags select distinct tag order by tag").fetchall() == [("late",), ("tone",)]


def test_what_was_left_out_is_listed_with_its_reason(ws: Workspace) -> None:
    rows: list[Any] = [
        phoenix("ffff000000000000"), phoenix(annotator_kind="LLM"), phoenix(label="grounded"), "no row", {"shape": 1}, phoenix(),
        {"call_id": TOOL, "verdict": 0.7},
        {"call_id": TOOL, "verdict": None, "answer": None, "tags": None},
    ]  # fmt: skip
    found = ws.import_ratings(rows)
    assert (found.kept, [one.row for one in found.left_out]) == (1, [0, 1, 2, 3, 4, 6, 7])
    reasons = [one.why for one in found.left_out]
    assert "no call here has this id" in reasons[0]
    assert "no person: judges=True" in reasons[1]
    assert "labels=" in reasons[2]
    assert "no form that is known" in reasons[3] == reasons[4]
    assert "threshold=" in reasons[5]
    assert "neither a verdict nor a right answer" in reasons[6]
    assert "ffff000000000000" in plain_table(found.table)
    assert "1 kept · 0 known already · 7 left out" in (found.table.title or "")


def test_labels_a_threshold_judges_and_ids_can_be_explained(ws: Workspace) -> None:
    assert ws.import_ratings([phoenix(label="grounded")], labels={"Grounded": "right"}).kept == 1
    assert ws.import_ratings([langsmith(score=0.7)], threshold=0.8).kept == 1
    assert ws.import_ratings([phoenix(annotator_kind="LLM", user_id="gpt", label=0)], judges=True).kept == 1
    assert ws.import_ratings([phoenix("elsewhere", user_id="eve")], calls={"elsewhere": TOOL}).kept == 1
    assert {(row[1], row[2]) for row in rated(ws)} == {("wrong", "ben"), ("wrong", "judge: gpt"), ("right", "eve")}
    with pytest.raises(anb.RatingError, match="'right' or 'wrong', not 'good'"):
        ws.import_ratings([phoenix()], labels={"grounded": "good"})


def test_several_criteria_are_no_one_verdict(ws: Workspace) -> None:
    rows = [phoenix(), phoenix(name="politeness", label="bad", id="2")]
    with pytest.raises(anb.RatingError, match=r"judge 2 criteria: 'correctness' \(1\), 'politeness' \(1\)"):
        ws.import_ratings(rows)
    assert count(ws, "ratings") == 0
    found = ws.import_ratings(rows, name="correctness")
    assert (found.kept, [one.why for one in found.left_out]) == (1, ["it is about 'politeness', and name='correctness' was asked for"])


def test_a_judgement_that_was_changed_since_is_a_later_rating(ws: Workspace) -> None:
    ws.import_ratings([phoenix()])
    assert ws.import_ratings([phoenix(label="incorrect", updated_at="2026-03-02T12:00:00Z")]).kept == 1
    assert [row[1:3] for row in rated(ws)] == [("wrong", "ben")]
    assert count(ws, "ratings") == 2
    assert ws.sql("from rated_calls select rated_at").fetchall() == [(datetime(2026, 3, 2, 12, tzinfo=UTC),)]


def test_an_answer_alone_is_right_when_the_call_gave_it(ws: Workspace) -> None:
    ws.import_ratings([{"call_id": TOOL, "answer": "12", "rated_by": "ben"}, {"call_id": TOOL, "answer": "13", "rated_by": "eve"}])
    assert [(row[1], row[2], row[4]) for row in rated(ws)] == [("right", "ben", None), ("wrong", "eve", "13")]
    ws.import_ratings([langsmith(score=None, correction={"output": 14}, feedback_source={"type": "app", "user_id": "cy"})])
    assert ws.sql("from rated_calls select verdict, outputs where rated_by = 'cy'").fetchall() == [("wrong", '{"output": 14}')]


def test_an_expectation_goes_with_the_feedback_of_the_same_person(ws: Workspace) -> None:
    expectation = mlflow(assessment_id="a-2", assessment_name="expected_answer", expectation={"value": "Not done."})
    del expectation["feedback"]
    ws.import_ratings([mlflow(feedback={"value": False}), expectation])
    assert [(row[1], row[4]) for row in rated(ws)] == [("wrong", '"Not done."')]
    alone = {**expectation, "source": {"source_type": "HUMAN", "source_id": "eve"}, "expectation": {"value": "Done."}}
    ws.import_ratings([alone])
    assert [(row[1], row[2]) for row in rated(ws)] == [("wrong", "ben"), ("right", "eve")]


def test_a_span_that_is_not_here_is_not_taken_for_its_trace(ws: Workspace) -> None:
    assert ws.import_ratings([langfuse(observationId="ffff000000000000")]).kept == 0


def test_an_empty_file_and_a_missing_one_are_refused(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(anb.RatingError, match="There are no rows"):
        ws.import_ratings(tmp_path / "empty")
    with pytest.raises(anb.RatingError, match="is no text in UTF-8"):
        ws.import_ratings(tmp_path / "binary")
    with pytest.raises(FileNotFoundError):
        ws.import_ratings(tmp_path / "none")


@pytest.mark.parametrize("form", ["phoenix", "mlflow"])
def test_what_is_exported_says_the_same_where_it_is_imported_and_nothing_new_where_it_comes_from(form: Any, ws: Workspace, tmp_path: Path) -> None:
    calls = [row[0] for row in ws.sql("from calls select call_id order by call_index").fetchall()]
    ws.rate(calls[1], "right", note="good", by="ben")
    ws.rate(calls[2], answer=13, by="ben")
    ws.rate(calls[2], "right", by="eve")
    ws.rate(calls[0], None, by="ben")
    text = ws.export_ratings(form, tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == text
    other = trace_workspace()
    assert other.import_ratings(tmp_path / "out.json").kept == 3
    assert [row[:5] for row in rated(other)] == [row[:5] for row in rated(ws)]
    ws.rate(calls, None, by="ben")
    again = ws.import_ratings(tmp_path / "out.json")
    assert (again.kept, again.already, len(rated(ws))) == (0, 3, 1)
    with pytest.raises(anb.RatingError, match="phoenix or mlflow"):
        ws.export_ratings("other")  # type: ignore[arg-type]


def test_the_forms_are_those_that_the_tools_document(ws: Workspace) -> None:
    (tool,) = ws.sql("from calls select call_id where kind = 'tool'").fetchall()[0]
    ws.rate(tool, answer=13, note="too little", reasons=["amount"], by="ben")
    (annotation,) = json.loads(ws.export_ratings("phoenix"))["data"]
    assert (annotation["span_id"], annotation["name"], annotation["annotator_kind"], annotation["identifier"]) == (TOOL, "correctness", "HUMAN", "ben")
    assert annotation["result"] == {"label": "wrong", "score": 0.0, "explanation": "too little"}
    assert (annotation["metadata"]["answer"], annotation["metadata"]["reasons"]) == (13, ["amount"])
    feedback, expectation = json.loads(ws.export_ratings("mlflow", name="ok"))
    assert (feedback["assessment_name"], feedback["feedback"], feedback["rationale"]) == ("ok", {"value": False}, "too little")
    assert (feedback["trace_id"], feedback["span_id"], feedback["source"]) == (TRACE, TOOL, {"source_type": "HUMAN", "source_id": "ben"})
    assert (expectation["assessment_name"], expectation["expectation"]) == ("expected_ok", {"value": 13})


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(True, "right"), (0, "wrong"), (-1, "wrong"), (1.0, "right"), (0.5, None), ("Thumbs_Up", "right"), ("1", "right"), ("0.0", "wrong"), ("maybe", None),
     (float("nan"), None), ([], None)],
)  # fmt: skip
def test_a_value_says_right_or_wrong_or_nothing(value: Any, verdict: str | None) -> None:
    assert verdict_of(value) == verdict


@pytest.mark.recordings
def test_scores_of_a_recorded_trace_are_read(recordings: Path) -> None:
    path = recordings / "langfuse" / "vertex-ai-2025-08-01.trace.json"
    ws = anb.open(path)
    with pytest.raises(anb.RatingError, match=r"judge \d criteria: .*hallucination"):
        ws.import_ratings(path, judges=True)
    found = ws.import_ratings(path)
    assert (found.kept, len(found.left_out)) == (0, len(json.loads(path.read_text())["trace"]["scores"]))
    kept = ws.import_ratings(path, name="hallucination", judges=True, threshold=0.5)
    assert (kept.kept, count(ws, "rated_calls")) == (1, 1)
