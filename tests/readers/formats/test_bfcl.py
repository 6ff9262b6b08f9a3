"""Berkeley Function Calling Leaderboard: results and scores, one task a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read

SAMPLES = Path(__file__).parent.parent / "samples" / "bfcl"


def formats_of(*paths: Path) -> list[str]:
    return [group.reader.format for group in survey_files(find_files(paths)).groups]


def result(value: Any, **fields: Any) -> Record:
    return {"id": "simple_0", "result": value, "input_token_count": 10, "output_token_count": 2, "latency": 0.5} | fields


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("bfcl", outline_of(read(SAMPLES)))


def test_results_and_scores_are_known(tmp_path: Path) -> None:
    assert formats_of(write_lines(tmp_path / "a", [result([]), result([])])) == ["bfcl"]
    assert formats_of(write_lines(tmp_path / "b", [{"idx": 0, "result": "x", "latency": 1}])) == ["bfcl"]
    assert formats_of(write_lines(tmp_path / "c", [{"accuracy": 1.0, "correct_count": 2, "total_count": 2}])) == ["bfcl"]


@pytest.mark.parametrize("lines", [[{"id": 1, "result": "x"}] * 2, [{"result": 1, "latency": 2}] * 2, [{"accuracy": 0.5}] * 2])
def test_other_results_are_not_claimed(lines: list[Record], tmp_path: Path) -> None:
    other = write_json(tmp_path / "settings.json", {"theme": "dark"})
    assert "bfcl" not in formats_of(write_lines(tmp_path / "x", lines), other)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{"find": '{"a": 1}'}], [("find", {"a": 1})]),
        ([{"find": {"a": 1}}, {"sort": "{}"}], [("find", {"a": 1}), ("sort", {})]),
        ('[{"find": "{\\"a\\": 1}"}]', [("find", {"a": 1})]),
        ("[find(a=1), shop.sort(by='price', desc=True)]", [("find", {"a": 1}), ("shop.sort", {"by": "price", "desc": True})]),
        ("find(a=[1, 2])", [("find", {"a": [1, 2]})]),
        ("[find(a=b)]", []),
        ("No tool fits (sadly).", []),
        ([], []),
    ],
)
def test_calls_are_read_however_a_model_wrote_them(value: Any, expected: list[tuple[str, Record]], tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "x", [result(value), result(value, id="simple_1")]))
    found = [(call.name, json.loads(call.input or "null")) for call in calls_of(rows)]
    assert found == expected * 2


def test_a_call_of_a_single_turn_was_never_run(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "x", [result([{"find": "{}"}])]))
    assert [call.state for call in calls_of(rows)] == ["unanswered"]
    assert [(call.input_tokens, call.output_tokens, call.seconds) for call in calls_of(rows, "model")] == [(10, 2, 0.5)]


def test_turns_and_steps_have_their_own_tokens_and_results(tmp_path: Path) -> None:
    rows = read(SAMPLES / "result.json")
    turns = [turn for turn in rows.turns if turn.conversation_id.startswith("multi_turn")]
    assert [(turn.prompt, turn.answer) for turn in turns] == [("What is in the orders?", "There are two files."), ("Thanks.", "Nothing to do.")]
    models = [call for call in calls_of(rows, "model") if call.conversation_id == turns[0].conversation_id]
    assert [(call.input_tokens, call.output_tokens, call.seconds) for call in models] == [(300, 10, 0.5), (340, 22, 0.6), (400, 9, 0.3), (420, 5, 0.2)]
    tools = [call for call in calls_of(rows) if call.conversation_id == turns[0].conversation_id]
    assert [(call.name, call.state) for call in tools] == [("cd", "done"), ("ls", "done"), ("wc", "failed")]


def test_turns_without_a_log_are_still_turns(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "x", [result([[[{"ls": "{}"}], "Done."], ["Nothing."]], input_token_count=[[1, 2], [3]])]))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [(None, "Done."), (None, "Nothing.")]
    assert [call.input_tokens for call in calls_of(rows, "model")] == [1, 2, 3]


def test_a_task_that_was_not_solved_is_failed_with_its_question_and_kind_of_error(tmp_path: Path) -> None:
    rows = read(SAMPLES / "score.json")
    assert (rows.turns[0].state, rows.turns[0].prompt) == ("failed", "Find a red lamp.")
    assert json.loads(rows.conversations[0].labels or "") == {"task": "simple_9", "category": "simple", "valid": False, "error_type": "value_error:string"}
    assert account_of(rows) == (2, 1, 0, 1)
    assert json.loads(rows.sources[0].skipped or "") == {"totals": 1}


def test_a_result_and_its_score_are_one_conversation(tmp_path: Path) -> None:
    totals = {"accuracy": 0.5, "correct_count": 1, "total_count": 2}
    score = {"id": "simple_0", "model_name": "m1", "test_category": "simple", "valid": False, "error": ["Wrong."], "error_type": "value_error"}
    score |= {"prompt": {"id": "simple_0", "question": [[{"role": "user", "content": "Find it."}]]}, "model_result_raw": [{"find": "{}"}]}
    write_lines(tmp_path / "score" / "m1" / "simple_score.json", [totals, score])
    write_lines(tmp_path / "result" / "m1" / "simple_result.json", [result([{"find": "{}"}]), result([], id="simple_1")])
    alone = read(tmp_path / "result")
    rows = read(tmp_path)
    assert [row.conversation_id for row in rows.conversations] == [row.conversation_id for row in alone.conversations]
    labels = [json.loads(row.labels or "") for row in rows.conversations]
    assert [item.get("valid") for item in labels] == [False, None]
    assert [(turn.prompt, turn.state) for turn in rows.turns] == [("Find it.", "failed"), (None, None)]
    assert rows.conversations[0].model == "m1"
    assert [call.input_tokens for call in calls_of(rows, "model")] == [10, 10]
    assert sorted((row.records_kept, row.records_merged, row.records_skipped) for row in rows.sources) == [(0, 1, 1), (2, 0, 0)]


def test_a_score_of_another_model_stays_apart(tmp_path: Path) -> None:
    totals = {"accuracy": 0.0, "correct_count": 0, "total_count": 1}
    score = {"id": "simple_0", "valid": False, "error": ["Wrong."], "error_type": "value_error", "model_result_raw": "red"}
    for model in ("m1", "m2"):
        write_lines(tmp_path / "score" / model / "s.json", [totals, score | {"model_name": model}])
    write_lines(tmp_path / "result" / "m1" / "r.json", [result("red"), result("a", id="simple_1")])
    rows = read(tmp_path)
    assert sorted((row.model or "", row.conversation_id.split("-")[0]) for row in rows.conversations) == [
        ("", "simple_1"),
        ("m1", "simple_0"),
        ("m2", "simple_0"),
    ]


def test_the_same_task_of_two_models_is_two_conversations(tmp_path: Path) -> None:
    write_lines(tmp_path / "one" / "r.json", [result("red"), result("a", id="simple_1")])
    write_lines(tmp_path / "two" / "r.json", [result("red"), result("b", id="simple_1")])
    rows = read(tmp_path)
    assert len(rows.conversations) == 4
    assert codes(rows) == {"equal_conversations": 1}


def test_a_line_of_another_kind_is_skipped(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "x", [result("a"), result("b"), {"note": "x"}]))
    assert account_of(rows) == (3, 2, 0, 1)
