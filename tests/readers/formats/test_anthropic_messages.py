"""Anthropic Messages: what a message says, results of every kind, tools that the service runs, logs and streams, and sessions of managed agents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "anthropic_messages"
MANAGED = [json.loads(line) for line in (SAMPLES / "harbour-desk.session.jsonl").read_text().splitlines()]
ASK = {"role": "user", "content": "How deep is it?"}


def message(*blocks: dict[str, Any], stop: str = "end_turn", **fields: Any) -> dict[str, Any]:
    """Make a response."""
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 7}
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test", "content": [*blocks], "stop_reason": stop, "usage": usage} | fields


def text(words: str) -> dict[str, Any]:
    """Make a block of text."""
    return {"type": "text", "text": words}


def use(id: str, name: str = "sound", kind: str = "tool_use", **fields: Any) -> dict[str, Any]:
    """Make a block that asks for a tool."""
    return {"type": kind, "id": id, "name": name, "input": {"at": "quay"}} | fields


def result(id: str, content: Any = "4 m", **fields: Any) -> dict[str, Any]:
    """Make a block of a result."""
    return {"type": "tool_result", "tool_use_id": id, "content": content} | fields


def format_of(path: Path) -> str | None:
    """Return the format of a file."""
    return next((group.reader.format for group in survey_files(find_files(path.parent)).groups), None)


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("anthropic_messages", outline_of(read(SAMPLES)))


@pytest.mark.parametrize(
    "document",
    [
        message(text("4 m")),
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        [ASK, {"role": "assistant", "content": [use("t1")]}, {"role": "user", "content": [result("t1")]}],
        {"model": "claude-test", "max_tokens": 9, "system": "Be brief.", "messages": [ASK]},
        {"model": "claude-test", "anthropic_version": "bedrock-2023-05-31", "messages": [ASK]},
        [{"request": {"model": "claude-test", "messages": [ASK], "tools": [{"name": "sound", "input_schema": {}}]}, "response": message(text("4 m"))}],
        [{"type": "message_start", "message": message(stop="")}, {"type": "message_stop"}],
    ],
    ids=["response", "error", "messages", "request", "request to another cloud", "pairs", "events"],
)
def test_every_shape_of_a_document_is_known(document: Any, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "file.json", document)) == "anthropic_messages"


@pytest.mark.parametrize(
    "document",
    [
        [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello!"}],
        {"id": "r", "object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4 m"}]}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4 m"}], "status": "completed", "usage": {}},
        [{"role": "user", "parts": [{"text": "Hello"}]}],
    ],
    ids=["chat", "response of the Responses API", "item of the Responses API", "Gemini"],
)
def test_what_other_services_send_is_not_claimed(document: Any, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "file.json", document)) != "anthropic_messages"


def test_input_tokens_are_those_of_the_cache_too(tmp_path: Path) -> None:
    (step,) = calls_of(read(write_json(tmp_path / "r.json", message(text("4 m")))), "model")
    assert (step.input_tokens, step.output_tokens, step.cached_tokens, step.cache_write_tokens) == (115, 7, 100, 5)
    assert (step.finish_reason, step.call_id) == ("end_turn", "msg_1/1/msg_1")


def test_a_result_may_be_text_blocks_an_image_an_error_or_nothing(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://example.com/quay.png"}}
    answers = [result("t1"), result("t2", [text("3"), text("m"), image]), result("t3", "no sounder", is_error=True), {**result("t4"), "content": None}]
    rows = read(
        write_json(tmp_path / "m.json", [ASK, {"role": "assistant", "content": [use(f"t{n}") for n in range(1, 5)]}, {"role": "user", "content": answers}])
    )
    assert [call.output for call in calls_of(rows)] == ["4 m", "3\nm", "no sounder", None]
    assert [call.state for call in calls_of(rows)] == ["done", "done", "failed", "done"]
    assert [part.text for part in rows.parts if part.type == "image"] == ["https://example.com/quay.png"]
    assert account_of(rows) == (3, 3, 0, 0)


def test_words_beside_results_are_a_person_s_and_start_a_turn(tmp_path: Path) -> None:
    beside = {"role": "user", "content": [text("And at low water?"), result("t1")]}
    rows = read(write_json(tmp_path / "m.json", [ASK, {"role": "assistant", "content": [use("t1")]}, beside]))
    assert [turn.prompt for turn in rows.turns] == ["How deep is it?", "And at low water?"]
    assert [(call.state, call.turn_id) for call in calls_of(rows)] == [("done", rows.turns[0].turn_id)]


def test_reminders_beside_results_or_words_are_injected_and_start_no_turn(tmp_path: Path) -> None:
    notes = [text(f"<system-reminder>{words}</system-reminder>") for words in ("Be brief.", "It is noon.")]
    said = [
        {"role": "user", "content": [notes[0], text("How deep is it?")]},
        {"role": "assistant", "content": [use("t1")]},
        {"role": "user", "content": [result("t1"), notes[1]]},
    ]
    rows = read(write_json(tmp_path / "m.json", said))
    assert [turn.prompt for turn in rows.turns] == ["How deep is it?"]
    assert [part.injected for part in rows.parts if part.role == "user" and "reminder" in (part.text or "")] == [True, True]


def test_a_program_s_result_has_its_exit_code_and_both_outputs(tmp_path: Path) -> None:
    ran = {
        "type": "code_execution_result",
        "stdout": "12",
        "stderr": "warning: slow",
        "return_code": 1,
        "content": [{"type": "code_execution_output", "file_id": "f1"}],
    }
    done = {"type": "code_execution_tool_result", "tool_use_id": "s1", "content": ran}
    rows = read(write_json(tmp_path / "r.json", message(use("s1", "code_execution", "server_tool_use"), done, text("12"))))
    (call,) = calls_of(rows)
    assert (call.output, call.exit_code, call.state, call.error) == ("12\nwarning: slow", 1, "failed", "warning: slow")
    assert json.loads(call.extra or "")["result"] == {"type": "code_execution_result", "stdout": "12", "stderr": "warning: slow"}
    assert [part.type for part in rows.parts if part.call_id == call.call_id] == ["tool_call", "tool_result", "other"]


@pytest.mark.parametrize("kind", ["web_search", "web_fetch", "code_execution", "bash_code_execution", "text_editor_code_execution", "tool_search"])
def test_an_error_of_a_tool_of_the_service_is_a_failed_call(kind: str, tmp_path: Path) -> None:
    error = {"type": f"{kind}_tool_result", "tool_use_id": "s1", "content": {"type": f"{kind}_tool_result_error", "error_code": "unavailable"}}
    (call,) = calls_of(read(write_json(tmp_path / "r.json", message(use("s1", kind, "server_tool_use"), error))))
    assert (call.state, call.error) == ("failed", "unavailable")


def test_what_an_advisor_of_the_service_said_is_its_text(tmp_path: Path) -> None:
    said = {"type": "advisor_tool_result", "tool_use_id": "s1", "content": {"type": "advisor_result", "text": "Sound first."}}
    rows = read(write_json(tmp_path / "reply", message(use("s1", "advisor", "server_tool_use", input={}), said, text("So be it."))))
    assert [(call.name, call.output, call.state) for call in calls_of(rows)] == [("advisor", "Sound first.", "done")]


def test_a_search_and_a_page_are_shown_as_text_and_kept_as_they_are(tmp_path: Path) -> None:
    hit = {"type": "web_search_result", "title": "Tides", "url": "https://example.com/tides", "encrypted_content": "b3BhcXVl"}
    page = {
        "type": "web_fetch_result",
        "url": "https://example.com",
        "content": {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "4 m"}},
    }
    blocks = [
        use("s1", "web_search", "server_tool_use"),
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [hit]},
        use("s2", "web_fetch", "server_tool_use"),
        {"type": "web_fetch_tool_result", "tool_use_id": "s2", "content": page},
    ]
    found, fetched = calls_of(read(write_json(tmp_path / "r.json", message(*blocks))))
    assert (found.output, fetched.output) == ("Tides\nhttps://example.com/tides", "4 m")
    assert json.loads(found.extra or "")["result"] == {"content": [hit]}
    assert json.loads(fetched.extra or "")["result"]["url"] == "https://example.com"


def test_calls_that_a_program_made_are_inside_its_call(tmp_path: Path) -> None:
    caller = {"type": "code_execution_20250825", "tool_id": "s1"}
    rows = read(
        write_json(tmp_path / "r.json", message(use("s1", "code_execution", "server_tool_use"), use("t1", caller=caller), use("t2", caller={"type": "direct"})))
    )
    program, inner, direct = calls_of(rows)
    assert inner.parent_call_id == program.call_id
    assert (direct.parent_call_id, direct.extra) == (rows.turns[0].turn_id, None)


def test_signatures_and_redacted_thoughts_are_never_text(tmp_path: Path) -> None:
    blocks = [{"type": "thinking", "thinking": "Deep.", "signature": "c2lnbg=="}, {"type": "redacted_thinking", "data": "c2VjcmV0"}, text("4 m")]
    rows = read(write_json(tmp_path / "r.json", message(*blocks)))
    assert [(part.type, part.text, part.extra) for part in rows.parts] == [
        ("reasoning", "Deep.", '{"signature":"c2lnbg=="}'),
        ("reasoning", None, '{"type":"redacted_thinking","data":"c2VjcmV0"}'),
        ("text", "4 m", None),
    ]


def test_a_paused_reply_goes_on_in_the_next_one_of_the_same_turn(tmp_path: Path) -> None:
    paused = message(text("One moment."), stop="pause_turn", id="msg_1")
    history = [ASK, {"role": "assistant", "content": paused["content"]}]
    pairs = [
        {"request": {"messages": [ASK], "max_tokens": 9, "system": "s"}, "response": paused},
        {"request": {"messages": history, "max_tokens": 9, "system": "s"}, "response": message(text("4 m"), id="msg_2")},
    ]
    rows = read(write_lines(tmp_path / "log.jsonl", pairs))
    assert [turn.answer for turn in rows.turns] == ["4 m"]
    assert [step.finish_reason for step in calls_of(rows, "model")] == ["pause_turn", "end_turn"]
    assert account_of(rows) == (5, 3, 2, 0)


def test_replies_without_requests_make_one_conversation_while_tools_are_asked_for(tmp_path: Path) -> None:
    replies = [message(use("t1"), stop="tool_use", id="msg_1"), message(text("4 m"), id="msg_2"), message(text("Bye"), id="msg_3")]
    rows = read(write_lines(tmp_path / "replies.jsonl", replies))
    assert [conversation.conversation_id for conversation in rows.conversations] == ["msg_1", "msg_3"]


def test_a_refusal_without_words_is_a_reply_that_says_so(tmp_path: Path) -> None:
    (step,) = calls_of(read(write_json(tmp_path / "r.json", message(stop="refusal"))), "model")
    assert (step.finish_reason, step.state) == ("refusal", "done")


def test_a_stream_is_one_reply_and_one_that_breaks_off_has_failed(tmp_path: Path) -> None:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message(stop="")},
        {"type": "content_block_start", "index": 0, "content_block": use("t1", input={})},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"at": "qu'}},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ]
    rows = read(write_lines(tmp_path / "s.jsonl", events))
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "Overloaded")]
    assert [call.input for call in calls_of(rows)] == ['"{\\"at\\": \\"qu"']
    assert account_of(rows) == (4, 4, 0, 0)
    assert "cut_stream" in codes(rows)


def test_what_is_no_message_among_messages_is_skipped_with_a_reason(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "m.json", [ASK, 7, {"role": "assistant", "content": [use("t1")]}, {"role": "user", "content": [result("t1")]}]))
    assert account_of(rows) == (4, 3, 0, 1)
    assert codes(rows) == {"no_message": 1}


def test_unknown_blocks_and_fields_are_kept(tmp_path: Path) -> None:
    odd = {"type": "hologram", "beam": 1}
    rows = read(write_json(tmp_path / "r.json", message(odd, container={"id": "c1"})))
    assert [(part.type, part.text, part.extra) for part in rows.parts] == [("other", "hologram", '{"type":"hologram","beam":1}')]
    assert json.loads(calls_of(rows, "model")[0].extra or "") == {"container": {"id": "c1"}}


def test_a_person_s_answers_are_approvals_and_a_refused_call_is_denied(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "s.jsonl", MANAGED))
    assert [(call.name, call.state) for call in calls_of(rows)] == [("close_berth", "done"), ("send_mail", "denied")]
    assert [(approval.answer, approval.reason) for approval in rows.approvals] == [("yes", None), ("no", "Ana knows.")]


def test_what_was_sent_to_a_session_and_comes_back_counts_once(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "s.jsonl", MANAGED))
    assert texts_of(rows, "user") == ["Close berth 4 and tell Ana."]
    assert account_of(rows) == (21, 19, 2, 0)
    unseen = [line for line in MANAGED if not (isinstance(line[1], dict) and line[1].get("type") == "user.message")]
    assert texts_of(read(write_lines(tmp_path / "t" / "s.jsonl", unseen)), "user") == ["Close berth 4 and tell Ana."]


def test_a_session_that_ends_with_a_question_waits(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "s.jsonl", MANAGED[:11]))
    assert [turn.state for turn in rows.turns] == ["waiting"]
    assert [approval.answer for approval in rows.approvals] == [None, None]
    assert [call.state for call in calls_of(rows)] == ["unanswered", "unanswered"]


def test_events_of_a_session_are_read_without_the_calls_around_them(tmp_path: Path) -> None:
    events = [line[1] for line in MANAGED if line[0].endswith("stream")]
    rows = read(write_lines(tmp_path / "s.jsonl", events))
    assert [step.output_tokens for step in calls_of(rows, "model")] == [90, 20]
    assert account_of(rows) == (18, 18, 0, 0)


def test_a_model_request_that_failed_is_a_failed_step(tmp_path: Path) -> None:
    usage = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    end: Any = {
        "type": "span.model_request_end",
        "id": "sevt_98",
        "processed_at": None,
        "is_error": True,
        "model_request_start_id": "sevt_03",
        "model_usage": usage,
    }
    end = ["client.beta.sessions.events.stream", end]
    rows = read(write_lines(tmp_path / "s.jsonl", [*MANAGED[:5], end]))
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "The request failed.")]
