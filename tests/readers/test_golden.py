"""The project's own recordings are read as golden files say, which a person has compared with the recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentnb.readers import Rows
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read

STORIES = {
    "support-refund": "support-refund/lamp-shop.tau.json",
    "broken-shade": "support-refund/broken-shade.messages.json",
    "late-parcel": "support-refund/late-parcel.http.jsonl",
    "failing-test": "failing-test",
    "release-notes": "release-notes",
    "terminal-task": "terminal-task",
    "last-ferry": "last-ferry",
}


@pytest.mark.parametrize("name", STORIES)
def test_a_recording_is_read_as_its_golden_file_says(name: str, data: Path) -> None:
    compare_with_golden(name, outline_of(read(data / STORIES[name])))


def counted(rows: Rows) -> dict[str, int]:
    """Count what the author of the recordings counted."""
    tools = calls_of(rows)
    return {
        "conversations": len(rows.conversations),
        "turns": len(rows.turns),
        "model messages": len(calls_of(rows, "model")),
        "tool calls": len(tools),
        "failed": sum(call.state == "failed" for call in tools),
        "denied": sum(call.state == "denied" for call in tools),
        "unanswered": sum(call.state == "unanswered" for call in tools),
    }


def test_the_lamp_shop_is_eight_conversations_with_four_failed_calls_and_one_without_an_answer(data: Path) -> None:
    rows = read(data / STORIES["support-refund"])
    expected = {"conversations": 8, "turns": 37, "model messages": 68, "tool calls": 39, "failed": 4, "denied": 0, "unanswered": 1}
    assert counted(rows) == expected
    assert account_of(rows) == (151, 151, 0, 0)
    assert codes(rows) == {"unanswered_call": 1}


def test_the_failing_test_is_one_conversation_with_a_line_met_twice_and_a_line_cut_off(data: Path) -> None:
    rows = read(data / STORIES["failing-test"])
    expected = {"conversations": 1, "turns": 3, "model messages": 60, "tool calls": 61, "failed": 20, "denied": 1, "unanswered": 1}
    assert counted(rows) == expected
    assert account_of(rows) == (178, 176, 1, 1)
    assert {diagnostic.code: diagnostic.source_line for diagnostic in rows.diagnostics if diagnostic.code != "unanswered_call"} == {
        "duplicate_id": 174,
        "not_json": 178,
    }


def test_the_release_notes_are_one_conversation_with_four_sub_agents_of_their_own_files(data: Path) -> None:
    rows = read(data / STORIES["release-notes"])
    expected = {"conversations": 1, "turns": 2, "model messages": 26, "tool calls": 31, "failed": 4, "denied": 0, "unanswered": 0}
    assert counted(rows) == expected
    assert account_of(rows) == (99, 99, 0, 0)
    calls = {call.call_id: call for call in rows.calls}
    sub_agents = [call for call in calls_of(rows, "agent") if call.parent_call_id is not None]
    assert [calls[call.parent_call_id or ""].name for call in sub_agents] == ["Task"] * 4
    assert len({call.parent_call_id for call in sub_agents}) == 4


def test_the_terminal_task_is_one_conversation_with_its_summary_as_a_sub_agent_and_nine_shared_results(data: Path) -> None:
    rows = read(data / STORIES["terminal-task"])
    assert len(rows.conversations) == 1
    models = calls_of(rows, "model")
    sub_agents = {call.call_id for call in calls_of(rows, "agent") if call.call_id != call.turn_id}
    assert (len(models), sum(call.parent_call_id in sub_agents for call in models)) == (36, 1)
    assert len(calls_of(rows)) == 43
    assert account_of(rows) == (47, 47, 0, 0)
    assert codes(rows) == {"shared_result": 9}


def test_the_last_ferry_is_five_conversations_of_five_formats_that_ask_the_same(data: Path) -> None:
    rows = read(data / STORIES["last-ferry"])
    assert {conversation.format for conversation in rows.conversations} == {"ai_sdk", "codex", "gemini", "langchain", "otel"}
    assert {turn.prompt for turn in rows.turns} == {"Which is the last ferry from Gull Island on Sunday? Please book two seats on it."}
    expected = {"conversations": 5, "turns": 5, "model messages": 14, "tool calls": 10, "failed": 1, "denied": 0, "unanswered": 1}
    assert counted(rows) == expected
    assert account_of(rows) == (38, 35, 3, 0)
