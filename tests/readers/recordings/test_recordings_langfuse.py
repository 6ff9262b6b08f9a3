"""Real traces of Langfuse, each of another framework: numbers read off the files, in which one call often stands twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.readers.reading import account_of, calls_of, codes, read, texts_of

pytestmark = pytest.mark.recordings

# Model calls, tools that were called, input and output tokens, observations kept and merged. Of a call that two libraries recorded, the inner one counts.
TRACES = {
    "agno-2025-06-11": (2, 1, 826, 245, 4, 2),
    "beeai-2025-08-01": (3, 1, 5542, 0, 29, 0),
    "claude-agent-2025-12-22": (4, 2, 34, 232, 7, 0),
    "crewai-2025-07-11": (1, 0, 190, 164, 6, 0),
    "csharp-agent-with-gemini-2026-03-09": (3, 2, 8047, 414, 8, 0),
    "google-adk-2025-08-28": (2, 1, 67, 9, 5, 0),
    "google-gemini-2025-08-01": (1, 0, 6, 2055, 1, 0),
    "langgraph-python-2025-08-22": (2, 1, 168, 66, 9, 0),
    "llamaindex-2025-06-05": (1, 0, 13, 81, 2, 0),
    "pydantic-ai-tools-2025-12-04": (4, 4, 1315, 209, 12, 0),
    "vercel-aisdk-2025-11-17": (1, 1, 62, 85, 2, 1),
    "vertex-ai-2025-08-01": (1, 0, 5, 845, 1, 0),
}
CALLS = {
    "agno-2025-06-11": ["duckduckgo_search"],
    "claude-agent-2025-12-22": ["mcp__weather__get_weather", "mcp__weather__get_weather"],
    "csharp-agent-with-gemini-2026-03-09": ["get_custom_report", "final_result"],
    "google-adk-2025-08-28": ["say_hello"],
    "langgraph-python-2025-08-22": ["Web-Search"],
    "vercel-aisdk-2025-11-17": ["getWeather"],
}
"""Names of the tools in the order in which they were asked for."""
SESSIONS = {
    "agno-2025-06-11": "35cc6c90-b657-4819-b66c-c931c03ad569",
    "google-adk-2025-08-28": "demo-session",
    "langgraph-python-2025-08-22": "demo-thread-1",
    "vertex-ai-2025-08-01": "0298935e31d66d7de9487cac935d7d99",
}


@pytest.fixture(scope="module")
def langfuse(recordings: Path) -> Path:
    return recordings / "langfuse"


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_holds_what_was_read_off_its_file(langfuse: Path, name: str) -> None:
    path = langfuse / f"{name}.trace.json"
    rows = read(path)
    models, tools = calls_of(rows, "model"), calls_of(rows)
    observations = json.loads(path.read_text(encoding="utf-8"))["observations"]
    read_, kept, merged, skipped = account_of(rows)
    tokens = (sum(model.input_tokens or 0 for model in models), sum(model.output_tokens or 0 for model in models))
    assert (len(models), len(tools), *tokens, kept, merged) == TRACES[name]
    assert (read_, skipped, len(rows.conversations), [source.format for source in rows.sources]) == (len(observations), 0, 1, ["langfuse"])


@pytest.mark.parametrize("name", CALLS)
def test_tools_are_known_by_name_and_have_their_results(langfuse: Path, name: str) -> None:
    calls = calls_of(read(langfuse / f"{name}.trace.json"))
    assert ([call.name for call in calls], {call.state for call in calls}) == (CALLS[name], {"done"})
    assert None not in [call.output for call in calls]


@pytest.mark.parametrize("name", SESSIONS)
def test_a_conversation_has_the_id_of_its_session_or_thread_else_of_its_trace(langfuse: Path, name: str) -> None:
    (conversation,) = read(langfuse / f"{name}.trace.json").conversations
    assert conversation.conversation_id == SESSIONS[name]


def test_no_words_are_said_twice(langfuse: Path) -> None:
    for path in sorted(langfuse.glob("*.trace.json")):
        texts = [text for text in texts_of(read(path)) if len(text) > 20]
        assert len(texts) == len(set(texts)), path.name


def test_only_the_missing_parent_and_the_tool_that_never_ran_are_odd(langfuse: Path) -> None:
    assert codes(read(langfuse)) == {"missing_parent": 1, "unanswered_call": 1}


def test_agents_below_a_program_are_its_sub_agents_and_one_that_goes_on_is_one(langfuse: Path) -> None:
    rows = read(langfuse / "pydantic-ai-tools-2025-12-04.trace.json")
    agents = [call.name for call in calls_of(rows, "agent") if call.parent_call_id is not None]
    assert sorted(agents) == ["evaluator_agent", "joke_agent"]
    assert rows.conversations[0].agent_name == "run_joke_generator"


def test_scores_are_labels(langfuse: Path) -> None:
    (conversation,) = read(langfuse / "crewai-2025-07-11.trace.json").conversations
    assert json.loads(conversation.labels or "") == {"toxicity": 0.8, "hallucination": 1}


def test_cost_is_that_of_the_calls_that_count(langfuse: Path) -> None:
    costs = [model.cost for model in calls_of(read(langfuse / "agno-2025-06-11.trace.json"), "model")]
    assert costs == [3.645e-05, 0.000234449999]
