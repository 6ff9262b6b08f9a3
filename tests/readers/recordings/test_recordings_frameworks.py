"""Real recordings of agent frameworks: what was counted in the raw files is in the tables."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from agentnb.readers import Rows
from tests.readers.reading import account_of, calls_of, read

pytestmark = pytest.mark.recordings


class Counted(NamedTuple):
    """What was counted: model calls, tool calls, tool calls that were answered, input tokens."""

    steps: int
    calls: int
    answered: int
    input_tokens: int = 0


# Counted in the raw files by the parts, chunks or messages that say so. A reply without a step is a model call all the same.
BY_COUNT = {
    "ui_messages/anthropic-code-execution.chunks.replayed.jsonl": ("ai_sdk", Counted(1, 2, 2, 8050)),
    "ui_messages/anthropic-code-execution.uimessages.replayed.json": ("ai_sdk", Counted(1, 2, 2, 8050)),
    "ui_messages/anthropic-truncated-stream.chunks.replayed.jsonl": ("ai_sdk", Counted(1, 1, 0)),
    "ui_messages/openai-429-error.chunks.replayed.jsonl": ("ai_sdk", Counted(1, 0, 0)),
    "ui_messages/openai-429-error.uimessages.replayed.json": ("ai_sdk", Counted(1, 0, 0)),
    "ui_messages/openai-approval-requested.chunks.replayed.jsonl": ("ai_sdk", Counted(1, 1, 0, 47)),
    "ui_messages/openai-approval-requested.uimessages.replayed.json": ("ai_sdk", Counted(1, 1, 0, 47)),
    "ui_messages/openai-code-interpreter.chunks.replayed.jsonl": ("ai_sdk", Counted(1, 3, 3, 6047)),
    "ui_messages/openai-code-interpreter.uimessages.replayed.json": ("ai_sdk", Counted(1, 3, 3, 6047)),
    "ui_messages/openai-mcp-approval-2.chunks.replayed.jsonl": ("ai_sdk", Counted(1, 0, 0, 553)),
    "ui_messages/openai-parallel-tools.uimessages.replayed.json": ("ai_sdk", Counted(2, 3, 3, 915)),
    "ui_messages/openai-tool-error-retry.uimessages.replayed.json": ("ai_sdk", Counted(3, 2, 2, 250)),
    "langchain/vercel-react-agent-tool-calling.json": ("ai_sdk", Counted(3, 2, 2)),
    "frameworks/pydantic-ai-modelmessages-tau-airline.replayed.json": ("pydantic_ai", Counted(30, 20, 20, 3000)),
    "frameworks/pydantic-ai-modelmessages-parallel.replayed.json": ("pydantic_ai", Counted(2, 3, 3, 200)),
    "frameworks/smolagents-codeagent.get_succinct_steps.replayed.json": ("smolagents", Counted(3, 3, 3, 300)),
    "frameworks/smolagents-toolcalling-parallel.get_full_steps.replayed.json": ("smolagents", Counted(2, 4, 2, 200)),
    "frameworks/autogen-teachability.session.json": ("autogen", Counted(16, 0, 0, 4924)),
    "frameworks/autogen-self_teaching.session.json": ("autogen", Counted(29, 0, 0, 16320)),
    "frameworks/autogen-demonstration.session.json": ("autogen", Counted(12, 0, 0, 5172)),
    "frameworks/whowhen-hand-8.json": ("autogen", Counted(128, 0, 0)),
    "frameworks/whowhen-hand-30.json": ("autogen", Counted(120, 0, 0)),
    "frameworks/whowhen-alg-1.json": ("autogen", Counted(4, 2, 2)),
    "frameworks/whowhen-alg-24.json": ("autogen", Counted(8, 2, 2)),
    "frameworks/openai-agents-runstate-v1_11_tool_output_custom_data.json": ("openai_agents", Counted(0, 0, 0)),
    "frameworks/openai-agents-runstate-v1_13_pending_tool_approval.json": ("openai_agents", Counted(1, 1, 0)),
    "frameworks/openai-agents-runstate-v1_13_programmatic_tool_calling.json": ("openai_agents", Counted(1, 2, 1)),
}


def counted(rows: Rows) -> Counted:
    steps, calls = calls_of(rows, "model"), calls_of(rows)
    answered = [call for call in calls if call.state in ("done", "failed")]
    return Counted(len(steps), len(calls), len(answered), sum(step.input_tokens or 0 for step in steps))


@pytest.mark.parametrize("name", BY_COUNT)
def test_a_recording_holds_what_was_counted_in_it(name: str, recordings: Path) -> None:
    rows = read(recordings / name)
    format, expected = BY_COUNT[name]
    assert [(source.format, source.state) for source in rows.sources] == [(format, "read")]
    assert counted(rows) == expected
    assert account_of(rows)[3] == 0


def test_five_calls_of_the_airline_run_were_to_be_tried_again(recordings: Path) -> None:
    rows = read(recordings / "frameworks" / "pydantic-ai-modelmessages-tau-airline.replayed.json")
    assert sum(call.failed for call in calls_of(rows)) == 5
    assert len(rows.turns) == 10


def test_the_approval_that_waits_is_there_whether_it_was_streamed_or_kept(recordings: Path) -> None:
    for name in ("openai-approval-requested.chunks.replayed.jsonl", "openai-approval-requested.uimessages.replayed.json"):
        rows = read(recordings / "ui_messages" / name)
        assert [(approval.answer, rows.turns[0].state) for approval in rows.approvals] == [(None, "waiting")], name


def test_the_mistake_of_a_team_is_a_label(recordings: Path) -> None:
    (conversation,) = read(recordings / "frameworks" / "whowhen-hand-8.json").conversations
    assert '"mistake_agent":"WebSurfer"' in (conversation.labels or "")


def test_a_call_that_a_program_made_is_under_the_program(recordings: Path) -> None:
    rows = read(recordings / "frameworks" / "openai-agents-runstate-v1_13_programmatic_tool_calling.json")
    program, inner = calls_of(rows)
    assert inner.parent_call_id == program.call_id
