"""opencode: a folder of small files read as one session, sub-agents, states of tools, exported sessions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_json
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "opencode"
START = 1_772_442_000_000
TOKENS = {"input": 10, "output": 4, "reasoning": 1, "cache": {"read": 30, "write": 5}}


def session(id: str = "ses_1", **fields: Any) -> dict[str, Any]:
    """Make a session."""
    return {"id": id, "version": "1.0", "projectID": "shop", "directory": "/home/ana", "title": "A title", "time": {"created": START}} | fields


def message(id: str, role: str, second: int = 0, session: str = "ses_1", **fields: Any) -> dict[str, Any]:
    """Make a message."""
    return {"id": id, "sessionID": session, "role": role, "time": {"created": START + second * 1000}} | fields


def part(id: str, of: str, type: str = "text", session: str = "ses_1", **fields: Any) -> dict[str, Any]:
    """Make a part of a message."""
    return {"id": id, "sessionID": session, "messageID": of, "type": type} | fields


def tool(id: str, status: str, name: str = "bash", of: str = "m2", **state: Any) -> dict[str, Any]:
    """Make a tool's part."""
    return part(id, of, "tool", callID=f"call_{id}", tool=name, state={"status": status, "input": {"command": "ls"}} | state)


def write(folder: Path, *records: dict[str, Any]) -> Path:
    """Write each record into a file of its own."""
    for record in records:
        kind = "part" if "messageID" in record else "message" if "sessionID" in record else "session"
        write_json(folder / kind / f"{record['id']}.json", record)
    return folder


ASKED = (message("m1", "user"), part("p1", "m1", text="Hi"))


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("opencode", outline_of(read(SAMPLES)))


def test_all_files_of_a_session_are_one_conversation_and_each_is_one_record(tmp_path: Path) -> None:
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1, modelID="x-1"), part("p2", "m2", text="Hello.")))
    (conversation,) = rows.conversations
    assert (conversation.conversation_id, conversation.title, conversation.agent_version, conversation.model) == ("ses_1", "A title", "1.0", "x-1")
    assert json.loads(conversation.labels or "") == {"cwd": "/home/ana", "project": "shop"}
    assert account_of(rows) == (5, 5, 0, 0)
    assert [turn.turn_id for turn in rows.turns] == ["ses_1/m1"]


def test_input_counts_what_was_cached_and_the_usage_of_a_step_is_not_counted_twice(tmp_path: Path) -> None:
    steps = [part("p2", "m2", "step-start"), part("p3", "m2", text="Hello."), part("p4", "m2", "step-finish", tokens=TOKENS, cost=0.5)]
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1, tokens=TOKENS, cost=0.5), *steps))
    (step,) = calls_of(rows, "model")
    assert (step.input_tokens, step.output_tokens, step.cached_tokens, step.cache_write_tokens, step.reasoning_tokens, step.cost) == (45, 4, 30, 5, 1, 0.5)


def test_a_message_with_two_steps_is_two_model_calls(tmp_path: Path) -> None:
    steps = [
        part("p2", "m2", "step-start"),
        part("p3", "m2", text="One."),
        part("p4", "m2", "step-finish", tokens=TOKENS),
        part("p5", "m2", "step-start"),
        part("p6", "m2", text="Two."),
    ]
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1), *steps))
    assert [step.output_tokens for step in calls_of(rows, "model")] == [4, None]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"status": "completed", "output": "Error: is a word"}, ("done", "Error: is a word", None, None)),
        ({"status": "completed", "output": "no file", "metadata": {"exit": 2}}, ("failed", "no file", "no file", 2)),
        ({"status": "completed", "output": "till.py", "metadata": {"exit": 0}}, ("done", "till.py", None, 0)),
        ({"status": "error", "error": "not found"}, ("failed", "not found", "not found", None)),
        ({"status": "running"}, ("running", None, None, None)),
        ({"status": "pending"}, ("unanswered", None, None, None)),
    ],
    ids=["completed", "an exit code", "exit code zero", "error", "running", "pending"],
)
def test_a_tool_ends_as_its_state_says(state: dict[str, Any], expected: tuple[Any, ...], tmp_path: Path) -> None:
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1), tool("p2", **state)))
    (call,) = calls_of(rows)
    assert (call.state, call.output, call.error, call.exit_code) == expected


def test_a_session_that_a_call_started_is_a_sub_agent_under_that_call(tmp_path: Path) -> None:
    task = tool("p2", "completed", "task", output="7 plates", metadata={"sessionId": "ses_2"})
    child = [
        session("ses_2", parentID="ses_1"),
        message("m8", "user", 2, "ses_2", agent="general"),
        part("p8", "m8", session="ses_2", text="Count."),
        message("m9", "assistant", 3, "ses_2"),
        part("p9", "m9", session="ses_2", text="7 plates"),
    ]
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1), task, *child))
    (call,) = calls_of(rows)
    agent = next(agent for agent in calls_of(rows, "agent") if agent.call_id == "ses_2")
    assert (agent.parent_call_id, agent.name, agent.state) == (call.call_id, "general", "done")
    assert [conversation.conversation_id for conversation in rows.conversations] == ["ses_1"]
    assert account_of(rows) == (10, 10, 0, 0)


def test_a_sub_agent_is_found_by_its_prompt_and_one_that_no_call_started_is_said(tmp_path: Path) -> None:
    task = part("p2", "m2", "tool", callID="c", tool="task", state={"status": "completed", "input": {"prompt": "Count."}, "output": "7"})
    known = [session("ses_2", parentID="ses_1"), message("m8", "user", 2, "ses_2"), part("p8", "m8", session="ses_2", text="Count.")]
    other = [session("ses_3", parentID="ses_1"), message("m7", "user", 2, "ses_3"), part("p7", "m7", session="ses_3", text="Sing.")]
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1), task, *known, *other))
    parents = {agent.call_id: agent.parent_call_id for agent in calls_of(rows, "agent") if agent.call_id != "ses_1/m1"}
    assert parents == {"ses_2": calls_of(rows)[0].call_id, "ses_3": "ses_1/m1"}
    assert codes(rows) == {"unlinked_agent": 1}


def test_a_sub_agent_whose_parent_is_not_there_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    (conversation,) = read(write(tmp_path, session("ses_2", parentID="ses_1"), message("m1", "user", session="ses_2"))).conversations
    assert (conversation.conversation_id, conversation.parent_conversation_id) == ("ses_2", "ses_1")


def test_sessions_that_name_each_other_as_parents_are_read(tmp_path: Path) -> None:
    rows = read(write(tmp_path, session("a", parentID="b"), session("b", parentID="a"), message("m1", "user", session="a")))
    assert sorted(conversation.conversation_id for conversation in rows.conversations) == ["a", "b"]


def test_words_that_the_tool_added_are_injected(tmp_path: Path) -> None:
    rows = read(write(tmp_path, session(), *ASKED, part("p2", "m1", text="From a page.", synthetic=True)))
    assert [(part.text, part.injected) for part in rows.parts] == [("Hi", False), ("From a page.", True)]
    assert rows.turns[0].prompt == "Hi"


def test_a_reply_that_the_person_aborted_stops_the_turn(tmp_path: Path) -> None:
    error = {"name": "MessageAbortedError", "data": {"message": "The operation was aborted."}}
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1, error=error)))
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "The operation was aborted.")]
    assert rows.turns[0].state == "stopped"


def test_any_other_error_fails_the_turn(tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"statusCode": 503}}
    rows = read(write(tmp_path, session(), *ASKED, message("m2", "assistant", 1, error=error)))
    assert (calls_of(rows, "model")[0].error, rows.turns[0].state) == ("APIError", "failed")


def test_an_exported_session_reads_like_its_files(tmp_path: Path) -> None:
    document = {
        "info": session(),
        "messages": [
            {"info": ASKED[0], "parts": [ASKED[1]]},
            {"info": message("m2", "assistant", 1), "parts": [tool("p2", "completed", output="till.py"), part("p3", "m2", text="One file.")]},
        ],
    }
    rows = read(write_json(tmp_path / "export.json", document))
    assert (account_of(rows), [call.output for call in calls_of(rows)], texts_of(rows)) == ((6, 6, 0, 0), ["till.py"], ["Hi", "One file."])


def test_a_part_without_its_message_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = read(write(tmp_path, session(), *ASKED, part("p9", "m9", text="Lost.")))
    assert (account_of(rows), codes(rows)) == ((4, 3, 0, 1), {"part_without_message": 1})


def test_the_same_message_in_two_files_is_kept_once(tmp_path: Path) -> None:
    write(tmp_path, session(), *ASKED)
    write_json(tmp_path / "copy" / "m1.json", ASKED[0] | {"agent": "build"})
    rows = read(tmp_path)
    assert (account_of(rows), codes(rows)) == ((4, 3, 1, 0), {"reused_id": 1})


def test_a_bare_number_beside_the_files_is_no_recording(tmp_path: Path) -> None:
    write(tmp_path, session(), *ASKED)
    (tmp_path / "migration").write_text("2")
    assert {source.state: source.format for source in read(tmp_path).sources} == {"read": "opencode", "unknown_format": None}


def test_events_that_are_printed_as_a_run_goes_on_are_its_messages(tmp_path: Path) -> None:
    def printed(kind: str, second: int, held: dict[str, Any]) -> dict[str, Any]:
        return {"type": kind, "timestamp": START + second * 1000, "sessionID": "ses_1", "part": held}

    run = tool("p2", "completed", output="a.txt\n", metadata={"exit": 3}, time={"start": START, "end": START + 1000})
    lines = [
        printed("step_start", 0, part("p1", "m2", "step-start")),
        printed("tool_use", 1, run),
        printed("step_finish", 2, part("p3", "m2", "step-finish", reason="tool-calls", cost=0.5, tokens=TOKENS)),
        printed("text", 4, part("p4", "m3", "text", text="One file.")),
        {"type": "error", "timestamp": START + 5000, "sessionID": "ses_1", "error": {"name": "APIError", "data": {"message": "Too long."}}},
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = read(path)
    assert [conversation.conversation_id for conversation in rows.conversations] == ["ses_1"]
    assert [(call.name, call.exit_code, call.state) for call in calls_of(rows)] == [("bash", 3, "failed")]
    assert [(step.input_tokens, step.cost, step.error) for step in calls_of(rows, "model")] == [(45, 0.5, None), (None, None, None), (None, None, "Too long.")]
    assert (account_of(rows), codes(rows)) == ((5, 5, 0, 0), {})
