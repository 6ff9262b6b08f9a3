"""A recorded turn is checked against what its agent was shown, and against nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.scripts import Served, check_evidence
from agentnb.scripts.evidence import served_by
from agentnb.values import Turn
from tests.values.made import call, message, part, turn


def run(answer: str, **fields: Any) -> Turn:
    calls = [
        call(call_id="a", parent_call_id="t", name="query", input='{"port": "fc9/9"}', output='{"iops": 41200, "port": "fc1/3"}'),
        call(call_id="b", parent_call_id="t", name="Task", output="the sub-agent counted 5512"),
        call(call_id="sub", parent_call_id="b", kind="agent", name="helper"),
        call(call_id="c", parent_call_id="sub", name="query", output="hidden 7777"),
        call(call_id="d", parent_call_id="t", name="query", error="no route to 10.20.30.40"),
    ]
    messages = (
        message(0, part(role="system", text="You serve site ab1234.")),
        message(1, part(text="How is fc4/4?")),
        message(2, part(role="assistant", text="I guess 3333.")),
        message(3, part(text="reminder: 8888", injected=True)),
        message(4, part(text="task for the helper: 6666", agent_call_id="sub")),
    )
    return turn(*calls, messages=messages, prompt="How is fc4/4?", answer=answer, **fields)


def unsupported(answer: str, **more: Any) -> list[str]:
    return [value.value for value in check_evidence(run(answer), **more).unsupported]


def test_results_and_errors_of_the_agent_s_own_calls_are_evidence() -> None:
    assert unsupported("41,200 IOPS on fc1/3; the helper counted 5512; no route to 10.20.30.40") == []


def test_arguments_guesses_and_what_a_sub_agent_saw_are_none() -> None:
    assert unsupported("fc9/9, 3333, 7777, 6666") == ["fc9/9", "3333", "7777", "6666"]


def test_what_was_said_to_the_agent_is_exempt() -> None:
    check = check_evidence(run("fc4/4 of ab1234, 8888"))
    assert [value.verdict for value in check.values] == ["exempt"] * 3
    assert [check.searched[value.places[0]].name for value in check.values] == ["user", "system", "injected"]


def test_earlier_turns_more_results_and_more_context_are_searched_too() -> None:
    earlier = turn(call(call_id="z", parent_call_id="t", name="query", output="id 9090"), prompt="And x111?")
    assert unsupported("9090 and x111 and 1212 and 1313") == ["9090", "x111", "1212", "1313"]
    assert unsupported("9090 and x111 and 1212 and 1313", earlier=[earlier], results=["1212"], said=["1313"]) == []
    check = check_evidence(run("9090"), earlier=[earlier])
    assert (check.turn, check.values[0].turn, check.latest_prior_turn) == (2, 1, 1)


@pytest.mark.parametrize("planted", ["41,299", "fc9/8", "10.20.30.41", "2031-01-01"])
def test_a_planted_value_is_found_and_its_clean_twin_is_not_accused(planted: str) -> None:
    clean = "Port fc1/3 peaks at 41,200 IOPS; 10.20.30.40 is not reachable."
    assert unsupported(clean) == []
    assert unsupported(f"{clean} See {planted}.") == [planted.replace(",", "")]


def test_a_turn_without_answer_or_calls_is_checked() -> None:
    assert check_evidence(turn()).candidates == 0
    assert check_evidence(turn(answer="4417")).unsupported[0].value == "4417"
    assert served_by(turn(prompt="hi")) == ([], [Served("hi", "user", None, 1)])


def test_calls_that_are_their_own_parents_end() -> None:
    strange = turn(call(call_id="x", parent_call_id="y", output="4417"), call(call_id="y", parent_call_id="x", output="5512"), answer="4417 5512")
    assert check_evidence(strange).unsupported == ()
