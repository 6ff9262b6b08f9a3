"""Real recordings of Anthropic Messages: what was counted in the files themselves is in the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from agentnb.readers import Rows
from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings


class Numbers(NamedTuple):
    """What was counted in a file."""

    conversations: int
    models: int
    tools: int
    failed: int
    unanswered: int
    input_tokens: int
    output_tokens: int
    records: int


# Replies, blocks that ask for a tool, results that tell of an error or an exit code that is not zero, calls without a result, sums of the usage of each
# reply with what was read from and written to the cache, and records: messages of requests and replies, events of streams, lines of sessions.
COUNTED = {
    "anthropic-clear-tool-uses.1.json": Numbers(1, 1, 0, 0, 0, 859, 132, 1),
    "anthropic-code-execution-20250825.1.chunks.jsonl": Numbers(1, 1, 2, 0, 0, 8050, 771, 248),
    "anthropic-code-execution-20250825.pptx-skill.json": Numbers(1, 1, 61, 1, 0, 950648, 13856, 1),
    "anthropic-compaction.1.chunks.jsonl": Numbers(1, 1, 0, 0, 0, 612, 2819, 749),
    "anthropic-mcp.1.json": Numbers(1, 1, 1, 0, 0, 1250, 88, 1),
    "anthropic-programmatic-tool-calling.1.chunks.jsonl": Numbers(1, 15, 15, 0, 14, 7920, 922, 278),
    "anthropic-programmatic-tool-calling.1.json": Numbers(1, 1, 5, 0, 4, 4243, 229, 1),
    "anthropic-tool-search-regex.1.json": Numbers(1, 1, 2, 0, 1, 1676, 184, 1),
    "anthropic_managed_mcp_tools.jsonl": Numbers(1, 2, 1, 0, 0, 18028, 435, 22),
    "anthropic_managed_mcp_tools_reject.jsonl": Numbers(1, 3, 2, 0, 0, 33803, 314, 27),
    "pydantic-pause-turn-web-search.http.jsonl": Numbers(1, 2, 15, 0, 0, 896017, 2037, 5),
    "pydantic-tool-search-eval.http.jsonl": Numbers(4, 11, 7, 1, 0, 9943, 910, 44),
    "sdk-tool-runner-1.json": Numbers(1, 1, 1, 0, 0, 11306, 163, 2),
    "sdk-tool-runner-2.json": Numbers(2, 2, 1, 0, 1, 941, 1481, 5),
    "sdk-tool-runner-3.json": Numbers(1, 2, 1, 0, 0, 1426, 112, 6),
    "sdk-tool-runner-4.json": Numbers(1, 2, 2, 0, 1, 1535, 174, 6),
    "sdk-tool-runner-5.json": Numbers(1, 2, 1, 0, 0, 1302, 96, 6),
}
HANDOFF = "pydantic-handoff-anthropic-openai-anthropic.http.jsonl"


@pytest.fixture(scope="module")
def folder(recordings: Path) -> Path:
    return recordings / "anthropic_messages"


def numbers_of(rows: Rows) -> Numbers:
    models, tools = calls_of(rows, "model"), calls_of(rows)
    return Numbers(
        len(rows.conversations),
        len(models),
        len(tools),
        sum(call.failed for call in tools),
        sum(call.state == "unanswered" for call in tools),
        sum(call.input_tokens or 0 for call in models),
        sum(call.output_tokens or 0 for call in models),
        account_of(rows)[0],
    )


def test_every_file_is_of_this_format_and_none_of_its_records_is_left_out(folder: Path) -> None:
    rows = read(folder)
    assert {Path(source.path).name for source in rows.sources} == {*COUNTED, HANDOFF}
    assert {source.format for source in rows.sources} == {"anthropic_messages"}
    assert {source.records_skipped for source in rows.sources} == {0}


@pytest.mark.parametrize("name", COUNTED)
def test_a_file_holds_what_was_counted(name: str, folder: Path) -> None:
    assert numbers_of(read(folder / name)) == COUNTED[name]


def test_a_whole_run_in_one_reply_has_its_exit_codes(folder: Path) -> None:
    rows = read(folder / "anthropic-code-execution-20250825.pptx-skill.json")
    assert [call.exit_code for call in calls_of(rows) if call.name == "bash_code_execution"] == [0] * 12 + [1, 0, 0]
    assert [turn.state for turn in rows.turns] == ["done"]


def test_calls_that_a_program_made_are_inside_it(folder: Path) -> None:
    rows = read(folder / "anthropic-programmatic-tool-calling.1.json")
    program, *rolls = calls_of(rows)
    assert (program.name, program.exit_code, {call.name for call in rolls}) == ("code_execution", 0, {"rollDie"})
    assert {call.parent_call_id for call in rolls} == {program.call_id}


def test_a_session_has_the_answer_of_the_person_and_its_state(folder: Path) -> None:
    allowed, refused = read(folder / "anthropic_managed_mcp_tools.jsonl"), read(folder / "anthropic_managed_mcp_tools_reject.jsonl")
    assert [(approval.answer, approval.reason) for approval in allowed.approvals] == [("yes", None)]
    assert [(approval.answer, approval.reason) for approval in refused.approvals] == [("no", "This tool is not allowed in this demo.")]
    assert [call.state for call in calls_of(refused)] == ["denied", "done"]
    assert [turn.state for turn in (*allowed.turns, *refused.turns)] == ["done", "done"]
    assert sum(call.cached_tokens or 0 for call in calls_of(refused, "model")) == 15730
    assert account_of(refused) == (27, 25, 2, 0)


def test_a_paused_turn_is_one_turn_with_fifteen_searches(folder: Path) -> None:
    rows = read(folder / "pydantic-pause-turn-web-search.http.jsonl")
    assert len(rows.turns) == 1
    assert [call.finish_reason for call in calls_of(rows, "model")] == ["pause_turn", "end_turn"]
    assert {(call.name, call.state) for call in calls_of(rows)} == {("web_search", "done")}


def test_a_log_of_two_services_has_the_tokens_of_both(folder: Path) -> None:
    rows = read(folder / HANDOFF)
    models = calls_of(rows, "model")
    assert (sum(call.input_tokens or 0 for call in models), sum(call.output_tokens or 0 for call in models)) == (4927 + 724, 292 + 34)
    assert account_of(rows)[0] == 48
    assert {call.state for call in calls_of(rows)} == {"done"}


def test_nothing_is_odd_but_calls_without_results(folder: Path) -> None:
    assert codes(read(folder)) == {"equal_conversations": 1, "unanswered_call": 21}


def test_the_summary_of_a_compaction_is_kept_apart_from_the_answer(folder: Path) -> None:
    rows = read(folder / "anthropic-compaction.1.chunks.jsonl")
    (summary,) = (part for part in rows.parts if part.type == "other")
    assert json.loads(summary.extra or "") == {"type": "compaction"}
    assert (summary.text or "").startswith("## Summary of Conversation")
