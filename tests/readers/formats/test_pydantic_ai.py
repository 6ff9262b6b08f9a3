"""Pydantic AI: requests and responses with their parts, retries, tools that the provider ran, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLE = Path(__file__).parent.parent / "samples" / "pydantic_ai" / "tea-order.messages.json"


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("pydantic_ai", outline_of(read(SAMPLE)))


def test_a_record_is_a_message_however_many_parts_it_has() -> None:
    assert account_of(read(SAMPLE)) == (8, 8, 0, 0)


def test_a_retry_is_a_failed_call_and_a_refusal_a_denied_one() -> None:
    rows = read(SAMPLE)
    assert {call.name: call.state for call in calls_of(rows)} == {"identify": "done", "price": "failed", "code_execution": "done", "order": "denied"}
    assert [approval.answer for approval in rows.approvals] == ["no"]


def test_a_retry_prompt_of_the_first_version_answers_its_call(tmp_path: Path) -> None:
    call = {"part_kind": "tool-call", "tool_name": "price", "args": "{}", "tool_call_id": "c1"}
    retry = {"part_kind": "retry-prompt", "tool_name": "price", "tool_call_id": "c1", "content": [{"type": "missing", "loc": ["tea"]}]}
    messages = [{"kind": "response", "parts": [call]}, {"kind": "request", "parts": [retry]}]
    (tmp_path / "run.json").write_text(json.dumps(messages))
    (found,) = calls_of(read(tmp_path))
    assert (found.state, json.loads(found.output or "")) == ("failed", [{"type": "missing", "loc": ["tea"]}])


def test_a_tool_that_the_provider_ran_belongs_to_the_reply_that_asked_for_it() -> None:
    rows = read(SAMPLE)
    (call,) = (call for call in calls_of(rows) if call.name == "code_execution")
    assert (call.exit_code, call.step_id) == (0, calls_of(rows, "model")[1].call_id)
    assert rows.turns[0].answer == "Oolong, eight euros."


def test_instructions_that_every_request_repeats_are_said_once() -> None:
    assert texts_of(read(SAMPLE), "system") == ["Be brief.", "You sell tea."]


def test_a_run_that_was_interrupted_is_said_to_be() -> None:
    rows = read(SAMPLE)
    assert [(turn.turn_id, turn.state) for turn in rows.turns] == [("conv-tea/run-1", "done"), ("conv-tea/run-2", "interrupted")]


def test_signatures_are_never_shown_as_text() -> None:
    rows = read(SAMPLE)
    assert not any("c2lnbmVk" in (part.text or "") for part in rows.parts)
    assert any("c2lnbmVk" in (part.extra or "") for part in rows.parts)


def test_a_later_file_that_repeats_the_messages_is_merged_and_goes_on(tmp_path: Path) -> None:
    messages: list[Any] = json.loads(SAMPLE.read_text())
    (tmp_path / "1.json").write_text(json.dumps(messages[:4]))
    (tmp_path / "2.json").write_text(json.dumps(messages))
    rows = read(tmp_path)
    assert (len(rows.conversations), len(rows.turns), account_of(rows)) == (1, 2, (12, 8, 4, 0))


def test_what_is_no_message_is_left_out_with_its_reason(tmp_path: Path) -> None:
    messages = [*json.loads(SAMPLE.read_text())[:2], {"kind": "request", "parts": "none"}, 7]
    (tmp_path / "run.json").write_text(json.dumps(messages))
    rows = read(tmp_path)
    assert account_of(rows) == (4, 2, 0, 2)
    assert codes(rows)["no_message"] == 2
