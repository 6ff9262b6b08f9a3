"""Ids survive: a file that grows, moves, or gets company gives the same ids, and nothing is numbered anew."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from tests.readers.made import (
    SESSION,
    Record,
    answers,
    asks,
    chat,
    claude_session,
    exchange,
    moment,
    reply,
    result,
    tool_use,
    trajectory,
    user,
    uuid_of,
    write_json,
    write_lines,
)
from tests.readers.reading import codes, read


def ids_of(rows: Rows) -> dict[str, list[str]]:
    """Return all ids, sorted."""
    return {
        "conversations": sorted(row.conversation_id for row in rows.conversations),
        "turns": sorted(row.turn_id for row in rows.turns),
        "calls": sorted(row.call_id for row in rows.calls),
    }


def places_of(rows: Rows) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return where each turn and call is: its index, its parent, its turn."""
    turns = {("turn", row.turn_id): (row.turn_index, row.conversation_id, row.parent_turn_id) for row in rows.turns}
    return turns | {("call", row.call_id): (row.call_index, row.turn_id, row.parent_call_id, row.step_id) for row in rows.calls}


def parts_of(rows: Rows) -> list[tuple[Any, ...]]:
    return [(row.message_index, row.part_index, row.turn_id, row.type, row.text) for row in rows.parts]


EVENTS = claude_session(
    [
        user("One."),
        reply("Hm.", id="m1", stop=None),
        reply(tool_use("t1"), tool_use("t2"), id="m1", stop="tool_use"),
        result("t2"),
        result("t1"),
        reply("1", id="m2"),
        user("Two."),
        reply(tool_use("t1"), id="m3", stop="tool_use"),
        result("t1"),
        reply("2", id="m4"),
    ]
)
TALK = chat(
    [
        ("system", "Be brief."),
        ("user", "One."),
        asks(("c1", "ls")),
        answers("c1"),
        ("assistant", "1"),
        ("user", "Two."),
        asks(("c1", "ls"), ("", "ls")),
        answers("c1"),
        ("assistant", "2"),
    ]
)


@pytest.mark.parametrize("length", range(1, len(EVENTS)))
def test_a_session_that_grew_keeps_the_ids_and_indexes_of_what_it_had(length: int, tmp_path: Path) -> None:
    before, after = read(write_lines(tmp_path / "a" / "file", EVENTS[:length])), read(write_lines(tmp_path / "b" / "file", EVENTS))
    assert places_of(before).items() <= places_of(after).items()
    assert parts_of(after)[: len(before.parts)] == parts_of(before)


@pytest.mark.parametrize("length", range(2, len(TALK)))
def test_a_chat_that_grew_keeps_the_ids_and_indexes_of_what_it_had(length: int, tmp_path: Path) -> None:
    before, after = read(write_json(tmp_path / "a" / "file", TALK[:length])), read(write_json(tmp_path / "b" / "file", TALK))
    assert ids_of(before)["conversations"] == ids_of(after)["conversations"]
    assert places_of(before).items() <= places_of(after).items()
    assert parts_of(after)[: len(before.parts)] == parts_of(before)


def test_a_log_that_grew_keeps_the_ids_and_indexes_of_what_it_had(tmp_path: Path) -> None:
    log = [exchange(TALK[:2], TALK[2]), exchange(TALK[:4], TALK[4]), exchange(TALK[:6], TALK[6]), exchange(TALK[:8], TALK[8])]
    whole = read(write_lines(tmp_path / "whole" / "file", log))
    for length in (1, 2, 3):
        before = read(write_lines(tmp_path / str(length) / "file", log[:length]))
        assert places_of(before).items() <= places_of(whole).items()


def test_a_trajectory_that_grew_keeps_the_ids_and_indexes_of_what_it_had(data: Path, tmp_path: Path) -> None:
    run = json.loads((data / "terminal-task" / "trajectory.json").read_text(encoding="utf-8"))
    whole = read(data / "terminal-task" / "trajectory.json")
    for length in (1, 5, 19, 24, 30):
        before = read(write_json(tmp_path / str(length), run | {"steps": run["steps"][:length]}))
        assert places_of(before).items() <= places_of(whole).items()


@pytest.mark.parametrize("length", [4, 20, 86, 124, 127, 150, 177])
def test_a_recorded_session_that_grew_keeps_the_ids_and_indexes_of_what_it_had(length: int, data: Path, tmp_path: Path) -> None:
    (path,) = (data / "failing-test").glob("*.jsonl")
    lines = path.read_bytes().split(b"\n")
    whole = read(path)
    before = read(write_lines(tmp_path / "file", lines[:length]))
    assert places_of(before).items() <= places_of(whole).items()
    assert parts_of(whole)[: len(before.parts)] == parts_of(before)


@pytest.mark.parametrize("story", ["support-refund", "failing-test", "release-notes", "terminal-task"])
def test_a_recording_that_moved_keeps_its_ids(story: str, data: Path, tmp_path: Path) -> None:
    shutil.copytree(data / story, tmp_path / "elsewhere" / "deeper")
    here, there = read(data / story), read(tmp_path)
    assert ids_of(here) == ids_of(there)
    assert places_of(here) == places_of(there)
    assert here.sources[0].source_id != there.sources[0].source_id


@pytest.mark.parametrize(
    "document",
    [TALK, {"messages": TALK}, [{"task_id": 1, "trial": 0, "traj": TALK}], trajectory([{"source": "user", "message": "Go."}]) | {"session_id": None}],
    ids=["chat", "request", "runs", "trajectory"],
)
def test_no_id_is_made_of_a_path(document: Any, tmp_path: Path) -> None:
    assert ids_of(read(write_json(tmp_path / "a.json", document))) == ids_of(read(write_json(tmp_path / "b" / "c.txt", document)))


def test_a_session_without_an_id_has_one_that_does_not_depend_on_its_path(tmp_path: Path) -> None:
    events = [{name: value for name, value in event.items() if name != "sessionId"} for event in EVENTS]
    assert ids_of(read(write_lines(tmp_path / "a", events))) == ids_of(read(write_lines(tmp_path / "b" / "c", events)))


def side(first: int = 100) -> list[Record]:
    return claude_session([event | {"isSidechain": True, "agentId": "abc1"} for event in (user("Look."), reply("Found.", id="m9"))], first=first)


MAIN = claude_session(
    [
        user("Go."),
        reply(tool_use("t1", "Task", prompt="Look."), id="m1", stop="tool_use"),
        result("t1", "Found.", toolUseResult={"agentId": "abc1"}),
        reply("Done.", id="m2"),
        user("Thanks."),
    ]
)


def test_a_sub_agents_file_that_arrives_later_changes_nothing_that_was_there(tmp_path: Path) -> None:
    before = read(write_lines(tmp_path / "main.jsonl", MAIN))
    write_lines(tmp_path / "agent.jsonl", side())
    after = read(tmp_path)
    assert places_of(before).items() < places_of(after).items()
    assert codes(before) == {"agent_log_missing": 1}
    assert codes(after) == {}


def test_a_turn_that_arrives_later_changes_no_id_of_a_sub_agent(tmp_path: Path) -> None:
    write_lines(tmp_path / "agent.jsonl", side())
    write_lines(tmp_path / "main.jsonl", MAIN[:4])
    before = ids_of(read(tmp_path))
    write_lines(tmp_path / "main.jsonl", MAIN)
    after = ids_of(read(tmp_path))
    assert {table: set(ids) <= set(after[table]) for table, ids in before.items()} == {"conversations": True, "turns": True, "calls": True}


def test_a_line_that_comes_late_keeps_its_id_and_takes_no_others(tmp_path: Path) -> None:
    late = [*EVENTS[:4], *EVENTS[5:], EVENTS[4]]
    on_time, delayed = read(write_lines(tmp_path / "a", EVENTS)), read(write_lines(tmp_path / "b", late))
    assert ids_of(on_time) == ids_of(delayed)


def test_times_out_of_order_change_no_id_and_no_index(tmp_path: Path) -> None:
    rng = random.Random(7)
    shuffled = [event | {"timestamp": moment(rng.randrange(1000))} for event in EVENTS]
    assert places_of(read(write_lines(tmp_path / "a", EVENTS))) == places_of(read(write_lines(tmp_path / "b", shuffled)))


def test_ids_of_a_session_are_those_of_the_recording(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", EVENTS))
    assert ids_of(rows) == {
        "conversations": [SESSION],
        "turns": [uuid_of(1), uuid_of(7)],
        "calls": sorted([uuid_of(1), uuid_of(7), uuid_of(2), uuid_of(6), uuid_of(8), uuid_of(10), "t1", "t1~2", "t2"]),
    }


def test_ids_of_a_chat_are_places_in_their_parent(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", TALK))
    (conversation,) = (row.conversation_id for row in rows.conversations)
    assert conversation.startswith("chat-")
    assert [row.turn_id for row in rows.turns] == [f"{conversation}/1", f"{conversation}/2"]
    assert [row.call_id.removeprefix(f"{conversation}/") for row in rows.calls] == ["1", "1/s1", "1/c1", "1/s2", "2", "2/s1", "2/c1", "2/c2", "2/s2"]


def test_equal_conversations_are_told_apart_by_their_order_with_a_diagnostic(tmp_path: Path) -> None:
    runs = [{"task_id": 1, "trial": 0, "reward": reward, "traj": TALK} for reward in (1.0, 0.0, 0.5)]
    rows = read(write_json(tmp_path / "file", runs))
    first, second, third = (row.conversation_id for row in rows.conversations)
    assert (second, third) == (f"{first}~2", f"{first}~3")
    assert codes(rows)["equal_conversations"] == 2
    assert [json.loads(row.labels or "")["reward"] for row in rows.conversations] == [1.0, 0.0, 0.5]


def test_equal_conversations_of_several_files_are_told_apart_too(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", [*TALK[:4], {"role": "assistant", "content": "one"}])
    write_json(tmp_path / "b.json", [*TALK[:4], {"role": "assistant", "content": "two"}])
    rows = read(tmp_path)
    assert len(set(ids_of(rows)["conversations"])) == 2
    assert codes(rows) == {"equal_conversations": 1}


def test_equal_conversations_of_several_logs_are_told_apart_too(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "a.jsonl", [exchange(TALK[:2], {"role": "assistant", "content": "one"}), exchange(chat([("user", "a")]), None, error={"message": "no"})]
    )
    write_lines(
        tmp_path / "b.jsonl", [exchange(TALK[:2], {"role": "assistant", "content": "two"}), exchange(chat([("user", "b")]), None, error={"message": "no"})]
    )
    rows = read(tmp_path)
    assert len(set(ids_of(rows)["conversations"])) == len(rows.conversations) == 4
    assert codes(rows) == {"equal_conversations": 1}


def test_equal_trajectories_are_told_apart_too(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", [trajectory([{"source": "user", "message": "One."}]), trajectory([{"source": "user", "message": "Two."}])]))
    assert [row.conversation_id for row in rows.conversations] == ["run-1", "run-1~2"]
    assert codes(rows) == {"equal_conversations": 1}


def test_one_trial_more_changes_no_id_of_the_others(tmp_path: Path) -> None:
    runs = [{"task_id": task, "trial": 0, "reward": 1.0, "traj": TALK} for task in range(3)]
    before = read(write_json(tmp_path / "a", runs))
    after = read(write_json(tmp_path / "b", [*runs, runs[0] | {"trial": 1}]))
    assert set(ids_of(before)["calls"]) < set(ids_of(after)["calls"])
    assert codes(after).get("equal_conversations") is None


def test_an_id_on_different_events_is_reused_and_both_are_kept(tmp_path: Path) -> None:
    events = claude_session([user("One.", uuid="x"), reply("1", id="m1", uuid="y"), user("Two.", uuid="x"), reply("2", id="m2", uuid="y")])
    rows = read(write_lines(tmp_path / "file", events))
    assert [turn.prompt for turn in rows.turns] == ["One.", "Two."]
    assert codes(rows) == {"reused_id": 2}


def test_a_message_id_on_replies_of_two_turns_makes_two_steps(tmp_path: Path) -> None:
    events = claude_session([user("One."), reply("1", id="m1"), user("Two."), reply(tool_use("t1"), id="m1", stop="tool_use"), result("t1")])
    rows = read(write_lines(tmp_path / "file", events))
    models = [call for call in rows.calls if call.kind == "model"]
    assert [call.turn_id for call in models] == [uuid_of(1), uuid_of(3)]
