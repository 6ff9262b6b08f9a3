"""FunctAI: turns and their states, helpers and their exchanges, approvals, events, ratings; several files that tell of the same calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers.formats import functai
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_lines
from tests.readers.reading import account_of, calls_of, codes, fields_of, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "functai"
NOON = 1_772_452_800


def uuid(number: int) -> str:
    """Return the id of the turn or call with this number."""
    return f"01926d00-{number:04x}-7000-8000-000000000000"


def at(second: int) -> str:
    """Return a time so many seconds after noon."""
    return f"2026-03-02T12:{second // 60:02}:{second % 60:02}.000000Z"


def record(kind: str, second: int = 0, **fields: Any) -> dict[str, Any]:
    """Make a record of a conversation."""
    return {"functai_conversation": 1, "kind": kind, "at": at(second)} | fields


def turn(number: int, parent: int | None = None, second: int = 0, text: str = "Hi") -> dict[str, Any]:
    """Make the record of a turn."""
    above = uuid(parent) if parent is not None else None
    return record("turn", second, turn=uuid(number), parent=above, program="sha256:a", inputs={"message": text})


def lease(number: int, until: int, attempt: int = 1, second: int = 0) -> dict[str, Any]:
    """Make a lease."""
    return record("lease", second, turn=uuid(number), holder="h:1:a", until=at(until), attempt=attempt)


def ended(number: int, state: str = "done", second: int = 5, **fields: Any) -> dict[str, Any]:
    """Make the end of a turn."""
    outputs = {"outputs": {"result": "Hello."}, "value": "Hello."} if state == "done" else {}
    return record("ended", second, turn=uuid(number), state=state, **(outputs | fields))


def waiting(number: int, *invocations: int, second: int = 6) -> dict[str, Any]:
    """Make a turn wait for a person."""
    asked = [
        {"call": uuid(number), "invocation": invocation, "id": f"c{invocation}", "name": "refund", "input": {"order": 7}, "path": "p/refund", "site": "p#1"}
        for invocation in invocations
    ]
    return record("waiting", second, turn=uuid(number), approvals=asked)


def answered(number: int, invocation: int, verdict: str, second: int = 9, **fields: Any) -> dict[str, Any]:
    """Make the answer of a person."""
    return record("approval", second, turn=uuid(number), site="p#1", invocation=invocation, verdict=verdict, by="ana", **fields)


def call(number: int, parent: int | None = None, second: int = 1, **fields: Any) -> dict[str, Any]:
    """Make a record of the call log."""
    return {
        "functai_call": 2,
        "id": uuid(number),
        "parent": uuid(parent) if parent is not None else None,
        "root": uuid(parent if parent is not None else number),
        "program": {"name": "answer", "kind": "ai", "version": "sha256:c", "answer": "result"},
        "started": at(second),
        "seconds": 2.0,
        "inputs": {"message": "Hi"},
        "outputs": {"result": "Hello."},
        "error": None,
        "model": "m-1",
        "usage": {"input_tokens": 9, "output_tokens": 4},
        "exchanges": [],
        "caller": {},
    } | fields


def exchange(*parts: dict[str, Any], second: int = 1, messages: tuple[dict[str, Any], ...] = (), **fields: Any) -> dict[str, Any]:
    """Make an exchange with a model."""
    whole = {"model": "m-1", "provider": "p", "started": at(second), "seconds": 0.5, "cached": False, "finish": "stop"}
    answer = {"response": {"message": {"role": "assistant", "parts": [*parts]}}} if parts else {}
    return whole | {"usage": {"input_tokens": 9, "output_tokens": 4}, "request": {"messages": [*messages]}} | answer | fields


def words(text: str) -> dict[str, Any]:
    """Make a part of text."""
    return {"type": "text", "text": text}


ASKS = {"type": "tool_call", "id": "c1", "name": "refund", "input": {"order": 7}}


def read_records(tmp_path: Path, *records: dict[str, Any]) -> Any:
    """Read a file of records."""
    return read(write_lines(tmp_path / "x.jsonl", records))


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("functai", outline_of(read(SAMPLES)))


def test_a_turn_is_its_call_and_continues_the_turn_that_it_names(tmp_path: Path) -> None:
    rows = read_records(tmp_path, turn(1), ended(1), turn(2, 1, 10, "More"), ended(2, second=12), turn(3, 1, 20, "Other"), ended(3, second=22))
    assert [(row.turn_id, row.parent_turn_id, row.prompt, row.answer) for row in rows.turns] == [
        (uuid(1), None, "Hi", "Hello."),
        (uuid(2), uuid(1), "More", "Hello."),
        (uuid(3), uuid(1), "Other", "Hello."),
    ]
    own = calls_of(rows, "agent")[0]
    assert (own.call_id, own.input, own.output) == (uuid(1), '{"message":"Hi"}', '{"result":"Hello."}')


STATES: dict[str, tuple[list[dict[str, Any]], str]] = {
    "ended": ([lease(1, 90), ended(1)], "done"),
    "failed": ([ended(1, "failed", error={"type": "Refusal", "message": "no"})], "failed"),
    "abandoned": ([lease(1, 30), waiting(1, 1), ended(1, "abandoned")], "abandoned"),
    "no lease": ([], "interrupted"),
    "a lease that runs": ([lease(1, 90)], "running"),
    "a lease that runs until now": ([lease(1, 60)], "running"),
    "a lease that ran out": ([lease(1, 59)], "interrupted"),
    "a lease without a time": ([lease(1, 90) | {"until": ""}], "interrupted"),
    "only the last lease counts": ([lease(1, 90), lease(1, 30)], "interrupted"),
    "it waits": ([lease(1, 90), waiting(1, 1)], "waiting"),
    "an answer does not resume it": ([lease(1, 90), waiting(1, 1), answered(1, 1, "yes")], "waiting"),
    "a lease resumes it": ([lease(1, 30), waiting(1, 1), answered(1, 1, "yes"), lease(1, 90, 2)], "running"),
    "a person asked it to stop": ([lease(1, 90), record("stop", turn=uuid(1))], "running"),
    "the first end counts": ([ended(1), ended(1, "failed")], "done"),
    "an end of an overtaken attempt does not": ([lease(1, 30), lease(1, 90, 2), ended(1, "stopped", attempt=1), ended(1, attempt=2)], "done"),
}


@pytest.mark.parametrize("name", STATES)
def test_the_state_of_a_turn_follows_from_its_records(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functai, "clock", lambda: NOON + 60)
    records, state = STATES[name]
    assert [row.state for row in read_records(tmp_path, turn(1), *records).turns] == [state]


def test_records_that_do_not_count_are_left_out_with_their_reason(tmp_path: Path) -> None:
    lines = [turn(1), turn(1), lease(1, 30), lease(1, 90, 2), ended(1, "stopped", attempt=1), ended(1), ended(1), ended(8), record("later", turn=uuid(1))]
    rows = read_records(tmp_path, *lines, turn(2) | {"functai_conversation": 7})
    assert codes(rows) == {"overtaken_attempt": 1, "second_end": 1, "second_turn": 1, "unknown_turn": 1, "unknown_version": 1}
    assert account_of(rows) == (10, 5, 0, 5)
    assert "later" in (calls_of(rows, "agent")[0].extra or "")


def test_a_question_waits_until_a_person_answers_it(tmp_path: Path) -> None:
    rows = read_records(tmp_path, turn(1), lease(1, 30), waiting(1, 1, 2), answered(1, 1, "no", reason="Too late."))
    first, second = calls_of(rows)
    assert [(tool.name, tool.input, tool.state) for tool in (first, second)] == [("refund", '{"order":7}', "denied"), ("refund", '{"order":7}', "unanswered")]
    asked = [(row.call_id, row.answer, row.answered_by, row.reason) for row in rows.approvals]
    assert asked == [(first.call_id, "no", "ana", "Too late."), (second.call_id, None, None, None)]


def test_a_tool_that_started_and_did_not_end_may_have_run(tmp_path: Path) -> None:
    tools = [
        record("tool", 1, turn=uuid(1), site="p#1", invocation=1, id="c1", name="order_status", state="done", output="depot"),
        record("tool", 2, turn=uuid(1), site="p#1", invocation=2, id="c2", name="refund", input={"order": 7}, effects="changes", state="started"),
    ]
    first, second = calls_of(read_records(tmp_path, turn(1), *tools))
    assert (first.state, first.output, second.state, second.input) == ("done", "depot", "unanswered", '{"order":7}')


def test_replies_of_a_turn_that_is_not_over_are_read_and_replayed_ones_are_not_read_again(tmp_path: Path) -> None:
    def reply(second: int, attempt: int, *parts: dict[str, Any]) -> dict[str, Any]:
        return record("reply", second, turn=uuid(1), key=parts[0]["type"], response={"message": {"parts": [*parts]}}, attempt=attempt)

    done = record("tool", 3, turn=uuid(1), site="p#1", invocation=1, id="c1", name="refund", state="done", output="refunded", attempt=1)
    rows = read_records(tmp_path, turn(1), reply(2, 1, ASKS), done, lease(1, 90, 2), reply(5, 2, ASKS), reply(6, 2, words("Done.")))
    assert [(tool.name, tool.output) for tool in calls_of(rows)] == [("refund", "refunded")]
    assert (len(calls_of(rows, "model")), texts_of(rows, "assistant")) == (2, ["Done."])


def test_the_same_request_again_after_a_pause_is_another_reply(tmp_path: Path) -> None:
    def reply(second: int, attempt: int, text: str) -> dict[str, Any]:
        return record("reply", second, turn=uuid(1), key="same", response={"message": {"parts": [words(text)]}}, attempt=attempt)

    rows = read_records(tmp_path, turn(1), reply(2, 1, "One."), lease(1, 90, 2), reply(5, 2, "One."), reply(6, 2, "Two."))
    assert texts_of(rows, "assistant") == ["One.", "Two."]


def test_what_an_overtaken_attempt_did_is_shown_and_what_it_says_of_the_turn_is_not_believed(tmp_path: Path) -> None:
    late = record("tool", 7, turn=uuid(1), site="p#1", invocation=1, id="c1", name="refund", state="done", output="refunded", attempt=1)
    rows = read_records(tmp_path, turn(1), lease(1, 30), lease(1, 90, 2), late, ended(1, "stopped", attempt=1))
    assert [(tool.name, tool.output) for tool in calls_of(rows)] == [("refund", "refunded")]
    assert codes(rows) == {"overtaken_attempt": 1}


def test_the_steps_that_a_conversation_kept_are_read_when_there_is_no_call_log(tmp_path: Path) -> None:
    steps = [
        {"kind": "model", "outputs": {"reasoning": "Look.", "tool_calls": [{"id": "c1", "name": "find", "input": {}}]}},
        {"kind": "tool", "id": "c1", "name": "find", "output": [words("depot")]},
        {"kind": "model", "outputs": {"result": "In the depot."}},
    ]
    usage = {"input_tokens": 9, "output_tokens": 4}
    rows = read_records(tmp_path, turn(1), ended(1, lmcc={"steps": steps}, usage=usage))
    assert [(tool.name, tool.output) for tool in calls_of(rows)] == [("find", "depot")]
    assert [(part.type, part.text) for part in rows.parts if part.step_id and part.text] == [("reasoning", "Look."), ("text", "In the depot.")]
    assert [step.input_tokens for step in calls_of(rows, "model")] == [None, None]


def test_helpers_stand_under_the_call_that_made_them_with_their_exchanges(tmp_path: Path) -> None:
    helper = call(5, 1, exchanges=[exchange(error={"type": "ProviderError", "message": "503"}, usage=None), exchange(words("Hello."), second=2)])
    deeper = call(6, 5, root=uuid(1), exchanges=[exchange(words("Hm."))])
    rows = read_records(tmp_path, turn(1), ended(1), deeper, helper, call(1, conversation={"id": "ana", "turn": uuid(1), "parent": None}, usage={}, model=None))
    parents = {agent.call_id: agent.parent_call_id for agent in calls_of(rows, "agent")}
    assert parents == {uuid(1): None, uuid(5): uuid(1), uuid(6): uuid(5)}
    steps = [(step.parent_call_id, step.state, step.error, step.output_tokens) for step in calls_of(rows, "model")]
    assert steps == [(uuid(5), "failed", "ProviderError: 503", None), (uuid(5), "done", None, 4), (uuid(6), "done", None, 4)]
    assert rows.conversations[0].conversation_id == "ana"
    assert account_of(rows) == (5, 5, 0, 0)


def test_a_helper_that_was_called_inside_a_tool_stands_under_that_tool(tmp_path: Path) -> None:
    own = call(1, exchanges=[exchange(ASKS), exchange(words("Done."))])
    rows = read_records(tmp_path, call(5, 1, invocation=1), own)
    (tool,) = calls_of(rows)
    assert next(agent.parent_call_id for agent in calls_of(rows, "agent") if agent.call_id == uuid(5)) == tool.call_id


def test_what_a_tool_returned_stands_in_the_next_request_when_there_are_no_steps(tmp_path: Path) -> None:
    returned = {"role": "tool", "parts": [{"type": "tool_result", "id": "c1", "output": [words("refunded")]}]}
    rows = read_records(tmp_path, call(1, exchanges=[exchange(ASKS), exchange(words("Done."), messages=(returned,))]))
    assert [(tool.state, tool.output) for tool in calls_of(rows)] == [("done", "refunded")]


def test_the_usage_of_a_call_with_one_model_call_stands_on_that(tmp_path: Path) -> None:
    rows = read_records(tmp_path, call(1, steps=[{"kind": "model", "outputs": {"result": "Hello."}}]), call(2))
    assert [(step.name, step.input_tokens) for step in calls_of(rows, "model")] == [("m-1", 9), ("m-1", 9)]


def test_an_exchange_that_came_from_a_cache_costs_nothing_again(tmp_path: Path) -> None:
    (step,) = calls_of(read_records(tmp_path, call(1, usage={}, exchanges=[exchange(words("Hello."), cached=True)])), "model")
    assert (step.input_tokens, json.loads(step.extra or "")["cached"]) == (None, True)


def test_a_call_of_no_conversation_is_one_and_fails_with_its_error(tmp_path: Path) -> None:
    rows = read_records(tmp_path, call(1, outputs=None, error={"type": "Refusal", "message": "no"}))
    (row,), (own,) = rows.turns, calls_of(rows, "agent")
    assert (rows.conversations[0].conversation_id, row.state, own.error) == (uuid(1), "failed", "Refusal: no")


def test_turns_that_only_the_call_log_tells_are_one_conversation(tmp_path: Path) -> None:
    second = call(2, second=9, conversation={"id": "ana", "turn": uuid(2), "parent": uuid(1)})
    rows = read_records(tmp_path, second, call(1, conversation={"id": "ana", "turn": uuid(1), "parent": None}))
    assert [(row.conversation_id, row.turn_id, row.parent_turn_id) for row in rows.turns] == [("ana", uuid(1), None), ("ana", uuid(2), uuid(1))]


def test_of_a_call_that_was_resumed_the_record_of_the_highest_writer_counts(tmp_path: Path) -> None:
    rows = read_records(tmp_path, call(1, writer=2, outputs={"result": "new"}), call(1, outputs={"result": "old"}))
    assert (rows.turns[0].answer, account_of(rows)) == ("new", (2, 1, 1, 0))


def test_a_helper_whose_parent_was_never_written_stands_under_the_outermost_call(tmp_path: Path) -> None:
    rows = read_records(tmp_path, call(7, 5, root=uuid(1)))
    assert {agent.call_id: agent.parent_call_id for agent in calls_of(rows, "agent")} == {uuid(1): None, uuid(7): uuid(1)}


def test_calls_that_name_each_other_as_parents_are_read(tmp_path: Path) -> None:
    rows = read_records(tmp_path, call(1, 2), call(2, 1), call(3, 3))
    assert {agent.call_id for agent in calls_of(rows, "agent")} == {uuid(1), uuid(2), uuid(3)}


def event(kind: str, seq: int, number: int = 5, **fields: Any) -> dict[str, Any]:
    """Make an event of the tree of the first call."""
    whole = {"functai_event": 2, "kind": kind, "tree": uuid(1), "writer": 1, "seq": seq, "after": None}
    return whole | {"at": at(seq), "call": uuid(number), "function": "answer"} | fields


EVENTS = [
    event("started", 1, 1, parent=None, root=uuid(1), program={"name": "support"}, inputs={"message": "Hi"}, function="support"),
    event("started", 2, parent=uuid(1), root=uuid(1), program={"name": "answer"}, inputs={"message": "Hi"}),
    event("request", 3, request=1, model="m-1"),
    event("text", 4, field="result", answer=True, text="Let me"),
    event("retry", 5, reason="cut", wait=1),
    event("tool_call", 6, id="c1", name="refund", input={"order": 7}, invocation=1),
    event("approval", 6, id="c1", invocation=1, name="refund", input={"order": 7}, path="support/answer/refund", to="owner"),
    event("approved", 8, id="c1", invocation=1, verdict="no", by="ben", reason="Too late."),
    event("tool_result", 8, id="c1", name="refund", output="The person did not allow this call.", invocation=1),
    event("request", 9, request=2, model="m-1"),
    event("text", 10, field="result", answer=True, text="I may "),
    event("text", 11, field="result", answer=True, text="not."),
    event("done", 12, value="I may not."),
]


def test_events_tell_a_call_that_is_not_in_the_log(tmp_path: Path) -> None:
    rows = read_records(tmp_path, *EVENTS)
    (tool,), (approval,) = calls_of(rows), rows.approvals
    assert (tool.state, tool.output, approval.answer, approval.answered_by) == ("denied", "The person did not allow this call.", "no", "ben")
    assert texts_of(rows, "assistant") == ["I may not."]
    assert [agent.state for agent in calls_of(rows, "agent")] == [None, "done"]
    assert account_of(rows) == (13, 13, 0, 0)


def test_events_of_a_call_that_is_in_the_log_are_merged(tmp_path: Path) -> None:
    rows = read_records(tmp_path, *EVENTS, call(5, 1, exchanges=[exchange(ASKS), exchange(words("I may not."))]))
    assert account_of(rows) == (14, 2, 12, 0)
    assert [(approval.answer, tool.state) for approval, tool in zip(rows.approvals, calls_of(rows), strict=True)] == [("no", "denied")]


def test_ratings_stand_with_the_call_they_are_about(tmp_path: Path) -> None:
    rating = {"functai_rating": 1, "id": uuid(8), "call": uuid(1), "at": at(9), "by": "ana", "verdict": "right"}
    rows = read_records(tmp_path, call(1), rating, rating | {"call": uuid(7)})
    (own,) = (fields_of(row) for row in calls_of(rows, "agent"))
    assert [item["verdict"] for item in json.loads(own["extra"])["ratings"]] == ["right"]
    assert (account_of(rows), codes(rows)) == ((3, 2, 0, 1), {"rating_record": 1})


def test_the_same_conversation_in_two_files_is_read_once(tmp_path: Path) -> None:
    program = record("program", version="sha256:a", name="support")
    write_lines(tmp_path / "a.jsonl", [program, turn(1), ended(1)])
    write_lines(tmp_path / "b.jsonl", [program, turn(1), ended(1), turn(2, 1, 9)])
    rows = read(tmp_path)
    assert account_of(rows) == (7, 4, 3, 0)
    assert [row.turn_id for row in rows.turns] == [uuid(1), uuid(2)]


def test_a_line_that_is_no_record_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = read_records(tmp_path, call(1), {"other": 1}, {"functai_call": 2})
    assert (account_of(rows), codes(rows)) == ((3, 1, 0, 2), {"no_id": 1, "no_record": 1})
