"""SWE-agent: the history tells what was said, the trajectory what came of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLE = Path(__file__).parent.parent / "samples" / "swe_agent" / "lamp-price.traj"


def format_of(path: Path) -> str | None:
    other = write_json(path.parent / "other" / "settings.json", {"theme": "dark"})
    return next((group.reader.format for group in survey_files(find_files([path, other])).groups), None)


def step(action: str, observation: str | None = "fine", **fields: Any) -> Record:
    return {"action": action, "observation": observation, "response": f"I run {action}.", "thought": f"I run {action}.", "state": "{}"} | fields


def said(role: str, content: str, **fields: Any) -> Record:
    return {"role": role, "content": content, "agent": "primary"} | fields


def replied(action: str, **fields: Any) -> Record:
    return said("assistant", f"I run {action}.", thought=f"I run {action}.", action=action) | fields


def run(steps: list[Any], history: list[Any], **fields: Any) -> Record:
    return {"environment": "shop", "trajectory": steps, "history": history, "info": {}} | fields


TASK = [said("system", "Fix bugs."), said("user", "Fix the lamp.")]


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("swe_agent", outline_of(read(SAMPLE)))


def test_a_trajectory_and_a_history_alone_are_known(tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "a" / "x", run([step("ls")], []))) == "swe_agent"
    assert format_of(write_json(tmp_path / "b" / "x", {"history": [*TASK, replied("ls")]})) == "swe_agent"


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "Hello"}],
        {"messages": [{"role": "user", "content": "Hello"}]},
        {"history": [{"role": "user", "content": "Hello", "name": "ana"}], "mistake_agent": "ana"},
        {"trajectory": [{"a": 1}]},
        {"trajectory": 5, "history": "x"},
    ],
)
def test_what_only_looks_like_a_trajectory_is_not_claimed(document: Any, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "x", document)) != "swe_agent"


def test_an_old_command_is_a_call_of_bash_and_gets_what_came_of_it(tmp_path: Path) -> None:
    history = [*TASK, replied("ls"), said("user", "a.py\n(Open file: n/a)"), replied("cat a.py")]
    state = json.dumps({"open_file": "/shop/a.py", "working_dir": "/shop"})
    rows = read(write_json(tmp_path / "x", run([step("ls", "a.py", state=state), step("cat a.py", "print(1)")], history)))
    first, second = calls_of(rows)
    assert (first.name, first.input, first.output) == ("bash", '{"command":"ls"}', "a.py\n(Open file: n/a)")
    assert json.loads(first.extra or "") == {"cwd": "/shop", "state": {"open_file": "/shop/a.py"}}
    assert second.output == "print(1)"
    assert len(rows.turns) == 1
    assert account_of(rows) == (7, 5, 2, 0)


def test_a_step_that_the_history_lacks_is_read_from_the_trajectory(tmp_path: Path) -> None:
    history = [*TASK, replied("ls"), said("user", "a.py")]
    rows = read(write_json(tmp_path / "x", run([step("ls", "a.py"), step("submit", "diff", execution_time=0.5)], history)))
    assert [call.output for call in calls_of(rows)] == ["a.py", "diff"]
    assert calls_of(rows)[1].seconds == 0.5
    assert account_of(rows) == (6, 5, 1, 0)


def test_demonstrations_are_injected_and_start_no_turn(tmp_path: Path) -> None:
    demo = [said("user", "Look how.", is_demo=True), replied("demo", is_demo=True), said("user", "shown", message_type="demonstration")]
    rows = read(write_json(tmp_path / "x", run([], [TASK[0], *demo, TASK[1], replied("ls"), said("user", "a.py")])))
    assert len(rows.turns) == 1
    assert rows.turns[0].prompt == "Fix the lamp."
    assert len(calls_of(rows, "model")) == 1
    assert [part.injected for part in rows.parts][:4] == [True, True, True, True]


def test_what_is_shown_without_a_call_belongs_to_none(tmp_path: Path) -> None:
    history = [*TASK, said("assistant", "I think.", thought="I think.", action=""), said("user", "Your output could not be parsed."), replied("ls")]
    rows = read(write_json(tmp_path / "x", run([], history)))
    assert [part.text for part in rows.parts if part.type == "tool_result"] == ["Your output could not be parsed."]
    assert codes(rows) == {"unanswered_call": 1}
    assert len(rows.turns) == 1


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("submitted", "done"),
        ("submitted (exit_cost)", "stopped"),
        ("exit_context", "stopped"),
        ("exit_error", "failed"),
        ("early_exit", "stopped"),
        (None, None),
    ],
)
def test_the_exit_status_is_the_state_of_the_turn(status: str | None, state: str | None, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", run([step("ls", "a.py")], [*TASK, replied("ls"), said("user", "a.py")], info={"exit_status": status})))
    assert rows.turns[0].state == state
    assert json.loads(rows.conversations[0].labels or "{}").get("exit_status") == status


def test_tokens_of_the_whole_run_are_kept_and_counted_for_no_call(tmp_path: Path) -> None:
    stats = {"instance_cost": 0.5, "tokens_sent": 100, "tokens_received": 10}
    rows = read(write_json(tmp_path / "x", run([step("ls")], [], info={"model_stats": stats})))
    assert json.loads(rows.conversations[0].extra or "")["model_stats"] == stats
    assert [call.input_tokens for call in rows.calls if call.input_tokens is not None] == []


def test_a_result_is_paired_by_its_id_and_an_error_in_it_is_one(tmp_path: Path) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "find_file", "arguments": '{"name": "a.py"}'}}
    history = [*TASK, replied("find_file a.py", tool_calls=[call]), said("tool", "OBSERVATION:\nError: no such file", tool_call_ids=["call_1"])]
    rows = read(write_json(tmp_path / "x", run([step("find_file a.py", "Error: no such file")], history)))
    (found,) = calls_of(rows)
    assert (found.name, found.tool_call_id, found.state, found.error) == ("find_file", "call_1", "failed", "Error: no such file")


def test_a_row_with_texts_is_a_run_whose_commands_are_the_last_blocks(tmp_path: Path) -> None:
    def spoken(role: str, text: str | None, **fields: Any) -> Record:
        return {"role": role, "text": text, "system_prompt": None, "mask": role == "ai", "cutoff_date": None} | fields

    talk = [spoken("system", None, system_prompt="Fix bugs."), spoken("user", "Fix the lamp."), spoken("ai", "I look.\n```\nls\n```"), spoken("user", "a.py")]
    row = {"instance_id": "shop-1", "model_name": "test-model-1", "target": False, "trajectory": [*talk, spoken("ai", "Done.\n```\nsubmit\n```")]}
    row |= {"exit_status": "submitted", "generated_patch": "diff", "eval_logs": "1 failed"}
    assert format_of(write_lines(tmp_path / "a" / "x", [row, row | {"instance_id": "shop-2"}])) == "swe_agent"
    rows = read(write_json(tmp_path / "x", row))
    assert [(json.loads(call.input or "")["command"], call.output) for call in calls_of(rows)] == [("ls", "a.py"), ("submit", None)]
    (conversation,) = rows.conversations
    assert (conversation.model, rows.turns[0].prompt, rows.turns[0].state) == ("test-model-1", "Fix the lamp.", "done")
    assert json.loads(conversation.labels or "") == {"exit_status": "submitted", "task": "shop-1", "resolved": False}
    assert json.loads(conversation.extra or "") == {"generated_patch": "diff", "eval_logs": "1 failed"}
    assert account_of(rows) == (5, 5, 0, 0)


def test_a_row_with_its_history_in_a_text_is_a_run_under_its_own_id(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    told = [*TASK, replied("ls", tool_calls=[call]), said("tool", "OBSERVATION:\na.py", tool_call_ids=["c1"])]
    history = [item | {"message_type": "action"} for item in told]
    row = {"messages": json.dumps(history), "instance_id": "shop-1", "resolved": True, "model": "test-model-1", "traj_id": "shop-1.t1", "patch": "diff"}
    rows = read(write_lines(tmp_path / "x", [row, row | {"traj_id": "shop-1.t2"}]))
    assert [item.conversation_id for item in rows.conversations] == ["shop-1.t1", "shop-1.t2"]
    assert [(call.name, call.output, call.tool_call_id) for call in calls_of(rows)] == [("bash", "OBSERVATION:\na.py", "c1")] * 2
    assert json.loads(rows.conversations[0].labels or "") == {"task": "shop-1", "resolved": True}


def test_carriage_returns_stay_in_texts(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", run([step("ls", "a\r\nb")], [TASK[0], said("user", "Fix\r\nit."), replied("ls")])))
    assert rows.turns[0].prompt == "Fix\r\nit."
    assert calls_of(rows)[0].output == "a\r\nb"


def test_what_is_no_message_and_no_step_is_skipped_with_its_place(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", run([step("ls"), 7], [*TASK, "x", replied("ls")])))
    assert codes(rows) == {"no_message": 1, "no_step": 1}
    assert account_of(rows) == (6, 3, 1, 2)


def test_messages_repeated_with_every_step_are_told_and_not_kept(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", run([step("ls", query=[said("user", "secret words")])], [*TASK, replied("ls")])))
    assert codes(rows)["repeated_messages"] == 1
    assert "secret words" not in " ".join(texts_of(rows))
