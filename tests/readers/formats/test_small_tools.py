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


DROID_RUN: list[dict[str, Any]] = [
    {"type": "system", "subtype": "init", "session_id": "d-9", "cwd": "/home/ana", "model": "m-1", "tools": ["Execute"]},
    {"type": "message", "role": "user", "id": "u1", "text": "<system-reminder>\nBe safe.\n</system-reminder>\n\nList it", "session_id": "d-9"},
    {"type": "reasoning", "id": "r1", "text": "I look.", "session_id": "d-9"},
    {"type": "reasoning", "id": "r1", "text": "I look.", "session_id": "d-9"},
    {"type": "tool_call", "id": "c1", "toolId": "Execute", "toolName": "Execute", "parameters": {"command": "ls x"}, "session_id": "d-9"},
    {"type": "tool_result", "id": "c1", "toolId": "Execute", "isError": True, "value": "ls: x: not there", "session_id": "d-9"},
    {"type": "message", "role": "assistant", "id": "a1", "text": "It is not there.", "session_id": "d-9"},
    {
        "type": "completion",
        "finalText": "It is not there.",
        "usage": {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 4},
        "session_id": "d-9",
    },
]


def test_what_droid_prints_as_it_runs_is_one_conversation(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "d.jsonl", DROID_RUN)
    rows = read(path)
    assert (format_of(path), [conversation.conversation_id for conversation in rows.conversations]) == ("droid", ["d-9"])
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("List it", "It is not there.")]
    assert [(call.name, call.state, call.error) for call in calls_of(rows)] == [("Execute", "failed", "ls: x: not there")]
    assert [(step.name, step.input_tokens, step.output_tokens) for step in calls_of(rows, "model")] == [("m-1", None, None), ("m-1", 14, 5)]
    assert account_of(rows) == (8, 7, 1, 0)


def test_what_droid_puts_before_a_persons_words_is_none_of_them(tmp_path: Path) -> None:
    reminder = text("<system-reminder>\nBe short.\n</system-reminder>\n\nDo it")
    rows = read(write_lines(tmp_path / "d.jsonl", droid(said("m1", "d-1", "user", reminder))))
    assert [turn.prompt for turn in rows.turns] == ["Do it"]
    assert [(part.text, part.injected) for part in rows.parts] == [("Do it", False), ("<system-reminder>\nBe short.\n</system-reminder>", True)]


def printed(type: str, **fields: Any) -> dict[str, Any]:
    """Make an event that Cursor prints."""
    return {"type": type, "session_id": "c-1", **fields}


def worded(words: str, role: str = "assistant", **fields: Any) -> dict[str, Any]:
    """Make words that Cursor prints."""
    return printed(role, message={"role": role, "content": [{"type": "text", "text": words}]}, **fields)


def ran(subtype: str, id: str, **call: Any) -> dict[str, Any]:
    """Make an event of a tool of Cursor."""
    return printed("tool_call", subtype=subtype, call_id=id, tool_call={"toolCallId": id, "shellToolCall": call})


CURSOR_INIT = printed("system", subtype="init", apiKeySource="login", cwd="/home/ana", model="m-1", permissionMode="default")
CURSOR_END = printed("result", subtype="success", is_error=False, result="Done.", usage={"inputTokens": 120, "outputTokens": 45})


def test_what_cursor_prints_as_it_runs_is_one_conversation(tmp_path: Path) -> None:
    failure = {"failure": {"stdout": "", "stderr": "not there", "exitCode": 2}}
    calls = ran("started", "t1", args={"command": "ls x"}), ran("completed", "t1", args={"command": "ls x"}, result=failure)
    refused = ran("completed", "t2", result={"rejected": {"command": "rm x", "reason": "no"}})
    path = write_lines(tmp_path / "c.jsonl", [CURSOR_INIT, worded("Look", "user"), worded("I look."), *calls, refused, worded("Done."), CURSOR_END])
    rows = read(path)
    assert (format_of(path), [(turn.prompt, turn.answer, turn.state) for turn in rows.turns]) == ("cursor", [("Look", "Done.", "done")])
    assert [(call.name, call.state, call.exit_code) for call in calls_of(rows)] == [("shell", "failed", 2), ("shell", "denied", None)]
    assert [step.output_tokens for step in calls_of(rows, "model")] == [None, None, 45]
    assert account_of(rows) == (8, 8, 0, 0)


def test_words_that_cursor_prints_in_pieces_and_whole_are_said_once(tmp_path: Path) -> None:
    thought = printed("thinking", subtype="delta", text="Let me "), printed("thinking", subtype="delta", text="see."), printed("thinking", subtype="completed")
    pieces = worded("I ", timestamp_ms=1_772_442_000_000), worded("look.", timestamp_ms=1_772_442_001_000)
    whole = worded("I look.", timestamp_ms=1_772_442_002_000, model_call_id="k1")
    calls = ran("started", "t1", args={}), ran("completed", "t1", args={}, result={"success": {"stdout": "a\n", "exitCode": 0}})
    last = worded("Done.", timestamp_ms=1_772_442_003_000), worded("I look.Done.")
    rows = read(write_lines(tmp_path / "c.jsonl", [CURSOR_INIT, *thought, *pieces, whole, *calls, *last, CURSOR_END]))
    assert [item for item in texts_of(rows) if item] == ["I look.", "Done."]
    assert [part.text for part in rows.parts if part.type == "reasoning"] == ["Let me see."]


def test_a_record_of_qwen_of_a_kind_that_is_not_known_is_kept(tmp_path: Path) -> None:
    def line(id: str, kind: str, role: str) -> dict[str, Any]:
        return {"uuid": id, "parentUuid": None, "sessionId": "q", "type": kind, "message": {"role": role, "parts": [{"text": id}]}}

    rows = read(write_lines(tmp_path / "q.jsonl", [line("1", "user", "user"), line("2", "checkpoint", "user"), line("3", "assistant", "model")]))
    assert (account_of(rows), codes(rows), [turn.prompt for turn in rows.turns][:1]) == ((3, 3, 0, 0), {}, ["1"])


GOOSE_ASKS = {
    "role": "assistant",
    "content": [{"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": {"name": "ls", "arguments": {}}}}],
}


def test_words_that_goose_prints_in_pieces_are_one_reply_and_the_run_is_counted_at_its_end(tmp_path: Path) -> None:
    def piece(words: str) -> dict[str, Any]:
        return {"type": "message", "message": {"id": "a2", "role": "assistant", "content": [{"type": "text", "text": words}]}}

    lines = [{"type": "message", "message": GOOSE_ASKS}, piece("One "), piece("file."), {"type": "complete", "input_tokens": 10, "output_tokens": 2}]
    rows = read(write_lines(tmp_path / "g.jsonl", lines))
    assert [(turn.answer, conversation.format) for turn, conversation in zip(rows.turns, rows.conversations, strict=True)] == [("One file.", "goose")]
    assert [step.output_tokens for step in calls_of(rows, "model")] == [None, 2]
    assert account_of(rows) == (4, 3, 1, 0)


def test_messages_of_goose_in_one_document_are_no_chat_of_another_service(tmp_path: Path) -> None:
    asked = {"role": "user", "content": [{"type": "text", "text": "Look"}]}
    rows = read(write_json(tmp_path / "g.json", {"messages": [asked, GOOSE_ASKS], "metadata": {"status": "completed"}}))
    assert [(conversation.format, call.name) for conversation, call in zip(rows.conversations, calls_of(rows), strict=True)] == [("goose", "ls")]
