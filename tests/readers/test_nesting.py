"""Turns begin where a person speaks; a sub-agent is a call under the tool call that started it, in the same turn."""

from __future__ import annotations

from pathlib import Path

from agentnb.readers import Rows
from tests.readers.made import SESSION, Record, chat, claude_session, reply, result, tool_use, trajectory, user, uuid_of, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of


def tree_of(rows: Rows) -> list[str]:
    """Return every call as a line, indented under the call it ran inside."""
    children: dict[str | None, list[str]] = {}
    names = {call.call_id: f"{call.kind} {call.name}" for call in rows.calls}
    for call in sorted(rows.calls, key=lambda call: call.call_index):
        children.setdefault(call.parent_call_id, []).append(call.call_id)

    def lines(parent: str | None, depth: int) -> list[str]:
        return [line for call_id in children.get(parent, ()) for line in ("  " * depth + names[call_id], *lines(call_id, depth + 1))]

    return lines(None, 0)


def side(events: list[Record], agent: str = "abc1", first: int = 100) -> list[Record]:
    """Make events the log of a sub-agent."""
    return claude_session([event | {"isSidechain": True, "agentId": agent} for event in events], first=first)


def task(id: str, prompt: str = "Look.", name: str = "helper") -> Record:
    return tool_use(id, "Task", prompt=prompt, subagent_type=name, description="d")


MAIN = [user("Go."), reply(task("t1"), id="m1", stop="tool_use"), result("t1", "Found.", toolUseResult={"agentId": "abc1"}), reply("Done.", id="m2")]
INNER = [user("Look."), reply(tool_use("t2", "Grep"), id="m3", stop="tool_use"), result("t2", "lamp"), reply("Found.", id="m4")]
EXPECTED = [
    "agent claude-code",
    "  model claude-test-1",
    "  tool Task",
    "    agent helper",
    "      model claude-test-1",
    "      tool Grep",
    "      model claude-test-1",
    "  model claude-test-1",
]


def test_a_sub_agent_in_a_file_of_its_own_is_under_the_call_whose_result_names_it(tmp_path: Path) -> None:
    write_lines(tmp_path / f"{SESSION}.jsonl", claude_session(MAIN))
    write_lines(tmp_path / SESSION / "subagents" / "agent-abc1.jsonl", side(INNER))
    rows = read(tmp_path)
    assert tree_of(rows) == EXPECTED
    assert (codes(rows), account_of(rows)) == ({}, (8, 8, 0, 0))
    assert len(rows.turns) == 1


def test_a_sub_agent_in_the_same_file_is_under_the_call_with_its_prompt(tmp_path: Path) -> None:
    inner = claude_session([event | {"isSidechain": True} for event in INNER], first=100)
    main = claude_session([*MAIN[:2], result("t1", "Found."), MAIN[3]])
    rows = read(write_lines(tmp_path / "file", [*main[:2], *inner, *main[2:]]))
    assert tree_of(rows) == EXPECTED
    assert codes(rows) == {}


def test_a_sub_agent_is_found_by_the_id_in_the_words_of_a_failed_result(tmp_path: Path) -> None:
    failed = result("t1", "API Error\nagentId: abc1 (for resuming)", is_error=True, toolUseResult="Error: API Error")
    write_lines(tmp_path / "main.jsonl", claude_session([*MAIN[:2], failed, MAIN[3]]))
    write_lines(tmp_path / "side.jsonl", side([user("Something else."), *INNER[1:]]))
    rows = read(tmp_path)
    assert tree_of(rows) == EXPECTED
    assert [(call.name, call.state) for call in calls_of(rows, "agent")][1] == ("helper", "failed")


def test_parallel_sub_agents_are_each_under_their_own_call(tmp_path: Path) -> None:
    asked = reply(task("t1", "Left."), task("t2", "Right."), id="m1", stop="tool_use")
    given = [result("t2", "R", toolUseResult={"agentId": "rrr1"}), result("t1", "L", toolUseResult={"agentId": "lll1"})]
    write_lines(tmp_path / "main.jsonl", claude_session([user("Go."), asked, *given]))
    write_lines(tmp_path / "a.jsonl", side([user("Right."), reply("R", id="m2")], "rrr1", 200))
    write_lines(tmp_path / "b.jsonl", side([user("Left."), reply("L", id="m3")], "lll1", 300))
    rows = read(tmp_path)
    inputs = {call.call_id: call.output for call in calls_of(rows)}
    said = {call.call_id: [part.text for part in rows.parts if part.agent_call_id == call.call_id] for call in calls_of(rows, "agent") if call.parent_call_id}
    assert {inputs[call.parent_call_id or ""]: said[call.call_id] for call in calls_of(rows, "agent") if call.parent_call_id} == {
        "L": ["Left.", "L"],
        "R": ["Right.", "R"],
    }


def test_a_sub_agent_of_a_sub_agent_is_under_its_call(tmp_path: Path) -> None:
    middle = [
        user("Look."),
        reply(task("t2", "Deeper.", "digger"), id="m3", stop="tool_use"),
        result("t2", "Deep.", toolUseResult={"agentId": "def2"}),
        reply("Found.", id="m4"),
    ]
    write_lines(tmp_path / "main.jsonl", claude_session(MAIN))
    write_lines(tmp_path / "a.jsonl", side([user("Deeper."), reply("Deep.", id="m5")], "def2", 300))
    write_lines(tmp_path / "b.jsonl", side(middle))
    rows = read(tmp_path)
    assert tree_of(rows)[3:8] == ["    agent helper", "      model claude-test-1", "      tool Task", "        agent digger", "          model claude-test-1"]
    assert {call.turn_id for call in rows.calls} == {rows.turns[0].turn_id}


def test_a_sub_agent_that_nobody_is_known_to_have_started_is_under_the_first_turn(tmp_path: Path) -> None:
    write_lines(tmp_path / "main.jsonl", claude_session([user("Go."), reply("Done.", id="m2")]))
    write_lines(tmp_path / "side.jsonl", side(INNER))
    rows = read(tmp_path)
    assert codes(rows) == {"unlinked_agent": 1}
    (agent,) = (call for call in calls_of(rows, "agent") if call.parent_call_id)
    assert agent.parent_call_id == rows.turns[0].turn_id


def test_the_log_of_a_sub_agent_alone_is_a_conversation(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "agent-abc1.jsonl", side(INNER)))
    assert [turn.prompt for turn in rows.turns] == ["Look."]
    assert tree_of(rows) == ["agent claude-code", "  model claude-test-1", "  tool Grep", "  model claude-test-1"]
    assert codes(rows) == {}


def test_a_sub_agent_of_a_resumed_session_is_in_the_conversation_of_the_call_that_started_it(tmp_path: Path) -> None:
    other = "11111111-2222-4333-8444-555555555555"
    write_lines(tmp_path / "main.jsonl", [event | {"sessionId": other} if number else event for number, event in enumerate(claude_session(MAIN))])
    write_lines(tmp_path / "side.jsonl", [event | {"sessionId": other} for event in side(INNER)])
    rows = read(tmp_path)
    assert tree_of(rows) == EXPECTED
    assert {call.conversation_id for call in rows.calls} == {SESSION}


def test_words_of_a_sub_agent_are_neither_the_prompt_nor_the_answer_of_the_turn(tmp_path: Path) -> None:
    write_lines(tmp_path / "main.jsonl", claude_session(MAIN))
    write_lines(tmp_path / "side.jsonl", side([*INNER[:3], reply("Secret.", id="m4")]))
    (turn,) = read(tmp_path).turns
    assert (turn.prompt, turn.answer) == ("Go.", "Done.")


def test_each_thing_a_person_says_begins_a_turn_that_continues_the_one_before(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", claude_session([user("One."), reply("1", id="m1"), user("Two."), reply("2", id="m2")])))
    assert [(turn.prompt, turn.answer, turn.state) for turn in rows.turns] == [("One.", "1", "done"), ("Two.", "2", "done")]
    assert [turn.parent_turn_id for turn in rows.turns] == [None, uuid_of(1)]
    assert [turn.turn_id for turn in rows.turns] == [uuid_of(1), uuid_of(3)]


def test_a_branch_continues_the_turn_it_split_off_from(tmp_path: Path) -> None:
    events = claude_session(
        [user("One."), reply("1", id="m1"), user("Two."), reply("2", id="m2"), user("Two again.", parentUuid=uuid_of(2)), reply("2b", id="m3")]
    )
    rows = read(write_lines(tmp_path / "file", events))
    assert [turn.parent_turn_id for turn in rows.turns] == [None, uuid_of(1), uuid_of(1)]


def test_what_the_tool_says_in_a_persons_name_begins_no_turn(tmp_path: Path) -> None:
    noise = [
        user("<command-name>/cost</command-name>"),
        user("<local-command-stdout>$1.84</local-command-stdout>"),
        user("<system-reminder>Be nice.</system-reminder>"),
        user("Caveat: The messages below were generated by the user while running local commands."),
        user("The conversation so far …", isCompactSummary=True),
        user("Continue.", isMeta=True),
        user([{"type": "text", "text": "[Request interrupted by user]"}]),
    ]
    rows = read(write_lines(tmp_path / "file", claude_session([user("One."), reply("1", id="m1"), *noise, user("Two."), reply("2", id="m2")])))
    assert [turn.prompt for turn in rows.turns] == ["One.", "Two."]
    assert [part.injected for part in rows.parts if part.role == "user"] == [False, *[True] * len(noise), False]


def test_a_reminder_beside_what_a_person_says_is_no_part_of_the_prompt(tmp_path: Path) -> None:
    said = [{"type": "text", "text": "<system-reminder>Be nice.</system-reminder>"}, {"type": "text", "text": "Go."}]
    rows = read(write_lines(tmp_path / "file", claude_session([user(said), reply("Done.", id="m1")])))
    assert [turn.prompt for turn in rows.turns] == ["Go."]
    assert [(part.text or "")[:5] for part in rows.parts if part.injected] == ["<syst"]


def test_an_interrupted_turn_was_stopped(tmp_path: Path) -> None:
    events = [user("Go."), reply(tool_use("t1"), id="m1", stop="tool_use"), user([{"type": "text", "text": "[Request interrupted by user]"}])]
    rows = read(write_lines(tmp_path / "file", claude_session(events)))
    assert [turn.state for turn in rows.turns] == ["stopped"]


def test_a_turn_that_ends_with_an_error_of_the_service_failed(tmp_path: Path) -> None:
    rows = read(
        write_lines(
            tmp_path / "file",
            claude_session([user("Go."), reply("API Error: 529", id="m1", model="<synthetic>", stop="stop_sequence", isApiErrorMessage=True)]),
        )
    )
    assert [turn.state for turn in rows.turns] == ["failed"]
    assert [(call.state, call.error) for call in calls_of(rows, "model")] == [("failed", "API Error: 529")]


def test_a_turn_whose_last_reply_asks_for_a_tool_has_no_known_end(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", claude_session([user("Go."), reply(tool_use("t1"), id="m1", stop="tool_use")])))
    assert [turn.state for turn in rows.turns] == [None]


def test_a_session_that_begins_with_the_agent_has_a_turn_without_a_prompt(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", claude_session([reply("Hello.", id="m1"), user("Go."), reply("Done.", id="m2")])))
    assert [turn.prompt for turn in rows.turns] == [None, "Go."]
    assert [part.message_index for part in rows.parts] == [0, 1, 2]


def test_what_is_recorded_before_the_first_turn_belongs_to_the_first_turn(tmp_path: Path) -> None:
    early = {"type": "summary", "summary": "A lamp", "leafUuid": "x"}
    rows = read(write_lines(tmp_path / "file", [early, *claude_session([user("Go."), reply("Done.", id="m1")])]))
    assert {(part.turn_id, part.agent_call_id) for part in rows.parts} == {(uuid_of(1), uuid_of(1))}
    assert rows.conversations[0].title == "A lamp"


def test_two_things_said_before_the_model_replies_are_one_turn_of_a_chat(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", chat([("system", "Be brief."), ("user", "One."), ("user", "And two."), ("assistant", "3"), ("user", "Bye.")])))
    assert [turn.prompt for turn in rows.turns] == ["One.\n\nAnd two.", "Bye."]
    assert [(part.role, part.injected) for part in rows.parts[:2]] == [("system", True), ("user", False)]
    assert texts_of(rows, "system") == ["Be brief."]


def test_a_list_of_system_messages_alone_is_a_conversation(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", chat([("system", "Be brief."), ("system", "Be nice.")])))
    assert (len(rows.turns), texts_of(rows), account_of(rows)) == (1, ["Be brief.", "Be nice."], (2, 2, 0, 0))


def atif_child(session: str = "child", **fields: object) -> Record:
    return trajectory([{"source": "user", "message": "Look."}, {"source": "agent", "message": "Found."}], session=session) | fields


def delegating(*references: Record) -> list[Record]:
    call = {"tool_call_id": "c1", "function_name": "delegate", "arguments": {}}
    given = {"source_call_id": "c1", "content": "Found.", "subagent_trajectory_ref": list(references)}
    return [{"source": "user", "message": "Go."}, {"source": "agent", "message": "", "tool_calls": [call], "observation": {"results": [given]}}]


ATIF_TREE = ["agent terminal", "  model gpt-test", "  tool delegate", "    agent terminal", "      model gpt-test"]


def test_a_trajectory_in_a_file_of_its_own_is_under_the_call_that_refers_to_it(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", atif_child())
    write_json(tmp_path / "b.json", trajectory(delegating({"session_id": "child", "trajectory_path": "a.json"})))
    rows = read(tmp_path)
    assert tree_of(rows) == ATIF_TREE
    assert (len(rows.conversations), account_of(rows)) == (1, (4, 4, 0, 0))


def test_a_trajectory_inside_of_another_needs_no_version_of_its_own(tmp_path: Path) -> None:
    child = {name: value for name, value in atif_child().items() if name not in ("schema_version", "agent")}
    rows = read(write_json(tmp_path / "file", trajectory(delegating({"session_id": "child"})) | {"subagent_trajectories": [child]}))
    assert tree_of(rows) == ["agent terminal", "  model gpt-test", "  tool delegate", "    agent ", "      model "]
    assert (codes(rows), account_of(rows)) == ({}, (4, 4, 0, 0))


def test_a_trajectory_that_two_steps_refer_to_is_read_once(tmp_path: Path) -> None:
    reference = {"session_id": "child"}
    rows = read(write_lines(tmp_path / "file", [trajectory([*delegating(reference), *delegating(reference)]), atif_child()]))
    assert account_of(rows) == (6, 6, 0, 0)
    assert codes(rows) == {"repeated_agent": 1}


def test_trajectories_that_refer_to_each_other_are_all_read(tmp_path: Path) -> None:
    one, two = trajectory(delegating({"session_id": "two"}), session="one"), trajectory(delegating({"session_id": "one"}), session="two")
    rows = read(write_lines(tmp_path / "file", [one, two]))
    assert [row.conversation_id for row in rows.conversations] == ["one"]
    assert account_of(rows) == (4, 4, 0, 0)


def test_a_trajectory_that_is_not_among_the_files_is_missed(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", trajectory(delegating({"session_id": "elsewhere"}))))
    assert codes(rows) == {"agent_log_missing": 1}


def test_trajectories_nested_a_hundred_times_are_all_read(tmp_path: Path) -> None:
    whole = atif_child("deepest", trajectory_id="t100")
    for number in reversed(range(100)):
        whole = trajectory(delegating({"trajectory_id": f"t{number + 1}"}), session=f"s{number}") | {
            "trajectory_id": f"t{number}",
            "subagent_trajectories": [whole],
        }
    rows = read(write_json(tmp_path / "file", whole))
    assert account_of(rows) == (202, 202, 0, 0)
