"""ToolBench: of a search tree the run is the path to the answer, and the rest is abandoned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json
from tests.readers.reading import account_of, calls_of, codes, read

SAMPLES = Path(__file__).parent.parent / "samples" / "toolbench"
ANSWER = '{"return_type": "give_answer", "final_answer": "30 euros"}'


def formats_of(*paths: Path) -> list[str]:
    return [group.reader.format for group in survey_files(find_files(paths)).groups]


def node(kind: str, description: str, *children: Record, **fields: Any) -> Record:
    return {"node_type": kind, "description": description, "is_terminal": False, "pruned": False, "children": list(children)} | fields


def call(name: str, arguments: str, observation: str, code: int, *children: Record) -> Record:
    return node("Action", name, node("Action Input", arguments, *children, observation=observation, observation_code=code))


def answer(*children: Record, **generation: Any) -> Record:
    made = {"query": "What does it cost?", "train_messages": [], "final_answer": ANSWER, "finish_type": "give_answer"} | generation
    return {"win": True, "tree": {"size": 9, "tree": node("Action Input", "", *children)}, "answer_generation": made}


FINISH = call("Finish", ANSWER, '{"response":"successfully giving the final answer."}', 3)
ASK = ("ask", "{}", '{"error": "", "response": "30"}', 0)


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("toolbench", outline_of(read(SAMPLES)))


def test_answers_and_evaluations_are_known(tmp_path: Path) -> None:
    assert formats_of(write_json(tmp_path / "a", answer(FINISH))) == ["toolbench"]
    assert formats_of(write_json(tmp_path / "b", {"7": {"query": "x", "answer": {"answer_details": []}}})) == ["toolbench"]


@pytest.mark.parametrize("document", [{"tree": {"a": 1}}, {"7": {"query": "x", "answer": "y"}}, {"answer_generation": {"query": "x"}}])
def test_what_has_only_the_names_is_not_claimed(document: Any, tmp_path: Path) -> None:
    other = write_json(tmp_path / "settings.json", {"theme": "dark"})
    assert "toolbench" not in formats_of(write_json(tmp_path / "x", document), other)


def test_the_run_is_the_path_to_the_answer_wherever_it_stands_in_the_tree(tmp_path: Path) -> None:
    first, second = call("wrong", "{}", '{"error": "no", "response": ""}', 11), call(*ASK, FINISH)
    for place, children in enumerate([(first, second), (second, first)]):
        rows = read(write_json(tmp_path / str(place), answer(*children)))
        run, branch = rows.turns
        assert (run.state, run.answer, run.prompt) == ("done", "30 euros", "What does it cost?")
        assert [item.name for item in calls_of(rows) if item.turn_id == run.turn_id] == ["ask", "Finish"]
        assert [item.name for item in calls_of(rows) if item.turn_id == branch.turn_id] == ["wrong"]
        assert (branch.state, branch.parent_turn_id, branch.prompt) == ("abandoned", run.turn_id, None)
        assert json.loads(branch.extra or "")["abandoned"] is True


def test_a_branch_of_a_branch_hangs_on_that_branch(tmp_path: Path) -> None:
    left = call("left", "{}", "x", 0, call("left_first", "{}", "x", 0), call("left_second", "{}", "x", 0))
    rows = read(write_json(tmp_path / "x", answer(left, call(*ASK, FINISH))))
    run, first, second = rows.turns
    assert (first.parent_turn_id, second.parent_turn_id) == (run.turn_id, first.turn_id)
    step = next(item for item in calls_of(rows, "model") if item.turn_id == first.turn_id)
    assert json.loads(second.extra or "")["left_after"] == step.call_id


@pytest.mark.parametrize(
    ("code", "observation", "state", "error"),
    [
        (0, '{"error": "", "response": "30"}', "done", None),
        (0, '{"error": "Too many redirects", "response": ""}', "failed", "Too many redirects"),
        (1, '{"error": "", "response": ""}', "failed", "There is no such function."),
        (11, '{"error": "Message error...", "response": "x"}', "failed", "Message error..."),
        (12, "no JSON", "failed", "The request could not be sent."),
        (99, "no JSON", "failed", "Code 99."),
    ],
)
def test_codes_and_errors_of_observations_fail_a_call(code: int, observation: str, state: str, error: str | None, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", answer(call("ask", "{}", observation, code, FINISH))))
    assert (calls_of(rows)[0].state, calls_of(rows)[0].error) == (state, error)


def test_a_thought_and_its_action_are_one_step_and_a_thought_that_was_gone_on_from_is_its_own(tmp_path: Path) -> None:
    together = node("Thought", "I ask.", call(*ASK, node("Thought", "I have it.", FINISH, expand_num=4)))
    rows = read(write_json(tmp_path / "x", answer(together)))
    assert len(calls_of(rows, "model")) == 3
    assert [part.text for part in rows.parts if part.role == "assistant" and part.type == "text"] == ["I ask.", "I have it."]


def test_giving_up_stops_the_turn(tmp_path: Path) -> None:
    up = '{"return_type": "give_up_and_restart"}'
    rows = read(write_json(tmp_path / "x", answer(call("Finish", up, "pruned", 4), final_answer=up, finish_type="give_up") | {"win": False}))
    assert rows.turns[0].state == "stopped"
    assert json.loads(rows.conversations[0].labels or "") == {"win": False, "finish_type": "give_up"}


def test_messages_for_training_are_merged_but_for_what_the_tree_lacks(tmp_path: Path) -> None:
    rows = read(SAMPLES / "lamp-answer.json")
    assert [(part.role, part.injected) for part in rows.parts if part.type == "text"][:3] == [("system", True), ("user", False), ("user", True)]
    # 13 nodes, and of the messages of the longest list the system's and the two in the user's name; the other 14 repeat.
    assert account_of(rows) == (30, 16, 14, 0)


def test_chains_without_a_tree_are_read_and_the_ones_before_the_answer_are_abandoned(tmp_path: Path) -> None:
    def chain(name: str, *last: Record) -> list[Record]:
        asked = [node("Action", name), node("Action Input", "{}", observation="x", observation_code=0)]
        return [*asked, *({**item, "children": []} for item in last)]

    document = answer(FINISH)
    end = [node("Action", "Finish"), node("Action Input", ANSWER, observation="y", observation_code=3)]
    tries = [{"chain": chain("first")}, {"chain": chain("second", *end)}]
    rows = read(write_json(tmp_path / "x", {"trys": tries, "win": True, "answer_generation": document["answer_generation"]}))
    assert [turn.state for turn in rows.turns] == ["done", "abandoned"]
    assert [item.name for item in calls_of(rows) if item.turn_id == rows.turns[0].turn_id] == ["second", "Finish"]


def test_a_call_that_was_cut_keeps_what_is_there(tmp_path: Path) -> None:
    rows = read(SAMPLES / "tooleval.json")
    first, second, last = calls_of(rows)
    assert (first.state, first.error) == ("failed", "No item given")
    assert (second.input, second.output) == ('{\n "item": "lamp"}', '{"error": "", "resp')
    assert (last.name, rows.turns[0].answer, rows.turns[0].state) == ("Finish", "30 euros.", "done")
    assert account_of(rows) == (6, 6, 0, 0)


def test_a_tree_that_is_too_deep_is_cut_and_said(tmp_path: Path) -> None:
    deep = node("Thought", "the end")
    for _ in range(200):
        deep = node("Thought", "on", deep)
    rows = read(write_json(tmp_path / "x", answer(deep)))
    assert account_of(rows)[0] == 202
    assert set(codes(rows)) <= {"no_node", "too_deep"}


def test_what_is_no_node_is_skipped(tmp_path: Path) -> None:
    document = answer(FINISH)
    document["tree"]["tree"]["children"] += [7, None]
    rows = read(write_json(tmp_path / "x", document))
    assert account_of(rows) == (5, 3, 0, 2)
    assert codes(rows) == {"no_node": 1}
