"""Gemini: contents and responses, calls without ids, code that the service runs, sessions of Gemini CLI, sessions and eval sets of ADK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "gemini"
SESSION = [json.loads(line) for line in (SAMPLES / "tide-tests.session.jsonl").read_text().splitlines()]
ADK = json.loads((SAMPLES / "selkie.adk.json").read_text())


def content(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    """Make a content."""
    return {"role": role, "parts": [*parts]}


def call(name: str = "sound", **fields: Any) -> dict[str, Any]:
    """Make a part that asks for a function."""
    return {"functionCall": {"name": name, "args": {}} | fields}


def answer(response: Any, name: str = "sound", **fields: Any) -> dict[str, Any]:
    """Make a part with what a function returned."""
    return {"functionResponse": {"name": name, "response": response} | fields}


def response(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Make a response."""
    return {
        "candidates": [{"content": content("model", *parts), "finishReason": "STOP", "index": 0}],
        "modelVersion": "gemini-test",
        "responseId": "r1",
    } | fields


ASK = content("user", {"text": "How deep is it?"})


def format_of(path: Path) -> str | None:
    """Return the format of a file."""
    return next((group.reader.format for group in survey_files(find_files(path.parent)).groups), None)


def read_contents(tmp_path: Path, *contents: Any) -> Any:
    """Read a list of contents."""
    return read(write_json(tmp_path / "contents.json", [*contents]))


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("gemini", outline_of(read(SAMPLES)))


@pytest.mark.parametrize(
    "document",
    [
        [ASK],
        {"contents": [ASK], "generationConfig": {}},
        {"history": [ASK], "authType": "oauth-personal"},
        response({"text": "4 m"}),
        [response({"text": "4"}), response({"text": " m"})],
        {"error": {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED"}},
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 4}},
        {"sessionId": "s1", "projectHash": "p1", "messages": [{"id": "m1", "type": "user", "content": "Hello"}]},
        {"id": "s1", "events": [{"author": "user", "invocationId": "i1", "content": ASK}]},
        [{"query": "How deep is it?", "expected_tool_use": [], "reference": "4 m"}],
    ],
    ids=["contents", "request", "checkpoint", "response", "stream", "error", "blocked", "session", "ADK session", "old eval set"],
)
def test_every_shape_of_a_document_is_known(document: Any, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "file.json", document)) == "gemini"


@pytest.mark.parametrize(
    "document",
    [
        [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}],
        [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hello"}]}],
        {"sessionId": "s1", "messages": [{"role": "user", "content": "Hello"}]},
        {"events": [{"author": "ana", "text": "Hello"}]},
    ],
    ids=["AI SDK", "Pydantic AI", "session of another tool", "events of another tool"],
)
def test_what_looks_similar_is_not_claimed(document: Any, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "file.json", document)) != "gemini"


def test_lines_of_claude_s_shape_with_gemini_s_parts_are_not_claimed(tmp_path: Path) -> None:
    line = {"uuid": "u1", "parentUuid": None, "sessionId": "s1", "type": "user", "message": ASK}
    assert format_of(write_lines(tmp_path / "file.jsonl", [line, {**line, "uuid": "u2", "parentUuid": "u1"}])) != "gemini"


def test_results_without_ids_pair_by_name_and_order(tmp_path: Path) -> None:
    answers = content("user", answer({"output": "crane"}, "crane"), answer({"output": "first"}), answer({"output": "second"}))
    rows = read_contents(tmp_path, ASK, content("model", call(), call("crane"), call()), answers)
    assert [(item.name, item.output) for item in calls_of(rows)] == [("sound", "first"), ("crane", "crane"), ("sound", "second")]
    assert [item.tool_call_id for item in calls_of(rows)] == [None] * 3


def test_a_result_for_a_function_that_nobody_asked_for_stands_alone(tmp_path: Path) -> None:
    rows = read_contents(tmp_path, ASK, content("model", call()), content("user", answer({"output": "x"}, "crane")))
    assert [item.state for item in calls_of(rows)] == ["unanswered"]
    assert codes(rows) == {"orphan_result": 1, "unanswered_call": 1}


def test_ids_pair_when_they_are_there_and_an_id_the_client_made_up_pairs_by_name(tmp_path: Path) -> None:
    answers = content("user", answer({"output": "b"}, id="2"), answer({"output": "a"}, id="1"), answer({"output": "c"}, "crane", id="made-up"))
    rows = read_contents(tmp_path, ASK, content("model", call(id="1"), call(id="2"), call("crane")), answers)
    assert [item.output for item in calls_of(rows)] == ["a", "b", "c"]


def test_names_in_snake_case_are_the_same(tmp_path: Path) -> None:
    said = content("model", {"function_call": {"name": "sound", "args": {"at": "quay"}}, "text": None})
    told = content("user", {"function_response": {"name": "sound", "response": {"result": "4 m"}}, "text": None})
    (item,) = calls_of(read_contents(tmp_path, ASK, said, told))
    assert (item.input, item.output, item.state) == ('{"at":"quay"}', "4 m", "done")


def test_a_result_may_stand_in_a_turn_of_the_model(tmp_path: Path) -> None:
    rows = read_contents(tmp_path, ASK, content("model", call()), content("model", answer({"output": "4 m"})))
    assert [item.output for item in calls_of(rows)] == ["4 m"]
    assert (len(calls_of(rows, "model")), account_of(rows)) == (1, (3, 3, 0, 0))


def test_a_response_with_an_error_is_a_failed_call(tmp_path: Path) -> None:
    rows = read_contents(tmp_path, ASK, content("model", call(), call()), content("user", answer({"error": "no sounder"}), answer({"depth": 4, "error": None})))
    assert [(item.state, item.error) for item in calls_of(rows)] == [("failed", "no sounder"), ("done", None)]


def test_the_exit_code_of_the_shell_tool_is_in_its_text(tmp_path: Path) -> None:
    told = "Command: make\nOutput: (empty)\nError: no rule\nExit Code: 2\nSignal: (none)"
    asked = content("model", call("run_shell_command"), call("notes"))
    rows = read_contents(tmp_path, ASK, asked, content("user", answer({"output": told}, "run_shell_command"), answer({"output": "Ok\nExit Code: 3"}, "notes")))
    assert [(item.exit_code, item.state, item.error) for item in calls_of(rows)] == [(2, "failed", "no rule"), (None, "done", None)]


def test_code_that_the_service_runs_is_a_call_with_its_result_in_the_same_step(tmp_path: Path) -> None:
    ran = {"executableCode": {"language": "PYTHON", "code": "1/0"}}, {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}}
    rows = read(write_json(tmp_path / "r.json", response({"text": "I compute."}, *ran, {"text": "It failed."})))
    (item,) = calls_of(rows)
    assert (item.name, json.loads(item.input or "")["code"], item.state, item.error) == ("code_execution", "1/0", "failed", "ZeroDivisionError")
    assert (len(calls_of(rows, "model")), rows.turns[0].state) == (1, "done")


def test_images_and_files_keep_their_type(tmp_path: Path) -> None:
    parts = {"inlineData": {"mimeType": "image/png", "data": "YQ=="}}, {"fileData": {"mimeType": "video/mp4", "fileUri": "https://example.com/v"}}
    rows = read_contents(tmp_path, content("user", *parts), content("model", {"text": "A quay."}))
    assert [(part.type, part.text, part.mime_type) for part in rows.parts[:2]] == [
        ("image", "YQ==", "image/png"),
        ("other", "https://example.com/v", "video/mp4"),
    ]


def test_thoughts_are_reasoning_and_signatures_stay_in_extra(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "r.json", response({"text": "Deep.", "thought": True}, {"text": "4 m", "thoughtSignature": "b3BhcXVl"})))
    assert [(part.type, part.text, part.extra) for part in rows.parts] == [("reasoning", "Deep.", None), ("text", "4 m", '{"thoughtSignature":"b3BhcXVl"}')]


def test_thoughts_are_part_of_the_output_and_the_cache_part_of_the_input(tmp_path: Path) -> None:
    counts = {"promptTokenCount": 100, "candidatesTokenCount": 10, "thoughtsTokenCount": 30, "cachedContentTokenCount": 80, "totalTokenCount": 140}
    (step,) = calls_of(read(write_json(tmp_path / "r.json", response({"text": "4 m"}, usageMetadata=counts))), "model")
    assert (step.input_tokens, step.output_tokens, step.cached_tokens, step.reasoning_tokens) == (100, 40, 80, 30)
    counted = {**counts, "candidatesTokenCount": 40}
    (step,) = calls_of(read(write_json(tmp_path / "b" / "r.json", response({"text": "4 m"}, usageMetadata=counted))), "model")
    assert step.output_tokens == 40


@pytest.mark.parametrize(
    ("document", "error"),
    [
        ({"error": {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED"}}, "Quota exceeded."),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "SAFETY"),
        ({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(sound("}]}, "MALFORMED_FUNCTION_CALL: print(sound("),
        ({"candidates": [{"finishReason": "PROHIBITED_CONTENT", "index": 0}], "modelVersion": "gemini-test"}, "PROHIBITED_CONTENT"),
    ],
    ids=["error", "blocked prompt", "malformed call", "blocked answer"],
)
def test_a_response_that_is_no_reply_has_failed_and_says_why(document: Any, error: str, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "r.json", document))
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", error)]
    assert [turn.state for turn in rows.turns] == ["failed"]


def test_a_reply_that_stopped_after_a_call_is_not_the_end_of_the_turn(tmp_path: Path) -> None:
    asked = {"contents": [ASK], "model": "gemini-test"}
    told = [ASK, content("model", call()), content("user", answer({"output": "4 m"}))]
    rows = read(write_lines(tmp_path / "log.jsonl", [{"request": asked, "response": response(call())}, {"request": {"contents": told}, "response": None}]))
    assert [(step.finish_reason, turn.state) for step, turn in zip(calls_of(rows, "model"), rows.turns, strict=True)] == [("STOP", None)]


def test_what_the_cli_puts_before_the_words_and_its_thanks_are_injected(tmp_path: Path) -> None:
    setup = content("user", {"text": "This is the Gemini CLI. We are setting up the context for our chat.\nToday is Monday."})
    rows = read_contents(tmp_path, setup, content("model", {"text": "Got it. Thanks for the context!"}), ASK, content("model", {"text": "4 m"}))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("How deep is it?", "4 m")]
    assert [part.injected for part in rows.parts] == [True, True, False, False]
    assert len(calls_of(rows, "model")) == 1


def test_fixtures_are_one_run_of_replies_and_what_is_no_reply_has_a_reason(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"method": "generateContentStream", "response": [response({"text": "I "}, call()), response(responseId="r1")]},
        {"method": "countTokens", "response": {"totalTokens": 4}},
        {"method": "generateContent", "response": response({"text": "4 m"}, responseId="r2")},
    ]
    rows = read(write_lines(tmp_path / "run.responses", lines))
    assert (len(rows.conversations), len(calls_of(rows, "model")), len(calls_of(rows))) == (1, 2, 1)
    assert account_of(rows) == (3, 2, 0, 1)


def test_a_message_of_a_session_that_was_written_again_counts_once_with_what_it_knows_last(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "s.jsonl", SESSION))
    assert [step.output_tokens for step in calls_of(rows, "model")] == [65, 12, None]
    assert [(item.name, item.state, item.exit_code) for item in calls_of(rows)] == [("run_shell_command", "failed", 101), ("write_file", "denied", None)]
    assert account_of(rows) == (13, 12, 1, 0)


def test_messages_that_a_person_took_back_are_a_branch(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "s.jsonl", SESSION))
    first = rows.turns[0].turn_id
    assert [turn.parent_turn_id for turn in rows.turns] == [None, first, first]


def test_a_refused_call_is_an_approval_and_one_that_waits_too(tmp_path: Path) -> None:
    waits = {"id": "m2", "type": "gemini", "content": "", "toolCalls": [{"id": "c1", "name": "edit", "args": {}, "status": "awaiting_approval"}]}
    document = {"sessionId": "s1", "projectHash": "p", "messages": [{"id": "m1", "type": "user", "content": "Fix it"}, waits]}
    assert [approval.answer for approval in read(write_json(tmp_path / "s.json", document)).approvals] == [None]
    assert [approval.answer for approval in read(write_lines(tmp_path / "b" / "s.jsonl", SESSION)).approvals] == ["no"]


def test_a_session_as_one_document_is_read_like_its_lines(tmp_path: Path) -> None:
    messages = {line["id"]: line for line in SESSION if "type" in line}
    header = {**SESSION[0], "messages": list(messages.values())}
    rows = read(write_json(tmp_path / "s.json", header))
    assert [turn.prompt for turn in rows.turns] == ["Why does the tide test fail?", "Then only look at it.", "Fix it instead."]
    assert account_of(rows) == (8, 8, 0, 0)


def test_snapshots_of_all_messages_add_only_what_is_new(tmp_path: Path) -> None:
    first, second = {"id": "m1", "type": "user", "content": "Fix it"}, {"id": "m2", "type": "gemini", "content": "Done."}
    lines = [SESSION[0], {"$set": {"messages": [first]}}, {"$set": {"messages": [first, second]}}, {"$set": {"messages": [first, second]}}]
    rows = read(write_lines(tmp_path / "s.jsonl", lines))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Fix it", "Done.")]
    assert account_of(rows) == (4, 3, 1, 0)


def test_the_session_of_a_sub_agent_is_under_the_call_that_started_it(tmp_path: Path) -> None:
    started = {"id": "c1", "name": "scout", "args": {}, "status": "success", "agentId": "side", "result": [answer({"output": "north"}, "scout", id="c1")]}
    asked = [{"id": "m1", "type": "user", "content": "Look"}, {"id": "m2", "type": "gemini", "content": "", "toolCalls": [started]}]
    found = [{"id": "n1", "type": "user", "content": "Go"}, {"id": "n2", "type": "gemini", "content": "north"}]
    main = {"sessionId": "main", "projectHash": "p", "messages": asked}
    side = {"sessionId": "side", "projectHash": "p", "kind": "subagent", "messages": found}
    write_json(tmp_path / "b.json", main)
    rows = read(write_json(tmp_path / "a.json", side).parent)
    assert [conversation.conversation_id for conversation in rows.conversations] == ["main"]
    agent = next(item for item in calls_of(rows, "agent") if item.call_id != item.turn_id)
    assert (agent.name, agent.parent_call_id) == ("scout", calls_of(rows)[0].call_id)


def test_which_agent_of_adk_spoke_is_with_the_step(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "s.json", ADK))
    agents = [json.loads(step.extra or "{}").get("agent") for step in calls_of(rows, "model")]
    assert agents == ["pilot", "berth_master", "berth_master"]
    assert account_of(rows) == (7, 6, 1, 0)


def test_a_case_of_an_eval_set_is_a_conversation_and_each_invocation_a_turn(tmp_path: Path) -> None:
    data = {
        "tool_uses": [{"name": "sound", "args": {}, "id": None}, {"name": "crane", "args": {}}],
        "tool_responses": [{"name": "sound", "response": {"result": "4 m"}}],
    }
    turn = {"invocation_id": "i1", "user_content": ASK, "final_response": {"parts": [{"text": "4 m"}]}, "intermediate_data": data}
    rows = read(write_json(tmp_path / "set.json", {"eval_set_id": "tides", "eval_cases": [{"eval_id": "depth", "conversation": [turn]}]}))
    assert [(row.conversation_id, json.loads(str(row.labels))) for row in rows.conversations] == [("tides/depth", {"eval_set": "tides", "eval_case": "depth"})]
    assert [(item.name, item.state) for item in calls_of(rows)] == [("sound", "done"), ("crane", "unanswered")]
    assert [(item.prompt, item.answer) for item in rows.turns] == [("How deep is it?", "4 m")]


def test_invocations_without_an_answer_are_turns_and_a_case_without_a_conversation_is_left_out(tmp_path: Path) -> None:
    empty = {"parts": [{"text": None}], "role": "model"}
    turns = [{"user_content": ASK}, {"user_content": ASK, "final_response": empty, "intermediate_data": {"tool_uses": [{"name": "sound", "args": {}}]}}]
    cases = [{"eval_id": "plan", "conversation_scenario": {"starting_prompt": "Hello"}}, {"eval_id": "depth", "conversation": turns}]
    rows = read(write_json(tmp_path / "set.json", {"eval_set_id": "tides", "eval_cases": cases}))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("How deep is it?", None)] * 2
    assert (len(calls_of(rows, "model")), len(calls_of(rows)), account_of(rows)) == (1, 1, (3, 2, 0, 1))
    assert codes(rows) == {"no_conversation": 1, "unanswered_call": 1}


def test_an_exit_code_is_found_where_the_line_breaks_are_written_out(tmp_path: Path) -> None:
    output = "Command: ls /pier\\nDirectory: /tmp\\nOutput: ls: /pier: not there\\nError: (none)\\nExit Code: 2\\nSignal: 0"
    response = {"functionResponse": {"id": "s-1", "name": "run_shell_command", "response": {"output": output}}}
    call = {"id": "s-1", "name": "run_shell_command", "args": {"command": "ls /pier"}, "status": "success", "result": [response]}
    messages = [{"id": "a", "type": "user", "content": "Look"}, {"id": "b", "type": "gemini", "content": "", "toolCalls": [call]}]
    rows = read(write_json(tmp_path / "session.json", {"sessionId": "s", "projectHash": "p", "messages": messages}))
    assert [(item.exit_code, item.state) for item in calls_of(rows)] == [(2, "failed")]


def test_the_older_form_of_an_eval_set_is_one_conversation(tmp_path: Path) -> None:
    use = {"tool_name": "sound", "tool_input": {"at": "quay"}, "mock_tool_output": "4 m"}
    rows = read(
        write_json(
            tmp_path / "old.json", [{"query": "How deep is it?", "expected_tool_use": [use], "reference": "4 m"}, {"query": "Thanks", "reference": "Bye"}]
        )
    )
    assert [(item.input, item.output) for item in calls_of(rows)] == [('{"at":"quay"}', "4 m")]
    assert [item.answer for item in rows.turns] == ["4 m", "Bye"]
    assert account_of(rows) == (2, 2, 0, 0)


def test_damaged_lines_of_a_session_are_skipped_and_the_rest_is_read(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "s.jsonl", [*SESSION[:3], b'{"id": "m9", "type": "us', {"id": "x", "type": "gemini"}, b"5", *SESSION[3:]]))
    assert account_of(rows) == (16, 12, 1, 3)
    assert texts_of(rows, "user")[1:] == ["Why does the tide test fail?", "Then only look at it.", "Fix it instead."]


def test_a_session_without_its_header_has_the_same_id_wherever_it_lies(tmp_path: Path) -> None:
    lines = [*SESSION[2:5], SESSION[9]]
    first, second = (read(write_lines(tmp_path / name / "s.jsonl", lines)).conversations[0].conversation_id for name in ("a", "b"))
    assert first == second


def test_what_the_cli_prints_when_it_runs_without_a_screen_is_a_conversation(tmp_path: Path) -> None:
    def event(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "timestamp": "2026-03-02T09:00:00.000Z", **fields}

    lines = [
        event("init", session_id="g-1", model="m-1"),
        event("message", role="user", content="List it"),
        event("message", role="assistant", content="I ", delta=True),
        event("message", role="assistant", content="look.", delta=True),
        event("tool_use", tool_name="glob", tool_id="t1", parameters={"pattern": "*"}),
        event("tool_result", tool_id="t1", status="error", error={"type": "X", "message": "Not there."}),
        event("message", role="assistant", content="Nothing.", delta=True),
        event("result", status="success", stats={"input_tokens": 10, "output_tokens": 2}),
    ]
    rows = read(write_lines(tmp_path / "run.jsonl", lines))
    assert [(conversation.conversation_id, conversation.format) for conversation in rows.conversations] == [("g-1", "gemini")]
    assert [(turn.prompt, turn.answer, turn.state) for turn in rows.turns] == [("List it", "Nothing.", "done")]
    assert [(item.name, item.state, item.error) for item in calls_of(rows)] == [("glob", "failed", "Not there.")]
    assert [(step.input_tokens, step.output_tokens) for step in calls_of(rows, "model")] == [(None, None), (10, 2)]
    assert (account_of(rows), texts_of(rows)[:2]) == ((8, 7, 1, 0), ["List it", "I look."])


def test_a_message_that_says_it_is_the_model_s_is_a_reply(tmp_path: Path) -> None:
    messages = [{"id": "a", "type": "user", "content": "Hi"}, {"id": "b", "type": "model", "parts": [{"text": "Ho"}]}]
    rows = read(write_json(tmp_path / "session.json", {"sessionId": "s", "projectHash": "p", "messages": messages}))
    assert ([turn.answer for turn in rows.turns], codes(rows)) == (["Ho"], {})
