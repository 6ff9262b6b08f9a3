"""Real trajectories of SWE-agent and mini-swe-agent: what somebody counts in the files is in the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings

FILES = [
    "ctf-rev-rock.traj",
    "ctf-web-i_got_id_demo.traj",
    "function_calling_simple.traj",
    "humanevalfix-python-0.traj",
    "marshmallow-1867-function_calling_replace_from_source.traj",
    "marshmallow-1867-xml-window100.traj",
    "test-repo-1c2844.traj",
]


@pytest.fixture(scope="module")
def trajectories(recordings: Path) -> Path:
    return recordings / "sweagent"


def load(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_file_is_read_as_what_it_is(trajectories: Path) -> None:
    formats = {Path(source.path).name: source.format for source in read(trajectories).sources}
    assert formats == dict.fromkeys(FILES, "swe_agent") | {"mini-local.traj.json": "mini_swe_agent"}


@pytest.mark.parametrize("name", FILES)
def test_every_step_is_a_call_with_its_result(name: str, trajectories: Path) -> None:
    run = load(trajectories / name)
    steps, history = run.get("trajectory", []), run["history"]
    replies = [message for message in history if message["role"] == "assistant"]
    rows = read(trajectories / name)
    assert len(calls_of(rows, "model")) == len(calls_of(rows)) == max(len(steps), len(replies))
    assert account_of(rows)[0] == len(steps) + len(history)
    assert account_of(rows)[3] == 0
    assert len(rows.turns) == 1
    assert set(codes(rows)) <= {"repeated_messages"}


@pytest.mark.parametrize("name", FILES)
def test_every_observation_of_the_trajectory_is_what_its_call_gave(name: str, trajectories: Path) -> None:
    steps = load(trajectories / name).get("trajectory", [])
    outputs = [call.output or "" for call in calls_of(read(trajectories / name))]
    assert [step["observation"] for step, output in zip(steps, outputs, strict=False) if step["observation"].strip() not in str(output)] == []


@pytest.mark.parametrize("name", [name for name in FILES if "function" in name or "test-repo" in name])
def test_calls_of_newer_versions_have_their_ids_and_arguments(name: str, trajectories: Path) -> None:
    history = load(trajectories / name)["history"]
    asked = [call for message in history for call in message.get("tool_calls") or []]
    calls = calls_of(read(trajectories / name))[: len(asked)]
    assert [(call.tool_call_id, call.name, call.input) for call in calls] == [
        (call["id"], call["function"]["name"], call["function"]["arguments"]) for call in asked
    ]


def test_times_and_cost_are_as_recorded(trajectories: Path) -> None:
    rows = read(trajectories / "test-repo-1c2844.traj")
    steps = load(trajectories / "test-repo-1c2844.traj")["trajectory"]
    assert [call.seconds for call in calls_of(rows)] == [step["execution_time"] for step in steps]
    assert json.loads(rows.conversations[0].extra or "")["model_stats"]["instance_cost"] == pytest.approx(0.01952)
    assert rows.turns[0].state == "done"


def test_the_run_of_mini_swe_agent_has_two_commands_and_one_exit_code(trajectories: Path) -> None:
    rows = read(trajectories / "mini-local.traj.json")
    assert [(call.input, call.exit_code) for call in calls_of(rows)] == [
        ('{"command":"echo \'hello world\'"}', 0),
        ('{"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}', None),
    ]
    assert account_of(rows) == (6, 6, 0, 0)
