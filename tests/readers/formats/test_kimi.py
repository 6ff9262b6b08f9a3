"""Kimi CLI: steps put together from events, approvals, usage that stands twice, turns that were cancelled, summaries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "kimi"
START = 1_772_442_000_000
META = {"type": "metadata", "protocol_version": "1.4", "created_at": START}


def line(type: str, second: int = 0, **fields: Any) -> dict[str, Any]:
    """Make a line."""
    return {"type": type, "time": START + second * 1000} | fields


def event(kind: str, second: int = 1, **fields: Any) -> dict[str, Any]:
    """Make an event of the loop; it belongs to the first step unless it says otherwise."""
    return line("context.append_loop_event", second, event={"type": kind, "uuid": "s-1", "stepUuid": "s-1", "turnId": "0", "step": 1} | fields)


def prompt(text: str, second: int = 0) -> list[dict[str, Any]]:
    """Say something as a person, in both places where it is written."""
    content = [{"type": "text", "text": text}]
    message = {"role": "user", "content": content, "origin": {"kind": "user"}}
    return [line("turn.prompt", second, input=content, origin={"kind": "user"}), line("context.append_message", second, message=message)]


def call(second: int = 2, **fields: Any) -> dict[str, Any]:
    """Make an event that asks for a tool."""
    return event("tool.call", second, **({"toolCallId": "Bash_0", "name": "Bash", "args": {"command": "ls"}} | fields))


def allowed(decision: str, **result: Any) -> dict[str, Any]:
    """Make the answer of a person."""
    fields = {"turnId": 0, "toolCallId": "Bash_0", "toolName": "Bash", "action": "Running: ls", "result": {"decision": decision, **result}}
    return line("permission.record_approval_result", 2, **fields)


def read_lines(tmp_path: Path, *lines: Any) -> Any:
    """Read a log."""
    return read(write_lines(tmp_path / "wire.jsonl", [META, *lines]))


BEGIN = event("step.begin", 1)


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("kimi", outline_of(read(SAMPLES)))


def test_a_persons_words_stand_twice_and_are_read_once(tmp_path: Path) -> None:
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, event("content.part", part={"type": "text", "text": "Hello."}))
    assert (texts_of(rows, "user"), account_of(rows)) == (["Hi"], (5, 4, 1, 0))


def test_the_events_of_a_step_are_one_model_call(tmp_path: Path) -> None:
    usage = {"inputOther": 7, "output": 3, "inputCacheRead": 20, "inputCacheCreation": 5}
    end = event("step.end", 9, usage=usage, finishReason="end_turn", llmFirstTokenLatencyMs=1500, llmStreamDurationMs=500)
    parts = [event("content.part", 3, part={"type": "think", "think": "Hm."}), event("content.part", 3, part={"type": "text", "text": "Hello."})]
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, line("llm.request", 1, model="k-1"), *parts, end, line("usage.record", 9, usage=usage))
    (step,) = calls_of(rows, "model")
    assert (step.name, step.input_tokens, step.output_tokens, step.cached_tokens, step.cache_write_tokens) == ("k-1", 32, 3, 20, 5)
    assert (step.finish_reason, step.seconds, rows.turns[0].state) == ("end_turn", 2.0, "done")
    assert account_of(rows) == (9, 7, 2, 0)


def test_what_a_person_allowed_stands_with_the_call_that_comes_after(tmp_path: Path) -> None:
    result = event("tool.result", 4, toolCallId="Bash_0", result={"output": "till.py"})
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, allowed("approved", scope="session"), call(), result)
    (tool,), (approval,) = calls_of(rows), rows.approvals
    assert (approval.call_id, approval.question, approval.answer) == (tool.call_id, "Running: ls", "yes")
    assert (tool.state, tool.output, json.loads(tool.extra or "")["approval"]["scope"]) == ("done", "till.py", "session")


def test_a_call_that_a_person_refused_is_denied_with_the_reason(tmp_path: Path) -> None:
    result = event("tool.result", 4, toolCallId="Bash_0", result={"output": "Rejected.", "isError": True})
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, allowed("rejected", feedback="Not today."), call(), result)
    assert [(tool.state, tool.output) for tool in calls_of(rows)] == [("denied", "Rejected.")]
    assert [(approval.answer, approval.reason) for approval in rows.approvals] == [("no", "Not today.")]


def test_an_answer_without_a_call_is_kept_where_it_stands(tmp_path: Path) -> None:
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, allowed("approved"))
    assert (rows.approvals, account_of(rows)) == ([], (5, 4, 1, 0))
    assert rows.parts[-1].text == "permission.record_approval_result"


def test_an_error_fails_its_call_with_the_exit_code_that_its_last_line_tells(tmp_path: Path) -> None:
    text = "cat: no such file\nCommand failed with exit code: 1."
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, call(), event("tool.result", 4, toolCallId="Bash_0", result={"output": text, "isError": True}))
    (tool,) = calls_of(rows)
    assert (tool.state, tool.exit_code, tool.error) == ("failed", 1, "Command failed with exit code: 1")


def test_a_step_of_which_nothing_came_has_failed_and_its_requests_are_kept(tmp_path: Path) -> None:
    requests = [line("llm.request", 1, model="k-1"), line("llm.request", 4, model="k-1", attempt="2/10")]
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, *requests, line("turn.cancel", 9), *prompt("Hi", 20))
    (step,) = calls_of(rows, "model")
    assert (step.state, step.error, len(json.loads(step.extra or "")["requests"])) == ("failed", "There is no reply.", 2)
    assert [turn.state for turn in rows.turns] == ["stopped", None]


def test_a_turn_ends_as_the_log_says_unless_it_was_cancelled(tmp_path: Path) -> None:
    end = line("turn.ended", 99, turnId=0, reason="failed")
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, event("content.part", part={"type": "text", "text": "Hello."}), end)
    assert rows.turns[0].state == "failed"
    assert rows.turns[0].seconds == 1.0


def test_reminders_are_injected_and_start_no_turn(tmp_path: Path) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "Be careful."}], "origin": {"kind": "injection", "variant": "x"}}
    rows = read_lines(tmp_path, *prompt("Hi"), line("context.append_message", 1, message=message))
    assert [(part.text, part.injected) for part in rows.parts if part.type == "text"] == [("Hi", False), ("Be careful.", True)]
    assert [turn.prompt for turn in rows.turns] == ["Hi"]


def test_the_call_that_wrote_a_summary_is_counted_and_is_no_answer(tmp_path: Path) -> None:
    usage = {"inputOther": 100, "output": 9, "inputCacheRead": 0, "inputCacheCreation": 0}
    compaction = [
        line("llm.request", 50, kind="compaction", model="k-1"),
        line("usage.record", 52, usage=usage),
        line("context.apply_compaction", 52, summary="They said hi.", tokensBefore=120),
    ]
    rows = read_lines(tmp_path, *prompt("Hi"), BEGIN, event("content.part", part={"type": "text", "text": "Hello."}), *compaction)
    assert [step.input_tokens for step in calls_of(rows, "model")] == [None, 100]
    assert (rows.turns[0].answer, rows.parts[-1].text, rows.parts[-1].injected) == ("Hello.", "They said hi.", True)


def test_a_conversation_is_told_by_its_beginning_and_not_by_what_follows(tmp_path: Path) -> None:
    short = read_lines(tmp_path, *prompt("Hi")).conversations[0].conversation_id
    longer = read_lines(tmp_path, *prompt("Hi"), BEGIN, call()).conversations[0].conversation_id
    other = read_lines(tmp_path, *prompt("Ho")).conversations[0].conversation_id
    assert short == longer != other


def test_a_log_of_a_sub_agent_says_which_agent_it_is(tmp_path: Path) -> None:
    rows = read_lines(tmp_path, *(item | {"agentId": "agent-0"} for item in prompt("Count")))
    assert json.loads(rows.conversations[0].labels or "") == {"agent": "agent-0"}


def test_lines_that_are_no_objects_are_left_out_with_their_reason(tmp_path: Path) -> None:
    rows = read_lines(tmp_path, *prompt("Hi"), [1])
    assert (account_of(rows), codes(rows)) == ((4, 2, 1, 1), {"not_an_object": 1})


def older(type: str, second: int = 1, /, **payload: Any) -> dict[str, Any]:
    """Make a line of an older log."""
    return {"timestamp": START / 1000 + second, "message": {"type": type, "payload": payload}}


def inner(type: str, second: int = 5, /, **payload: Any) -> dict[str, Any]:
    """Make a line with an event of a sub-agent."""
    return older("SubagentEvent", second, parent_tool_call_id="t1", subagent_type="coder", event={"type": type, "payload": payload})


CALL = older("ToolCall", 3, type="function", id="t1", function={"name": "Task", "arguments": '{"prompt":"Count."}'})
DONE = older("ToolResult", 9, tool_call_id="t1", return_value={"is_error": False, "output": "7", "message": "", "display": []})


def test_an_older_log_tells_the_same_as_messages_with_a_payload(tmp_path: Path) -> None:
    usage = {"input_other": 7, "output": 3, "input_cache_read": 20, "input_cache_creation": 0}
    rows = read_lines(
        tmp_path,
        older("TurnBegin", 0, user_input="Hi"),
        older("StepBegin", 1, n=1),
        older("ContentPart", 2, type="think", think="Hm."),
        CALL,
        older("ApprovalRequest", 3, id="a1", tool_call_id="t1", sender="Task", action="run", description="Run a task"),
        older("ApprovalResponse", 5, request_id="a1", response="reject", feedback="No."),
        DONE,
        older("StatusUpdate", 9, token_usage=usage, message_id="m"),
        older("TurnEnd", 9),
    )
    (step,), (call,), (approval,) = calls_of(rows, "model"), calls_of(rows), rows.approvals
    assert (step.input_tokens, step.output_tokens, step.cached_tokens) == (27, 3, 20)
    assert (call.name, call.input, call.state, call.output) == ("Task", '{"prompt":"Count."}', "denied", "7")
    assert (approval.question, approval.answer, approval.reason) == ("Run a task", "no", "No.")
    assert account_of(rows) == (10, 10, 0, 0)


def test_events_of_a_sub_agent_stand_under_the_call_that_started_it(tmp_path: Path) -> None:
    lines = [older("TurnBegin", 0, user_input="Hi"), older("StepBegin", 1, n=1), CALL]
    rows = read_lines(tmp_path, *lines, inner("StepBegin", n=1), inner("ContentPart", 6, type="text", text="There are 7."), DONE)
    (call,) = calls_of(rows)
    agent = next(agent for agent in calls_of(rows, "agent") if agent.parent_call_id is not None)
    assert (agent.parent_call_id, agent.name, agent.state) == (call.call_id, "coder", "done")
    assert [part.agent_call_id for part in rows.parts if part.text == "There are 7."] == [agent.call_id]
    assert account_of(rows) == (7, 7, 0, 0)
