"""smolagents: steps with code, steps with several calls that share one text, the final answer."""

from __future__ import annotations

import json
from pathlib import Path

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read

SAMPLE = Path(__file__).parent.parent / "samples" / "smolagents" / "count-bees.steps.json"


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("smolagents", outline_of(read(SAMPLE)))


def test_code_is_the_argument_of_the_tool_that_runs_it_and_its_error_is_the_call_s() -> None:
    call = calls_of(read(SAMPLE))[0]
    assert json.loads(call.input or "") == {"code": "print(count('hive 4'))"}
    assert (call.state, call.error) == ("failed", "AgentExecutionError: name 'count' is not defined")


def test_calls_are_in_the_order_of_the_model_and_share_one_text() -> None:
    rows = read(SAMPLE)
    first, second = calls_of(rows)[1:3]
    assert (first.tool_call_id, first.output, second.tool_call_id, second.output) == ("call_a", "[4] 812\n[2] 640", "call_b", None)
    assert codes(rows) == {"shared_result": 1}


def test_the_final_answer_is_the_answer_of_the_turn() -> None:
    (turn,) = read(SAMPLE).turns
    assert (turn.state, turn.answer) == ("done", "812 bees, 172 more than in hive 2.")


def test_the_time_of_a_step_is_the_model_s_and_not_its_tools_() -> None:
    rows = read(SAMPLE)
    assert [step.seconds for step in calls_of(rows, "model")] == [1.5, 1.5, 1.5]
    assert [call.seconds for call in calls_of(rows)] == [None] * 4


def test_two_tasks_in_one_file_are_two_conversations(tmp_path: Path) -> None:
    steps = json.loads(SAMPLE.read_text())
    (tmp_path / "two.json").write_text(json.dumps([*steps, {"task": "And hive 5?"}, steps[1]]))
    rows = read(tmp_path)
    assert [conversation.conversation_id != rows.conversations[0].conversation_id for conversation in rows.conversations] == [False, True]
    assert account_of(rows) == (6, 6, 0, 0)


def test_a_step_without_calls_that_failed_is_a_failed_reply(tmp_path: Path) -> None:
    step = {"step_number": 1, "model_output": "hm", "observations": None, "tool_calls": None, "error": {"type": "AgentParsingError", "message": "no code"}}
    (tmp_path / "run.json").write_text(json.dumps([{"task": "x"}, step]))
    assert [(call.state, call.error) for call in calls_of(read(tmp_path), "model")] == [("failed", "AgentParsingError: no code")]


def test_calls_of_a_step_that_failed_are_those_of_the_model_s_message_and_the_error_is_the_one_it_names(tmp_path: Path) -> None:
    calls = [{"id": f"c{heat}", "type": "function", "function": {"name": "oven", "arguments": {"heat": heat}}} for heat in (100, 900)]
    error = {"type": "AgentToolExecutionError", "message": "Error executing tool 'oven' with arguments {'heat': 900}: too hot"}
    step = {"step_number": 1, "model_output": "", "observations": None, "tool_calls": [], "error": error, "model_output_message": {"tool_calls": calls}}
    (tmp_path / "steps.json").write_text(json.dumps([{"task": "Bake."}, step]))
    rows = read(tmp_path)
    assert [(call.tool_call_id, call.state) for call in calls_of(rows)] == [("c100", "unanswered"), ("c900", "failed")]


def test_the_result_of_a_run_tells_its_answer_and_how_it_ended(tmp_path: Path) -> None:
    step = {"step_number": 1, "model_output": "Warm.", "observations": None, "action_output": None, "token_usage": {"input_tokens": 3, "output_tokens": 2}}
    run = {"output": "It is warm.", "state": "success", "steps": [{"task": "Warm?"}, step], "token_usage": {"input_tokens": 3}, "timing": None}
    (tmp_path / "run.json").write_text(json.dumps(run))
    rows = read(tmp_path)
    assert json.loads(rows.conversations[0].labels or "")["state"] == "success"
    assert json.loads(rows.conversations[0].extra or "")["token_usage"] == {"input_tokens": 3}
