"""Real traces of MLflow: what a few lines of Python count in the files is in the tables, and nothing twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import account_of, calls_of, codes, read, texts_of

pytestmark = pytest.mark.recordings

# Spans, model calls, tools, tools that failed, input and output tokens.
TRACES = {
    "mlflow-langgraph-crash.trace.replayed.json": (9, 1, 1, 1, 100, 10),
    "mlflow-langgraph-parallel.trace.replayed.json": (19, 2, 3, 0, 200, 20),
    "mlflow-langgraph-tau-airline.traces.replayed.jsonl": (98, 13, 7, 2, 1300, 130),
}


@pytest.fixture(scope="module")
def mlflow(recordings: Path) -> Path:
    return recordings / "mlflow"


def spans_of(path: Path) -> list[dict[str, Any]]:
    """Return the spans of a file with their attributes read."""
    text = path.read_text(encoding="utf-8")
    traces = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
    spans: list[dict[str, Any]] = [span for trace in traces for span in trace["data"]["spans"]]
    return [span | {"attributes": {name: json.loads(value) for name, value in span["attributes"].items()}} for span in spans]


def counted(path: Path) -> tuple[int, ...]:
    spans = spans_of(path)
    models = [span["attributes"] for span in spans if span["attributes"]["mlflow.spanType"] == "CHAT_MODEL"]
    tools = [span for span in spans if span["attributes"]["mlflow.spanType"] == "TOOL"]
    failed = sum(span["status"]["code"] == "STATUS_CODE_ERROR" for span in tools)
    tokens = [sum(model["mlflow.chat.tokenUsage"][name] for model in models) for name in ("input_tokens", "output_tokens")]
    return len(spans), len(models), len(tools), failed, *tokens


@pytest.mark.parametrize("name", TRACES)
def test_a_file_of_traces_holds_what_is_counted_in_it(mlflow: Path, name: str) -> None:
    rows = read(mlflow / name)
    # What was said before the recording begins has no times of its own.
    models = [model for model in calls_of(rows, "model") if model.started_at is not None]
    tools = [call for call in calls_of(rows) if call.seconds is not None]
    tokens = (sum(model.input_tokens or 0 for model in models), sum(model.output_tokens or 0 for model in models))
    found = (account_of(rows)[1], len(models), len(tools), sum(call.failed for call in tools), *tokens)
    assert found == TRACES[name] == counted(mlflow / name)
    assert ([source.format for source in rows.sources], codes(rows)) == (["mlflow"], {})
    assert [conversation.conversation_id for conversation in rows.conversations] == ["tau-1"]


def test_six_traces_that_repeat_their_history_are_one_conversation_with_each_message_once(mlflow: Path) -> None:
    path = mlflow / "mlflow-langgraph-tau-airline.traces.replayed.jsonl"
    rows = read(path)
    models = [span["attributes"] for span in spans_of(path) if span["attributes"]["mlflow.spanType"] == "CHAT_MODEL"]
    longest = max((model["mlflow.spanInputs"]["messages"] for model in models), key=len)
    said = [message["content"] for message in longest if message["role"] != "tool" and message["content"]]
    last = models[-1]["mlflow.spanOutputs"]["choices"][0]["message"]["content"]
    assert texts_of(rows) == [*said, last]
    assert ([turn.state for turn in rows.turns], len(rows.turns)) == (["done"] * 6, 6)
    assert sum(model.cost or 0 for model in calls_of(rows, "model")) == pytest.approx(13 * 0.00035)


def test_the_crash_begins_in_the_middle_of_a_conversation_whose_history_it_tells(mlflow: Path) -> None:
    rows = read(mlflow / "mlflow-langgraph-crash.trace.replayed.json")
    assert [turn.state for turn in rows.turns] == ["done", "done", "done", "failed"]
    assert (len(calls_of(rows, "model")), len(calls_of(rows)), len(texts_of(rows, "user"))) == (8, 5, 4)
    error = "ValueError: not enough seats on flight HAT290"
    assert [(call.name, call.error) for call in rows.calls if call.failed] == [("LangGraph", error), ("update_reservation_flights", error)]
