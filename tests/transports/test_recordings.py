"""Streams that others recorded are lifted and replayed with the outcome that their files tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import agentnb.transports as tr

pytestmark = pytest.mark.recordings

FOLDERS = {"openai_chat": "openai-chat", "openai_responses": "openai-responses", "anthropic_messages": "anthropic", "gemini": "gemini"}

SERVICES = {"googleapis": "gemini", "anthropic": "anthropic", "/responses": "openai-responses", "/chat/completions": "openai-chat"}


class Expected(NamedTuple):
    """What was counted by hand in a file of events, for one of its answers."""

    calls: list[tuple[str, Any]]
    finish: str
    text: int
    """Characters of text."""


FILES = {
    "openai_chat/cohere-empty-tool-call.chunks.jsonl": [Expected([("currentTime", {})], "tool_calls", 0)],
    "openai_chat/deepseek-tool-call.chunks.jsonl": [Expected([("weather", {"location": "San Francisco"})], "tool_calls", 0)],
    "openai_chat/mistral-incremental-tool-call.chunks.jsonl": [Expected([("webSearchTool", {"query": "current Berlin weather"})], "tool_calls", 0)],
    "openai_chat/xai-tool-call.chunks.jsonl": [Expected([("weather", {"location": "San Francisco"})], "tool_calls", 0)],
    "openai_responses/github-copilot-id-rotation.1.chunks.jsonl": [Expected([], "stop", 138)],
    "openai_responses/openai-code-interpreter-tool.1.chunks.jsonl": [Expected([], "stop", 596)],
    "openai_responses/openai-mcp-tool-approval.2.chunks.jsonl": [Expected([], "stop", 470)],
    "openai_responses/openai-shell-tool.1.chunks.jsonl": [Expected([], "stop", 0), Expected([], "stop", 426)],
    "openai_responses/programmatic-tool-calling.1.chunks.jsonl": [Expected([("getInventory", {"sku": "sku_123"})], "tool_calls", 0)],
    "anthropic_messages/anthropic-code-execution-20250825.1.chunks.jsonl": [Expected([], "stop", 795)],
    "anthropic_messages/anthropic-compaction.1.chunks.jsonl": [Expected([], "stop", 8512)],
    "gemini/google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.jsonl": [
        Expected(
            [
                (
                    "writeItems",
                    {
                        "operations": [
                            {"action": "add", "description": "Fresh red apple", "itemid": "apple_001", "price": 0.5},
                            {"action": "add", "description": "Ripe yellow banana", "itemid": "banana_001", "price": 0.3},
                        ]
                    },
                )
            ],
            "stop",
            0,
        )
    ],
}


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def session(names: set[str]) -> tr.PreparedModelInteraction:
    schema = {"json_schema": {"type": "object"}, "parse": dict}
    tools = [{"id": name, "description": "A tool.", "input_schema": schema, "resolve": dict} for name in sorted(names) or ["none"]]
    return tr.SessionTransport("recorded", tools=tr.define_model_tools(tools)).prepare()


def replayed(events: list[Any], dialect: str) -> tr.Trace:
    parts = list(tr.lift_parts(events, dialect))
    return tr.trace_selection(session({part.name for part in parts if isinstance(part, tr.CallPart) and part.name}), parts)


def dialect_of(name: str) -> str:
    return "cohere" if "cohere" in name else FOLDERS[name.partition("/")[0]]


@pytest.mark.parametrize("name", FILES)
def test_a_recorded_stream_replays_with_its_outcome(name: str, recordings: Path) -> None:
    dialect = dialect_of(name)
    answers = tr.split_answers(lines(recordings / name), dialect)
    assert len(answers) == len(FILES[name])
    for events, expected in zip(answers, FILES[name], strict=True):
        found = replayed(events, dialect)
        if not expected.calls and not expected.text:
            # What the service ran itself is no selection; there is nothing else in this answer.
            assert (found.code, found.calls) == ("empty_response", ())
            continue
        assert isinstance(found.result, tr.SessionReply), found.failure
        assert [(item.call.name if item.call else None, item.input) for item in found.result.selections] == expected.calls
        assert (found.finish_reason, len(found.result.text), found.notes) == (expected.finish, expected.text, ())


def test_every_file_of_events_is_one_of_those_that_were_counted(recordings: Path) -> None:
    found = {f"{path.parent.name}/{path.name}" for folder in FOLDERS for path in (recordings / folder).glob("*.chunks.jsonl")}
    assert found - set(FILES) == {"anthropic_messages/anthropic-programmatic-tool-calling.1.chunks.jsonl"}


def test_a_conversation_of_several_streams(recordings: Path) -> None:
    events = lines(recordings / "anthropic_messages/anthropic-programmatic-tool-calling.1.chunks.jsonl")
    answers = tr.split_answers(events, "anthropic")
    asked = [json.dumps(event) for event in events if event.get("content_block", {}).get("type") == "tool_use"]
    traces = [replayed(answer, "anthropic") for answer in answers]
    assert len(answers) == sum(event["type"] == "message_start" for event in events)
    assert sum(len(trace.calls) for trace in traces) == len(asked) > 0
    # Between two halves of its own work the service sends messages that hold nothing.
    assert {trace.outcome for trace in traces if set(trace.steps.kinds) - {"usage"}} == {"ok"}
    assert [note for trace in traces for note in trace.notes] == []


@pytest.mark.parametrize("name", [name for name, answers in FILES.items() if answers[0].calls])
def test_a_recorded_stream_that_stops_anywhere_was_cut_and_not_broken(name: str, recordings: Path) -> None:
    dialect = dialect_of(name)
    parts = list(tr.lift_parts(lines(recordings / name), dialect))
    stage = session({part.name for part in parts if isinstance(part, tr.CallPart) and part.name})
    body = [part for part in parts if not isinstance(part, (tr.FinishPart, tr.UsagePart))]
    outcomes = [tr.trace_selection(stage, body[:size]).outcome for size in range(len(body))]
    assert outcomes[0] == "cut"
    assert "broken" not in outcomes


def exchanges(recordings: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for folder in FOLDERS:
        for path in sorted((recordings / folder).glob("*.http.jsonl")):
            for number, exchange in enumerate(lines(path)):
                yield f"{path.name} {number}", exchange


def called(value: Any) -> int:
    """Count the calls of the caller's tools in a response, whatever its form."""
    if isinstance(value, list):
        return sum(map(called, value))
    if not isinstance(value, dict):
        return 0
    own = value.get("type") in ("tool_use", "function_call") or "functionCall" in value or ("function" in value and "id" in value)
    return 1 if own else sum(map(called, value.values()))


def test_whole_answers_are_lifted_too_with_every_call_and_every_refusal(recordings: Path) -> None:
    seen = 0
    for name, exchange in exchanges(recordings):
        service = exchange["uri"].split("/")[2]
        dialect = (
            "gemini"
            if "google" in service
            else "anthropic"
            if "anthropic" in service
            else "openai-responses"
            if "/responses" in exchange["uri"]
            else "openai-chat"
        )
        found = replayed([exchange["response"]], dialect)
        seen += 1
        if exchange["status"] != 200:
            assert found.code == "provider_error", name
            continue
        assert found.outcome == "ok", (name, found.failure)
        assert len(found.calls) == called(exchange["response"]), name
    assert seen > 50


def test_recorded_answers_of_the_gemini_cli(recordings: Path) -> None:
    names: list[str | None] = []
    written = 0
    for path in sorted((recordings / "gemini").glob("*.responses.jsonl")):
        written += path.read_text(encoding="utf-8").count('"functionCall":{')
        for record in lines(path):
            response = record["response"]
            found = replayed(response if isinstance(response, list) else [response], "gemini")
            assert found.outcome == "ok", (path.name, found.failure)
            names += [call.name for call in found.calls]
    assert (len(names), names.count("web_fetch"), names.count("complete_task")) == (written, 11, 3)
