"""A result belongs to the nearest preceding unanswered call with its id, and without an id to the next call in order."""

from __future__ import annotations

import json
from pathlib import Path

from tests.readers.made import Record, answers, asks, chat, claude_session, reply, result, tool_use, trajectory, user, write_json, write_lines
from tests.readers.reading import calls_of, codes, line_of, read


def outputs_of(path: Path) -> list[tuple[str, object, str | None]]:
    """Return tool, result and state of each call, in order."""
    return [(call.name, call.output, call.state) for call in calls_of(read(path))]


def chat_of(tmp_path: Path, *messages: tuple[str, str] | Record) -> Path:
    return write_json(tmp_path / "file", chat([("user", "Go."), *messages]))


def test_results_in_another_order_than_their_calls_find_them(tmp_path: Path) -> None:
    path = chat_of(tmp_path, asks(("c1", "one"), ("c2", "two"), ("c3", "three")), answers("c3", "3"), answers("c1", "1"), answers("c2", "2"))
    assert outputs_of(path) == [("one", "1", "done"), ("two", "2", "done"), ("three", "3", "done")]


def test_an_id_that_is_used_again_means_the_latest_call_that_waits(tmp_path: Path) -> None:
    path = chat_of(tmp_path, asks(("c1", "one")), answers("c1", "1"), asks(("c1", "two")), answers("c1", "2"))
    rows = read(path)
    assert [(call.name, call.output) for call in calls_of(rows)] == [("one", "1"), ("two", "2")]
    assert [call.tool_call_id for call in calls_of(rows)] == ["c1", "c1"]
    assert len({call.call_id for call in calls_of(rows)}) == 2


def test_an_id_that_is_used_again_before_the_first_was_answered_means_the_nearest(tmp_path: Path) -> None:
    path = chat_of(tmp_path, asks(("c1", "lost")), ("user", "Again."), asks(("c1", "found")), answers("c1", "here"))
    assert outputs_of(path) == [("lost", None, "unanswered"), ("found", "here", "done")]


def test_calls_of_one_message_with_the_same_id_are_answered_in_their_order(tmp_path: Path) -> None:
    path = chat_of(tmp_path, asks(("c1", "one"), ("c1", "two")), answers("c1", "1"), answers("c1", "2"))
    assert outputs_of(path) == [("one", "1", "done"), ("two", "2", "done")]


def test_a_second_result_with_the_same_id_belongs_to_nobody(tmp_path: Path) -> None:
    rows = read(chat_of(tmp_path, asks(("c1", "one")), answers("c1", "1"), answers("c1", "2")))
    assert [call.output for call in calls_of(rows)] == ["1"]
    assert (codes(rows), line_of(rows, "orphan_result")) == ({"orphan_result": 1}, 4)
    assert [part.text for part in rows.parts if part.type == "tool_result" and part.call_id is None] == ["2"]


def test_results_without_ids_are_given_to_the_calls_in_order(tmp_path: Path) -> None:
    path = chat_of(tmp_path, asks(("", "one"), ("", "two")), answers("", "1"), answers("", "2"))
    rows = read(path)
    assert [(call.name, call.output, call.tool_call_id) for call in calls_of(rows)] == [("one", "1", None), ("two", "2", None)]


def test_a_result_without_an_id_is_never_given_to_a_call_of_an_earlier_step(tmp_path: Path) -> None:
    path = chat_of(tmp_path, asks(("", "lost")), ("user", "Again."), asks(("", "found")), answers("", "here"))
    assert outputs_of(path) == [("lost", None, "unanswered"), ("found", "here", "done")]


def test_a_call_and_its_result_share_the_row_and_each_has_a_part_that_points_to_it(tmp_path: Path) -> None:
    rows = read(chat_of(tmp_path, asks(("c1", "one", '{"a": 1}'), content="Hm."), answers("c1", "1")))
    (call,) = calls_of(rows)
    assert (call.input, call.output) == ('{"a": 1}', "1")
    pointing = [(part.role, part.type, part.text, part.call_id) for part in rows.parts if part.call_id is not None]
    assert pointing == [("assistant", "tool_call", None, call.call_id), ("tool", "tool_result", None, call.call_id)]
    assert call.step_id == calls_of(rows, "model")[0].call_id


def test_a_result_that_begins_with_an_error_is_a_failure_in_a_chat(tmp_path: Path) -> None:
    path = chat_of(
        tmp_path,
        asks(("c1", "one"), ("c2", "two"), ("c3", "three")),
        answers("c1", "Error: no\nmore"),
        answers("c2", "no Error"),
        answers("c3", '{"error": "no"}'),
    )
    rows = read(path)
    assert [(call.state, call.failed, call.error) for call in calls_of(rows)] == [
        ("failed", True, "Error: no"),
        ("done", False, None),
        ("failed", True, '{"error": "no"}'),
    ]


def test_a_text_that_only_speaks_of_errors_is_no_failure(tmp_path: Path) -> None:
    texts = ["Errors: 0", '{"error": null, "rows": 3}', '{"error": ""}', "0 errors", "The error was mended.", "ErrorHandler is a class"]
    messages = [message for number, text in enumerate(texts) for message in (asks((f"c{number}", "check")), answers(f"c{number}", text))]
    assert [state for _, _, state in outputs_of(chat_of(tmp_path, *messages))] == ["done"] * len(texts)


def test_an_exit_code_in_the_first_line_is_kept_and_one_that_is_not_zero_is_a_failure(tmp_path: Path) -> None:
    messages = [asks(("c1", "run"), ("c2", "run")), answers("c1", "Exit code 0\nfine"), answers("c2", "Exit code 3\nnot fine")]
    rows = read(chat_of(tmp_path, *messages))
    assert [(call.exit_code, call.state) for call in calls_of(rows)] == [(0, "done"), (3, "failed")]


def session_of(tmp_path: Path, *events: Record) -> Path:
    return write_lines(tmp_path / "file", claude_session([user("Go."), *events]))


def test_parallel_calls_on_lines_of_their_own_are_one_step_and_each_gets_its_result(tmp_path: Path) -> None:
    first = reply(tool_use("t1", "Read"), id="m1", stop=None)
    events = [
        first,
        reply(tool_use("t2", "Grep"), id="m1", stop="tool_use"),
        result("t2", "2"),
        result("t1", "1", parentUuid="00000000-0000-4000-8000-000000000002"),
    ]
    rows = read(session_of(tmp_path, *events))
    assert [(call.name, call.output) for call in calls_of(rows)] == [("Read", "1"), ("Grep", "2")]
    assert len(calls_of(rows, "model")) == 1
    assert {call.step_id for call in calls_of(rows)} == {calls_of(rows, "model")[0].call_id}


def test_a_result_of_a_session_is_a_failure_only_when_it_says_so(tmp_path: Path) -> None:
    asked = reply(tool_use("t1"), tool_use("t2"), tool_use("t3"), id="m1", stop="tool_use")
    given = [
        result("t1", "Error: only words"),
        result("t2", "<tool_use_error>No such file</tool_use_error>", is_error=True),
        result("t3", "Exit code 2\nno", is_error=True),
    ]
    rows = read(session_of(tmp_path, asked, *given))
    assert [(call.state, call.error, call.exit_code) for call in calls_of(rows)] == [
        ("done", None, None),
        ("failed", "No such file", None),
        ("failed", "Exit code 2", 2),
    ]


def test_a_tool_that_a_person_refused_was_denied_with_their_words(tmp_path: Path) -> None:
    words = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nNot that folder!"
    rows = read(session_of(tmp_path, reply(tool_use("t1", command="rm -rf ."), id="m1", stop="tool_use"), result("t1", words, is_error=True)))
    (call,) = calls_of(rows)
    assert (call.state, call.failed) == ("denied", False)
    (approval,) = rows.approvals
    assert (approval.call_id, approval.answer, approval.answered_by, approval.reason) == (call.call_id, "no", "user", "Not that folder!")


def test_a_tool_that_a_rule_refused_was_denied_by_nobody_in_person(tmp_path: Path) -> None:
    words = "Permission to use Bash with command rm has been denied."
    rows = read(session_of(tmp_path, reply(tool_use("t1"), id="m1", stop="tool_use"), result("t1", words, is_error=True)))
    assert [call.state for call in calls_of(rows)] == ["denied"]
    assert [(approval.answer, approval.answered_by) for approval in rows.approvals] == [("no", None)]


def test_the_text_of_a_result_in_blocks_is_joined_and_images_stand_beside_it(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    content = [{"type": "text", "text": "one"}, image, {"type": "text", "text": "two"}]
    rows = read(session_of(tmp_path, reply(tool_use("t1"), id="m1", stop="tool_use"), result("t1", content)))
    (call,) = calls_of(rows)
    assert call.output == "one\ntwo"
    assert [(part.role, part.mime_type, part.text, part.call_id) for part in rows.parts if part.type == "image"] == [
        ("tool", "image/png", "iVBO", call.call_id)
    ]


def test_the_details_of_a_result_are_kept(tmp_path: Path) -> None:
    rows = read(
        session_of(tmp_path, reply(tool_use("t1"), id="m1", stop="tool_use"), result("t1", "fine", toolUseResult={"stdout": "fine", "interrupted": False}))
    )
    (call,) = calls_of(rows)
    assert json.loads(call.extra or "") == {"toolUseResult": {"stdout": "fine", "interrupted": False}}


def step(*names: str, results: list[Record] | None = None, **fields: object) -> Record:
    calls = [{"tool_call_id": name, "function_name": name, "arguments": {}} for name in names]
    return {"source": "agent", "message": "Hm.", "tool_calls": calls, "observation": {"results": results or []}} | fields


def test_one_result_for_several_calls_of_a_step_stands_with_the_first(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", trajectory([step("one", "two", "three", results=[{"content": "all"}])])))
    assert [(call.output, call.state) for call in calls_of(rows)] == [("all", "done"), (None, None), (None, None)]
    assert codes(rows) == {"shared_result": 2}


def test_results_that_name_their_calls_find_them_and_the_others_stay_unanswered(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", trajectory([step("one", "two", results=[{"source_call_id": "two", "content": "2"}])])))
    assert [(call.output, call.state) for call in calls_of(rows)] == [(None, "unanswered"), ("2", "done")]


def test_more_results_than_calls_leave_one_that_belongs_to_nobody(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", trajectory([step("one", results=[{"content": "1"}, {"content": "2"}])])))
    assert [call.output for call in calls_of(rows)] == ["1"]
    assert codes(rows) == {"orphan_result": 1}


def test_what_an_agent_was_shown_without_a_call_is_no_orphan(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", trajectory([step(results=[{"content": "No JSON."}])])))
    assert [part.text for part in rows.parts if part.type == "tool_result"] == ["No JSON."]
    assert codes(rows) == {}
