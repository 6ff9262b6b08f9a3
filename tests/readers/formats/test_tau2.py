"""tau2-bench: simulations in one file or in many, in text and by voice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json
from tests.readers.reading import account_of, calls_of, codes, read

SAMPLES = Path(__file__).parent.parent / "samples" / "tau2"
INFO = {"agent_info": {"implementation": "llm_agent", "llm": "test-model-1"}, "user_info": {}, "environment_info": {"domain_name": "retail"}}


def formats_of(*paths: Path) -> list[str]:
    return [group.reader.format for group in survey_files(find_files(paths)).groups]


def simulation(messages: list[Any], **fields: Any) -> Record:
    return {"id": "sim-1", "task_id": "3", "trial": 0, "termination_reason": "user_stop", "messages": messages} | fields


def results(*simulations: Any, **fields: Any) -> Record:
    return {"timestamp": "2026-03-02T09:00:00", "info": INFO, "tasks": [{"id": "3"}], "simulations": list(simulations)} | fields


def said(role: str, content: str | None, **fields: Any) -> Record:
    return {"role": role, "content": content} | fields


def asked(id: str, name: str, requestor: str = "assistant") -> Record:
    return {"id": id, "name": name, "arguments": {"x": 1}, "requestor": requestor}


def result(id: str, content: str, requestor: str = "assistant", error: bool = False) -> Record:
    return {"role": "tool", "id": id, "content": content, "requestor": requestor, "error": error}


TALK = [said("assistant", "Hi!"), said("user", "I want to return a lamp."), said("assistant", "Which one?"), said("user", "###STOP###")]


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("tau2", outline_of(read(SAMPLES)))


def test_results_and_single_simulations_are_known(tmp_path: Path) -> None:
    assert formats_of(write_json(tmp_path / "a", results(simulation(TALK)))) == ["tau2"]
    assert formats_of(write_json(tmp_path / "b", simulation(TALK))) == ["tau2"]


@pytest.mark.parametrize("document", [[{"task_id": 0, "traj": TALK, "reward": 1.0}], {"messages": TALK}, {"info": INFO, "other": [], "theme": "dark"}])
def test_older_results_and_plain_chats_are_not_claimed(document: Any, tmp_path: Path) -> None:
    other = write_json(tmp_path / "settings.json", {"theme": "dark"})
    assert "tau2" not in formats_of(write_json(tmp_path / "x", document), other)


def test_a_persons_own_calls_are_of_their_turn_and_of_no_model_call(tmp_path: Path) -> None:
    messages = [*TALK[:3], said("user", None, tool_calls=[asked("u1", "look", "user")]), result("u1", "It is dark.", "user"), said("user", "It is dark.")]
    rows = read(write_json(tmp_path / "x", simulation(messages)))
    (call,) = calls_of(rows)
    assert (call.name, call.output, call.step_id, call.state) == ("look", "It is dark.", None, "done")
    assert json.loads(call.extra or "") == {"requestor": "user"}
    assert [turn.prompt for turn in rows.turns] == [None, "I want to return a lamp.", "It is dark."]
    assert call.turn_id == rows.turns[2].turn_id
    assert account_of(rows) == (6, 6, 0, 0)


def test_an_error_flag_fails_a_call_whatever_its_text_says(tmp_path: Path) -> None:
    calls = said("assistant", None, tool_calls=[asked("a1", "get"), asked("a2", "put")])
    rows = read(write_json(tmp_path / "x", simulation([TALK[1], calls, result("a1", "No such order", error=True), result("a2", "Error: is a word here")])))
    assert [(call.state, call.error) for call in calls_of(rows)] == [("failed", "No such order"), ("done", None)]


def test_several_results_in_one_message_are_paired_one_by_one(tmp_path: Path) -> None:
    calls = said("assistant", None, tool_calls=[asked("a1", "get"), asked("a2", "put")])
    both = {"role": "tool", "tool_messages": [result("a1", "one"), result("a2", "two")]}
    rows = read(write_json(tmp_path / "x", simulation([TALK[1], calls, both])))
    assert [call.output for call in calls_of(rows)] == ["one", "two"]
    assert account_of(rows) == (3, 3, 0, 0)


def test_tokens_and_cost_are_those_of_the_agent(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    rows = read(write_json(tmp_path / "x", simulation([said("user", "Hi", usage=usage, cost=0.5), said("assistant", "Hi", usage=usage, cost=0.25)])))
    assert [(call.input_tokens, call.cost) for call in calls_of(rows, "model")] == [(10, 0.25)]


def test_what_the_agent_thought_is_found_in_the_reply_of_the_service(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "I look it up.", "signature": "c2ln"}
    usage = {"input_tokens": 90, "output_tokens": 8, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 0}
    raw = {"model": "test-model-1-big", "stop_reason": "end_turn", "usage": usage, "thinking_blocks": [thought]}
    chat = {"model": "test-model-1-big", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "reasoning_content": "I think."}}]}
    replies = [said("assistant", "Which one?", usage={"prompt_tokens": 90}, raw_data=raw), said("user", "Red."), said("assistant", "Done.", raw_data=chat)]
    rows = read(write_json(tmp_path / "x", simulation([*TALK[:2], *replies])))
    assert [part.text for part in rows.parts if part.type == "reasoning"] == ["I look it up.", "I think."]
    models = calls_of(rows, "model")[1:]
    assert [(call.finish_reason, call.input_tokens, call.cached_tokens) for call in models] == [("end_turn", 90, 70), ("stop", None, None)]


@pytest.mark.parametrize(
    ("reason", "state"), [("user_stop", "done"), ("agent_stop", "done"), ("max_steps", "stopped"), ("too_many_errors", "stopped"), ("agent_error", "failed")]
)
def test_the_termination_reason_is_the_state_of_the_last_turn(reason: str, state: str, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", simulation(TALK, termination_reason=reason)))
    assert rows.turns[-1].state == state


def test_a_simulation_that_is_a_file_of_its_own_has_the_results_beside_or_above_it(tmp_path: Path) -> None:
    write_json(tmp_path / "results.json", results())
    write_json(tmp_path / "simulations" / "one.json", simulation(TALK, reward_info={"reward": 1.0}))
    rows = read(tmp_path)
    labels = json.loads(rows.conversations[0].labels or "")
    assert labels == {"task_id": "3", "trial": 0, "reward": 1.0, "termination_reason": "user_stop", "domain": "retail"}
    assert rows.conversations[0].model == "test-model-1"
    assert account_of(rows) == (6, 6, 0, 0)


def test_a_simulation_met_twice_is_merged(tmp_path: Path) -> None:
    write_json(tmp_path / "results.json", results(simulation(TALK)))
    write_json(tmp_path / "one.json", simulation(TALK))
    rows = read(tmp_path)
    assert len(rows.conversations) == 1
    assert account_of(rows) == (10, 6, 4, 0)


def test_results_without_simulations_say_so(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", results()))
    assert rows.conversations == []
    assert codes(rows) == {"no_simulations": 1}
    assert account_of(rows) == (2, 0, 0, 2)


def test_what_a_voice_says_without_a_pause_is_one_message_and_silence_is_none(tmp_path: Path) -> None:
    rows = read(SAMPLES / "voice-simulation.json")
    assert [turn.prompt for turn in rows.turns] == [None, "I want to return a lamp."]
    assert [part.text for part in rows.parts if part.role == "assistant" and part.type == "text"] == ["Hello, how can I help?", "Yes?", "Order L-7 it is."]
    assert [(call.name, call.output) for call in calls_of(rows)] == [("find_order", "L-7")]
    assert account_of(rows) == (8, 6, 0, 2)


def test_speech_without_words_is_still_a_message(tmp_path: Path) -> None:
    ticks = [{"tick_id": number, "agent_chunk": {"contains_speech": number in (1, 2, 4)}, "user_chunk": None} for number in range(6)]
    rows = read(write_json(tmp_path / "x", {key: value for key, value in simulation([], ticks=ticks).items() if key != "messages"}))
    assert [(part.type, json.loads(part.extra or "{}")) for part in rows.parts] == [("other", {}), ("other", {})]
    assert len(calls_of(rows, "model")) == 2
    assert account_of(rows) == (6, 3, 0, 3)


def test_what_is_no_message_is_skipped(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", simulation([*TALK, 7, {"role": "owl"}, {"role": "tool", "tool_messages": []}])))
    assert account_of(rows) == (7, 4, 0, 3)
