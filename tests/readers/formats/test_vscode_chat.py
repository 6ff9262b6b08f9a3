"""VS Code chats: sessions, logs of changes, and the log that Copilot Chat exports for a replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "vscode_chat"


def session(*requests: Any, **more: Any) -> dict[str, Any]:
    """Return a session with these requests."""
    return {"responderUsername": "GitHub Copilot", "requests": list(requests), **more}


def request(text: str, *parts: Any, **more: Any) -> dict[str, Any]:
    """Return a request whose response has these parts."""
    return {"requestId": f"request-{text}", "message": {"text": text}, "response": list(parts), **more}


def read_session(folder: Path, value: Any) -> Rows:
    """Read a session as a file."""
    (folder / "session.json").write_text(json.dumps(value, indent=1))
    return read(folder)


def read_changes(folder: Path, *lines: Any) -> Rows:
    """Read a log of changes as a file."""
    (folder / "session.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read(folder)


def test_the_sample_reads_as_a_person_has_checked() -> None:
    """A session, a log of changes, and a replay log."""
    compare_with_golden("vscode_chat", outline_of(read(SAMPLES)))


@pytest.mark.parametrize(
    "value",
    [
        {"requests": []},
        {"requests": [{"message": {"text": "x"}}]},
        {"exportedAt": "x", "prompts": []},
        {"prompts": [{"prompt": "x", "logs": []}]},
        {"responderUsername": 3, "requests": []},
        {"kind": 0, "v": {"requests": []}},
    ],
)
def test_what_only_looks_like_it_is_not_claimed(tmp_path: Path, value: Any) -> None:
    """Other documents have requests and prompts too."""
    assert [source.format for source in read_session(tmp_path, value).sources] != ["vscode_chat"]


def test_calls_are_read_from_the_rounds_and_not_from_what_was_shown() -> None:
    """What was shown tells who allowed a call and how a command ended; ids have a suffix in one place."""
    rows = read(SAMPLES / "session.json")
    create, terminal, painted = calls_of(rows)
    assert (create.tool_call_id, create.name, create.input) == ("toolu_1", "create_file", '{"filePath":"barn.py"}')
    assert create.output == "Created barn.py\nand ran it."
    assert (terminal.name, terminal.output, terminal.exit_code, terminal.state) == ("run_in_terminal", "NameError: hay", 1, "failed")
    assert (painted.name, painted.state) == ("run_in_terminal", "denied")
    assert texts_of(rows, "assistant")[:2] == ["I write it.", "The barn stands."]


def test_who_allowed_a_call_is_an_approval_only_when_a_person_did() -> None:
    """A confirmation that was not needed is none."""
    rows = read(SAMPLES / "session.json")
    assert [(row.question, row.answer, row.answered_by) for row in rows.approvals] == [("Run python barn.py?", "yes", "user"), ("Run paint?", "no", "user")]


def test_a_request_is_a_turn_with_its_state_and_times() -> None:
    """Done, cancelled by the person, failed."""
    rows = read(SAMPLES / "session.json")
    assert [(turn.turn_id.split("/")[1], turn.prompt, turn.state) for turn in rows.turns] == [
        ("request_1", "Build a barn in Python", "done"),
        ("request_2", "Paint it", "interrupted"),
        ("request_3", "And now?", "failed"),
    ]
    assert rows.turns[0].seconds == 5.0
    assert [step.error for step in calls_of(rows, "model") if step.failed] == ["Rate limit"]
    (conversation,) = rows.conversations
    assert (conversation.title, conversation.agent_name, conversation.model) == ("A barn", "GitHub Copilot", "copilot/claude-sonnet-4")


def test_without_rounds_what_was_shown_is_all_there_is(tmp_path: Path) -> None:
    """Words between calls are put together, with the names of what they refer to."""
    called = {"kind": "toolInvocationSerialized", "toolId": "read", "toolCallId": "c-1", "isComplete": True, "pastTenseMessage": "Read plan.md"}
    parts = [{"value": "I read "}, {"kind": "inlineReference", "inlineReference": {"path": "/a/plan.md"}}, {"value": "."}, called, {"value": "Read."}]
    rows = read_session(tmp_path, session(request("Go", *parts)))
    assert texts_of(rows, "assistant") == ["I read plan.md.", "Read."]
    assert [(tool.name, tool.output) for tool in calls_of(rows)] == [("read", "Read plan.md")]
    assert len(calls_of(rows, "model")) == 2


def test_a_call_that_was_not_complete_is_unanswered(tmp_path: Path) -> None:
    """A chat that was stopped."""
    called = {"kind": "toolInvocationSerialized", "toolId": "read", "toolCallId": "c-1", "isComplete": False}
    rows = read_session(tmp_path, session(request("Go", called)))
    assert [tool.state for tool in calls_of(rows)] == ["unanswered"]


def test_a_log_of_changes_is_the_session_that_it_makes() -> None:
    """Fields are set and taken away, lists are added to, also from an earlier place."""
    rows = read(SAMPLES / "session.jsonl")
    assert [(turn.prompt, turn.answer, turn.state) for turn in rows.turns] == [("Count the hens", "There are nine.", "done")]
    assert rows.conversations[0].title == "Hens"
    assert account_of(rows) == (8, 8, 0, 0)


def test_a_change_that_does_not_fit_is_left_out_with_its_reason(tmp_path: Path) -> None:
    """The rest of the session is read all the same."""
    begin = {"kind": 0, "v": {"version": 3, "sessionId": "s", "requests": []}}
    added = {"kind": 2, "k": ["requests"], "v": [request("Go", {"value": "Gone."})]}
    rows = read_changes(
        tmp_path, begin, added, {"kind": 1, "k": ["requests", 7, "response"], "v": []}, {"kind": 2, "k": ["version"], "v": [1]}, {"kind": 1, "k": []}
    )
    assert codes(rows) == {"no_change": 3}
    assert account_of(rows) == (5, 2, 0, 3)
    assert texts_of(rows) == ["Go", "Gone."]


def test_the_prompt_of_a_replay_log_is_a_turn_whatever_its_rounds() -> None:
    """It stands there once for every round."""
    rows = read(SAMPLES / "spec.chatreplay.json")
    assert [(turn.prompt, turn.state, turn.answer) for turn in rows.turns] == [("Make a nest", "done", "Made."), ("Make another", "failed", None)]
    assert [(step.input_tokens, step.output_tokens, step.seconds) for step in calls_of(rows, "model")] == [(100, 12, 1.0), (130, 3, 1.0), (0, 0, 1.0)]
    assert [(tool.tool_call_id, tool.output) for tool in calls_of(rows)] == [("toolu_7", "Created nest")]
    assert account_of(rows) == (5, 5, 0, 0)


def test_what_a_request_repeats_is_said_once() -> None:
    """Instructions and what the editor tells of itself are no person's words."""
    rows = read(SAMPLES / "spec.chatreplay.json")
    assert [part.text for part in rows.parts if part.injected] == ["You are an expert.", "<context>\nLinux\n</context>"]


def test_whatever_stands_in_a_session_is_read_or_explained(tmp_path: Path) -> None:
    """Nothing of it raises."""
    odd = [
        7,
        {},
        request("Go", 3, {"kind": ["odd"]}, {"kind": "tomorrow"}, result=[]),
        {"message": None, "response": {"odd": 1}, "timestamp": "x", "result": {"metadata": {"toolCallRounds": [{"toolCalls": [1, {"id": [2]}]}]}}},
    ]
    rows = read_session(tmp_path, {"version": 3, "sessionId": "s", "requests": odd})
    assert account_of(rows) == (4, 3, 0, 1)
