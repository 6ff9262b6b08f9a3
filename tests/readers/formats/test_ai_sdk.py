"""The AI SDK: messages of a user interface, older messages, messages to a model, and streams, whole and cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from agentnb.streams.ui_chunks import assemble_ui_messages
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "ai_sdk"


def read_values(tmp_path: Path, *values: Any, lines: bool = False) -> Rows:
    text = "".join(f"{json.dumps(value)}\n" for value in values) if lines else json.dumps(values[0])
    (tmp_path / "chat.json").write_text(text)
    return read(tmp_path)


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("ai_sdk", outline_of(read(SAMPLES)))


def test_one_message_is_a_whole_run_whose_steps_are_apart() -> None:
    rows = read(SAMPLES / "garden-shop.chat.json")
    assert [len([call for call in calls_of(rows) if call.step_id == step.call_id]) for step in calls_of(rows, "model")] == [2, 1, 0, 2]
    assert account_of(rows) == (4, 4, 0, 0)


def test_usage_of_a_message_counts_once_and_stands_with_its_last_step() -> None:
    rows = read(SAMPLES / "garden-shop.chat.json")
    assert [step.input_tokens for step in calls_of(rows, "model")] == [None, None, 420, None]
    assert json.loads(calls_of(rows, "model")[2].extra or b"")["usage_of_steps"] == 3


def test_what_a_person_refused_is_denied_and_what_waits_makes_the_turn_wait() -> None:
    rows = read(SAMPLES / "garden-shop.chat.json")
    states = {call.name: call.state for call in calls_of(rows)}
    assert (states["send_invoice"], states["place_order"]) == ("denied", "unanswered")
    assert [(approval.answer, approval.reason) for approval in rows.approvals] == [("no", "Not by mail."), (None, None)]
    assert rows.turns[1].state == "waiting"


def test_an_exit_code_in_a_structured_output_is_found_and_makes_the_call_fail(tmp_path: Path) -> None:
    rows = read(SAMPLES / "garden-shop.chat.json")
    (call,) = (call for call in calls_of(rows) if call.name == "run_query")
    assert (call.exit_code, call.failed) == (1, True)


def test_a_cut_stream_leaves_its_last_call_unanswered_and_its_input_as_text() -> None:
    rows = read(SAMPLES / "cut-stream.chunks.jsonl")
    tide, boat = calls_of(rows)
    assert (tide.state, tide.output, boat.state, boat.input) == ("done", "high at 14:10", "unanswered", '"{\\"seats\\":"')
    assert rows.turns[0].state == "interrupted"
    assert account_of(rows) == (20, 20, 0, 0)
    assert set(codes(rows)) == {"arguments_not_json", "cut_stream", "unanswered_call"}


def test_a_stream_that_only_fails_is_a_failed_reply(tmp_path: Path) -> None:
    rows = read_values(tmp_path, {"type": "start", "messageId": "m1"}, {"type": "error", "errorText": "Out of quota."}, lines=True)
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "Out of quota.")]
    assert rows.turns[0].state == "failed"


def test_an_aborted_stream_is_a_stopped_turn(tmp_path: Path) -> None:
    chunks = [{"type": "start"}, {"type": "text-delta", "id": "0", "delta": "Well"}, {"type": "abort", "reason": "by the person"}]
    rows = read_values(tmp_path, *chunks, lines=True)
    assert (rows.turns[0].state, texts_of(rows)) == ("stopped", ["Well"])


def test_two_messages_in_one_stream_are_two_replies(tmp_path: Path) -> None:
    one = [{"type": "start", "messageId": f"m{number}"} for number in (1, 2)]
    chunks = [item for start in one for item in (start, {"type": "text-delta", "id": "0", "delta": start["messageId"]}, {"type": "finish"})]
    rows = read_values(tmp_path, *chunks, lines=True)
    assert texts_of(rows) == ["m1", "m2"]


def test_a_result_whose_call_was_in_the_stream_before_is_visible_as_such(tmp_path: Path) -> None:
    rows = read_values(tmp_path, {"type": "start"}, {"type": "tool-output-available", "toolCallId": "c0", "output": "yes"}, {"type": "finish"}, lines=True)
    assert codes(rows)["orphan_result"] == 1


def test_the_older_form_with_tool_invocations_is_read(tmp_path: Path) -> None:
    tool = {"state": "result", "step": 0, "toolCallId": "c1", "toolName": "tide", "args": {"port": "Faro"}, "result": "high"}
    later = {"state": "call", "step": 1, "toolCallId": "c2", "toolName": "boat", "args": {}}
    message = {"id": "a", "role": "assistant", "content": "At noon.", "createdAt": "2026-05-01T09:00:00Z", "toolInvocations": [tool, later]}
    rows = read_values(tmp_path, [{"id": "u", "role": "user", "content": "Tide?", "toolInvocations": []}, message])
    assert [(call.name, call.state) for call in calls_of(rows)] == [("tide", "done"), ("boat", "unanswered")]
    assert len(calls_of(rows, "model")) == 2
    assert rows.turns[0].prompt == "Tide?"
    assert rows.turns[0].answer == "At noon."


def test_messages_to_a_model_are_read(tmp_path: Path) -> None:
    call = {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "tide", "input": {"port": "Faro"}}]}
    result = {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "tide", "output": {"type": "text", "value": "high"}}]}
    rows = read_values(tmp_path, [{"role": "user", "content": "Tide?"}, call, result])
    assert [(row.format, len(calls_of(rows))) for row in rows.conversations] == [("ai_sdk", 1)]
    assert calls_of(rows)[0].state == "done"


@pytest.mark.parametrize("value", [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "user", "parts": [{"type": "text", "content": "hi"}]}])
def test_messages_of_gemini_and_of_traces_are_not_claimed(value: Any, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(json.dumps([value]))
    assert {source.format for source in read(tmp_path).sources} != {"ai_sdk"}


def test_any_cut_of_a_stream_says_that_it_is_not_whole_and_any_rest_is_what_came() -> None:
    chunks = [json.loads(line) for line in (SAMPLES / "cut-stream.chunks.jsonl").read_text().splitlines()]
    for end in range(1, len(chunks) + 1):
        (made,) = assemble_ui_messages(chunks[:end])
        assert (made.whole, made.events) == (False, end)
