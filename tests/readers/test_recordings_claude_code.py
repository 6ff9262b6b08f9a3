"""Real sessions of Claude Code: every event is accounted for, and what somebody counts in the files is in the tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentnb.readers import Rows
from tests.readers.counting import Counted, count_claude, events_of
from tests.readers.reading import account_of, calls_of, codes, duplicates, read

pytestmark = pytest.mark.recordings

SESSIONS = [
    "claude-code-log-todowrite_examples.jsonl",
    "reliability-coverage-test-fix.jsonl",
    "reliability-hello-world-script.jsonl",
    "reliability-python-to-rust-port.jsonl",
    "transcripts-sample_session.json",
    "transcripts-sample_session.jsonl",
    "vscode-30530d66",
    "vscode-553dd2b5",
    "vscode-b3a7bd3c",
    "vscode2-4c289ca8.jsonl",
    "vscode2-98b76fb9.jsonl",
]


@pytest.fixture(scope="module")
def sessions(recordings: Path) -> Path:
    return recordings / "claude_code"


def files_of(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(item for item in path.rglob("*") if item.is_file())


def counted(rows: Rows) -> Counted:
    return Counted(len(calls_of(rows, "model")), len(calls_of(rows)), sum(part.type == "tool_result" for part in rows.parts))


def test_every_file_is_read_as_a_session_of_claude_code(sessions: Path) -> None:
    rows = read(sessions)
    assert account_of(rows) == (478, 471, 4, 3)
    assert {(source.format, source.state) for source in rows.sources} == {("claude_code", "read")}
    assert len(rows.sources) == len(files_of(sessions)) == 19


@pytest.mark.parametrize("name", SESSIONS)
def test_the_replies_calls_and_results_that_one_counts_are_in_the_tables(name: str, sessions: Path) -> None:
    assert counted(read(sessions / name)) == count_claude(files_of(sessions / name))


@pytest.mark.parametrize("name", SESSIONS)
def test_every_event_of_a_session_is_kept(name: str, sessions: Path) -> None:
    events = sum(len(events_of(path)) for path in files_of(sessions / name))
    assert account_of(read(sessions / name)) == (events, events, 0, 0)


@pytest.mark.parametrize("name", SESSIONS)
def test_the_tokens_of_a_reply_are_counted_once_however_many_lines_it_has(name: str, sessions: Path) -> None:
    messages = [event["message"] for path in files_of(sessions / name) for event in events_of(path) if event["type"] == "assistant"]
    last = {message["id"]: message["usage"] for message in messages if "id" in message and message.get("model") != "<synthetic>" and "usage" in message}
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    expected = sum(usage.get(name) or 0 for usage in last.values() for name in names)
    assert sum(call.input_tokens or 0 for call in calls_of(read(sessions / name), "model")) == expected


def test_four_parallel_tasks_each_hold_the_call_of_an_agent_with_two_steps_and_a_tool_call(sessions: Path) -> None:
    rows = read(sessions / "vscode-b3a7bd3c")
    assert (len(rows.conversations), len(rows.turns)) == (1, 1)
    turn = rows.turns[0]
    tasks = [call for call in calls_of(rows) if call.name == "Task"]
    assert [task.parent_call_id for task in tasks] == [turn.turn_id] * 4
    assert len({task.step_id for task in tasks}) == 1
    for task in tasks:
        (agent,) = (call for call in rows.calls if call.parent_call_id == task.call_id)
        assert (agent.kind, agent.state) == ("agent", "done")
        inner = [call.kind for call in rows.calls if call.parent_call_id == agent.call_id]
        assert sorted(inner) == ["model", "model", "tool"]
    assert [task.state for task in tasks] == ["done"] * 4


def test_a_sub_agent_is_named_by_the_call_that_started_it(sessions: Path) -> None:
    rows = read(sessions / "vscode-b3a7bd3c")
    calls = {call.call_id: call for call in rows.calls}
    agents = [call for call in calls_of(rows, "agent") if call.parent_call_id is not None]
    asked = [json.loads(calls[agent.parent_call_id or ""].input or "{}")["subagent_type"] for agent in agents]
    assert [agent.name for agent in agents] == asked


def test_a_resumed_session_is_a_conversation_of_its_own_that_continues_the_first(sessions: Path) -> None:
    rows = read([sessions / "vscode-b02ed4d8", sessions / "vscode-c8bcb3a7"])
    assert {Path(source.path).name[:8]: source.records_merged for source in rows.sources} == {"b02ed4d8": 4, "c8bcb3a7": 0}
    assert account_of(rows) == (11, 7, 4, 0)
    first, resumed = sorted(rows.conversations, key=lambda row: row.parent_conversation_id or "")
    assert (first.conversation_id[:8], first.parent_conversation_id) == ("c8bcb3a7", None)
    assert (resumed.conversation_id[:8], resumed.parent_conversation_id) == ("b02ed4d8", first.conversation_id)
    turns = {turn.turn_id: turn for turn in rows.turns}
    (begin,) = (turn for turn in rows.turns if turn.conversation_id == resumed.conversation_id and turn.turn_index == 0)
    assert turns[begin.parent_turn_id or ""].conversation_id == first.conversation_id
    assert counted(rows) == count_claude([*files_of(sessions / "vscode-b02ed4d8"), *files_of(sessions / "vscode-c8bcb3a7")])


def test_a_resumed_session_is_read_the_same_way_whatever_the_order_of_its_files(sessions: Path) -> None:
    one = read([sessions / "vscode-b02ed4d8", sessions / "vscode-c8bcb3a7"])
    other = read([sessions / "vscode-c8bcb3a7", sessions / "vscode-b02ed4d8"])
    for table in ("conversations", "turns", "calls", "parts"):
        assert getattr(one, table) == getattr(other, table)


def test_lines_that_are_no_objects_are_left_out_with_their_reason(sessions: Path) -> None:
    rows = read(sessions / "claude-code-log-edge_cases.jsonl")
    assert account_of(rows) == (19, 16, 0, 3)
    assert rows.sources[0].skipped == '{"not_an_object":3}'
    assert codes(rows)["not_an_object"] == 3


def test_the_log_of_a_sub_agent_that_is_not_there_is_missed(sessions: Path) -> None:
    rows = read(sessions / "reliability-python-to-rust-port.jsonl")
    assert codes(rows) == {"agent_log_missing": 1}
    assert len(calls_of(rows, "agent")) == len(rows.turns)


def test_times_out_of_order_change_neither_turns_nor_their_order(sessions: Path) -> None:
    rows = read(sessions / "vscode2-98b76fb9.jsonl")
    assert [turn.turn_index for turn in rows.turns] == [0, 1, 2]
    lines = [turn.source_line or 0 for turn in rows.turns]
    assert lines == sorted(lines)


def test_all_sessions_together_share_no_ids(sessions: Path) -> None:
    rows = read(sessions)
    assert duplicates([call.call_id for call in rows.calls]) == []
