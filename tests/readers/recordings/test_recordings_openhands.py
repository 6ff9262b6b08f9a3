"""Real recordings of OpenHands: what somebody counts in the files is in the tables."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings

TOOLS = {"run", "run_ipython", "read", "edit", "write", "think", "finish", "browse", "delegate"}


@pytest.fixture(scope="module")
def runs(recordings: Path) -> Path:
    return recordings / "openhands"


def results_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def test_every_file_is_read_as_openhands(runs: Path) -> None:
    sources = read(runs).sources
    assert len(sources) == 5
    assert {source.format for source in sources} == {"openhands"}


def test_every_action_is_a_call_and_every_event_is_kept(runs: Path) -> None:
    results = results_of(runs / "multi_swe_bench-output.jsonl")
    events = [event for result in results for event in result["history"]]
    rows = read(runs / "multi_swe_bench-output.jsonl")
    assert len(calls_of(rows)) == sum(event.get("action") in TOOLS for event in events) == 105
    assert account_of(rows) == (len(events) + 3, len(events) + 3, 0, 0)
    assert codes(rows) == {}


def test_tokens_are_those_of_the_whole_run_counted_once(runs: Path) -> None:
    results = results_of(runs / "multi_swe_bench-output.jsonl")
    rows = read(runs / "multi_swe_bench-output.jsonl")
    for result, conversation in zip(results, rows.conversations, strict=True):
        total = result["metrics"]["accumulated_token_usage"]
        own = [call for call in calls_of(rows, "model") if call.conversation_id == conversation.conversation_id]
        assert sum(call.input_tokens or 0 for call in own) == total["prompt_tokens"]
        assert sum(call.output_tokens or 0 for call in own) == total["completion_tokens"]
        assert all(call.seconds is not None for call in own)


def test_exit_codes_are_those_of_the_observations(runs: Path) -> None:
    events = [event for result in results_of(runs / "multi_swe_bench-output.jsonl") for event in result["history"]]
    expected = Counter(event["extras"]["metadata"]["exit_code"] for event in events if event.get("observation") == "run")
    found = Counter(call.exit_code for call in calls_of(read(runs / "multi_swe_bench-output.jsonl")) if call.exit_code is not None)
    assert found == expected
    wrong = sum(str(event.get("content", "")).startswith("ERROR:") for event in events if event.get("observation") in ("edit", "read"))
    failed = sum(call.failed for call in calls_of(read(runs / "multi_swe_bench-output.jsonl")))
    assert failed == wrong + sum(number for code, number in expected.items() if code)


def test_a_command_that_still_runs_has_no_exit_code(runs: Path) -> None:
    rows = read(runs / "traj-basic_gui_mode.json")
    assert [(call.exit_code, call.state) for call in calls_of(rows) if call.name == "execute_bash"] == [(0, "done"), (None, "done")]
    assert account_of(rows) == (18, 15, 0, 3)
    assert rows.turns[0].state == "done" or rows.turns[0].state is None


def test_a_run_that_reached_its_limit_was_stopped(runs: Path) -> None:
    assert [turn.state for turn in read(runs / "multi_swe_bench-output.jsonl").turns] == ["done", "done", "stopped"]


def test_the_very_old_form_is_read_by_order(runs: Path) -> None:
    results = results_of(runs / "resolver-output.jsonl")
    events = [event for result in results for event in result["history"]]
    rows = read(runs / "resolver-output.jsonl")
    assert len(calls_of(rows)) == sum(event.get("action") in TOOLS for event in events) == 26
    outputs = [call.output for call in calls_of(rows) if call.name != "finish"]
    assert outputs == [event["content"] for event in events if "observation" in event]
    assert [call.exit_code for call in calls_of(rows) if call.exit_code is not None] == [0, 0, 0]
    assert account_of(rows) == (54, 54, 0, 0)


def test_every_word_of_a_person_is_a_turn(runs: Path) -> None:
    rows = read(runs / "traj-basic_interactions.json")
    assert [turn.prompt for turn in rows.turns] == ["what's 1+1?", "No, I mean by Goldbach's conjecture!", "Finish please"]
