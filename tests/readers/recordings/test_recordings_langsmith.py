"""Real runs of LangSmith: what a few lines of Python count in the files is in the tables, and nothing twice."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import account_of, calls_of, codes, read, texts_of

pytestmark = pytest.mark.recordings

# Runs, traces, model calls, tools, tools that failed, input and output tokens.
RUNS = {
    "langgraph-parallel": (19, 1, 2, 3, 0, 200, 20),
    "langgraph-tau-airline": (98, 6, 13, 7, 2, 1300, 130),
    "langgraph-tau-airline-crash": (62, 4, 8, 5, 1, 800, 80),
}
POSTED = {
    "langsmith_js_wrap_openai_reasoning": ("o1-mini-2024-09-12", 43, 1901, 960, 10.439),
    "langsmith_py_wrap_openai": ("gpt-4o-mini-2024-07-18", 9, 9, 0, 1.118333),
    "langsmith_py_wrap_openai_reasoning": ("o1-mini-2024-09-12", 43, 2497, 1408, 15.138093),
    "langsmith_py_wrap_openai_stream": ("gpt-4o-mini-2024-07-18", 9, 9, 0, 1.328441),
}
"""Model, tokens in, out and of reasoning, and seconds, read off the files."""


@pytest.fixture(scope="module")
def langchain(recordings: Path) -> Path:
    return recordings / "langchain"


def counted(path: Path) -> tuple[int, ...]:
    runs: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kinds = Counter(run["run_type"] for run in runs)
    usage = [run["outputs"]["generations"][0][0]["message"]["kwargs"]["usage_metadata"] for run in runs if run["run_type"] == "llm"]
    failed = sum(run["run_type"] == "tool" and bool(run["error"]) for run in runs)
    tokens = (sum(item["input_tokens"] for item in usage), sum(item["output_tokens"] for item in usage))
    return len(runs), len({run["trace_id"] for run in runs}), kinds["llm"], kinds["tool"], failed, *tokens


@pytest.mark.parametrize("name", RUNS)
def test_a_file_of_runs_holds_what_is_counted_in_it(langchain: Path, name: str) -> None:
    path = langchain / f"{name}.langsmith_runs.replayed.jsonl"
    rows = read(path)
    models, tools = calls_of(rows, "model"), calls_of(rows)
    tokens = (sum(model.input_tokens or 0 for model in models), sum(model.output_tokens or 0 for model in models))
    found = (account_of(rows)[1], len(rows.turns), len(models), len(tools), sum(call.failed for call in tools), *tokens)
    assert found == RUNS[name] == counted(path)
    assert ([source.format for source in rows.sources], codes(rows)) == (["langsmith"], {})
    assert [conversation.conversation_id for conversation in rows.conversations] == ["tau-1"]


def test_a_run_that_repeats_its_history_at_every_level_says_each_message_once(langchain: Path) -> None:
    path = langchain / "langgraph-tau-airline.langsmith_runs.replayed.jsonl"
    rows = read(path)
    runs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    ends = [run["outputs"]["messages"] for run in runs if run["parent_run_id"] is None]
    messages = max(ends, key=len)
    expected = [message["kwargs"]["content"] for message in messages if message["id"][-1] != "ToolMessage" and message["kwargs"]["content"]]
    assert [text for text in texts_of(rows) if not text.startswith("# Airline Agent Policy")] == expected
    assert sum(text.startswith("# Airline Agent Policy") for text in texts_of(rows)) == 1
    assert Counter(part.type for part in rows.parts)["tool_result"] == sum(message["id"][-1] == "ToolMessage" for message in messages) == 7


def test_each_turn_of_the_airline_begins_with_what_a_person_said(langchain: Path) -> None:
    rows = read(langchain / "langgraph-tau-airline.langsmith_runs.replayed.jsonl")
    assert [turn.state for turn in rows.turns] == ["done"] * 6
    assert (rows.turns[1].prompt or "").startswith("Oh, really?")


def test_a_crash_fails_the_tool_and_the_turn_and_nothing_else(langchain: Path) -> None:
    rows = read(langchain / "langgraph-tau-airline-crash.langsmith_runs.replayed.jsonl")
    assert [turn.state for turn in rows.turns] == ["done", "done", "done", "failed"]
    error = "ValueError('not enough seats on flight HAT290')"
    assert [(call.name, call.error) for call in rows.calls if call.failed] == [("LangGraph", error), ("update_reservation_flights", error)]


@pytest.mark.parametrize("name", POSTED)
def test_what_a_client_posted_and_patched_is_one_model_call(langchain: Path, name: str) -> None:
    rows = read(langchain / f"{name}.json")
    (model,) = calls_of(rows, "model")
    assert (model.name, model.input_tokens, model.output_tokens, model.reasoning_tokens, model.seconds) == POSTED[name]
    assert (account_of(rows), rows.turns[0].state) == ((2, 1, 1, 0), "done")
