"""Real recordings of the Responses API: what somebody counts in the files is in the tables, and no record of theirs is unexplained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agentnb.readers import Rows
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

pytestmark = pytest.mark.recordings


class Counts(NamedTuple):
    """What somebody finds who reads a file."""

    conversations: int
    replies: int
    calls: int
    answered: int
    sent: int
    """Tokens of input, over all replies."""
    received: int
    records: int
    """Items of requests and replies; of a stream, events."""


# Worked out by hand from the files: responses, items that are calls of tools, those with a result, and the sums of `usage`. The two responses of the shell
# follow each other, the first one waiting for its tool; the wrapper holds two calls; a request that failed is a reply that failed.
BY_HAND = {
    "github-copilot-id-rotation.1.chunks.jsonl": Counts(1, 1, 0, 0, 19, 105, 69),
    "openai-apply-patch-tool.1.json": Counts(1, 1, 1, 0, 642, 67, 1),
    "openai-code-interpreter-tool.1.chunks.jsonl": Counts(1, 1, 3, 3, 6047, 1623, 393),
    "openai-compaction.1.json": Counts(1, 1, 0, 0, 51097, 2056, 1),
    "openai-mcp-tool-approval.2.chunks.jsonl": Counts(1, 1, 0, 0, 553, 371, 123),
    "openai-mcp-tool-approval.2.json": Counts(1, 1, 0, 0, 592, 421, 1),
    "openai-mcp-tool-approval.4.json": Counts(1, 1, 1, 1, 765, 74, 1),
    "openai-mcp-tool.1.json": Counts(1, 1, 1, 1, 6700, 1078, 1),
    "openai-reasoning-encrypted-content.1.json": Counts(1, 1, 0, 0, 865, 163, 1),
    "openai-shell-local-multiturn.1.json": Counts(1, 1, 0, 0, 444, 12, 1),
    "openai-shell-tool.1.chunks.jsonl": Counts(1, 2, 1, 0, 476, 207, 182),
    "openai-shell-tool.1.json": Counts(1, 1, 1, 0, 157, 73, 1),
    "openai-web-search-tool.1.json": Counts(1, 1, 3, 3, 19681, 3773, 1),
    "parallel-tool-call-wrapper.1.json": Counts(1, 1, 3, 0, 34, 28, 1),
    "programmatic-tool-calling.1.chunks.jsonl": Counts(1, 1, 2, 0, 631, 87, 11),
    "programmatic-tool-calling.1.json": Counts(1, 1, 2, 0, 631, 139, 1),
    "pydantic-code-execution-image.http.jsonl": Counts(1, 2, 2, 2, 7587, 2551, 8),
    "pydantic-model-retry.http.jsonl": Counts(1, 2, 2, 2, 335, 44, 9),
    # The client changed the history twice: three conversations, two of them with a reply that was sent and never came.
    "pydantic-thinking-modified-history-400.http.jsonl": Counts(3, 5, 0, 0, 155, 603, 12),
}


@pytest.fixture(scope="module")
def folder(recordings: Path) -> Path:
    return recordings / "openai_responses"


def outputs_of(path: Path) -> list[dict[str, Any]]:
    """Return the items of the responses in a file, made with nothing but json."""
    text = path.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
    bodies = [line.get("response", line) for line in lines if line.get("type", "response.completed") == "response.completed"]
    return [item for body in bodies for item in body.get("output", ())]


def test_every_file_is_read(folder: Path) -> None:
    rows = read(folder)
    assert {Path(source.path).name: (source.state, source.format) for source in rows.sources} == dict.fromkeys(BY_HAND, ("read", "openai_responses"))


@pytest.mark.parametrize("name", BY_HAND)
def test_a_file_holds_what_was_counted_by_hand(name: str, folder: Path) -> None:
    rows = read(folder / name)
    models, tools = calls_of(rows, "model"), calls_of(rows)
    answered = sum(call.state != "unanswered" for call in tools)
    sent, received = (sum(getattr(call, column) or 0 for call in models) for column in ("input_tokens", "output_tokens"))
    assert Counts(len(rows.conversations), len(models), len(tools), answered, sent, received, account_of(rows)[0]) == BY_HAND[name]
    assert set(codes(rows)) <= {"unanswered_call", "equal_conversations"}


@pytest.mark.parametrize("name", [name for name in BY_HAND if "modified-history" not in name])
def test_what_was_said_is_what_a_person_reads_in_the_file(name: str, folder: Path) -> None:
    said = [part["text"] for item in outputs_of(folder / name) if item["type"] == "message" for part in item["content"]]
    thought = [part["text"] for item in outputs_of(folder / name) if item["type"] == "reasoning" for part in item["summary"]]
    rows = read(folder / name)
    assert texts_of(rows, "assistant") == said
    assert [part.text for part in rows.parts if part.type == "reasoning" and part.text] == thought


def test_a_stream_says_the_same_as_its_parts_do_one_by_one(folder: Path) -> None:
    rows = read(folder / "github-copilot-id-rotation.1.chunks.jsonl")
    assert str(rows.turns[0].answer).startswith("There are **3** letter")
    assert "copilot_usage" in str(calls_of(rows, "model")[0].extra)


def test_a_program_holds_the_call_that_it_makes(folder: Path) -> None:
    program, inner = calls_of(read(folder / "programmatic-tool-calling.1.json"))
    assert (program.name, inner.name, inner.parent_call_id) == ("program", "getInventory", program.call_id)


def test_a_wrapper_holds_the_calls_that_it_stands_for(folder: Path) -> None:
    wrapper, *inner = calls_of(read(folder / "parallel-tool-call-wrapper.1.json"))
    assert [(call.name, call.parent_call_id) for call in inner] == [("weather", wrapper.call_id), ("cityAttractions", wrapper.call_id)]


def test_a_call_that_ran_after_a_person_was_asked_was_approved(folder: Path) -> None:
    rows = read(folder / "openai-mcp-tool-approval.4.json")
    (call,) = calls_of(rows)
    assert [(row.answer, row.call_id) for row in rows.approvals] == [("yes", call.call_id)]
    assert (call.name, call.state) == ("create_short_url", "done")


def test_pictures_that_code_drew_are_parts_of_its_call(folder: Path) -> None:
    rows = read(folder / "pydantic-code-execution-image.http.jsonl")
    drawn = [sum(part.type == "image" and part.call_id == call.call_id for part in rows.parts) for call in calls_of(rows)]
    assert drawn == [
        sum(output["type"] == "image" for output in item["outputs"]) for item in outputs_of_log(folder / "pydantic-code-execution-image.http.jsonl")
    ]


def outputs_of_log(path: Path) -> list[dict[str, Any]]:
    bodies = [json.loads(line)["response"] for line in path.read_text(encoding="utf-8").splitlines()]
    return [item for body in bodies for item in body["output"] if item["type"] == "code_interpreter_call"]


def test_a_history_that_was_changed_is_another_conversation_and_what_was_refused_failed(folder: Path) -> None:
    rows: Rows = read(folder / "pydantic-thinking-modified-history-400.http.jsonl")
    assert [call.error for call in calls_of(rows, "model") if call.failed] == [
        "Item 'rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23' of type 'reasoning' was provided without its required following item."
    ]
    assert codes(rows) == {"equal_conversations": 2}
