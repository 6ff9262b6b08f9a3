"""Droid, Cursor, Qwen Code and goose: small formats, each with what is its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples"


def format_of(path: Path) -> str | None:
    """Return the format of the only file of a folder."""
    return next((group.reader.format for group in survey_files(find_files(path.parent)).groups), None)


@pytest.mark.parametrize("name", ["droid", "cursor", "qwen", "goose"])
def test_the_samples_are_read_as_their_golden_files_say(name: str) -> None:
    compare_with_golden(name, outline_of(read(SAMPLES / name)))


FOREIGN: list[list[Any]] = [
    [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}],
    [{"type": "message", "role": "user", "content": [{"type": "text", "text": "Hi"}]}, {"type": "x"}],
    [{"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": {"role": "user", "content": "Hi"}}, {"type": "summary", "leafUuid": "u"}],
    [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Hello."}]}],
]


@pytest.mark.parametrize("lines", FOREIGN, ids=["chat", "other messages", "claude code", "gemini"])
def test_none_of_them_claims_what_only_looks_alike(lines: list[Any], tmp_path: Path) -> None:
    assert format_of(write_lines(tmp_path / "x.jsonl", lines)) not in ("droid", "cursor", "qwen", "goose")


def droid(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    """Make a session of Droid."""
    return [{"type": "session_start", "id": "d-1", "title": "A title", "version": 2, "cwd": "/home/ana"}, *lines]


def said(id: str, parent: str, role: str, *content: dict[str, Any], second: int = 1) -> dict[str, Any]:
    """Make a message of Droid."""
    message = {"role": role, "content": [*content]}
    return {"type": "message", "id": id, "parentId": parent, "timestamp": f"2026-03-02T09:00:{second:02}.000Z", "message": message}


def text(words: str) -> dict[str, Any]:
    """Make a block of text."""
    return {"type": "text", "text": words}


def test_a_session_of_droid_has_its_title_version_and_folder(tmp_path: Path) -> None:
    (conversation,) = read(write_lines(tmp_path / "d.jsonl", droid(said("m1", "d-1", "user", text("Hi"))))).conversations
    assert (conversation.conversation_id, conversation.title, conversation.agent_version) == ("d-1", "A title", "2")
    assert json.loads(conversation.labels or "") == {"cwd": "/home/ana"}


def test_a_message_of_droid_that_follows_an_earlier_one_is_a_branch(tmp_path: Path) -> None:
    lines = droid(
        said("m1", "d-1", "user", text("One")),
        said("m2", "m1", "assistant", text("1"), second=2),
        said("m3", "m2", "user", text("Two"), second=3),
        said("m4", "m3", "assistant", text("2"), second=4),
        said("m5", "m2", "user", text("Three"), second=5),
    )
    turns = read(write_lines(tmp_path / "d.jsonl", lines)).turns
    assert [(turn.turn_id, turn.parent_turn_id) for turn in turns] == [("d-1/m1", None), ("d-1/m3", "d-1/m1"), ("d-1/m5", "d-1/m1")]


def test_a_result_of_droid_that_is_an_error_fails_its_call(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "Execute", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no"}
    lines = droid(said("m1", "d-1", "user", text("Hi")), said("m2", "m1", "assistant", asked), said("m3", "m2", "user", result))
    assert [(call.name, call.state, call.error) for call in calls_of(read(write_lines(tmp_path / "d.jsonl", lines)))] == [("Execute", "failed", "no")]


def cursor(role: str, *content: dict[str, Any]) -> dict[str, Any]:
    """Make a message of Cursor."""
    return {"role": role, "message": {"content": [*content]}}


def test_calls_of_cursor_have_no_ids_and_pair_with_results_in_order(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [{"type": "tool_use", "name": name, "input": {}} for name in ("Read", "Grep")]
    results = [{"type": "tool_result", "tool_use_id": f"t{number}", "content": f"result {number}"} for number in (1, 2)]
    rows = read(write_lines(tmp_path / "c.jsonl", [cursor("user", text("Hi")), cursor("assistant", *asked), cursor("user", *results)]))
    assert [(call.name, call.output) for call in calls_of(rows)] == [("Read", "result 1"), ("Grep", "result 2")]
    assert len(rows.turns) == 1


def test_a_line_of_cursor_that_is_no_message_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "c.jsonl", [cursor("user", text("Hi")), {"role": "user"}, cursor("assistant", text("Hello."))]))
    assert (account_of(rows), codes(rows)) == ((3, 2, 0, 1), {"no_message": 1})


def qwen(uuid: str, parent: str | None, type: str, second: int = 1, **fields: Any) -> dict[str, Any]:
    """Make a line of Qwen Code."""
    return {"uuid": uuid, "parentUuid": parent, "sessionId": "q-1", "timestamp": f"2026-03-02T09:00:{second:02}.000Z", "type": type} | fields


def parts(role: str, *items: dict[str, Any]) -> dict[str, Any]:
    """Make a message with parts."""
    return {"message": {"role": role, "parts": [*items]}}


ASKED = qwen("q1", None, "user", **parts("user", {"text": "Hi"}))


def test_lines_of_qwen_with_one_id_are_one_reply(tmp_path: Path) -> None:
    usage = {"promptTokenCount": 12, "candidatesTokenCount": 4}
    lines = [
        ASKED,
        qwen("q2", "q1", "assistant", 2, **parts("model", {"text": "Hm.", "thought": True})),
        qwen("q2", "q1", "assistant", 3, **parts("model", {"text": "Hello."}), model="qwen-1", usageMetadata=usage),
    ]
    rows = read(write_lines(tmp_path / "q.jsonl", lines))
    assert [(step.name, step.input_tokens, step.output_tokens) for step in calls_of(rows, "model")] == [("qwen-1", 12, 4)]
    assert account_of(rows) == (3, 3, 0, 0)


def test_a_line_of_qwen_that_stands_twice_is_kept_once(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "q.jsonl", [ASKED, ASKED, qwen("q2", "q1", "assistant", 2, **parts("model", {"text": "Hello."}))]))
    assert (account_of(rows), codes(rows), texts_of(rows, "user")) == ((3, 2, 1, 0), {"duplicate_id": 1}, ["Hi"])


def test_a_rewound_conversation_of_qwen_goes_on_as_a_branch_and_its_last_title_counts(tmp_path: Path) -> None:
    lines = [
        ASKED,
        qwen("q2", "q1", "assistant", 2, **parts("model", {"text": "Hello."})),
        qwen("q3", "q2", "user", 3, **parts("user", {"text": "More?"})),
        qwen("q4", "q1", "system", 4, subtype="rewind", systemPayload={"targetUuid": "q1"}),
        qwen("q5", "q4", "user", 5, **parts("user", {"text": "Other?"})),
        qwen("q6", "q5", "system", 6, subtype="custom_title", systemPayload={"customTitle": "Other"}),
    ]
    rows = read(write_lines(tmp_path / "q.jsonl", lines))
    assert [(turn.prompt, turn.parent_turn_id) for turn in rows.turns] == [("Hi", None), ("More?", "q-1/q1"), ("Other?", "q-1/q1")]
    assert rows.conversations[0].title == "Other"


def goose(role: str, *content: dict[str, Any], created: int = 1772442001) -> dict[str, Any]:
    """Make a message of goose."""
    return {"role": role, "created": created, "content": [*content]}


REQUEST = {"type": "toolRequest", "id": "r1", "toolCall": {"status": "success", "value": {"name": "shell", "arguments": {"command": "ls"}}}}


def response(**result: Any) -> dict[str, Any]:
    """Make the result of a tool."""
    return {"type": "toolResponse", "id": "r1", "toolResult": result}


@pytest.mark.parametrize(
    ("result", "state", "output", "error"),
    [
        ({"status": "success", "value": [{"type": "text", "text": "till.py"}]}, "done", "till.py", None),
        ({"status": "success", "value": {"content": [{"type": "text", "text": "no"}], "isError": True}}, "failed", "no", "no"),
        ({"status": "error", "error": "-32602: no such tool"}, "failed", "-32602: no such tool", "-32602: no such tool"),
    ],
    ids=["success", "the tool says it failed", "it never ran"],
)
def test_a_result_of_goose_says_whether_it_succeeded(result: dict[str, Any], state: str, output: str, error: str | None, tmp_path: Path) -> None:
    lines = [goose("user", text("Hi")), goose("assistant", REQUEST), goose("user", response(**result))]
    (call,) = calls_of(read(write_lines(tmp_path / "g.jsonl", lines)))
    assert (call.name, call.state, call.output, call.error) == ("shell", state, output, error)


def test_an_exported_session_of_goose_is_one_document_with_its_id(tmp_path: Path) -> None:
    document = {"id": "20260302_1", "name": "Cups", "working_dir": "/home/ana", "conversation": [goose("user", text("Hi")), goose("assistant", text("Hello."))]}
    rows = read(write_json(tmp_path / "g.json", document))
    (conversation,) = rows.conversations
    assert (conversation.conversation_id, conversation.title, account_of(rows)) == ("20260302_1", "Cups", (3, 3, 0, 0))
