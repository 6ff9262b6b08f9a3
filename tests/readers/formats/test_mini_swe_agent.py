"""mini-swe-agent: a block of bash is the call, the message after it its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json
from tests.readers.reading import account_of, calls_of, codes, read

SAMPLE = Path(__file__).parent.parent / "samples" / "mini_swe_agent" / "count-orders.traj.json"


def format_of(path: Path) -> str | None:
    other = write_json(path.parent / "other" / "settings.json", {"theme": "dark"})
    return next((group.reader.format for group in survey_files(find_files([path, other])).groups), None)


def said(role: str, content: str, **fields: Any) -> Record:
    return {"role": role, "content": content} | fields


def runs(command: str) -> Record:
    return said("assistant", f"I run it.\n\n```bash\n{command}\n```")


def observed(code: int, output: str) -> Record:
    return said("user", f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>")


TASK = [said("system", "You have a shell."), said("user", "Count the lamps.")]


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("mini_swe_agent", outline_of(read(SAMPLE)))


def test_a_list_and_an_object_are_known(tmp_path: Path) -> None:
    messages = [*TASK, runs("ls"), observed(0, "a.py")]
    assert format_of(write_json(tmp_path / "a" / "x", messages)) == "mini_swe_agent"
    assert format_of(write_json(tmp_path / "b" / "x", {"messages": TASK, "info": {}, "trajectory_format": "mini-swe-agent-1"})) == "mini_swe_agent"


@pytest.mark.parametrize("messages", [[*TASK, said("assistant", "Seven.")], [*TASK, runs("ls")], [*TASK, runs("ls"), said("user", "Thanks!")]])
def test_a_plain_chat_is_not_claimed_even_when_it_shows_a_command(messages: list[Record], tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "x", messages)) == "openai_chat"


def test_commands_have_their_exit_codes_and_one_that_is_not_zero_failed(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [*TASK, runs("ls"), observed(0, "a.py"), runs("cat b.py"), observed(1, "cat: b.py: no such file")]))
    first, second = calls_of(rows)
    assert (first.input, first.exit_code, first.state) == ('{"command":"ls"}', 0, "done")
    assert (second.exit_code, second.state, second.error) == (1, "failed", "cat: b.py: no such file")
    assert len(rows.turns) == 1
    assert account_of(rows) == (6, 6, 0, 0)


def test_a_reply_with_two_commands_ran_none_and_what_it_was_told_belongs_to_no_call(tmp_path: Path) -> None:
    two = said("assistant", "```bash\nls\n```\n```bash\npwd\n```")
    rows = read(write_json(tmp_path / "x", [*TASK, two, said("user", "Exactly one command, please."), runs("ls"), observed(0, "a.py")]))
    assert [call.output for call in calls_of(rows)] == ["<returncode>0</returncode>\n<output>\na.py\n</output>"]
    assert [part.text for part in rows.parts if part.type == "tool_result" and part.call_id is None] == ["Exactly one command, please."]
    assert codes(rows) == {}


@pytest.mark.parametrize(("status", "state"), [("Submitted", "done"), ("LimitsExceeded", "stopped"), ("RuntimeError", "failed"), ("", None)])
def test_the_exit_status_is_the_state_of_the_turn(status: str, state: str | None, tmp_path: Path) -> None:
    document = {"messages": [*TASK, runs("ls"), observed(0, "a.py"), runs("x")], "info": {"exit_status": status}, "trajectory_format": "mini-swe-agent-1"}
    assert read(write_json(tmp_path / "x", document)).turns[0].state == state


def test_tokens_and_cost_are_those_of_the_replies(tmp_path: Path) -> None:
    rows = read(SAMPLE)
    assert [(call.input_tokens, call.output_tokens, call.cost) for call in calls_of(rows, "model")] == [(210, 20, 0.001), (260, 12, 0.0011), (300, 25, 0.001)]


def test_a_reply_of_the_responses_service_has_its_words_and_calls(tmp_path: Path) -> None:
    items = [
        {"type": "message", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "call_1", "name": "bash", "arguments": '{"command": "ls"}'},
    ]
    messages = [
        *TASK,
        {"object": "response", "id": "r1", "model": "test-model-1", "output": items, "extra": {"actions": [{"command": "ls", "tool_call_id": "call_1"}]}},
        {"type": "function_call_output", "call_id": "call_1", "output": "a.py", "extra": {"returncode": 0}},
    ]
    rows = read(write_json(tmp_path / "x", {"messages": messages, "info": {}, "trajectory_format": "mini-swe-agent-1.1"}))
    (call,) = calls_of(rows)
    assert (call.name, call.input, call.output, call.exit_code) == ("bash", '{"command": "ls"}', "a.py", 0)
    assert rows.turns[0].answer == "I look."


def test_a_reply_of_the_responses_service_has_its_thoughts_times_and_cached_tokens(tmp_path: Path) -> None:
    items = [{"type": "reasoning", "id": "rs1", "summary": [{"type": "summary_text", "text": "Look first."}]}, {"type": "message", "content": []}]
    usage = {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 25}, "output_tokens": 40, "output_tokens_details": {"reasoning_tokens": 30}}
    reply = {"object": "response", "id": "r1", "model": "test-model-1", "created_at": 1767000000, "completed_at": 1767000012, "usage": usage, "output": items}
    rows = read(write_json(tmp_path / "x", {"messages": [*TASK, reply], "info": {}, "trajectory_format": "mini-swe-agent-1.1"}))
    (call,) = calls_of(rows, "model")
    assert (call.input_tokens, call.cached_tokens, call.output_tokens, call.reasoning_tokens, call.seconds) == (100, 25, 40, 30, 12.0)
    assert [part.text for part in rows.parts if part.type == "reasoning"] == ["Look first."]
    assert call.extra is None


CHAT_REPLY = {"object": "chat.completion", "choices": [{"message": {"content": "No tool needed.", "reasoning_content": "Hm."}}]}
RESPONSE = {
    "object": "response",
    "output": [{"type": "reasoning", "summary": [{"text": "Hm."}]}, {"type": "message", "content": [{"text": "No tool needed."}]}],
}


@pytest.mark.parametrize("response", [CHAT_REPLY, RESPONSE])
def test_a_reply_that_was_refused_is_a_step_with_its_tokens(response: Record, tmp_path: Path) -> None:
    usage = {"input_tokens": 100, "output_tokens": 40} if "output" in response else {"prompt_tokens": 100, "completion_tokens": 40}
    refusal = said("user", "Every reply must call a tool.", extra={"interrupt_type": "FormatError", "response": response | {"usage": usage}})
    rows = read(write_json(tmp_path / "x", {"messages": [*TASK, refusal], "info": {}, "trajectory_format": "mini-swe-agent-1.1"}))
    (call,) = calls_of(rows, "model")
    assert (call.input_tokens, call.output_tokens) == (100, 40)
    assert [(part.role, part.type, part.text) for part in rows.parts[2:]] == [
        ("assistant", "reasoning", "Hm."), ("assistant", "text", "No tool needed."), ("tool", "tool_result", "Every reply must call a tool."),
    ]  # fmt: skip
    assert account_of(rows) == (3, 3, 0, 0)


def test_the_command_that_hands_the_work_in_is_done_though_no_message_shows_its_result(tmp_path: Path) -> None:
    reply = said("assistant", "", tool_calls=[{"id": "call_1", "function": {"name": "bash", "arguments": '{"command": "echo DONE"}'}}])
    end = {"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": ""}}
    rows = read(write_json(tmp_path / "x", {"messages": [*TASK, reply, end], "info": {}, "trajectory_format": "mini-swe-agent-1.1"}))
    assert [(call.state, call.output) for call in calls_of(rows)] == [("done", None)]
    assert codes(rows) == {}
    assert account_of(rows) == (4, 4, 0, 0)


def test_what_is_no_message_is_skipped(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", {"messages": [*TASK, 7, {"role": "owl"}], "info": 5, "trajectory_format": "mini-swe-agent-1"}))
    assert account_of(rows) == (4, 2, 0, 2)
    assert json.loads(rows.sources[0].skipped or "") == {"no_message": 2}
