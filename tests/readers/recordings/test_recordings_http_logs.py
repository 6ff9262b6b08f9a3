"""Real logs of HTTP traffic: how many conversations they hold, which calls are of no model, and what is said only once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings


class Counts(NamedTuple):
    """What somebody finds who reads a log."""

    format: str
    conversations: int
    turns: int
    replies: int
    calls: int
    others: int
    """Calls of anything but a model."""


# Worked out by hand from the files. In the second log of CrewAI each helper of the crew has a conversation of its own; LangChain asked the same four times;
# the agents of the hand-over speak with two services in one conversation; one web search took two requests, since its reply was paused.
BY_HAND = {
    "anthropic_messages/pydantic-handoff-anthropic-openai-anthropic.http.jsonl": Counts("anthropic_messages", 1, 3, 6, 4, 0),
    "anthropic_messages/pydantic-pause-turn-web-search.http.jsonl": Counts("anthropic_messages", 1, 1, 2, 15, 0),
    "anthropic_messages/pydantic-tool-search-eval.http.jsonl": Counts("anthropic_messages", 4, 4, 11, 7, 0),
    "frameworks/crewai-hierarchical.http.jsonl": Counts("openai_chat", 2, 3, 3, 1, 0),
    "frameworks/crewai-planning-tools.http.jsonl": Counts("openai_chat", 8, 8, 10, 5, 5),
    "gemini/pydantic-instructions-tool-calls.http.jsonl": Counts("gemini", 1, 1, 5, 7, 0),
    "gemini/pydantic-tool-return-image.http.jsonl": Counts("gemini", 1, 1, 4, 3, 0),
    "gemini/pydantic-tool-search-eval.http.jsonl": Counts("gemini", 4, 4, 10, 6, 0),
    "langchain/langchain-agents.http.jsonl": Counts("openai_chat", 4, 4, 8, 4, 12),
    "openai_chat/multiple-agent-tool-calls.http.jsonl": Counts("openai_chat", 1, 2, 4, 2, 0),
    "openai_chat/openrouter-errors.http.jsonl": Counts("openai_chat", 1, 1, 3, 0, 0),
    "openai_responses/pydantic-code-execution-image.http.jsonl": Counts("openai_responses", 1, 2, 2, 2, 0),
}


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


@pytest.mark.parametrize("name", BY_HAND)
def test_a_log_holds_what_was_counted_by_hand(name: str, recordings: Path) -> None:
    rows = read(recordings / name)
    others = codes(rows).get("not_a_model_call", 0)
    found = Counts(str(rows.sources[0].format), len(rows.conversations), len(rows.turns), len(calls_of(rows, "model")), len(calls_of(rows)), others)
    assert found == BY_HAND[name]


def test_every_log_of_the_recordings_is_read_and_no_record_is_unexplained(recordings: Path) -> None:
    rows = read(sorted(recordings.rglob("*.http.jsonl")))
    assert {source.state for source in rows.sources} == {"read"}
    assert len(rows.sources) == len(list(recordings.rglob("*.http.jsonl")))
    assert set(codes(rows)) <= {"not_a_model_call", "unanswered_call", "equal_conversations"}


@pytest.mark.parametrize("name", ["langchain/langchain-agents.http.jsonl", "frameworks/crewai-planning-tools.http.jsonl"])
def test_messages_are_kept_merged_or_skipped_and_add_up_to_what_the_log_holds(name: str, recordings: Path) -> None:
    lines = lines_of(recordings / name)
    chats = [line for line in lines if "chat/completions" in line["uri"]]
    messages = sum(len(line["request"]["messages"]) + 1 for line in chats)
    read_, kept, merged, skipped = account_of(read(recordings / name))
    assert (read_, skipped, kept + merged) == (messages + len(lines) - len(chats), len(lines) - len(chats), messages)


def test_every_token_of_a_log_is_counted_once(recordings: Path) -> None:
    path = recordings / "frameworks" / "crewai-planning-tools.http.jsonl"
    usage = [line["response"]["usage"] for line in lines_of(path) if "usage" in line["response"]]
    models = calls_of(read(path), "model")
    assert len(models) == len(usage)
    assert Counter(call.input_tokens for call in models) == Counter(item["prompt_tokens"] for item in usage)
    assert Counter(call.output_tokens for call in models) == Counter(item["completion_tokens"] for item in usage)


def test_answers_that_came_as_a_stream_of_events_are_whole(recordings: Path) -> None:
    path = recordings / "langchain" / "langchain-agents.http.jsonl"
    texts = [line["response"] for line in lines_of(path) if "chat/completions" in line["uri"]]
    assert [type(text) for text in texts] == [str] * 8
    chunks = [[json.loads(row[6:]) for row in text.splitlines() if row.startswith("data: {")] for text in texts]
    deltas = [[choice["delta"] for chunk in answer for choice in chunk["choices"]] for answer in chunks]
    rows = read(path)
    assert [part.text for part in rows.parts if part.step_id and part.type == "text" and part.text] == [
        said for answer in deltas if (said := "".join(delta.get("content") or "" for delta in answer))
    ]
    pieces = [[call["function"].get("arguments", "") for delta in answer for call in delta.get("tool_calls", ())] for answer in deltas]
    assert [call.input for call in calls_of(rows)] == ["".join(answer) for answer in pieces if answer]


def test_agents_that_hand_over_to_each_other_speak_in_one_conversation(recordings: Path) -> None:
    rows = read(recordings / "anthropic_messages" / "pydantic-handoff-anthropic-openai-anthropic.http.jsonl")
    models = [call.name.split("-")[0] for call in calls_of(rows, "model")]
    assert models == ["claude", "claude", "gpt", "gpt", "claude", "claude"]
    rates = [call.output for call in calls_of(rows) if call.name == "get_exchange_rate"]
    assert rates == ["USD/EUR: 0.92", "GBP/USD: 0.92", "CAD/USD: 0.92"]
    assert len(rows.turns) == 3


def test_an_agent_goes_on_with_another_service_although_ids_differ(recordings: Path) -> None:
    rows = read(recordings / "openai_chat" / "multiple-agent-tool-calls.http.jsonl")
    assert [call.state for call in calls_of(rows)] == ["done", "done"]
    assert {call.name.split("-")[0] for call in calls_of(rows, "model")} == {"gemini", "gpt"}
    assert account_of(rows) == (20, 8, 12, 0)
