"""Cline and Roo Code: sessions of the SDK, tools as XML in text, what was shown, and both files of a task as one conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_json
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "cline"
START = 1_772_442_000_000
BESIDE = {"type": "text", "text": "<environment_details>\nNothing.\n</environment_details>"}


def text(words: str) -> dict[str, Any]:
    """Make a block of text."""
    return {"type": "text", "text": words}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    """Make a message of the person, with what the tool puts beside it."""
    return {"role": "user", "content": [*blocks, BESIDE]}


def agent(*blocks: dict[str, Any] | str) -> dict[str, Any]:
    """Make a reply."""
    return {"role": "assistant", "content": [text(block) if isinstance(block, str) else block for block in blocks]}


def says(kind: str, words: str | None = None, second: int = 0, **fields: Any) -> dict[str, Any]:
    """Make a message as it was shown."""
    return {"ts": START + second * 1000, "type": "say", "say": kind} | ({"text": words} if words is not None else {}) | fields


def asks(kind: str, words: str = "", second: int = 0, **fields: Any) -> dict[str, Any]:
    """Make a question as it was shown."""
    return {"ts": START + second * 1000, "type": "ask", "ask": kind, "text": words} | fields


def request(second: int, **told: Any) -> dict[str, Any]:
    """Make a request as it was shown."""
    return says("api_req_started", json.dumps({"tokensIn": 5, "tokensOut": 3, "cacheWrites": 1, "cacheReads": 20, "cost": 0.5} | told), second)


TASK = user(text("<task>\nFix the till.\n</task>"))
RUN = "I run it.\n\n<execute_command>\n<command>pytest</command>\n</execute_command>"


def history(tmp_path: Path, *messages: Any) -> Any:
    """Read what was sent to the model."""
    return read(write_json(tmp_path / "api_conversation_history.json", [TASK, *messages]))


def shown(tmp_path: Path, *messages: Any) -> Any:
    """Read what was shown to the person."""
    return read(write_json(tmp_path / "ui_messages.json", [says("task", "Fix the till."), *messages]))


@pytest.mark.parametrize("name", ["sdk", "task", "shown_alone"])
def test_the_samples_are_read_as_their_golden_files_say(name: str) -> None:
    compare_with_golden(f"cline_{name}", outline_of(read(SAMPLES / name)))


def sdk(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Make a session of the SDK."""
    return {"version": 1, "agent": "lead", "sessionId": "c-1", "messages": [*messages]} | fields


HELLO = {"id": "m2", "role": "assistant", "content": [text("Hello.")], "ts": START, "modelInfo": {"id": "m-1"}, "metrics": {"inputTokens": 9, "cost": 0.1}}


def test_a_session_of_the_sdk_has_its_instructions_model_and_costs(tmp_path: Path) -> None:
    document = sdk({"id": "m1", "role": "user", "content": [text("Hi")]}, HELLO, system_prompt="Be kind.")
    rows = read(write_json(tmp_path / "s.json", document))
    (step,) = calls_of(rows, "model")
    assert (rows.conversations[0].conversation_id, step.name, step.input_tokens, step.cost) == ("c-1", "m-1", 9, 0.1)
    assert (texts_of(rows, "system"), account_of(rows)) == (["Be kind."], (2, 2, 0, 0))


def test_what_is_left_after_a_summary_is_read_with_the_session_and_repeats_are_merged(tmp_path: Path) -> None:
    summary = {"id": "c1", "role": "user", "content": [text("They said hi.")], "metadata": {"kind": "compaction_summary"}}
    write_json(tmp_path / "a.compaction.json", sdk(summary, HELLO))
    write_json(tmp_path / "a.messages.json", sdk({"id": "m1", "role": "user", "content": [text("Hi")]}, HELLO))
    rows = read(tmp_path)
    assert (len(rows.conversations), account_of(rows), [turn.prompt for turn in rows.turns]) == (1, (4, 3, 1, 0), ["Hi"])
    assert [part.injected for part in rows.parts if part.text == "They said hi."] == [True]


def test_a_call_that_stands_as_xml_in_the_text_is_taken_out_of_it(tmp_path: Path) -> None:
    write = "I write.\n\n<write_to_file>\n<path>a.html</path>\n<content>\n<b>x</b>\n</content>\n</write_to_file>"
    rows = history(tmp_path, agent(write))
    (call,) = calls_of(rows)
    assert (call.name, json.loads(call.input or "")) == ("write_to_file", {"path": "a.html", "content": "<b>x</b>"})
    assert texts_of(rows, "assistant") == ["I write."]


def test_a_result_that_stands_as_words_of_the_person_answers_its_call_and_starts_no_turn(tmp_path: Path) -> None:
    result = user(text("[execute_command for 'pytest'] Result:"), text("Command executed. Exit code: 1\nOutput:\n1 failed"))
    rows = history(tmp_path, agent(RUN), result)
    (call,) = calls_of(rows)
    assert (call.state, call.exit_code, (call.output or "").splitlines()[-1]) == ("failed", 1, "1 failed")
    assert [turn.prompt for turn in rows.turns] == ["Fix the till."]


def test_a_call_that_the_person_refused_is_denied_with_what_was_said(tmp_path: Path) -> None:
    refused = "The user denied this operation.\nThe user provided the following feedback:\n<feedback>\nNot now.\n</feedback>"
    rows = history(tmp_path, agent(RUN), user(text("[execute_command for 'pytest'] Result:"), text(refused)))
    assert [call.state for call in calls_of(rows)] == ["denied"]
    assert [(approval.answer, approval.reason) for approval in rows.approvals] == [("no", "Not now.")]


def test_a_tool_that_failed_says_so_in_its_text(tmp_path: Path) -> None:
    failed = "The tool execution failed with the following error:\n<error>\nNo such file\n</error>"
    rows = history(tmp_path, agent("<read_file>\n<path>x</path>\n</read_file>"), user(text("[read_file for 'x'] Result:"), text(failed)))
    assert [(call.state, call.error) for call in calls_of(rows)] == [("failed", "No such file")]


def test_calls_that_are_blocks_are_read_as_such(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "x"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [text("def total(): ...")]}
    assert [(call.name, call.output) for call in calls_of(history(tmp_path, agent("I read.", call), user(result)))] == [("read_file", "def total(): ...")]


def test_the_answer_of_a_task_is_what_its_completion_says(tmp_path: Path) -> None:
    (turn,) = history(tmp_path, agent(RUN), agent("<attempt_completion>\n<result>\nDone.\n</result>\n</attempt_completion>")).turns
    assert (turn.answer, turn.state) == ("Done.", "done")


def test_what_was_shown_alone_tells_requests_calls_outputs_and_answers(tmp_path: Path) -> None:
    rows = shown(
        tmp_path,
        request(1),
        says("reasoning", "Hm.", 2),
        says("text", "I run it.", 2),
        asks("command", "pytest", 3),
        says("command_output", "1 failed", 6),
        says("command_output", "2 passed", 7),
        request(8, cancelReason="user_cancelled", tokensIn=0, tokensOut=0, cacheWrites=0, cacheReads=0),
        says("user_feedback", "Go on.", 20),
    )
    (call,), (approval,) = calls_of(rows), rows.approvals
    first, second = calls_of(rows, "model")
    assert (first.input_tokens, first.output_tokens, first.cached_tokens, first.cache_write_tokens, first.cost) == (26, 3, 20, 1, 0.5)
    assert (call.name, call.output, call.state, approval.answer) == ("execute_command", "1 failed\n2 passed", "done", "yes")
    assert (second.error, second.input_tokens) == ("The request was cancelled: user_cancelled.", None)
    assert ([turn.prompt for turn in rows.turns], account_of(rows)) == (["Fix the till.", "Go on."], (9, 9, 0, 0))


def test_states_of_a_message_that_was_shown_while_it_came_are_merged(tmp_path: Path) -> None:
    rows = shown(
        tmp_path, request(1), says("text", "I r", 2, partial=True), says("text", "I run", 2, partial=True), says("text", "I run it.", 2, partial=False)
    )
    assert (texts_of(rows, "assistant"), account_of(rows)) == (["I run it."], (5, 3, 2, 0))


def test_a_tool_that_was_not_asked_about_has_no_approval(tmp_path: Path) -> None:
    rows = shown(tmp_path, request(1), says("tool", json.dumps({"tool": "readFile", "path": "x"}), 2), request(3), says("text", "It is empty.", 4))
    assert [(call.name, call.state) for call in calls_of(rows)] == [("read_file", "done")]
    assert rows.approvals == []


def test_an_answer_that_was_recorded_counts(tmp_path: Path) -> None:
    rows = shown(tmp_path, request(1), asks("tool", json.dumps({"tool": "readFile", "path": "x"}), 2, askResponse="noButtonClicked"))
    assert [(call.state, approval.answer) for call, approval in zip(calls_of(rows), rows.approvals, strict=True)] == [("denied", "no")]


def test_a_question_without_an_answer_is_open(tmp_path: Path) -> None:
    rows = shown(tmp_path, request(1), asks("command", "pytest", 2))
    assert [(approval.question, approval.answer) for approval in rows.approvals] == [("command", None)]
    assert [call.state for call in calls_of(rows)] == ["unanswered"]


BOTH = [
    says("task", "Fix the till.", 0),
    request(1),
    says("text", "I run it.", 2),
    asks("command", "pytest", 3),
    says("command_output", "2 passed", 6),
    says("checkpoint_created", None, 6),
    request(7),
    says("text", "It passes.", 8),
]


def write_task(folder: Path, id: str = "") -> None:
    """Write both files of a task."""
    result = user(text("[execute_command for 'pytest'] Result:"), text("Command executed.\nOutput:\n2 passed"))
    write_json(folder / f"{id}1" / "api_conversation_history.json", [TASK, agent(RUN), result, agent("It passes.")])
    write_json(folder / f"{id}1" / "ui_messages.json", BOTH)


def test_both_files_of_a_task_are_one_conversation_with_times_costs_and_answers(tmp_path: Path) -> None:
    write_task(tmp_path)
    rows = read(tmp_path)
    first, second = calls_of(rows, "model")
    (call,), (approval,) = calls_of(rows), rows.approvals
    assert (len(rows.conversations), first.cost, second.cost, first.seconds) == (1, 0.5, 0.5, 2.0)
    assert (call.output, approval.call_id, approval.answer) == ("Command executed.\nOutput:\n2 passed", call.call_id, "yes")
    assert account_of(rows) == (12, 8, 4, 0)


def test_a_task_has_the_same_id_with_either_of_its_files(tmp_path: Path) -> None:
    write_task(tmp_path)
    ids = {read(tmp_path / "1" / name).conversations[0].conversation_id for name in ("api_conversation_history.json", "ui_messages.json")}
    assert ids == {read(tmp_path).conversations[0].conversation_id}


def test_tasks_with_the_same_words_in_other_folders_are_others(tmp_path: Path) -> None:
    write_task(tmp_path, "a")
    write_task(tmp_path, "b")
    (tmp_path / "b1" / "ui_messages.json").write_text(json.dumps([*BOTH, says("text", "More.", 9)]))
    (tmp_path / "b1" / "api_conversation_history.json").write_text(json.dumps([TASK, agent("No.")]))
    rows = read(tmp_path)
    assert (len(rows.conversations), codes(rows)) == (2, {"equal_conversations": 1})


def test_what_is_no_message_is_left_out_with_its_reason(tmp_path: Path) -> None:
    assert codes(history(tmp_path, {"role": "robot"}, agent("Hello."))) == {"no_message": 1}


def test_the_words_that_begin_a_task_are_the_persons_where_only_what_was_shown_is_there(tmp_path: Path) -> None:
    rows = shown(tmp_path, says("text", "Fix the till."), request(1), says("text", "I look.", 2))
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Fix the till.", "I look.")]


def test_a_result_is_known_by_its_heading_whatever_the_tool_and_a_list_to_keep_is_beside_the_words(tmp_path: Path) -> None:
    asked = agent({"type": "tool_use", "id": "t1", "name": "use_subagents", "input": {}})
    rows = history(tmp_path, asked, user(text("[subagents] Result:\nAll done."), text("\n# task_progress List\n\nKeep one.")))
    assert [(call.name, call.output) for call in calls_of(rows)] == [("use_subagents", "All done.")]
    assert [turn.prompt for turn in rows.turns] == ["Fix the till."]
