"""GitHub Copilot CLI: events of a session, and the conversations that the SDK records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from agentnb.readers._rows import CallRow
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "copilot_cli"
START = ("session.start", {"sessionId": "s-1", "selectedModel": "gpt-5-mini"})


def read_events(folder: Path, *events: tuple[str, Any]) -> Rows:
    """Read events, given as type and data, as one file."""
    lines = [
        {"type": type, "data": data, "id": f"e{number}", "timestamp": f"2026-04-02T14:00:{number:02}.000Z", "parentId": None}
        for number, (type, data) in enumerate(events)
    ]
    (folder / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read(folder)


def asked(call_id: str, name: str = "bash", **arguments: Any) -> tuple[str, Any]:
    """Return a reply that asks for a tool."""
    return "assistant.message", {"messageId": f"m-{call_id}", "content": "", "toolRequests": [{"toolCallId": call_id, "name": name, "arguments": arguments}]}


def ended(call_id: str, content: str | None = None, **more: Any) -> tuple[str, Any]:
    """Return the end of a tool call."""
    return "tool.execution_complete", {"toolCallId": call_id, "success": True, **({"result": {"content": content}} if content is not None else {}), **more}


def ran(rows: Rows) -> dict[str | None, CallRow]:
    """Return the tool calls by the ids that the recording gives them."""
    return {call.tool_call_id: call for call in calls_of(rows)}


def test_the_sample_reads_as_a_person_has_checked() -> None:
    """A session with a sub-agent, a refusal and an error, and a recorded conversation."""
    compare_with_golden("copilot_cli", outline_of(read(SAMPLES)))


@pytest.mark.parametrize(
    "value",
    [
        {"type": "session", "id": "x", "data": {}},
        {"type": "session.start", "data": None, "id": "x", "parentId": None},
        {"type": "user.message", "payload": {}},
        {"models": [], "conversations": [{"messages": []}]},
        {"models": ["x"], "conversations": None},
    ],
)
def test_what_only_looks_like_it_is_not_claimed(tmp_path: Path, value: Any) -> None:
    """Other formats have events with types, ids and data too."""
    (tmp_path / "file.jsonl").write_text(f"{json.dumps(value)}\n{json.dumps(value)}\n")
    assert [source.format for source in read(tmp_path).sources] != ["copilot_cli"]


def test_a_call_is_told_three_times_and_read_once(tmp_path: Path) -> None:
    """The reply asks for it, then it starts, then it ends."""
    rows = read_events(
        tmp_path,
        START,
        ("user.message", {"content": "Go"}),
        asked("c-1", command="ls"),
        ("tool.execution_start", {"toolCallId": "c-1", "toolName": "bash", "arguments": {"command": "ls"}, "mcpServerName": "local"}),
        ended("c-1", "a.txt"),
    )
    (tool,) = calls_of(rows)
    assert (tool.name, tool.state, tool.output) == ("bash", "done", "a.txt")
    assert json.loads(tool.extra or "") == {"mcpServerName": "local"}
    assert account_of(rows) == (5, 4, 1, 0)


@pytest.mark.parametrize(
    ("end", "state", "exit_code", "error"),
    [
        (ended("c-1", "ok\n<exited with exit code 0>"), "done", 0, None),
        (ended("c-1", "boom\n<exited with exit code 3>"), "failed", 3, "boom"),
        (ended("c-1", "Error: is the word it printed"), "done", None, None),
        (ended("c-1", success=False, error={"message": "no such tool", "code": "failure"}), "failed", None, "no such tool"),
        (ended("c-1", success=False, error={"message": "The user rejected this tool call."}), "denied", None, "The user rejected this tool call."),
        (ended("c-1", success=False, error={"message": "Denied by preToolUse hook: no"}), "denied", None, "Denied by preToolUse hook: no"),
    ],
)
def test_how_a_call_ended_is_what_the_recording_says(tmp_path: Path, end: Any, state: str, exit_code: int | None, error: str | None) -> None:
    """Success is told; the exit code stands at the end of what a command printed."""
    (tool,) = calls_of(read_events(tmp_path, START, ("user.message", {"content": "Go"}), asked("c-1"), end))
    assert (tool.state, tool.exit_code, tool.error) == (state, exit_code, error)


def test_a_sub_agent_is_inside_the_call_that_started_it() -> None:
    """Its events name that call."""
    rows = read(SAMPLES / "events.jsonl")
    agent = next(call for call in rows.calls if call.name == "explore")
    inside = [call.name for call in rows.calls if call.parent_call_id == agent.call_id]
    assert agent.parent_call_id == ran(rows)["c2"].call_id
    assert inside == ["gpt-5-mini", "glob", "gpt-5-mini"]


def test_reasoning_that_is_told_twice_is_said_once() -> None:
    """It stands in an event of its own and with the reply."""
    rows = read(SAMPLES / "events.jsonl")
    assert [part.text for part in rows.parts if part.type == "reasoning"] == ["The file has the prices."]


def test_usage_stands_with_the_reply_before_it() -> None:
    """Without such an event only the tokens received are known; premium requests are no money."""
    steps = calls_of(read(SAMPLES / "events.jsonl"), "model")
    assert [(step.input_tokens, step.output_tokens, step.cached_tokens) for step in steps] == [
        (900, 40, 300),
        (None, 9, None),
        (None, None, None),
        (None, 4, None),
        (None, 7, None),
        (None, 5, None),
    ]
    assert json.loads(steps[0].extra or "")["premium_requests"] == 1.0
    assert [step.cost for step in steps] == [None] * 6


def test_a_person_is_asked_and_says_no() -> None:
    """The question, the answer and the words that came with it."""
    rows = read(SAMPLES / "events.jsonl")
    (row,) = rows.approvals
    assert (row.question, row.answer, row.answered_by, row.reason) == ("Delete the old list", "no", "user", "keep it")
    assert ran(rows)["c4"].state == "denied"


def test_an_answer_that_a_rule_gave_is_no_answer_of_a_person(tmp_path: Path) -> None:
    """Who answered stands in the result."""
    rows = read_events(
        tmp_path,
        START,
        ("user.message", {"content": "Go"}),
        asked("c-1"),
        asked("c-2"),
        ("permission.requested", {"requestId": "p-1", "permissionRequest": {"kind": "shell", "toolCallId": "c-1"}}),
        ("permission.completed", {"requestId": "p-1", "result": {"kind": "denied-by-rules"}}),
        ("permission.requested", {"requestId": "p-2", "permissionRequest": {"kind": "read", "toolCallId": "c-2"}}),
        ("permission.completed", {"requestId": "p-2", "result": {"kind": "approved"}}),
    )
    assert [(row.question, row.answer, row.answered_by) for row in rows.approvals] == [("shell", "no", "rules"), ("read", "yes", None)]


def test_turns_are_what_a_person_said() -> None:
    """The turns of the model inside are steps; an abort interrupts the turn that it is in."""
    rows = read(SAMPLES / "events.jsonl")
    assert [(turn.prompt, turn.state, turn.answer) for turn in rows.turns] == [
        ("Which bread is cheapest? Then delete the old list.", "interrupted", "I look at the prices."),
        ("Thanks", "done", "You are welcome."),
    ]
    (conversation,) = rows.conversations
    assert (conversation.title, conversation.agent_version, conversation.model) == ("Bread prices", "1.0.77", "gpt-5-mini")


def test_a_command_that_a_person_ran_belongs_to_no_model_call(tmp_path: Path) -> None:
    """The model did not ask for it; one that did not end is visible."""
    requested = ("tool.user_requested", {"toolCallId": "u-1", "toolName": "bash", "arguments": {"command": "ls"}})
    other = ("tool.user_requested", {"toolCallId": "u-2", "toolName": "bash", "arguments": {"command": "sleep 9"}})
    started = ("tool.execution_start", {"toolCallId": "u-1", "toolName": "bash", "arguments": {"command": "ls"}})
    rows = read_events(tmp_path, START, ("user.message", {"content": "Go"}), requested, started, ended("u-1", "a.txt"), other)
    assert [(tool.step_id, tool.state, tool.output, tool.seconds) for tool in calls_of(rows)] == [
        (None, "done", "a.txt", 2.0),
        (None, "unanswered", None, None),
    ]
    assert calls_of(rows, "model") == []
    assert account_of(rows) == (6, 3, 3, 0)


def test_a_notice_is_no_persons_words(tmp_path: Path) -> None:
    """The tool tells the agent that a sub-agent ended, in the role of a person."""
    notice = "<system_notification>\nAgent done\n</system_notification>"
    reply = ("assistant.message", {"messageId": "m", "content": "Hm.", "toolRequests": []})
    rows = read_events(tmp_path, START, ("user.message", {"content": "Go"}), reply, ("user.message", {"content": notice}))
    assert len(rows.turns) == 1
    assert rows.parts[-1].injected


def test_recorded_conversations_that_continue_each_other_are_one() -> None:
    """What a longer one repeats is merged; one that begins with what a call asks for is the sub-agent's."""
    rows = read(SAMPLES / "snapshot.yaml")
    assert account_of(rows) == (14, 10, 4, 0)
    assert texts_of(rows, "assistant") == ["I ask.", "It should be on the shelf.", "On the shelf."]
    agent = next(call for call in rows.calls if call.name == "explore")
    assert agent.parent_call_id == ran(rows)["toolcall_0"].call_id
    assert [(tool.name, tool.state) for tool in calls_of(rows)] == [("task", "done"), ("${shell}", "denied")]


def test_unknown_events_are_kept_and_broken_ones_explained(tmp_path: Path) -> None:
    """Whatever stands in a line, it has its place in the account."""
    rows = read_events(
        tmp_path,
        START,
        ("user.message", {"content": ["odd"]}),
        ("tomorrow.event", {"x": 1}),
        ("assistant.message", {"content": {"odd": 1}, "toolRequests": [3, {"toolCallId": 7}]}),
        ("tool.execution_complete", {"toolCallId": "c-0"}),
        ("subagent.completed", {"toolCallId": None}),
        ("permission.completed", {"requestId": "p"}),
        ("assistant.usage", {}),
        ("session.error", None),
        ("abort", {}),
    )
    assert account_of(rows) == (10, 9, 0, 1)
    assert codes(rows) == {"no_event": 1, "orphan_result": 1, "unanswered_call": 2}


def test_a_call_that_starts_before_the_reply_that_asks_for_it_is_one_call(tmp_path: Path) -> None:
    start = "tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {"command": "ls"}}
    rows = read_events(tmp_path, ("user.message", {"content": "Hi"}), start, asked("c1", command="ls"), ended("c1", "a.txt"))
    assert [(call.name, call.state, call.output) for call in calls_of(rows)] == [("bash", "done", "a.txt")]
