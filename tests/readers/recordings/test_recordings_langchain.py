"""Real threads and message lists of LangGraph: what a few lines of Python count in the files is in the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import account_of, calls_of, codes, read, texts_of

pytestmark = pytest.mark.recordings

THREADS = ("chinese", "long", "parallel", "short", "websearch")
LISTS = {
    "langgraph-parallel.dumpd.replayed.json": (1, 2, 3, 0, 6, 200),
    "langgraph-tau-airline.dumpd.replayed.json": (6, 13, 7, 2, 26, 1300),
    "langgraph-tau-airline.messages_to_dict.replayed.json": (6, 13, 7, 2, 26, 1300),
    "langgraph-tau-airline-crash.dumpd.replayed.json": (3, 7, 4, 0, 14, 700),
    "langgraph-tau-airline-crash.messages_to_dict.replayed.json": (3, 7, 4, 0, 14, 700),
}
"""Turns, replies, calls, failed calls, messages and input tokens, counted by hand."""


@pytest.fixture(scope="module")
def langchain(recordings: Path) -> Path:
    return recordings / "langchain"


def messages_of(path: Path) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["values"]["messages"]
    return messages


@pytest.mark.parametrize("name", THREADS)
def test_a_thread_holds_what_is_counted_in_its_file(langchain: Path, name: str) -> None:
    path = langchain / f"deerflow-thread-{name}.json"
    rows, messages = read(path), messages_of(path)
    kinds = [message["type"] for message in messages]
    assert [source.format for source in rows.sources] == ["langchain"]
    assert (len(rows.conversations), len(rows.turns), len(calls_of(rows, "model"))) == (1, kinds.count("human"), kinds.count("ai"))
    asked = [(call["name"], call["id"]) for message in messages for call in message.get("tool_calls") or ()]
    assert [(call.name, call.tool_call_id) for call in calls_of(rows)] == asked
    told = {message["tool_call_id"]: message["content"] for message in messages if message["type"] == "tool"}
    assert {call.tool_call_id: call.output for call in calls_of(rows)} == told
    assert account_of(rows) == (len(messages), len(messages), 0, 0)
    assert codes(rows) == {}


def test_reasoning_and_titles_of_threads_are_kept(langchain: Path) -> None:
    rows = read(langchain / "deerflow-thread-long.json")
    assert sum(part.type == "reasoning" for part in rows.parts) == 27
    rows = read(langchain / "deerflow-thread-short.json")
    assert rows.conversations[0].title == "Interactive 3D Weather Forecast Interface"
    assert rows.conversations[0].conversation_id == "f4125791-0128-402a-8ca9-50e0947557e4"
    assert rows.turns[0].state == "done"


def test_a_tool_whose_text_is_an_error_has_failed(langchain: Path) -> None:
    failed = [call for name in THREADS for call in calls_of(read(langchain / f"deerflow-thread-{name}.json")) if call.failed]
    assert [call.name for call in failed] == ["read_file", "web_fetch"]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_messages_holds_what_was_counted_by_hand(langchain: Path, name: str) -> None:
    rows = read(langchain / name)
    models, tools = calls_of(rows, "model"), calls_of(rows)
    failed, tokens = sum(call.failed for call in tools), sum(model.input_tokens or 0 for model in models)
    assert (len(rows.turns), len(models), len(tools), failed, account_of(rows)[1], tokens) == LISTS[name]
    assert ([source.format for source in rows.sources], codes(rows)) == (["langchain"], {})


def test_one_run_in_two_serialisations_is_one_conversation(langchain: Path) -> None:
    rows = read([path for path in sorted(langchain.glob("langgraph-tau-airline.*")) if "langsmith" not in path.name])
    assert (len(rows.conversations), account_of(rows)) == (1, (52, 26, 26, 0))
    assert len(texts_of(rows)) == 26 - 7 - sum(call.output is not None for call in calls_of(rows))
