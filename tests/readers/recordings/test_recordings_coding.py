"""Real sessions of Codex and Copilot, with numbers counted from the files by other means than the readers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

pytestmark = pytest.mark.recordings

LONG = ("edgerunner.jsonl", "hyperweave-autonomous-patches.jsonl", "hyperweave-review.jsonl")
COLUMNS = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
COUNTED = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")


def payloads(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what the lines of a rollout hold."""
    for line in path.read_text().splitlines():
        yield json.loads(line, strict=False)["payload"]


def shown(payload: dict[str, Any]) -> str:
    """Return a result as text."""
    output = payload["output"]
    return output if isinstance(output, str) else "\n".join(part.get("text", "") for part in output)


@pytest.fixture(scope="module", params=LONG)
def session(request: pytest.FixtureRequest, recordings: Path) -> tuple[Path, Rows]:
    path = recordings / "codex" / request.param
    return path, read(path)


def test_every_call_of_a_long_session_is_read_with_its_result(session: tuple[Path, Rows]) -> None:
    path, rows = session
    asked = [payload["call_id"] for payload in payloads(path) if payload.get("type") in ("function_call", "custom_tool_call")]
    answered = [payload["call_id"] for payload in payloads(path) if str(payload.get("type")).endswith("_call_output")]
    read_calls = [call for call in calls_of(rows) if (call.tool_call_id or "").startswith("call_")]
    assert [call.tool_call_id for call in read_calls] == asked
    assert [call.tool_call_id for call in read_calls if call.state == "unanswered"] == [call_id for call_id in asked if call_id not in answered]


def test_the_tokens_of_a_long_session_add_up_to_the_last_total_in_its_file(session: tuple[Path, Rows]) -> None:
    path, rows = session
    last = [payload["info"]["total_token_usage"] for payload in payloads(path) if payload.get("type") == "token_count" and payload["info"]][-1]
    assert [sum(getattr(step, column) or 0 for step in calls_of(rows, "model")) for column in COLUMNS] == [last[name] for name in COUNTED]


def test_every_exit_code_that_a_result_states_is_read(session: tuple[Path, Rows]) -> None:
    path, rows = session
    stated: dict[str, int] = {}
    for payload in payloads(path):
        if str(payload.get("type")).endswith("_call_output"):
            found = re.search(r"\nProcess exited with code (\d+)\n|\"metadata\":\{\"exit_code\":(\d+)", shown(payload))
            if found:
                stated[payload["call_id"]] = int(found[1] or found[2])
    told = {call.tool_call_id: call.exit_code for call in calls_of(rows)}
    assert {call_id: told[call_id] for call_id in stated} == stated


def test_the_turns_of_a_long_session_are_those_that_its_file_begins_and_ends(session: tuple[Path, Rows]) -> None:
    path, rows = session
    events = [(payload.get("type"), payload.get("turn_id")) for payload in payloads(path)]
    ends = {"task_complete": "done", "turn_aborted": "interrupted"}
    states = {turn_id: ends[kind] for kind, turn_id in events if kind in ends}
    assert [(turn.turn_id.split("/")[1], turn.state) for turn in rows.turns] == [
        (turn_id, states.get(turn_id)) for kind, turn_id in events if kind == "task_started"
    ]


def test_what_was_said_in_a_long_session_is_said_once(session: tuple[Path, Rows]) -> None:
    path, rows = session
    replies = [
        payload["content"][0]["text"]
        for payload in payloads(path)
        if payload.get("type") == "message" and payload["role"] == "assistant" and payload["content"]
    ]
    prompts = [payload["message"] for payload in payloads(path) if payload.get("type") == "user_message"]
    assert [text for text in texts_of(rows, "assistant") if text] == [text for text in replies if text]
    assert [turn.prompt for turn in rows.turns] == prompts


def test_every_line_of_a_long_session_is_explained(session: tuple[Path, Rows]) -> None:
    path, rows = session
    count, kept, merged, skipped = account_of(rows)
    assert (count, skipped) == (len(path.read_text().splitlines()), 0)
    doubled = Counter(str(payload.get("type")) for payload in payloads(path))
    assert merged >= doubled["agent_message"] + doubled["user_message"]
    assert kept == count - merged


def test_the_session_with_an_interruption_has_171_calls_and_one_without_an_answer(recordings: Path) -> None:
    rows = read(recordings / "codex" / "edgerunner.jsonl")
    own = [call for call in calls_of(rows) if (call.tool_call_id or "").startswith("call_")]
    inner = [call for call in calls_of(rows) if (call.tool_call_id or "").startswith("exec-")]
    assert (len(own), len(inner)) == (171, 54)
    assert Counter(call.name for call in inner) == {"apply_patch": 41, "web_search": 13}
    assert {call.name for call in rows.calls if call.call_id in {call.parent_call_id for call in inner}} == {"exec"}
    assert [call.tool_call_id for call in own if call.state == "unanswered"] == ["call_j6mVdtsVii0CfgU26MVX5jdU"]
    # Five scripts failed, one call was stopped by the person, one asked what may not be asked in that mode.
    assert Counter(call.name for call in own if call.failed) == {"exec": 6, "request_user_input": 1}
    assert codes(rows) == {"unanswered_call": 1}


def test_processes_that_went_on_ended_with_what_later_calls_were_told(recordings: Path) -> None:
    rows = read(recordings / "codex" / "hyperweave-autonomous-patches.jsonl")
    results = [shown(payload) for payload in payloads(recordings / "codex" / "hyperweave-autonomous-patches.jsonl") if "output" in payload]
    going = sum("\nProcess running with session ID " in result for result in results)
    assert going == 13
    states = Counter((call.name, call.state) for call in calls_of(rows) if "\nProcess running with session ID " in str(call.output))
    assert sum(states.values()) == going
    assert {name for (name, state) in states if state == "running"} <= {"exec_command"}
    assert codes(rows) == {"arguments_not_json": 1}


def test_web_searches_and_commands_of_the_review_are_told_by_their_events(recordings: Path) -> None:
    rows = read(recordings / "codex" / "hyperweave-review.jsonl")
    searches = [call for call in calls_of(rows) if call.name == "web_search"]
    assert (len(searches), len({call.tool_call_id for call in searches}), {call.state for call in searches}) == (22, 22, {"done"})
    assert Counter(call.exit_code for call in calls_of(rows) if call.name == "exec_command") == {0: 7, 1: 2, 2: 1}
    assert rows.conversations[0].title == "hw_review_20260503"


def test_the_trimmed_sessions_are_read_to_their_ends(recordings: Path) -> None:
    for path in sorted((recordings / "codex").glob("agent-sessions-*.jsonl")):
        rows = read(path)
        count, _, _, skipped = account_of(rows)
        assert (count, skipped) == (len(path.read_text().splitlines()), 0), path.name
    usage = [read(recordings / "codex" / f"agent-sessions-codex_05{name}.jsonl") for name in ("1_usage", "2_raw")]
    assert [[step.input_tokens for step in calls_of(rows, "model")] for rows in usage] == [[1420, 2840], [980, 1620]]


def test_a_document_of_items_is_read(recordings: Path) -> None:
    rows = read(recordings / "codex" / "strands-rollout.json")
    assert [(call.name, call.state, call.exit_code) for call in calls_of(rows)] == [("exec_command", "done", 0), ("exec_command", "unanswered", None)]
    assert account_of(rows) == (3, 3, 0, 0)


def test_the_events_of_copilot_are_read(recordings: Path) -> None:
    rows = read(recordings / "copilot" / "copilot-cli-small.jsonl")
    assert account_of(rows) == (32, 30, 2, 0)
    assert [turn.prompt for turn in rows.turns] == ["List the files", "[trimmed for fixture]"]
    (shell,) = [call for call in calls_of(rows) if call.name == "shell"]
    assert (shell.output, shell.state, shell.seconds) == ("a.txt\nb.txt\n", "done", 2.0)


# Messages in the file, those of the longest form of each conversation, model replies, tools asked for.
SNAPSHOTS = {
    "copilot-sdk-deny_tool_execution_when_pre_tool_use_returns_de.yaml": (20, 8, 3, ["report_intent", "view", "${shell}"]),
    "copilot-sdk-should_invoke_permission_handler_for_write_opera.yaml": (20, 8, 3, ["report_intent", "view", "edit"]),
    "copilot-sdk-should_invoke_pretooluse_and_posttooluse_hooks_f.yaml": (30, 15, 6, ["report_intent", "task", "read_agent", "view"]),
    "copilot-sdk-should_start_fleet_and_complete_custom_tool_task.yaml": (11, 6, 2, ["report_intent", "record_fleet_completion"]),
}


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_the_conversations_that_the_sdk_recorded_are_read_in_their_longest_form(recordings: Path, name: str) -> None:
    messages, longest, replies, tools = SNAPSHOTS[name]
    rows = read(recordings / "copilot" / name)
    assert account_of(rows) == (messages, longest, messages - longest, 0)
    assert len(calls_of(rows, "model")) == replies
    assert [call.name for call in calls_of(rows)] == tools
    assert len(rows.conversations) == 1


def test_tools_that_a_hook_denied_were_denied(recordings: Path) -> None:
    rows = read(recordings / "copilot" / "copilot-sdk-deny_tool_execution_when_pre_tool_use_returns_de.yaml")
    assert [call.state for call in calls_of(rows)] == ["denied"] * 3


def test_the_replay_log_has_two_turns_with_what_its_requests_cost(recordings: Path) -> None:
    path = recordings / "copilot" / "spec.chatreplay.json"
    rows = read(path)
    logs = [entry for prompt in json.loads(path.read_text())["prompts"] for entry in prompt["logs"]]
    usage = [entry["metadata"]["usage"] for entry in logs if entry["kind"] == "request"]
    steps = calls_of(rows, "model")
    assert [(step.input_tokens, step.output_tokens) for step in steps] == [(item["prompt_tokens"], item["completion_tokens"]) for item in usage]
    assert [(turn.prompt or "").split()[0] for turn in rows.turns] == ["create", "change"]
    assert [(call.name, call.state) for call in calls_of(rows)] == [("create_file", "done"), ("replace_string_in_file", "done")]
    assert account_of(rows) == (len(logs), len(logs), 0, 0)
