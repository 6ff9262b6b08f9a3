"""Real answers of ToolBench and results of ToolEval: every node of every tree is in the tables, and the run is told from the rest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings

ANSWERS = ["toolbench-G1_answer-10.json", "toolbench-G2_answer-52.json", "toolbench-G3_answer-13.json", "toolbench-G3_answer-21.json"]


@pytest.fixture(scope="module")
def answers(recordings: Path) -> Path:
    return recordings / "bfcl_toolbench"


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def nodes(node: dict[str, Any], below: str = "children") -> Iterator[dict[str, Any]]:
    yield node
    for child in node[below]:
        yield from nodes(child, below)


def test_every_file_is_read_as_toolbench(answers: Path) -> None:
    sources = read(answers).sources
    assert len(sources) == 5
    assert {source.format for source in sources} == {"toolbench"}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_query_to_the_model_is_a_step_and_every_action_a_call(name: str, answers: Path) -> None:
    document = load(answers / name)
    tree = list(nodes(document["tree"]["tree"]))
    rows = read(answers / name)
    assert len(calls_of(rows, "model")) == document["answer_generation"]["query_count"]
    assert Counter(call.name for call in calls_of(rows)) == Counter(node["description"] for node in tree if node["node_type"] == "Action")
    assert sorted(str(call.output) for call in calls_of(rows)) == sorted(node["observation"] for node in tree if "observation" in node)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_node_is_kept_and_what_repeats_them_is_merged(name: str, answers: Path) -> None:
    document = load(answers / name)
    lists = document["answer_generation"]["train_messages"]
    kept = len(list(nodes(document["tree"]["tree"]))) + sum(message["role"] in ("system", "user") for message in lists[-1])
    repeated = sum(map(len, lists)) + sum(map(len, document["compare_candidates"])) - sum(message["role"] in ("system", "user") for message in lists[-1])
    assert account_of(read(answers / name)) == (kept + repeated, kept, repeated, 0)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_first_turn_is_the_run_that_the_training_messages_tell(name: str, answers: Path) -> None:
    generation = load(answers / name)["answer_generation"]
    rows = read(answers / name)
    run = [call for call in calls_of(rows) if call.turn_id == rows.turns[0].turn_id]
    given = json.loads(generation["final_answer"])
    if generation["finish_type"] == "give_answer":
        told = [message["function_call"]["name"] for message in generation["train_messages"][-1] if "function_call" in message]
        assert [call.name for call in run][: len(told)] == told
        assert rows.turns[0].answer == given["final_answer"]
    assert run[-1].name == "Finish"
    assert json.loads(run[-1].input or "") == given
    assert rows.turns[0].state == {"give_answer": "done", "give_up": "stopped"}[generation["finish_type"]]
    assert {turn.state for turn in rows.turns[1:]} <= {"abandoned"}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_branch_hangs_on_the_turn_that_it_left(name: str, answers: Path) -> None:
    document = load(answers / name)
    leaves = sum(not node["children"] for node in nodes(document["tree"]["tree"]))
    rows = read(answers / name)
    assert len(rows.turns) == leaves
    assert [turn.parent_turn_id for turn in rows.turns if turn.parent_turn_id is None] == [None]


def test_errors_of_the_tools_fail_their_calls(answers: Path) -> None:
    for name in ANSWERS:
        seen = [node for node in nodes(load(answers / name)["tree"]["tree"]) if "observation" in node]
        wrong = sum(node["observation"].startswith('{"error": "') and not node["observation"].startswith('{"error": ""') for node in seen)
        assert wrong >= sum(node["observation_code"] not in (0, 3, 4) for node in seen)
        assert sum(call.failed for call in calls_of(read(answers / name))) == wrong


def test_every_result_of_an_evaluation_is_a_conversation(answers: Path) -> None:
    document = load(answers / "tooleval-gpt35-cot-G1_instruction.json")
    roots = [root for item in document.values() for root in item["answer"]["answer_details"]]
    listed = [node for root in roots for node in nodes(root, "next")]
    rows = read(answers / "tooleval-gpt35-cot-G1_instruction.json")
    assert len(rows.conversations) == len(rows.turns) == 100
    assert [turn.prompt for turn in rows.turns] == [item["query"] for item in document.values()]
    assert len(calls_of(rows)) == sum(node["role"] == "tool" for node in listed) == 429
    assert account_of(rows) == (len(listed), len(listed), 0, 0)
    assert [call for call in calls_of(rows) if not call.name] == []
    # Texts of the calls were cut after a hundred characters, often in the middle of the arguments.
    assert set(codes(rows)) == {"arguments_not_json"}
