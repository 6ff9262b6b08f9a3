"""Real spans: what was counted in the raw attributes is in the tables, and every span is explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from agentnb.readers import Rows
from agentnb.readers._rows import CallRow
from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings


class Counted(NamedTuple):
    """What was counted in the raw file."""

    spans: int
    models: int
    """Model calls: spans of kind LLM, operations chat, generate_content or llm_call, `.doGenerate` and `.doStream`; a wrapper and what it wraps once."""
    ran: int
    """Tools that ran, as spans with times tell: of kind TOOL, operations execute_tool and agent_handoff."""
    failed: int = 0
    """Of these, those whose status is an error or whose result begins with one."""
    input_tokens: int = 0
    output_tokens: int = 0
    agents: int = 1
    """Turns and sub-agents."""


BY_COUNT = {
    "deerflow-monocle-otelsdk-spans.json": Counted(17, 4, 6, 5, 42_258, 936),
    "langwatch-gemini-B.llm_call.json": Counted(1, 1, 0, 0, 767, 30),
    "langwatch-opencode-B.doStream.json": Counted(1, 1, 0, 0, 12_632, 13),
    "langwatch-otlp-claude_cowork.json": Counted(1, 1, 0, 0, 256, 92),
    "langwatch-otlp-cursor.json": Counted(1, 1, 0, 0, 412, 118),
    "open-agent-traces-collector.otlp.jsonl": Counted(2, 0, 0, agents=0),
    "openinference-otel_genai_client_span_tool_calls.json": Counted(1, 1, 0, 0, 97, 52),
    "openinference-otel_genai_tool_execution_span.json": Counted(1, 0, 0),
    "openinference-vercel-v6-all-spans.json": Counted(10, 4, 0, 0, 142, 297, agents=5),
    "strands-adk_live_spans.json": Counted(7, 2, 1, 0, 379, 84),
    "strands-autogen_live_spans.json": Counted(3, 0, 1),
    "strands-openai_agents_genai_adot_spans.json": Counted(17, 3, 2, 1, 692, 102),
    "strands-openai_agents_genai_live_spans.json": Counted(17, 8, 5, 0, 1_870, 253, agents=3),
    "strands-openai_agents_openinference_adot_spans.json": Counted(16, 3, 2, 1, 692, 107),
    "strands-openai_agents_openinference_live_spans.json": Counted(19, 5, 4, 0, 1_228, 194, agents=2),
    "strands-openinference_live_spans.json": Counted(6, 2, 1, agents=3),
    "strands-otel_genai_convention_spans.json": Counted(5, 2, 2, 1, 200, 60),
    "strands-pydantic_ai_live_spans.json": Counted(4, 2, 1, 0, 1_251, 78),
    "strands-smolagents_live_spans.json": Counted(7, 2, 2, 0, 6_256, 163),
}


def is_recorded(step: CallRow) -> bool:
    """Tell whether a model call has a span of its own; those of the history before it have none."""
    return bool(json.loads(step.extra or "{}").get("recorded") != "history")


def counted(rows: Rows) -> Counted:
    steps, calls = calls_of(rows, "model"), calls_of(rows)
    ran = [call for call in calls if call.seconds is not None]
    return Counted(
        account_of(rows)[0], sum(map(is_recorded, steps)), len(ran), sum(call.failed for call in calls), sum(step.input_tokens or 0 for step in steps),
        sum(step.output_tokens or 0 for step in steps), len(calls_of(rows, "agent")),
    )  # fmt: skip


@pytest.mark.parametrize("name", BY_COUNT)
def test_what_was_counted_is_read(name: str, recordings: Path) -> None:
    rows = read(recordings / "otel" / name)
    assert [source.format for source in rows.sources] == ["otel"]
    assert counted(rows) == BY_COUNT[name]


@pytest.mark.parametrize("kind", ["client_span_tool_calls", "tool_execution_span"])
def test_a_call_that_a_map_of_attributes_tells_has_its_result_and_no_times(kind: str, recordings: Path) -> None:
    (call,) = calls_of(read(recordings / "otel" / f"openinference-otel_genai_{kind}.json"))
    assert (call.name, call.tool_call_id, call.state, call.output is not None, call.started_at) == ("get_weather", "1234", "done", True, None)


def test_no_file_of_the_folder_was_left_uncounted(recordings: Path) -> None:
    assert {path.name for path in (recordings / "otel").iterdir()} == set(BY_COUNT)


def test_only_traces_without_an_agent_are_left_out(recordings: Path) -> None:
    skipped = {source.path.rsplit("/", 1)[-1]: source.skipped for source in read(recordings / "otel").sources if source.skipped}
    assert skipped == {
        "open-agent-traces-collector.otlp.jsonl": '{"no_agent_span":2}',
        "openinference-vercel-v6-all-spans.json": '{"no_agent_span":2}',
        "strands-autogen_live_spans.json": '{"no_agent_span":1}',
    }


def test_specialists_that_ran_beside_the_coordinator_stand_under_the_tools_that_asked_them(recordings: Path) -> None:
    rows = read(recordings / "otel" / "strands-openai_agents_genai_live_spans.json")
    names = {call.call_id: call.name for call in rows.calls}
    assert [(agent.name, names.get(agent.parent_call_id or "")) for agent in calls_of(rows, "agent")] == [
        ("coordinator", None),
        ("research_specialist", "ask_research_specialist"),
        ("math_specialist", "ask_math_specialist"),
    ]


def test_a_handoff_goes_on_in_the_same_thread_under_the_name_of_the_other_agent(recordings: Path) -> None:
    rows = read(recordings / "otel" / "strands-openai_agents_openinference_adot_spans.json")
    assert [json.loads(step.extra or "{}")["agent"] for step in calls_of(rows, "model")] == ["coordinator", "math_specialist", "math_specialist"]


def test_calls_that_only_the_history_tells_are_paired_with_the_tools_that_ran(recordings: Path) -> None:
    rows = read(recordings / "otel" / "deerflow-monocle-otelsdk-spans.json")
    assert [(call.name, call.tool_call_id is not None, call.step_id is not None) for call in calls_of(rows)] == [
        ("web_search", True, True), *[("web_fetch", True, True)] * 5,
    ]  # fmt: skip
    assert codes(rows) == {}


def test_costs_and_conversations_are_those_recorded(recordings: Path) -> None:
    rows = read(recordings / "otel" / "strands-pydantic_ai_live_spans.json")
    assert [step.cost for step in calls_of(rows, "model")] == [0.0028149, 0.0026004]
    assert [conversation.conversation_id for conversation in rows.conversations] == ["019f8b0c-5147-74b5-b1e4-f9b086da98e0"]
