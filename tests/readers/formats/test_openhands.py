"""OpenHands: events of both generations, alone, in lists and in the results of evaluations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read

SAMPLES = Path(__file__).parent.parent / "samples" / "openhands"


def formats_of(*paths: Path) -> list[str]:
    return [group.reader.format for group in survey_files(find_files(paths)).groups]


def acts(id: int, action: str, source: str = "agent", **args: Any) -> Record:
    return {"id": id, "timestamp": f"2026-03-02T11:00:{id:02}.000000", "source": source, "message": "", "action": action, "args": args}


def sees(id: int, observation: str, content: str = "", cause: int | None = None, **extras: Any) -> Record:
    event = {"id": id, "timestamp": f"2026-03-02T11:00:{id:02}.000000", "source": "agent", "observation": observation, "content": content, "extras": extras}
    return event | ({} if cause is None else {"cause": cause})


def told(id: int, content: str = "Fix it.") -> Record:
    return acts(id, "message", "user", content=content)


def response(id: str, *names: str, sent: int = 100) -> Record:
    calls = [{"id": f"call_{name}", "type": "function", "function": {"name": name, "arguments": "{}"}} for name in names]
    message = {"role": "assistant", "content": "I run it.", "tool_calls": calls}
    return {"id": id, "model": "test-model-1", "choices": [{"finish_reason": "tool_calls", "message": message}], "usage": {"prompt_tokens": sent}}


def asked(event: Record, name: str, of: Record) -> Record:
    return event | {"tool_call_metadata": {"function_name": name, "tool_call_id": f"call_{name}", "model_response": of, "total_calls_in_response": 1}}


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("openhands", outline_of(read(SAMPLES)))


def test_lists_lines_results_and_single_events_are_known(tmp_path: Path) -> None:
    events = [told(0), acts(1, "run", command="ls"), sees(2, "run", "a.py", 1)]
    assert formats_of(write_json(tmp_path / "a", events)) == ["openhands"]
    assert formats_of(write_lines(tmp_path / "b", events)) == ["openhands"]
    assert formats_of(write_json(tmp_path / "c", events[1])) == ["openhands"]
    assert formats_of(write_lines(tmp_path / "d", [{"instance_id": "a", "history": events}, {"instance_id": "b", "history": events}])) == ["openhands"]
    assert formats_of(write_json(tmp_path / "e", {"instruction": "x", "history": [[{"action": "run", "command": "ls"}, {"observation": "run"}]]})) == [
        "openhands"
    ]


@pytest.mark.parametrize(
    "document", [[{"source": "user", "text": "hi"}], {"history": [{"role": "user", "content": "x"}], "instance_id": "a"}, {"kind": "Event"}]
)
def test_what_has_only_the_names_is_not_claimed(document: Any, tmp_path: Path) -> None:
    other = write_json(tmp_path / "settings.json", {"theme": "dark"})
    assert "openhands" not in formats_of(write_json(tmp_path / "x", document), other)


def test_an_observation_answers_the_action_that_caused_it(tmp_path: Path) -> None:
    events = [told(0), acts(1, "run", command="a"), acts(2, "run", command="b"), sees(3, "run", "of b", 2), sees(4, "run", "of a", 1)]
    rows = read(write_json(tmp_path / "x", events))
    assert [(json.loads(call.input or "")["command"], call.output) for call in calls_of(rows)] == [("a", "of a"), ("b", "of b")]
    assert codes(rows) == {}


@pytest.mark.parametrize(
    ("extras", "code", "state"),
    [
        ({"metadata": {"exit_code": 0}}, 0, "done"),
        ({"metadata": {"exit_code": 2}}, 2, "failed"),
        ({"metadata": {"exit_code": -1}}, None, "done"),
        ({"exit_code": 127}, 127, "failed"),
        ({}, None, "done"),
    ],
)
def test_exit_codes_of_all_versions_and_none_of_a_command_that_still_runs(extras: Record, code: int | None, state: str, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [told(0), acts(1, "run", command="a"), sees(2, "run", "text", 1, **extras) | {"success": code == 0}]))
    (call,) = calls_of(rows)
    assert (call.exit_code, call.state) == (code, state)


def test_a_response_that_asked_for_two_tools_is_one_step_with_its_tokens_once(tmp_path: Path) -> None:
    both = response("r1", "one", "two")
    events = [
        told(0),
        asked(acts(1, "run", command="a"), "one", both),
        sees(2, "run", "of a", 1),
        asked(acts(3, "run", command="b"), "two", both),
        sees(4, "run", "of b", 3),
    ]
    rows = read(write_json(tmp_path / "x", events))
    assert [(call.input_tokens, call.name) for call in calls_of(rows, "model")] == [(100, "test-model-1")]
    assert [(call.name, call.output) for call in calls_of(rows)] == [("one", "of a"), ("two", "of b")]
    assert len({call.step_id for call in calls_of(rows)}) == 1


def test_counters_that_only_grow_are_taken_apart(tmp_path: Path) -> None:
    def spent(event: Record, cost: float, tokens: int) -> Record:
        return event | {"llm_metrics": {"accumulated_cost": cost, "accumulated_token_usage": {"prompt_tokens": tokens}}}

    events = [told(0), spent(acts(1, "message", content="One"), 0.5, 100), told(2), spent(acts(3, "message", content="Two"), 0.75, 150)]
    rows = read(write_json(tmp_path / "x", events))
    assert [(call.cost, call.input_tokens) for call in calls_of(rows, "model")] == [(0.5, 100), (0.25, 50)]


@pytest.mark.parametrize(("answer", "state", "said"), [("confirmed", "done", "yes"), ("rejected", "denied", "no")])
def test_an_action_that_waited_for_a_person_is_one_call_with_the_answer(answer: str, state: str, said: str, tmp_path: Path) -> None:
    waits = acts(1, "run", command="rm x", confirmation_state="awaiting_confirmation")
    goes_on = acts(3, "run", command="rm x", confirmation_state=answer)
    rows = read(write_json(tmp_path / "x", [told(0), waits, goes_on, sees(4, "run" if said == "yes" else "user_rejected", "text", 3)]))
    (call,) = calls_of(rows)
    (approval,) = rows.approvals
    assert (call.state, call.output, approval.answer) == (state, "text", said)
    assert account_of(rows) == (4, 3, 1, 0)


def test_an_action_that_still_waits_has_an_approval_without_an_answer(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [told(0), acts(1, "run", command="rm x", confirmation_state="awaiting_confirmation")]))
    assert [approval.answer for approval in rows.approvals] == [None]
    assert rows.turns[0].state == "waiting"


def test_what_every_action_confirms_by_itself_is_no_approval(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [told(0), acts(1, "run", command="ls", confirmation_state="confirmed"), sees(2, "run", "a", 1)]))
    assert rows.approvals == []


def test_an_agent_that_was_delegated_to_works_inside_the_call(tmp_path: Path) -> None:
    rows = read(SAMPLES / "output.jsonl")
    calls = {call.call_id: call for call in rows.calls}
    (side,) = [call for call in calls_of(rows, "agent") if call.call_id != call.turn_id]
    assert (side.name, calls[side.parent_call_id or ""].name) == ("BrowsingAgent", "delegate_to_browsing_agent")
    assert [call.name for call in calls_of(rows) if call.parent_call_id == side.call_id] == ["browser", "finish"]
    assert calls[side.parent_call_id or ""].output == "Half to even."


def test_a_last_action_is_done_though_nothing_observes_it(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [told(0), acts(1, "finish", final_thought="Done.")]))
    assert [(call.name, call.state) for call in calls_of(rows)] == [("finish", "done")]
    assert (rows.turns[0].state, rows.turns[0].answer) == ("done", "Done.")
    assert codes(rows) == {}


def test_an_error_without_a_cause_was_shown_without_a_call(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [told(0), acts(1, "run", command="ls"), sees(2, "run", "a", 1), sees(3, "error", "Unknown tool")]))
    assert [part.text for part in rows.parts if part.type == "tool_result" and part.call_id is None] == ["Unknown tool"]
    assert codes(rows) == {}


def test_an_observation_whose_cause_is_not_there_is_an_orphan(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [told(0), sees(3, "run", "a", 2)]))
    assert codes(rows) == {"orphan_result": 1}


def test_states_and_what_was_recalled_stand_as_injected_parts_and_null_observations_are_skipped(tmp_path: Path) -> None:
    events = [
        sees(0, "agent_state_changed", agent_state="loading"),
        told(1),
        acts(2, "recall", "user", query="x"),
        sees(3, "recall", "Added", 2),
        sees(4, "null", "", 1),
    ]
    rows = read(write_json(tmp_path / "x", events))
    assert len(rows.turns) == 1
    assert [part.text for part in rows.parts if part.injected] == ["agent_state_changed", "recall", "Added"]
    assert account_of(rows) == (5, 4, 0, 1)
    assert json.loads(rows.sources[0].skipped or "") == {"null_observation": 1}


def test_a_result_says_how_the_run_ended(tmp_path: Path) -> None:
    history = [told(0), acts(1, "run", command="ls"), sees(2, "run", "a", 1)]
    error = "RuntimeError: Agent reached maximum iteration in headless mode."
    rows = read(
        write_lines(tmp_path / "x", [{"instance_id": "a-1", "history": history, "error": error}, {"instance_id": "a-2", "history": history, "error": "Boom"}])
    )
    assert [turn.state for turn in rows.turns] == ["stopped", "failed"]
    assert [json.loads(row.labels or "")["task"] for row in rows.conversations] == ["a-1", "a-2"]
    assert account_of(rows) == (8, 8, 0, 0)


def test_very_old_pairs_are_paired_by_their_order(tmp_path: Path) -> None:
    pairs = [
        [{"action": "message", "content": "Fix it.", "wait_for_response": False}, {"observation": "null", "content": ""}],
        [{"action": "run", "command": "ls", "thought": "I look.", "is_confirmed": "confirmed"}, {"observation": "run", "content": "a.py", "exit_code": 0}],
        [{"action": "finish", "thought": "Done.", "outputs": {}}, {"observation": "null", "content": ""}],
    ]
    rows = read(write_json(tmp_path / "x", {"instruction": "Fix it.", "git_patch": "", "history": pairs}))
    assert [(call.name, call.output, call.exit_code) for call in calls_of(rows)] == [("run", "a.py", 0), ("finish", None, None)]
    assert (rows.turns[0].prompt, rows.turns[0].answer) == ("Fix it.", "Done.")
    assert account_of(rows) == (7, 5, 0, 2)


def test_events_that_are_files_of_one_folder_are_one_conversation_in_the_order_of_time(tmp_path: Path) -> None:
    for number, event in enumerate(json.loads((SAMPLES / "sdk-events.json").read_text(encoding="utf-8"))):
        write_json(tmp_path / "one" / "events" / f"{'ba'[number > 4]}-{number}.json", event)
    write_json(
        tmp_path / "one" / "base_state.json",
        {"id": "conv-1", "agent": {"llm": {"model": "test-model-1"}}, "workspace": {}, "execution_status": "finished", "max_iterations": 9},
    )
    write_json(
        tmp_path / "two" / "events" / "a.json",
        {"id": "e-1", "timestamp": "2026-03-02T12:00:00", "source": "user", "kind": "MessageEvent", "llm_message": {"role": "user", "content": "Hi"}},
    )
    rows = read(tmp_path)
    assert [row.conversation_id for row in rows.conversations] == ["conv-1", "e-1"]
    assert rows.conversations[0].model == "test-model-1"
    assert [(call.name, call.state) for call in calls_of(rows)] == [("terminal", "done"), ("terminal", "denied")]
    assert [approval.reason for approval in rows.approvals] == ["Keep the orders."]
    assert account_of(rows) == (11, 11, 0, 0)


def sdk(number: int, kind: str, source: str, **fields: Any) -> Record:
    return {"id": f"e{number}", "timestamp": f"2026-03-02T11:00:{number:02}.000000", "source": source, "kind": kind} | fields


def sdk_says(number: int, text: str) -> Record:
    return sdk(number, "MessageEvent", "user", llm_message={"role": "user", "content": [{"type": "text", "text": text}]})


def sdk_acts(number: int, name: str, kind: str, response_id: str, **action: Any) -> Record:
    call = {"id": f"c{number}", "name": name, "arguments": json.dumps(action)}
    thought = [{"type": "text", "text": ""}]
    fields = {"thought": thought, "action": {"kind": kind} | action, "tool_name": name, "tool_call_id": f"c{number}", "tool_call": call}
    return sdk(number, "ActionEvent", "agent", llm_response_id=response_id, **fields)


def test_a_conversation_beside_its_state_has_the_model_and_cost_of_every_reply_and_turns_that_were_ended(tmp_path: Path) -> None:
    spent = [{"model": "m1", "cost": 0.25}, {"model": "m1", "cost": 0.5}]
    tokens = [{"model": "m1", "prompt_tokens": 10 * number, "completion_tokens": 2, "response_id": f"r{number}"} for number in (1, 2)]
    stats = {"usage_to_metrics": {"agent": {"costs": spent, "token_usages": tokens, "response_latencies": [{"response_id": "r1", "latency": 0.5}]}}}
    state = {"id": "conv-1", "agent": {}, "workspace": {}, "execution_status": "finished", "max_iterations": 500, "stats": stats}
    events = [
        sdk_says(1, "Fix it."), sdk_acts(2, "finish", "FinishAction", "r1", message="Fixed."),
        sdk_says(3, "Thanks, test it."), sdk_acts(4, "finish", "FinishAction", "r2", message="Tested."),
    ]  # fmt: skip
    write_json(tmp_path / "conv-1" / "base_state.json", state)
    for number, event in enumerate(events):
        write_json(tmp_path / "conv-1" / "events" / f"event-{number:05}.json", event)
    rows = read(tmp_path)
    models = [(call.name, call.input_tokens, call.cost, call.seconds) for call in calls_of(rows, "model")]
    assert models == [("m1", 10, 0.25, 0.5), ("m1", 20, 0.5, 1.0)]
    assert [(turn.state, turn.answer) for turn in rows.turns] == [("done", "Fixed."), ("done", "Tested.")]
    assert [part.text for part in rows.parts if part.type == "text" and part.role == "assistant"] == ["Fixed.", "Tested."]


def acp(number: int, status: str, **fields: Any) -> Record:
    call = {"tool_call_id": "tc1", "title": "Read a.py", "tool_kind": "read", "status": status, "raw_input": {"path": "a.py"}, "is_error": status == "failed"}
    return sdk(number, "ACPToolCallEvent", "agent", **call) | fields


@pytest.mark.parametrize("status", ["completed", "failed"])
def test_the_calls_of_an_agent_that_runs_elsewhere_are_calls_of_no_model_call(status: str, tmp_path: Path) -> None:
    content = [{"type": "content", "content": {"type": "text", "text": "print(1)"}}]
    events = [sdk_says(1, "Fix it."), acp(2, "in_progress"), acp(3, "in_progress"), acp(4, status, content=content)]
    rows = read(write_json(tmp_path / "x", events))
    (call,) = calls_of(rows)
    assert (call.name, call.input, call.output, call.seconds) == ("read", '{"path":"a.py"}', "print(1)", 2.0)
    assert (call.state, call.step_id) == ("done" if status == "completed" else "failed", None)
    assert json.loads(call.extra or "") == {"title": "Read a.py"}
    assert calls_of(rows, "model") == []
    assert account_of(rows) == (4, 2, 2, 0)


def test_thoughts_in_blocks_are_reasoning_and_their_signatures_are_none(tmp_path: Path) -> None:
    act = sdk_acts(2, "terminal", "TerminalAction", "r1", command="ls") | {"thinking_blocks": [{"type": "thinking", "thinking": "Look.", "signature": "c2ln"}]}
    rows = read(write_json(tmp_path / "x", [sdk_says(1, "Fix it."), act]))
    assert [(part.type, part.text) for part in rows.parts[1:]] == [("reasoning", "Look."), ("tool_call", None)]
    assert json.loads(calls_of(rows, "model")[0].extra or "") == {"thinking_blocks": [{"signature": "c2ln"}]}


def test_a_conversation_that_broke_down_failed_with_the_reason(tmp_path: Path) -> None:
    broken = sdk(2, "ConversationErrorEvent", "environment", code="LLMBadRequestError", detail="The request is too long.")
    rows = read(write_json(tmp_path / "x", [sdk_says(1, "Fix it."), broken]))
    assert rows.turns[0].state == "failed"
    assert "The request is too long." in [part.text for part in rows.parts]


def test_events_on_a_page_of_the_server_are_a_conversation(tmp_path: Path) -> None:
    page = {"items": [sdk_says(1, "Fix it."), sdk_acts(2, "finish", "FinishAction", "r1", message="Fixed.")], "next_page_id": None}
    assert formats_of(write_json(tmp_path / "x", page)) == ["openhands"]
    rows = read(tmp_path / "x")
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Fix it.", "Fixed.")]
    assert account_of(rows) == (2, 2, 0, 0)


def test_an_event_that_is_none_is_skipped(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", [told(0), acts(1, "message", content="Hi"), 7, {"id": 9}]))
    assert account_of(rows) == (4, 2, 0, 2)
