"""What Claude Code prints when it runs without a screen: the same events under other names, as lines or as one array, with sub-agents among them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.made import write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

INIT = {"type": "system", "subtype": "init", "cwd": "/home/ana", "tools": ["Bash", "Task"], "model": "m-1", "claude_code_version": "2.0.14"}
USAGE = {"input_tokens": 4, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000, "output_tokens": 1}
ENDED = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 2, "result": "It fails.", "total_cost_usd": 0.04}


def printed(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """Put the session's id on events."""
    return [{"session_id": "s-1", **event} for event in events]


def replied(id: str, *content: dict[str, Any], inside: str | None = None) -> dict[str, Any]:
    """Make an event of the model."""
    message = {"id": id, "type": "message", "role": "assistant", "model": "m-1", "content": [*content], "stop_reason": None, "usage": USAGE}
    return {"type": "assistant", "message": message, "parent_tool_use_id": inside}


def heard(*content: dict[str, Any], inside: str | None = None, **fields: Any) -> dict[str, Any]:
    """Make an event of a result or of words."""
    return {"type": "user", "message": {"role": "user", "content": [*content]}, "parent_tool_use_id": inside} | fields


def use(id: str, name: str, **given: Any) -> dict[str, Any]:
    """Make a block that asks for a tool."""
    return {"type": "tool_use", "id": id, "name": name, "input": given}


def returned(id: str, text: str, **fields: Any) -> dict[str, Any]:
    """Make a block with what a tool returned."""
    return {"type": "tool_result", "tool_use_id": id, "content": text} | fields


RUN = printed(
    INIT,
    replied("msg_1", {"type": "text", "text": "I run the tests."}),
    replied("msg_1", use("t1", "Bash", command="pytest")),
    heard(returned("t1", "Exit code 1\n1 failed", is_error=True)),
    replied("msg_2", use("t2", "Task", prompt="Find it", subagent_type="Explore")),
    heard({"type": "text", "text": "Find it"}, inside="t2"),
    replied("msg_3", use("t3", "Read", file_path="a.py"), inside="t2"),
    heard(returned("t3", "assert False"), inside="t2"),
    heard(returned("t2", "It is a.py.")),
    replied("msg_4", {"type": "text", "text": "It fails."}),
    ENDED,
)


@pytest.mark.parametrize("whole", [False, True], ids=["lines", "one array"])
def test_a_printed_run_reads_like_a_session(whole: bool, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x.json", RUN) if whole else write_lines(tmp_path / "x.jsonl", RUN))
    (conversation,) = rows.conversations
    assert (conversation.conversation_id, conversation.agent_name, conversation.agent_version) == ("s-1", "claude-code", "2.0.14")
    assert [(call.name, call.state, call.exit_code) for call in calls_of(rows)] == [("Bash", "failed", 1), ("Task", "done", None), ("Read", "done", None)]
    assert [(turn.state, turn.answer) for turn in rows.turns] == [("done", "It fails.")]
    assert (account_of(rows), codes(rows)) == ((11, 11, 0, 0), {})


def test_a_sub_agent_is_inside_the_call_that_its_events_name(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "x.jsonl", RUN))
    task = next(call for call in calls_of(rows) if call.name == "Task")
    agents = calls_of(rows, "agent")
    assert [(agent.name, agent.parent_call_id) for agent in agents] == [("claude-code", None), ("Explore", task.call_id)]
    parents = {call.call_id: call.parent_call_id for call in rows.calls}
    inside = next(call for call in calls_of(rows) if call.name == "Read").call_id
    assert agents[1].call_id in (parents[inside], parents[parents[inside] or ""])


def test_lines_of_one_reply_count_its_usage_once_and_the_count_of_a_moment_is_no_count(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "x.jsonl", RUN))
    assert [(step.input_tokens, step.output_tokens) for step in calls_of(rows, "model")] == [(1104, None)] * 4


def test_pieces_of_a_reply_are_left_out_but_for_what_its_end_counts(tmp_path: Path) -> None:
    def piece(**event: Any) -> dict[str, Any]:
        return {"type": "stream_event", "event": event, "parent_tool_use_id": None, "uuid": f"p-{event['type']}"}

    delta = piece(type="message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 42})
    lines = printed(INIT, piece(type="message_start", message={"id": "msg_1"}), replied("msg_1", {"type": "text", "text": "Hi."}), delta, ENDED)
    rows = read(write_lines(tmp_path / "x.jsonl", lines))
    assert [(step.output_tokens, step.finish_reason) for step in calls_of(rows, "model")] == [(42, "end_turn")]
    assert account_of(rows) == (5, 3, 0, 2)


def test_a_run_that_ended_with_an_error_has_failed(tmp_path: Path) -> None:
    ended = ENDED | {"subtype": "error_max_turns", "is_error": True}
    rows = read(write_lines(tmp_path / "x.jsonl", printed(INIT, replied("msg_1", {"type": "text", "text": "Hi."}), ended)))
    assert [turn.state for turn in rows.turns] == ["failed"]


def test_words_that_no_person_said_start_no_turn(tmp_path: Path) -> None:
    skill = heard({"type": "text", "text": "Base directory for this skill: /skills/pdf\n\n# PDF"})
    made = heard({"type": "text", "text": "Go on."}, isSynthetic=True)
    told = heard({"type": "text", "text": "A task has ended."}, origin={"kind": "task-notification"})
    lines = printed(INIT, heard({"type": "text", "text": "Read it."}), replied("msg_1", {"type": "text", "text": "Yes."}), skill, made, told)
    rows = read(write_lines(tmp_path / "x.jsonl", lines))
    assert [turn.prompt for turn in rows.turns] == ["Read it."]


def test_events_that_name_no_session_are_read_as_lines_and_in_a_list_of_messages(tmp_path: Path) -> None:
    events = [{"type": "user", "message": {"role": "user", "content": "Hi"}}, {"type": "assistant", "message": {"content": [{"type": "text", "text": "Ho"}]}}]
    rows = read([write_lines(tmp_path / "a.jsonl", events), write_json(tmp_path / "b.json", {"messages": events})])
    assert [(source.format, source.records_kept) for source in rows.sources] == [("claude_code", 2), ("claude_code", 2)]
    assert texts_of(rows) == ["Hi", "Ho", "Hi", "Ho"]


OTHERS: list[Any] = [
    [{"type": "user", "message": {"role": "user", "content": "Hi"}, "role": "user"}],
    {"messages": [{"role": "user", "content": "Hi"}, {"type": "user", "message": {"role": "user", "content": "Hi"}}]},
    [{"type": "user", "message": {"role": "assistant", "content": "Hi"}}],
    [{"type": "system", "subtype": "init", "session_id": "s"}, 1],
]


@pytest.mark.parametrize("document", OTHERS)
def test_what_only_looks_like_it_is_not_claimed(document: Any, tmp_path: Path) -> None:
    write_json(tmp_path / "x.json", document)
    assert [group.reader.format for group in survey_files(find_files(tmp_path)).groups if group.reader.format == "claude_code"] == []


def test_damage_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join([*map(json.dumps, RUN[:3]), "{", "[]", *map(json.dumps, RUN[3:4])]))
    rows = read(path)
    assert (account_of(rows), codes(rows)) == ((6, 4, 0, 2), {"not_json": 1, "not_an_object": 1})
