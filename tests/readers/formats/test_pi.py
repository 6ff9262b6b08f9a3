"""pi and OpenClaw: sessions that are trees, commands of a person, aborted calls, sessions that branched off another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_lines
from tests.readers.reading import account_of, calls_of, codes, fields_of, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples"
USAGE = {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 20, "totalTokens": 135, "cost": {"total": 0.5}}


def header(id: str = "s-1", **fields: Any) -> dict[str, Any]:
    """Make the header of a session."""
    return {"type": "session", "id": id, "timestamp": "2026-03-02T09:00:00.000Z", "cwd": "/home/ana/shop"} | fields


def entry(role: str, second: int = 1, *, id: str | None = None, parent: str | None = None, **message: Any) -> dict[str, Any]:
    """Make a message of a session; one with an id names its parent."""
    line = {"type": "message", "timestamp": f"2026-03-02T09:00:{second:02}.000Z", "message": {"role": role, **message}}
    return line | ({"id": id, "parentId": parent} if id else {})


def reply(text: str = "Fine.", second: int = 2, *, id: str | None = None, parent: str | None = None, **message: Any) -> dict[str, Any]:
    """Make a reply of the model."""
    fields = {"content": [{"type": "text", "text": text}], "usage": USAGE, "stopReason": "stop", "model": "m-1"} | message
    return entry("assistant", second, id=id, parent=parent, **fields)


def tool_call(id: str, **fields: Any) -> dict[str, Any]:
    """Make a block that asks for a tool."""
    return {"type": "toolCall", "id": id, "name": "bash", "arguments": {"command": "ls"}} | fields


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("pi", outline_of(read(SAMPLES / "pi")))


def test_the_sample_of_openclaw_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("openclaw", outline_of(read(SAMPLES / "openclaw")))


def test_a_session_keeps_its_id_its_folder_and_what_else_its_header_says(tmp_path: Path) -> None:
    (conversation,) = read(write_lines(tmp_path / "s.jsonl", [header(thinkingLevel="high"), entry("user", content="Hi"), reply()])).conversations
    assert (conversation.conversation_id, conversation.agent_name, conversation.model) == ("s-1", "pi", "m-1")
    assert json.loads(conversation.labels or "") == {"cwd": "/home/ana/shop"}
    assert json.loads(conversation.extra or "") == {"thinkingLevel": "high"}


def test_input_counts_what_was_read_from_the_cache_and_written_to_it(tmp_path: Path) -> None:
    (step,) = calls_of(read(write_lines(tmp_path / "s.jsonl", [header(), entry("user", content="Hi"), reply()])), "model")
    assert (step.input_tokens, step.output_tokens, step.cached_tokens, step.cache_write_tokens, step.cost) == (130, 5, 100, 20, 0.5)


def test_a_usage_of_nothing_but_zeros_is_not_known(tmp_path: Path) -> None:
    nothing = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "cost": {"total": 0}}
    (step,) = calls_of(read(write_lines(tmp_path / "s.jsonl", [header(), entry("user", content="Hi"), reply(usage=nothing)])), "model")
    assert (step.input_tokens, step.output_tokens, step.cost) == (None, None, None)


def test_a_result_that_is_an_error_fails_its_call_and_the_exit_code_stands_in_its_last_line(tmp_path: Path) -> None:
    calls = reply(content=[tool_call("a"), tool_call("b", name="read")], stopReason="toolUse")
    results = [
        entry("toolResult", 3, toolCallId="a", toolName="bash", isError=True, content=[{"type": "text", "text": "no\n\nCommand exited with code 2"}]),
        entry("toolResult", 3, toolCallId="b", toolName="read", isError=False, content="Error: is a word in the file"),
    ]
    failed, fine = calls_of(read(write_lines(tmp_path / "s.jsonl", [header(), entry("user", content="Hi"), calls, *results])))
    assert (failed.state, failed.exit_code, failed.error) == ("failed", 2, "Command exited with code 2")
    assert (fine.state, fine.exit_code, fine.error) == ("done", None, None)


def test_a_command_of_a_person_is_a_tool_call_of_no_model_call(tmp_path: Path) -> None:
    ran = entry("bashExecution", 9, command="ls", output="till.py", exitCode=0, cancelled=False)
    stopped = entry("bashExecution", 10, command="sleep 9", output="", exitCode=None, cancelled=True)
    rows = read(write_lines(tmp_path / "s.jsonl", [header(), entry("user", content="Hi"), reply(), ran, stopped]))
    first, second = calls_of(rows)
    assert (first.name, first.step_id, first.state, first.exit_code, first.output) == ("bash", None, "done", 0, "till.py")
    assert (second.state, second.exit_code, second.error) == ("failed", None, "The command was cancelled.")
    assert [part.role for part in rows.parts if part.type == "tool_call"] == ["user", "user"]


def test_an_aborted_reply_stops_the_turn_and_its_calls_are_never_answered(tmp_path: Path) -> None:
    aborted = reply(content=[tool_call("a", partialJson='{"comm')], stopReason="aborted", errorMessage="Request was aborted.")
    rows = read(write_lines(tmp_path / "s.jsonl", [header(), entry("user", content="Hi"), aborted]))
    (step,), (call,), (turn,) = calls_of(rows, "model"), calls_of(rows), rows.turns
    assert (step.state, step.error, call.state, turn.state) == ("failed", "Request was aborted.", "unanswered", "stopped")
    assert json.loads(call.extra or "") == {"partialJson": '{"comm'}


def test_a_turn_goes_on_after_an_error_when_the_agent_tries_again(tmp_path: Path) -> None:
    error = reply(stopReason="error", errorMessage="overloaded")
    rows = read(write_lines(tmp_path / "s.jsonl", [header(), entry("user", content="Hi"), error, reply("Here I am.", 5)]))
    assert [(turn.state, turn.answer) for turn in rows.turns] == [("done", "Here I am.")]


def test_an_entry_that_follows_an_earlier_one_is_a_branch(tmp_path: Path) -> None:
    lines = [
        header(),
        entry("user", 1, id="u1", parent=None, content="One"),
        reply("1", 2, id="a1", parent="u1"),
        entry("user", 3, id="u2", parent="a1", content="Two"),
        reply("2", 4, id="a2", parent="u2"),
        entry("user", 5, id="u3", parent="a1", content="Three"),
        reply("3", 6, id="a3", parent="u3"),
        entry("user", 7, id="u4", parent=None, content="Anew"),
    ]
    rows = read(write_lines(tmp_path / "s.jsonl", lines))
    assert [(turn.turn_id, turn.parent_turn_id) for turn in rows.turns] == [("s-1/u1", None), ("s-1/u2", "s-1/u1"), ("s-1/u3", "s-1/u1"), ("s-1/u4", None)]


def test_a_session_that_branched_off_another_repeats_what_came_before_and_it_is_merged(tmp_path: Path) -> None:
    shared = [entry("user", content="Hi"), reply("Hello."), entry("user", 3, content="More?")]
    write_lines(tmp_path / "a.jsonl", [header(), *shared, reply("Yes.", 4)])
    write_lines(
        tmp_path / "b.jsonl", [header("s-2", branchedFrom="/x/2026-03-02_s-1.jsonl"), *shared[:2], entry("user", 9, content="Other?"), reply("No.", 10)]
    )
    rows = read(tmp_path)
    assert account_of(rows) == (10, 8, 2, 0)
    assert [conversation.parent_conversation_id for conversation in rows.conversations] == [None, "s-1"]
    assert [turn.parent_turn_id for turn in rows.turns if turn.conversation_id == "s-2"] == ["s-1/1"]
    assert len(calls_of(rows, "model")) == 3


def test_a_session_without_the_one_it_branched_off_keeps_all_it_has(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "b.jsonl", [header("s-2", parentSession="s-1"), entry("user", content="Hi"), reply()]))
    assert (rows.conversations[0].parent_conversation_id, account_of(rows)) == ("s-1", (3, 3, 0, 0))


def test_summaries_are_injected_and_what_the_tool_notes_lasts_no_turn(tmp_path: Path) -> None:
    lines = [
        header(),
        entry("user", content="Hi"),
        reply(),
        {"type": "compaction", "timestamp": "2026-03-02T09:00:30.000Z", "summary": "They said hi.", "firstKeptEntryIndex": 2, "tokensBefore": 9},
        {"type": "model_change", "timestamp": "2026-03-02T10:00:00.000Z", "provider": "p", "modelId": "m-2"},
    ]
    rows = read(write_lines(tmp_path / "s.jsonl", lines))
    summary, change = rows.parts[-2:]
    assert (summary.text, summary.injected, change.type, change.text) == ("They said hi.", True, "other", "model_change")
    assert json.loads(summary.extra or "")["tokensBefore"] == 9
    assert rows.turns[0].seconds == 1.0


def test_the_name_a_session_was_given_is_its_title(tmp_path: Path) -> None:
    info = {"type": "session_info", "id": "i", "parentId": None, "timestamp": "2026-03-02T09:00:30.000Z", "name": "The till"}
    assert read(write_lines(tmp_path / "s.jsonl", [header(), info])).conversations[0].title == "The till"


def test_a_session_without_its_header_is_named_by_what_was_said(tmp_path: Path) -> None:
    lines = [entry("user", content="Hi"), reply(), entry("user", 5, content="Bye")]
    first = read(write_lines(tmp_path / "a.jsonl", lines)).conversations[0].conversation_id
    assert first.startswith("pi-")
    assert read(write_lines(tmp_path / "a.jsonl", lines[:2])).conversations[0].conversation_id == first


def test_an_entry_that_stands_twice_is_kept_once(tmp_path: Path) -> None:
    twice = entry("user", id="u1", parent=None, content="Hi")
    rows = read(write_lines(tmp_path / "s.jsonl", [header(), twice, twice, reply(id="a1", parent="u1")]))
    assert (account_of(rows), codes(rows), texts_of(rows, "user")) == ((4, 3, 1, 0), {"duplicate_id": 1}, ["Hi"])


def test_reasoning_is_read_and_its_signature_is_no_text(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2lnbmVk"}
    rows = read(write_lines(tmp_path / "s.jsonl", [header(), entry("user", content="Hi"), reply(content=[thought])]))
    (part,) = (fields_of(part) for part in rows.parts if part.type == "reasoning")
    assert (part["text"], json.loads(part["extra"])) == ("Hm.", {"thinkingSignature": "c2lnbmVk"})


def test_lines_that_are_no_objects_are_left_out_with_their_reason(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "s.jsonl", [header(), b"7", entry("user", content="Hi"), reply()]))
    assert (account_of(rows), codes(rows)) == ((4, 3, 0, 1), {"not_an_object": 1})


def test_events_that_are_printed_as_a_run_goes_on_say_each_message_once(tmp_path: Path) -> None:
    asked = {"role": "user", "content": [{"type": "text", "text": "Hi"}], "timestamp": 1_772_442_000_000}
    reply = {"role": "assistant", "content": [{"type": "text", "text": "Ho"}], "model": "m", "stopReason": "stop", "usage": {"input": 3, "output": 2}}
    events: list[dict[str, Any]] = [
        {"type": "session", "id": "s-1", "cwd": "/home/ana"},
        {"type": "turn_start"},
        {"type": "message_start", "message": asked},
        {"type": "message_end", "message": asked},
        {"type": "message_update", "message": reply | {"content": [{"type": "text", "text": "H"}]}},
        {"type": "message_end", "message": reply | {"timestamp": 1_772_442_001_000}},
        {"type": "turn_end", "message": reply, "toolResults": []},
        {"type": "agent_end", "messages": [asked, reply]},
    ]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    rows = read(tmp_path)
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Hi", "Ho")]
    assert [(step.input_tokens, step.output_tokens) for step in calls_of(rows, "model")] == [(3, 2)]
    assert account_of(rows) == (8, 3, 0, 5)
