"""OpenAI Responses: items of all kinds, responses that continue one another, approvals, programs, streams, and what is damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows, find_files, survey_files
from agentnb.readers._rows import CallRow
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "openai_responses"


def response(*items: Any, own_id: str = "resp_1", **fields: Any) -> Record:
    usage = {"input_tokens": 20, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 9, "output_tokens_details": {"reasoning_tokens": 3}}
    body = {"id": own_id, "object": "response", "created_at": 1772442000, "status": "completed", "model": "lamp-1", "output": list(items), "usage": usage}
    return body | fields


def says(text: str) -> Record:
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}


def calls(call_id: str = "call_1", name: str = "find_order", **arguments: Any) -> Record:
    return {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": json.dumps(arguments), "status": "completed"}


def returns(call_id: str = "call_1", output: Any = "It is on its way.") -> Record:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def asks(text: str) -> Record:
    return {"role": "user", "content": text}


def exchange(request: Record, body: Any) -> Record:
    return {"request": {"model": "lamp-1", **request}, "response": body}


def read_items(tmp_path: Path, *items: Any) -> Rows:
    return read(write_json(tmp_path / "response.json", response(*items)))


def only_call(rows: Rows) -> CallRow:
    (call,) = calls_of(rows)
    return call


def format_of(path: Path) -> str | None:
    groups = survey_files(find_files(path.parent)).groups
    return groups[0].reader.format if groups else None


@pytest.mark.parametrize(
    "document",
    [
        response(says("Hello!")),
        {"model": "lamp-1", "input": "Where is it?"},
        {"model": "lamp-1", "input": [asks("Where is it?")], "instructions": "Be brief."},
        [asks("Where is it?"), calls(), returns()],
        [calls(), returns()],
        [response(says("Hello!")), response(says("Bye!"), own_id="resp_2")],
        exchange({"input": "Where is it?"}, response(says("Here."))),
        [exchange({"input": "Where is it?"}, {"error": {"message": "No."}})],
    ],
    ids=["response", "request", "instructions", "items", "items of tools", "responses", "exchange", "refused"],
)
def test_it_is_known_by_its_items(document: Any, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "file", document)) == "openai_responses"


def test_lines_of_responses_items_and_events_are_known_too(tmp_path: Path) -> None:
    event = {"type": "response.created", "sequence_number": 0, "response": response(status="in_progress")}
    for number, lines in enumerate(([response(says("Hello!"))] * 2, [calls(), returns()], [event, event])):
        assert format_of(write_lines(tmp_path / str(number) / "file", lines)) == "openai_responses"


@pytest.mark.parametrize(
    "document",
    [
        {"model": "embed-1", "input": "Where is it?", "encoding_format": "float"},
        {"output": ["a", "b"]},
        {"object": "list", "data": []},
        {"input": {"query": "x"}, "output": {"answer": "y"}},
        {"model": "m", "messages": [asks("Hello")]},
        [{"type": "text", "text": "Hello"}],
        [{"type": 7}, None, []],
    ],
)
def test_what_only_looks_alike_is_not_taken(document: Any, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "file", document)) != "openai_responses"


def test_a_response_is_one_model_call_with_its_usage_and_times(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "r.json", response(says("Hello!"), completed_at=1772442004)))
    (model,) = calls_of(rows, "model")
    assert (model.name, model.input_tokens, model.output_tokens, model.cached_tokens, model.reasoning_tokens) == ("lamp-1", 20, 9, 4, 3)
    assert (model.started_at, model.ended_at, model.seconds) == (1772442000000000, 1772442004000000, 4.0)
    assert [(turn.answer, turn.state) for turn in rows.turns] == [("Hello!", "done")]
    assert rows.conversations[0].conversation_id == "resp_1"


def test_a_request_asks_and_its_response_answers(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "e.json", exchange({"input": "Where is it?", "instructions": "Be brief."}, response(says("Here.")))))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Where is it?", "Here.")]
    assert texts_of(rows, "system") == ["Be brief."]
    assert account_of(rows) == (2, 2, 0, 0)


def test_items_of_the_model_that_follow_one_another_are_one_model_call(tmp_path: Path) -> None:
    thought = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Look it up."}], "encrypted_content": "b3BhcXVl"}
    items = [asks("Where is it?"), thought, calls("a"), calls("b"), returns("b"), returns("a", [{"type": "input_text", "text": "Here."}]), says("Here.")]
    rows = read(write_json(tmp_path / "items.json", items))
    assert [call.name for call in calls_of(rows, "model")] == ["", ""]
    assert [(call.tool_call_id, call.output, call.state) for call in calls_of(rows)] == [("a", "Here.", "done"), ("b", "It is on its way.", "done")]
    (reasoning,) = [part for part in rows.parts if part.type == "reasoning"]
    assert (reasoning.text, json.loads(reasoning.extra or "")) == ("Look it up.", {"id": "rs", "encrypted_content": "b3BhcXVl"})
    assert account_of(rows) == (7, 7, 0, 0)


def test_reasoning_that_is_only_ciphertext_is_a_part_without_text(tmp_path: Path) -> None:
    rows = read_items(tmp_path, {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "b3BhcXVl"}, says("Here."))
    assert [(part.text, "b3BhcXVl" in (part.extra or "")) for part in rows.parts if part.type == "reasoning"] == [(None, True)]


@pytest.mark.parametrize(
    ("item", "name", "given"),
    [
        ({"type": "custom_tool_call", "call_id": "c", "name": "run", "input": "print(1)"}, "run", '"print(1)"'),
        ({"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}}, "shell", '{"commands":["ls"]}'),
        ({"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}}, "local_shell", '{"type":"exec","command":["ls"]}'),
        ({"type": "apply_patch_call", "call_id": "c", "operation": {"type": "delete_file", "path": "a"}}, "apply_patch", '{"type":"delete_file","path":"a"}'),
        ({"type": "computer_call", "call_id": "c", "action": {"type": "click", "x": 1}}, "computer", '{"type":"click","x":1}'),
        ({"type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": {"q": "x"}}, "tool_search", '{"q":"x"}'),
        ({"type": "program", "call_id": "c", "code": "text(1)"}, "program", '{"code":"text(1)"}'),
        ({"type": "mystery_call", "call_id": "c", "arguments": {"q": "x"}}, "mystery", '{"q":"x"}'),
    ],
)
def test_a_tool_that_the_client_runs_waits_for_its_result(item: Record, name: str, given: str, tmp_path: Path) -> None:
    rows = read_items(tmp_path, item)
    call = only_call(rows)
    assert (call.tool_call_id, call.name, call.input, call.state) == ("c", name, given, "unanswered")
    assert rows.turns[0].state is None


@pytest.mark.parametrize(
    ("item", "name", "given", "output"),
    [
        ({"type": "web_search_call", "id": "c", "action": {"type": "search", "query": "lamps"}}, "web_search", '{"type":"search","query":"lamps"}', None),
        ({"type": "file_search_call", "id": "c", "queries": ["lamps"], "results": [{"text": "a"}]}, "file_search", '{"queries":["lamps"]}', '[{"text":"a"}]'),
        ({"type": "code_interpreter_call", "id": "c", "code": "1+1", "outputs": [{"type": "logs", "logs": "2"}]}, "code_interpreter", '{"code":"1+1"}', "2"),
        ({"type": "image_generation_call", "id": "c", "revised_prompt": "a lamp", "result": "aW1n"}, "image_generation", '{"prompt":"a lamp"}', ""),
        ({"type": "mcp_call", "id": "c", "name": "find", "server_label": "shop", "arguments": "{}", "output": "found"}, "find", "{}", "found"),
        ({"type": "mystery_call", "id": "c", "arguments": "{}", "output": "found"}, "mystery", "{}", "found"),
    ],
)
def test_a_tool_that_the_service_ran_itself_has_its_result(item: Record, name: str, given: str, output: str | None, tmp_path: Path) -> None:
    rows = read_items(tmp_path, {**item, "status": "completed"}, says("Done."))
    call = only_call(rows)
    assert (call.name, call.input, call.output, call.state) == (name, given, output, "done")
    assert len(calls_of(rows, "model")) == 1
    assert (rows.turns[0].answer, rows.turns[0].state) == ("Done.", "done")


def test_an_image_that_was_made_is_a_part_of_the_call(tmp_path: Path) -> None:
    rows = read_items(tmp_path, {"type": "image_generation_call", "id": "c", "status": "completed", "result": "aW1n", "output_format": "webp"})
    assert [(part.text, part.mime_type, part.call_id) for part in rows.parts if part.type == "image"] == [("aW1n", "image/webp", only_call(rows).call_id)]


def test_a_tool_of_the_service_that_failed_says_so(tmp_path: Path) -> None:
    error = {"type": "http_error", "code": 502, "message": "Bad gateway."}
    failed = {"type": "mcp_call", "id": "c", "name": "find", "arguments": "{}", "output": None, "error": error, "status": "failed"}
    call = only_call(read_items(tmp_path, failed, says("Sorry.")))
    assert (call.state, call.failed, call.error) == ("failed", True, "Bad gateway.")


@pytest.mark.parametrize(
    ("outcomes", "exit_code", "error"),
    [
        ([{"type": "exit", "exit_code": 0}], 0, None),
        ([{"type": "exit", "exit_code": 0}, {"type": "exit", "exit_code": 2}], 2, "out"),
        ([{"type": "timeout"}], None, "Timed out."),
    ],
)
def test_a_shell_tells_exit_codes_and_time_outs_apart_from_what_it_printed(
    outcomes: list[Record], exit_code: int | None, error: str | None, tmp_path: Path
) -> None:
    output = [{"stdout": "out", "stderr": "err", "outcome": outcome} for outcome in outcomes]
    items = [
        asks("Look"),
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "c", "output": output},
    ]
    call = only_call(read(write_json(tmp_path / "items.json", items)))
    assert (call.output, call.exit_code, call.error, call.failed) == ("\n".join(["out\nerr"] * len(outcomes)), exit_code, error, error is not None)


def test_other_results_tell_their_failures_too(tmp_path: Path) -> None:
    items = [
        {"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}},
        {"type": "local_shell_call_output", "id": "c", "output": '{"output":"no such file","metadata":{"exit_code":2}}'},
        {"type": "apply_patch_call", "call_id": "d", "operation": {"path": "a"}},
        {"type": "apply_patch_call_output", "call_id": "d", "status": "failed", "output": "The file is not there."},
        {"type": "computer_call", "call_id": "e", "action": {"type": "screenshot"}},
        {"type": "computer_call_output", "call_id": "e", "output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,aW1n"}},
    ]
    rows = read(write_json(tmp_path / "items.json", items))
    assert [(call.exit_code, call.state) for call in calls_of(rows)] == [(2, "failed"), (None, "failed"), (None, "done")]
    assert [part.mime_type for part in rows.parts if part.type == "image"] == ["image/png"]


def test_calls_of_a_program_stand_under_it(tmp_path: Path) -> None:
    caller = {"type": "program", "caller_id": "p"}
    program = {"type": "program", "call_id": "p", "code": "await tools.find_order()"}
    items = [
        program,
        {**calls("a"), "caller": caller},
        {**returns("a"), "caller": caller},
        {"type": "program_output", "call_id": "p", "output": "ok"},
        says("Here."),
    ]
    rows = read(write_json(tmp_path / "items.json", items))
    outer, inner = calls_of(rows)
    assert (inner.parent_call_id, inner.output, outer.output) == (outer.call_id, "It is on its way.", "ok")


def test_calls_that_a_wrapper_holds_stand_under_it(tmp_path: Path) -> None:
    uses = [{"recipient_name": "functions.find_order", "parameters": {"id": 7}}, {"recipient_name": "functions.find_user", "parameters": {}}]
    rows = read_items(tmp_path, calls("w", "multi_tool_use.parallel", tool_uses=uses))
    wrapper, *inner = calls_of(rows)
    assert [(call.name, call.input, call.parent_call_id) for call in inner] == [
        ("find_order", '{"id":7}', wrapper.call_id),
        ("find_user", "{}", wrapper.call_id),
    ]


REQUEST = {"type": "mcp_approval_request", "id": "ask", "name": "cancel_order", "arguments": '{"id":7}', "server_label": "shop"}


def decided(approve: bool, *items: Any) -> list[Record]:
    answer = {"type": "mcp_approval_response", "approval_request_id": "ask", "approve": approve, "reason": "Changed my mind."}
    return [
        exchange({"input": "Cancel it."}, response(REQUEST)),
        exchange({"input": [answer], "previous_response_id": "resp_1"}, response(*items, own_id="resp_2", previous_response_id="resp_1")),
    ]


def test_a_request_for_approval_waits_for_a_person(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "log.json", decided(True)[:1]))
    assert [(row.answer, row.call_id) for row in rows.approvals] == [(None, only_call(rows).call_id)]
    assert (only_call(rows).name, rows.turns[0].state) == ("cancel_order", "waiting")


def test_a_call_that_was_approved_is_one_call_with_the_result_that_came_later(tmp_path: Path) -> None:
    ran = {
        "type": "mcp_call",
        "id": "mcp_1",
        "approval_request_id": "ask",
        "name": "cancel_order",
        "arguments": '{"id":7}',
        "output": "Cancelled.",
        "error": None,
    }
    rows = read(write_json(tmp_path / "log.json", decided(True, {**ran, "status": "completed"}, says("It is cancelled."))))
    call = only_call(rows)
    assert (call.output, call.state) == ("Cancelled.", "done")
    assert [(row.answer, row.reason) for row in rows.approvals] == [("yes", "Changed my mind.")]
    assert [(turn.prompt, turn.answer, turn.state) for turn in rows.turns] == [("Cancel it.", "It is cancelled.", "done")]
    assert codes(rows) == {}


def test_a_call_that_was_refused_is_denied(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "log.json", decided(False, says("I leave it."))))
    call = only_call(rows)
    assert (call.state, call.failed, call.output) == ("denied", False, None)
    assert [(row.answer, row.reason) for row in rows.approvals] == [("no", "Changed my mind.")]
    assert rows.turns[0].state == "done"


def test_a_call_that_ran_after_a_question_in_another_file_was_approved(tmp_path: Path) -> None:
    ran = {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "ask", "name": "cancel_order", "arguments": "{}", "output": "Cancelled.", "error": None}
    rows = read_items(tmp_path, {**ran, "status": "completed"})
    assert [(row.answer, row.question) for row in rows.approvals] == [("yes", None)]


def test_responses_that_continue_one_another_are_one_conversation_in_any_order_of_the_files(tmp_path: Path) -> None:
    log = [
        exchange({"input": "Where is it?"}, response(calls())),
        exchange({"input": [returns()], "previous_response_id": "resp_1"}, response(says("On its way."), own_id="resp_2")),
        exchange({"input": "Thanks", "previous_response_id": "resp_2"}, response(says("Bye!"), own_id="resp_3")),
    ]
    for number, record in enumerate(log):
        write_json(tmp_path / f"{9 - number}.json", record)
    rows = read(tmp_path)
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Where is it?", "On its way."), ("Thanks", "Bye!")]
    assert (only_call(rows).output, len(calls_of(rows, "model")), account_of(rows)) == ("It is on its way.", 3, (6, 6, 0, 0))
    assert len({row.source_id for row in rows.calls}) == 3


def test_a_response_that_is_continued_twice_has_two_turns_after_it(tmp_path: Path) -> None:
    log = [
        exchange({"input": "Hello"}, response(says("Hello!"))),
        exchange({"input": "left", "previous_response_id": "resp_1"}, response(says("l"), own_id="resp_2")),
        exchange({"input": "right", "previous_response_id": "resp_1"}, response(says("r"), own_id="resp_3")),
    ]
    rows = read(write_json(tmp_path / "log.json", log))
    first, left, right = rows.turns
    assert [(turn.prompt, turn.parent_turn_id) for turn in (left, right)] == [("left", first.turn_id), ("right", first.turn_id)]


def test_what_is_sent_again_after_an_error_is_merged(tmp_path: Path) -> None:
    again = {"input": "Thanks", "previous_response_id": "resp_1"}
    log = [
        exchange({"input": "Hello"}, response(says("Hello!"))),
        exchange(again, {"error": {"message": "Slow down."}}),
        exchange(again, response(says("Bye!"), own_id="resp_2")),
    ]
    rows = read(write_json(tmp_path / "log.json", log))
    assert [(turn.prompt, turn.answer, turn.state) for turn in rows.turns] == [("Hello", "Hello!", "done"), ("Thanks", "Bye!", "done")]
    assert [model.error for model in calls_of(rows, "model")] == [None, "Slow down.", None]
    assert account_of(rows) == (6, 5, 1, 0)


def test_items_may_be_named_instead_of_repeated(tmp_path: Path) -> None:
    named = [asks("Where is it?"), {"type": "item_reference", "id": "fc_call_1"}, returns()]
    log = [
        exchange({"input": named[:1]}, response(calls())),
        exchange({"input": named}, response(says("On its way."), own_id="resp_2")),
        exchange({"input": [*named, {"type": "item_reference", "id": "msg_1"}, asks("Thanks")]}, response(says("Bye!"), own_id="resp_3")),
    ]
    rows = read(write_json(tmp_path / "log.json", log))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Where is it?", "On its way."), ("Thanks", "Bye!")]
    assert (only_call(rows).output, account_of(rows)) == ("It is on its way.", (12, 6, 6, 0))
    assert [part for part in rows.parts if part.type == "other"] == []


def test_a_conversation_that_the_service_keeps_is_joined_by_its_id(tmp_path: Path) -> None:
    kept = {"id": "conv_1"}
    log = [
        exchange({"input": "Hello", "conversation": "conv_1"}, response(says("Hello!"), conversation=kept)),
        exchange({"input": "Bye", "conversation": kept}, response(says("Bye!"), own_id="resp_2", conversation=kept)),
    ]
    rows = read(write_json(tmp_path / "log.json", log))
    assert [turn.prompt for turn in rows.turns] == ["Hello", "Bye"]


def test_a_client_that_sends_the_history_repeats_what_is_merged(tmp_path: Path) -> None:
    first = [asks("Where is it?")]
    second = [*first, {"type": "reasoning", "id": "rs", "summary": []}, calls(), returns()]
    log = [
        exchange({"input": first}, response({"type": "reasoning", "id": "rs", "summary": []}, calls())),
        exchange({"input": second}, response(says("On its way."), own_id="resp_2")),
    ]
    rows = read(write_json(tmp_path / "log.json", log))
    assert len(rows.conversations) == 1
    assert account_of(rows) == (7, 4, 3, 0)
    assert [call.state for call in calls_of(rows)] == ["done"]


@pytest.mark.parametrize(
    ("fields", "finish", "state", "error"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "max_output_tokens", None, None),
        ({"status": "failed", "error": {"code": "server_error", "message": "Sorry."}}, None, "failed", "Sorry."),
        ({"status": "in_progress"}, None, None, None),
    ],
)
def test_a_response_that_did_not_complete_says_why(fields: Record, finish: str | None, state: str | None, error: str | None, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "r.json", response(says("It"), **fields)))
    (model,) = calls_of(rows, "model")
    assert (model.finish_reason, model.error, rows.turns[0].state) == (finish, error, state)


def test_a_request_that_was_refused_is_a_failed_reply(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "e.json", exchange({"input": "Hello"}, {"error": {"message": "Bad input.", "type": "invalid_request_error"}})))
    (model,) = calls_of(rows, "model")
    assert (model.state, model.error, model.name) == ("failed", "Bad input.", "lamp-1")


def test_events_of_a_stream_are_records_and_the_response_is_whole(tmp_path: Path) -> None:
    created = {"type": "response.created", "response": response(status="in_progress")}
    completed = {"type": "response.completed", "response": response(says("Hello!"))}
    rows = read(write_lines(tmp_path / "s.jsonl", [created, completed]))
    assert (texts_of(rows), account_of(rows), codes(rows)) == (["Hello!"], (2, 2, 0, 0), {})


def test_a_stream_that_is_cut_keeps_what_came_and_says_so(tmp_path: Path) -> None:
    created = {"type": "response.created", "response": response(status="in_progress")}
    added = {"type": "response.output_item.added", "output_index": 0, "item": {**calls(), "arguments": ""}}
    delta = {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"id": "L'}
    rows = read(write_lines(tmp_path / "s.jsonl", [created, added, delta, {"type": "response.wink", "output_index": 3}]))
    assert only_call(rows).input == '"{\\"id\\": \\"L"'
    assert codes(rows) == {"arguments_not_json": 1, "cut_stream": 1, "unanswered_call": 1}
    assert (rows.turns[0].state, account_of(rows)) == (None, (4, 4, 0, 0))
    assert "response.wink" in str(calls_of(rows, "model")[0].extra)


def test_items_that_are_not_known_are_kept_whole(tmp_path: Path) -> None:
    items = [
        {"type": "compaction", "encrypted_content": "b3BhcXVl"},
        {"type": "mcp_list_tools", "server_label": "shop", "tools": []},
        {"type": "dream", "about": "lamps"},
    ]
    rows = read_items(tmp_path, *items, 7, says("Here."))
    others = [(part.text, json.loads(part.extra or "{}")) for part in rows.parts if part.type == "other"]
    assert others == [("compaction", items[0]), ("mcp_list_tools", items[1]), ("dream", items[2]), (None, {"item": 7})]


def test_what_is_not_read_of_a_response_is_with_its_model_call(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "r.json", response(says("Hello!"), temperature=0.5, metadata={"team": "shop"})))
    assert json.loads(str(calls_of(rows, "model")[0].extra)) == {"temperature": 0.5, "metadata": {"team": "shop"}}


def test_a_request_keeps_what_is_not_read_with_the_conversation(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "r.json", {"model": "lamp-1", "input": "Hello", "temperature": 0.5}))
    assert json.loads(rows.conversations[0].extra or "") == {"model": "lamp-1", "temperature": 0.5}
    assert rows.conversations[0].model == "lamp-1"


def test_records_that_are_none_are_left_out_with_their_reason(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "log.json", [response(says("Hello!")), {"note": 1}, 7, {"model": "m", "input": [asks("Hi"), 8]}]))
    assert codes(rows) == {"no_message": 1, "no_body": 2}
    assert account_of(rows) == (5, 2, 0, 3)


def test_an_agent_that_helps_with_an_order_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("openai_responses", outline_of(read(SAMPLES / "late-order.json")))


def test_results_of_the_agents_library_in_javascript_pair_by_their_own_names(tmp_path: Path) -> None:
    asked = {"type": "function_call", "callId": "c1", "name": "find_order", "arguments": "{}", "status": "completed"}
    answered = {"type": "function_call_result", "callId": "c1", "name": "find_order", "status": "completed", "output": {"type": "text", "text": "On its way."}}
    nameless = {"type": "function_call", "name": "sum", "arguments": {}}, {"type": "function_call_result", "name": "sum", "output": "3"}
    rows = read_items(tmp_path, says("Where is it?"), asked, answered, *nameless)
    assert [(call.tool_call_id, call.name, call.output) for call in calls_of(rows)] == [("c1", "find_order", "On its way."), (None, "sum", "3")]
