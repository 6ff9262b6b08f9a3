"""Codex: rollouts of every age, events of `codex exec --json`, and the log of the screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from agentnb.readers._rows import CallRow
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "codex"
META = {"type": "session_meta", "payload": {"id": "s-1", "timestamp": "2026-05-04T09:00:00.000Z", "cwd": "/srv", "cli_version": "0.144.1"}}


def event(type: str, **fields: Any) -> dict[str, Any]:
    """Return a line that holds an event."""
    return {"type": "event_msg", "payload": {"type": type, **fields}}


def item(type: str, **fields: Any) -> dict[str, Any]:
    """Return a line that holds an item."""
    return {"type": "response_item", "payload": {"type": type, **fields}}


def message(role: str, text: str) -> dict[str, Any]:
    """Return a line that holds a message."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text}])


def call(name: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    """Return a line that holds a tool call."""
    return item("function_call", name=name, call_id=call_id, arguments=json.dumps(arguments))


def result(call_id: str, output: Any) -> dict[str, Any]:
    """Return a line that holds a result."""
    return item("function_call_output", call_id=call_id, output=output)


def tokens(total: int, last: int | None = None) -> dict[str, Any]:
    """Return a line that counts tokens."""
    info: dict[str, Any] = {"total_token_usage": {"input_tokens": total, "output_tokens": total // 10}}
    if last is not None:
        info["last_token_usage"] = {"input_tokens": last, "output_tokens": last // 10}
    return event("token_count", info=info)


def read_lines(folder: Path, *lines: Any, name: str = "rollout.jsonl") -> Rows:
    """Read lines as one file; those of a rollout get a time each."""
    timed = [
        {"timestamp": f"2026-05-04T09:00:{number:02}.000Z", **line} if isinstance(line, dict) and "payload" in line else line
        for number, line in enumerate(lines)
    ]
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in timed))
    return read(folder)


def ran(rows: Rows) -> dict[str | None, CallRow]:
    """Return the tool calls by the ids that the recording gives them."""
    return {call.tool_call_id: call for call in calls_of(rows)}


def test_the_sample_reads_as_a_person_has_checked() -> None:
    """A session with a sub-agent and a fork, the flat form, events of an execution, and a log of the screen."""
    compare_with_golden("codex", outline_of(read(SAMPLES)))


@pytest.mark.parametrize("name", ["rollout-main.jsonl", "rollout-pomona.jsonl", "rollout-fork.jsonl", "exec.jsonl", "screen.jsonl", "flat.jsonl"])
def test_each_form_is_told_from_its_content(name: str) -> None:
    """The name of a file is not needed for it."""
    assert [(source.format, source.state) for source in read(SAMPLES / name).sources] == [("codex", "read")]


@pytest.mark.parametrize(
    "value",
    [
        {"items": []},
        {"items": [{"type": "message"}], "object": "list"},
        [{"type": "message", "role": "user", "content": "hi"}],
        {"type": "thread.started"},
        {"id": "x", "timestamp": 1},
        [{"type": "event_msg", "payload": None}],
    ],
)
def test_what_only_looks_like_it_is_not_claimed(tmp_path: Path, value: Any) -> None:
    """Other formats have items, payloads and types too."""
    (tmp_path / "file.json").write_text(json.dumps(value))
    assert [source.format for source in read(tmp_path).sources] != ["codex"]


def test_words_that_stand_in_both_streams_are_said_once(tmp_path: Path) -> None:
    """The event may come before its item or after it; the account says that the other one was merged."""
    rows = read_lines(
        tmp_path,
        META,
        event("task_started", turn_id="t-1"),
        message("user", "Count the pears"),
        event("user_message", message="Count the pears"),
        event("agent_reasoning", text="**Counting**"),
        item("reasoning", summary=[{"type": "summary_text", "text": "**Counting**"}], encrypted_content="gAAAA"),
        event("agent_message", message="There are four."),
        message("assistant", "There are four."),
        event("task_complete", turn_id="t-1"),
    )
    assert [(part.role, part.type, part.text) for part in rows.parts] == [
        ("user", "text", "Count the pears"),
        ("assistant", "reasoning", "**Counting**"),
        ("assistant", "text", "There are four."),
    ]
    assert account_of(rows) == (9, 6, 3, 0)


def test_words_of_which_there_is_no_item_are_said_by_their_event(tmp_path: Path) -> None:
    """A session that keeps only its events is read all the same, in order."""
    rows = read_lines(
        tmp_path, META, event("task_started"), event("user_message", message="Hello"), event("agent_message", message="Hi."), event("task_complete")
    )
    assert (texts_of(rows, "user"), texts_of(rows, "assistant")) == (["Hello"], ["Hi."])
    assert (rows.turns[0].prompt, rows.turns[0].answer, rows.turns[0].state) == ("Hello", "Hi.", "done")


def test_the_same_words_said_twice_stay_two(tmp_path: Path) -> None:
    """A person who says yes twice said it twice."""
    twice = [message("user", "yes"), event("user_message", message="yes"), message("assistant", "Done."), event("agent_message", message="Done.")] * 2
    assert texts_of(read_lines(tmp_path, META, *twice)) == ["yes", "Done.", "yes", "Done."]


def test_what_codex_puts_among_the_words_starts_no_turn(tmp_path: Path) -> None:
    """Without marks of turns, a person's words begin them."""
    rows = read_lines(
        tmp_path,
        META,
        message("developer", "<permissions instructions>"),
        message("user", "# AGENTS.md instructions for /srv\n\nBe kind."),
        message("user", "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>"),
        message("user", "Begin"),
        message("assistant", "Begun."),
        message("user", "<turn_aborted>\n</turn_aborted>"),
        message("user", "Again"),
        message("assistant", "Again."),
    )
    assert [turn.prompt for turn in rows.turns] == ["Begin", "Again"]
    assert [part.injected for part in rows.parts] == [True, True, True, False, False, True, False, False]


def test_a_turn_is_what_the_recording_says(tmp_path: Path) -> None:
    """Words in the middle of a turn steer it and begin none; a turn that was cut off is interrupted, one that is not ended stays open."""
    rows = read_lines(
        tmp_path,
        META,
        event("task_started", turn_id="t-1"),
        message("user", "Begin"),
        message("assistant", "I look."),
        message("user", "Faster"),
        message("assistant", "Yes."),
        event("turn_aborted", turn_id="t-1", reason="interrupted"),
        event("task_started", turn_id="t-2"),
        message("user", "More"),
        event("turn_aborted", turn_id="t-2", reason="replaced"),
        event("task_started", turn_id="t-3"),
        message("user", "Last"),
        message("assistant", "Well"),
    )
    assert [(turn.turn_id, turn.state) for turn in rows.turns] == [("s-1/t-1", "interrupted"), ("s-1/t-2", "stopped"), ("s-1/t-3", None)]
    assert rows.turns[0].prompt == "Begin\n\nFaster"


def test_a_failed_model_call_fails_its_turn(tmp_path: Path) -> None:
    """An error of the service is a model call without a reply."""
    rows = read_lines(
        tmp_path,
        META,
        event("task_started"),
        message("user", "Go"),
        event("error", message="usage limit reached", codex_error_info="usage_limit"),
        event("task_complete"),
    )
    (step,) = calls_of(rows, "model")
    assert (step.state, step.error, rows.turns[0].state) == ("failed", "usage limit reached", "failed")


@pytest.mark.parametrize(
    ("output", "exit_code", "failed", "error", "shown"),
    [
        ("Chunk ID: a\nWall time: 1.0 seconds\nProcess exited with code 2\nOutput:\nls: x", 2, True, "ls: x", None),
        ("Chunk ID: a\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:\nError: only a word", 0, False, None, None),
        ("Exit code: 3\nWall time: 0 seconds\nOutput:\n", 3, True, "Exit code 3", None),
        ('{"output":"no such file\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}', 1, True, "no such file", "no such file\n"),
        ('{"output":"fine","metadata":{"exit_code":0}}', 0, False, None, "fine"),
        ('{"output":"fine"}', None, False, None, None),
        ("aborted by user after 2.0s", None, True, "aborted by user after 2.0s", None),
        ("Script completed\nWall time 0.1 seconds\nOutput:\n", None, False, None, None),
        ("Script failed\nWall time 0.1 seconds\nOutput:\nTypeError: x", None, True, "TypeError: x", None),
        ("Script failed\nWall time 0.1 seconds\nOutput:\n\nScript error:\nno such line", None, True, "no such line", None),
        ({"content": "bad patch", "success": False}, None, True, "bad patch", "bad patch"),
        ([{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}], None, False, None, "one\ntwo"),
    ],
)
def test_an_exit_code_is_found_wherever_it_stands(
    tmp_path: Path, output: Any, exit_code: int | None, failed: bool, error: str | None, shown: str | None
) -> None:
    """In words above the output, in JSON around it, or nowhere."""
    (tool,) = calls_of(read_lines(tmp_path, META, message("user", "Go"), call("shell", "c-1"), result("c-1", output)))
    assert (tool.exit_code, tool.failed, tool.error) == (exit_code, failed, error)
    assert tool.output == (shown if shown is not None else output)


@pytest.mark.parametrize("late", [False, True])
def test_an_event_tells_what_the_result_does_not(tmp_path: Path, late: bool) -> None:
    """The event of a command may come before its result or after it."""
    ended = event("exec_command_end", call_id="c-1", exit_code=7, stdout="x", stderr="boom went the pear", duration={"secs": 2, "nanos": 500_000_000})
    answer = result("c-1", "x")
    rows = read_lines(tmp_path, META, message("user", "Go"), call("shell", "c-1"), *([answer, ended] if late else [ended, answer]))
    (tool,) = calls_of(rows)
    assert (tool.exit_code, tool.state, tool.output, tool.seconds) == (7, "failed", "x", 2.5)
    assert json.loads(tool.extra or "{}")["exec_command_end"]["stderr"] == "boom went the pear"
    assert account_of(rows) == (5, 4, 1, 0)


def test_a_call_whose_result_is_only_an_event_is_answered_by_it(tmp_path: Path) -> None:
    """A session may keep only the events."""
    ended = event("exec_command_end", call_id="c-1", exit_code=0, aggregated_output="a.txt\n")
    (tool,) = calls_of(read_lines(tmp_path, META, message("user", "Go"), call("shell", "c-1"), ended))
    assert (tool.exit_code, tool.state, tool.output) == (0, "done", "a.txt\n")


def test_a_process_that_goes_on_ends_with_the_call_that_is_told_so(tmp_path: Path) -> None:
    """The program that failed is the one that was started, not the look at it; one of which no end is told still runs."""
    going = "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 41\nOutput:\n"
    rows = read_lines(
        tmp_path,
        META,
        message("user", "Go"),
        call("exec_command", "c-1", cmd="make"),
        result("c-1", going),
        call("write_stdin", "c-2", session_id=41, chars=""),
        result("c-2", going),
        call("write_stdin", "c-3", session_id=41, chars=""),
        result("c-3", "Chunk ID: b\nWall time: 1.0 seconds\nProcess exited with code 2\nOutput:\nmake: stop"),
        call("exec_command", "c-4", cmd="serve"),
        result("c-4", going.replace("41", "42")),
    )
    states = {call_id: (call.state, call.exit_code, call.error) for call_id, call in ran(rows).items()}
    assert states == {"c-1": ("failed", 2, "make: stop"), "c-2": ("done", None, None), "c-3": ("done", 2, None), "c-4": ("running", None, None)}
    started = ran(rows)["c-1"]
    assert started.seconds == 5.0


def test_tools_that_a_program_calls_are_inside_its_call(tmp_path: Path) -> None:
    """Their events name no call; the program that is open, or waited for, is theirs."""
    rows = read_lines(
        tmp_path,
        META,
        event("task_started", turn_id="t-1"),
        message("user", "Go"),
        item("custom_tool_call", name="exec", call_id="c-1", input="await tools.apply_patch(p)"),
        event("patch_apply_end", call_id="exec-1", success=False, stdout="", stderr="no such line", changes={}),
        item("custom_tool_call_output", call_id="c-1", output="Script running with cell ID 1\nWall time 10.0 seconds\nOutput:\n"),
        call("wait", "c-2", cell_id="1"),
        event("mcp_tool_call_end", call_id="exec-2", invocation={"server": "w", "tool": "f", "arguments": {}}, result={"Err": "no such city"}),
        result("c-2", "Script completed\nWall time 1.0 seconds\nOutput:\n"),
    )
    program, patch, mcp = (ran(rows)[name] for name in ("c-1", "exec-1", "exec-2"))
    assert (patch.parent_call_id, mcp.parent_call_id) == (program.call_id, program.call_id)
    assert (patch.name, patch.failed, patch.error) == ("apply_patch", True, "no such line")
    assert (mcp.name, mcp.output, mcp.failed) == ("w.f", "no such city", True)
    assert (program.state, len(calls_of(rows, "model"))) == ("done", 2)


def test_usage_is_counted_once_for_each_model_call(tmp_path: Path) -> None:
    """A count that is repeated adds nothing, and one that only tells the total so far is taken apart."""
    rows = read_lines(
        tmp_path,
        META,
        event("task_started"),
        message("user", "Go"),
        event("token_count", info=None),
        message("assistant", "One."),
        tokens(100, 100),
        tokens(100, 100),
        call("shell", "c-1"),
        result("c-1", "ok"),
        tokens(250),
        message("assistant", "Two."),
        tokens(400, 150),
        tokens(450, 50),
    )
    assert [step.input_tokens for step in calls_of(rows, "model")] == [100, 150, 150, 50]
    assert account_of(rows) == (13, 12, 1, 0)


def test_a_web_search_is_one_call_of_its_event_and_its_item(tmp_path: Path) -> None:
    """The item has no id, the event has one; the service ran it, so that it ends no model call."""
    found = event("web_search_end", call_id="ws_1", query="pears", action={"type": "search", "query": "pears"})
    rows = read_lines(
        tmp_path,
        META,
        message("user", "Go"),
        found,
        item("web_search_call", status="completed", action={"type": "search", "query": "pears"}),
        message("assistant", "Ripe."),
    )
    (search,) = calls_of(rows)
    assert (search.tool_call_id, search.name, search.state) == ("ws_1", "web_search", "done")
    assert len(calls_of(rows, "model")) == 1
    assert account_of(rows) == (5, 4, 1, 0)


@pytest.mark.parametrize(
    ("output", "state", "answers"),
    [
        ("exec command rejected by user", "denied", [("no", "user")]),
        ("approval policy is Never; reject command", "denied", [("no", None)]),
        ("pushed", "done", [("yes", None)]),
    ],
)
def test_a_question_is_answered_by_what_became_of_the_call(tmp_path: Path, output: str, state: str, answers: list[Any]) -> None:
    """Codex runs what was asked about only after a yes."""
    asked = event("exec_approval_request", call_id="c-1", command=["git", "push"], reason="Push to the outside?")
    rows = read_lines(tmp_path, META, message("user", "Go"), call("shell", "c-1"), asked, result("c-1", output))
    assert [tool.state for tool in calls_of(rows)] == [state]
    assert [(row.answer, row.answered_by) for row in rows.approvals] == answers
    assert rows.approvals[0].question == "Push to the outside?"


def test_a_reviewer_answers_in_place_of_a_person(tmp_path: Path) -> None:
    """An assessment first says that it is in progress, then what came of it."""
    first = event("guardian_assessment", id="g-1", target_item_id="c-1", status="in_progress", action={"type": "command", "command": "rm -r pears"})
    last = event("guardian_assessment", id="g-1", target_item_id="c-1", status="denied", rationale="destroys data", decision_source="agent")
    rows = read_lines(tmp_path, META, message("user", "Go"), call("shell", "c-1"), first, last, result("c-1", "This action was rejected by the reviewer"))
    (row,) = rows.approvals
    assert (row.answer, row.answered_by, row.reason) == ("no", "agent", "destroys data")
    assert "rm -r pears" in (row.question or "")
    assert ran(rows)["c-1"].state == "denied"


def test_a_sub_agent_is_inside_the_call_that_started_it() -> None:
    """Its file names the session whose sub-agent it is."""
    rows = read([SAMPLES / "rollout-main.jsonl", SAMPLES / "rollout-pomona.jsonl"])
    agent = next(call for call in rows.calls if call.name == "Pomona")
    assert agent.parent_call_id == ran(rows)["call_6"].call_id
    assert len(rows.conversations) == 1
    assert [step.input_tokens for step in calls_of(rows, "model") if step.parent_call_id == agent.call_id] == [300]


def test_a_sub_agent_without_its_session_is_a_conversation_of_its_own() -> None:
    """The session it belongs to is named, for when its file comes later."""
    (conversation,) = read(SAMPLES / "rollout-pomona.jsonl").conversations
    assert conversation.parent_conversation_id == "0199a1b2-0000-7000-8000-00000000000a"


def test_what_a_fork_copied_is_read_once() -> None:
    """The turns that it shares with the session it began as are merged; its own first turn continues them."""
    rows = read([SAMPLES / "rollout-fork.jsonl", SAMPLES / "rollout-main.jsonl"])
    main, fork = (next(row for row in rows.conversations if row.conversation_id.endswith(end)) for end in ("a", "c"))
    own = [turn for turn in rows.turns if turn.conversation_id == fork.conversation_id]
    assert [(turn.prompt, turn.parent_turn_id) for turn in own] == [("And plums?", f"{main.conversation_id}/0199a1b2-1111-7000-8000-000000000001")]
    assert fork.parent_conversation_id == main.conversation_id
    alone = read(SAMPLES / "rollout-fork.jsonl")
    assert [turn.prompt for turn in alone.turns] == ["Why does the apple test fail? Fix it.", "And plums?"]


def test_a_session_in_two_files_is_read_once(tmp_path: Path) -> None:
    """An archived copy that is shorter adds nothing, and what only one of them has is kept."""
    lines = (SAMPLES / "rollout-main.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_text("".join(lines[:30]))
    (tmp_path / "b.jsonl").write_text("".join(lines))
    both, whole = read(tmp_path), read(SAMPLES / "rollout-main.jsonl")
    assert [call.call_id for call in both.calls] == [call.call_id for call in whole.calls]
    assert len(both.conversations) == 1


def test_a_shorter_history_is_not_counted_again(tmp_path: Path) -> None:
    """What replaces the history was said before; its summary is no person's words."""
    history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Begin"}]}, {"type": "compaction", "encrypted_content": "gAAAA"}]
    rows = read_lines(
        tmp_path,
        META,
        message("user", "Begin"),
        message("assistant", "Begun."),
        {"type": "compacted", "payload": {"message": "We began.", "replacement_history": history}},
        message("assistant", "On."),
    )
    assert texts_of(rows) == ["Begin", "Begun.", "We began.", "On."]
    assert (len(rows.turns), len(calls_of(rows, "model"))) == (1, 2)
    assert json.loads(rows.parts[2].extra or "")["replaced_by"] == 2


def test_encrypted_reasoning_stays_opaque(tmp_path: Path) -> None:
    """That the model reasoned is shown, not the ciphertext as if it were text."""
    rows = read_lines(tmp_path, META, message("user", "Go"), item("reasoning", summary=[], content=None, encrypted_content="gAAAA"))
    part = rows.parts[-1]
    assert (part.type, part.text, json.loads(part.extra or "")) == ("reasoning", None, {"encrypted_content": "gAAAA"})


def test_settings_are_kept_once_until_they_change() -> None:
    """Every turn repeats all of them, with long instructions."""
    rows = read(SAMPLES / "rollout-main.jsonl")
    contexts = [json.loads(turn.extra or "{}")["turn_context"] for turn in rows.turns]
    assert [context.get("approval_policy") for context in contexts] == ["on-request", None]
    assert [context["effort"] for context in contexts] == ["high", "low"]


def test_new_kinds_of_items_among_the_events_are_read_as_the_old_events(tmp_path: Path) -> None:
    """Newer versions write what was said and done as completed items."""
    command = {"type": "CommandExecution", "id": "exec-1", "command": ["ls"], "exit_code": 1, "aggregated_output": "no", "status": "failed"}
    rows = read_lines(
        tmp_path,
        META,
        event("item_completed", item={"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": "Go"}]}),
        event("item_completed", item=command),
        event("item_completed", item={"type": "AgentMessage", "id": "a", "content": [{"type": "Text", "text": "Gone."}]}),
        event("item_started", item={"type": "AgentMessage", "id": "b"}),
    )
    assert texts_of(rows) == ["Go", "Gone."]
    assert [(tool.name, tool.exit_code, tool.failed) for tool in calls_of(rows)] == [("exec_command", 1, True)]


def test_an_array_of_lines_and_a_document_of_items_are_read_as_lines(tmp_path: Path) -> None:
    """The same records in one JSON document."""
    (tmp_path / "lines.json").write_text(json.dumps([META, message("user", "Go"), message("assistant", "Gone.")], indent=1))
    old = {"session": {"id": "s-2", "timestamp": "2025-04-01T00:00:00Z", "instructions": ""}, "items": [message("user", "Old")["payload"]]}
    (tmp_path / "items.json").write_text(json.dumps(old, indent=1))
    rows = read(tmp_path)
    assert sorted(row.conversation_id for row in rows.conversations) == ["s-1", "s-2"]
    assert sorted(texts_of(rows, "user")) == ["Go", "Old"]


def test_unknown_records_are_kept_and_broken_ones_explained(tmp_path: Path) -> None:
    """Whatever stands in a line, it has its place in the account."""
    rows = read_lines(
        tmp_path,
        META,
        message("user", "Go"),
        {"type": "tomorrow", "payload": {"x": 1}},
        event("tomorrow", x=1),
        item("tomorrow", x=1),
        {"type": "event_msg", "payload": None},
        {"type": "event_msg", "payload": {"type": ["odd"]}},
        [1, 2],
        call("shell", "c-1"),
        {"type": "response_item", "payload": {"type": "function_call_output", "call_id": {"odd": 1}, "output": 3}},
    )
    assert account_of(rows) == (10, 9, 0, 1)
    assert codes(rows) == {"no_record": 1, "orphan_result": 1, "unanswered_call": 1}
    assert sum(part.type == "other" for part in rows.parts) == 6


def test_the_log_of_the_screen_gives_its_answers_to_the_questions() -> None:
    """What the person decided is an operation that was sent back; the redraws are left out with their reason."""
    rows = read(SAMPLES / "screen.jsonl")
    (row,) = rows.approvals
    assert (row.question, row.answer, row.answered_by) == ("Deletes a branch", "yes", "user")
    assert json.loads(rows.sources[0].skipped or "") == {"end_of_the_log": 1, "terminal_redraw": 3, "streamed_piece": 1}
    assert texts_of(rows, "user") == ["Delete the old branch"]


def test_usage_of_an_execution_stands_with_the_last_model_call_of_the_turn() -> None:
    """It is told once for the turn."""
    rows = read(SAMPLES / "exec.jsonl")
    assert [step.input_tokens for step in calls_of(rows, "model") if step.input_tokens is not None] == [900]
    assert [(turn.state, turn.answer) for turn in rows.turns] == [("done", "There is one file."), ("failed", None)]


def test_why_the_service_failed_is_told_beside_the_event_or_inside_it(tmp_path: Path) -> None:
    rows = read_lines(tmp_path, message("user", "Hi"), event("error", error={"kind": "rate_limit", "message": "Too fast."}))
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "Too fast.")]


def test_a_call_without_an_id_pairs_with_the_result_that_names_its_tool(tmp_path: Path) -> None:
    asked = item("tool_call", function={"name": "shell"}, arguments={"command": "ls x"})
    answered = item("tool_result", name="shell", result={"stdout": "", "stderr": "Not there.", "exitCode": 2})
    rows = read_lines(tmp_path, message("user", "Look"), asked, answered)
    assert [(one.name, one.state, one.exit_code, one.output) for one in calls_of(rows)] == [("shell", "failed", 2, "Not there.")]
    assert codes(rows) == {}


def test_the_flat_form_may_begin_with_an_id_and_a_time_alone(tmp_path: Path) -> None:
    spoken = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    rows = read_lines(tmp_path, {"id": "t-1", "timestamp": "2026-05-04T09:00:00.000Z"}, spoken)
    assert [(conversation.conversation_id, conversation.format) for conversation in rows.conversations] == [("t-1", "codex")]


@pytest.mark.parametrize("whole", [True, False], ids=["in a field", "as a list"])
def test_events_of_an_execution_may_stand_in_one_document(whole: bool, tmp_path: Path) -> None:
    command = {"id": "i1", "type": "command_execution", "command": "ls", "aggregated_output": "", "exit_code": None, "status": "in_progress"}
    events = [
        {"type": "item.started", "item": command},
        {"type": "item.completed", "item": command | {"aggregated_output": "a.txt", "exit_code": 0, "status": "completed"}},
        {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "One file."}},
    ]
    (tmp_path / "run.json").write_text(json.dumps({"events": events} if whole else events))
    rows = read(tmp_path)
    assert [(one.name, one.exit_code, one.output) for one in calls_of(rows)] == [(calls_of(rows)[0].name, 0, "a.txt")]
    assert (account_of(rows), [turn.answer for turn in rows.turns]) == ((3, 3, 0, 0), ["One file."])
