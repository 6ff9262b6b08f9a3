"""The OpenAI Agents SDK: states of runs with their approvals, and uploaded traces."""

from __future__ import annotations

import json
from pathlib import Path

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "openai_agents"


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("openai_agents", outline_of(read(SAMPLES)))


def test_a_call_that_a_person_allowed_and_one_that_waits() -> None:
    rows = read(SAMPLES / "berth.state.json")
    names = {call.call_id: call.name for call in calls_of(rows)}
    assert [(names[approval.call_id], approval.answer) for approval in rows.approvals] == [("book_berth", "yes"), ("charge_card", None)]
    assert rows.turns[0].state == "waiting"


def test_a_tool_that_was_refused_for_good_is_denied(tmp_path: Path) -> None:
    state = json.loads((SAMPLES / "berth.state.json").read_text())
    state["context"]["approvals"] = {"charge_card": {"approved": False, "rejected": True}}
    (tmp_path / "state.json").write_text(json.dumps(state))
    rows = read(tmp_path)
    assert {call.name: call.state for call in calls_of(rows)}["charge_card"] == "denied"


def test_the_items_of_one_response_are_one_step_with_its_usage() -> None:
    rows = read(SAMPLES / "berth.state.json")
    assert [(step.input_tokens, step.output_tokens, step.cached_tokens) for step in calls_of(rows, "model")] == [(100, 12, 4), (120, 21, 4)]
    assert account_of(rows) == (9, 7, 2, 0)


def test_encrypted_reasoning_is_kept_and_never_shown() -> None:
    rows = read(SAMPLES / "berth.state.json")
    assert not any("b3BhcXVl" in (part.text or "") for part in rows.parts)
    assert any("b3BhcXVl" in str(extra) for extra in (*(part.extra for part in rows.parts), *(call.extra for call in rows.calls)))


def test_a_trace_is_one_conversation_in_which_nothing_is_said_twice() -> None:
    rows = read(SAMPLES / "tide.trace.json")
    assert [(row.conversation_id, row.title) for row in rows.conversations] == [("harbour-7", "Tides")]
    assert texts_of(rows) == ["When is high tide?", "At 14:10."]
    assert [(call.name, call.state, call.seconds) for call in calls_of(rows)] == [("tide_table", "done", 1.0), ("notify", "failed", 1.0)]
    assert sum(step.input_tokens or 0 for step in calls_of(rows, "model")) == 51


def test_zeros_that_no_service_told_are_no_usage(tmp_path: Path) -> None:
    state = json.loads((SAMPLES / "berth.state.json").read_text())
    for response in state["model_responses"]:
        response["usage"] = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    (tmp_path / "state.json").write_text(json.dumps(state))
    assert [step.input_tokens for step in calls_of(read(tmp_path), "model")] == [None, None]
