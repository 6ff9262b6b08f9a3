"""Every rule at every point of a recorded turn: contexts, statuses, evidence, nudges that are in the recording."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentnb.errors import UnknownId
from agentnb.rules import PROMPTS, Limits, context_from_calls, context_from_turn, default_rules, explain_rules
from agentnb.values import Message, Turn
from tests.rules.faults import Maker, edit, read, run_tests
from tests.values.made import call, message, part, turn


def grep(output: str = "1") -> dict[str, Any]:
    return {"name": "Grep", "input": {"pattern": "x"}, "output": output}


def hits(told: Turn, **options: Any) -> list[tuple[int, str]]:
    return [(point.point_index, check.code) for point, check in explain_rules(told, **options).hits]


def test_a_point_comes_after_each_batch_and_after_the_answer() -> None:
    told = Maker("Fix it").step("Looking.", read("a.py"), read("b.py")).step(None, edit("a.py")).say("Done.").turn()
    explained = explain_rules(told)
    assert [(point.phase, point.step_id, point.call_index) for point in explained.points] == [("tools", "c1", 3), ("tools", "c4", 5), ("final", "c6", 6)]
    assert [point.context.tool_calls for point in explained.points] == [2, 3, 3]
    assert [len(point.checks) for point in explained.points] == [11, 11, 11]
    ending = explained.ending
    assert ending is not None
    assert (ending.code, ending.evidence["last_write"]) == ("verify_before_done", "c5")


def test_the_same_call_with_another_thought_is_a_loop_and_shows_its_calls() -> None:
    made = Maker("Fix it")
    for number in range(7):
        made.step(f"Thought {number}.", grep())
    ((point, check), *_) = explain_rules(made.turn(), counting="counterfactual").hits
    assert (check.code, point.context.no_progress_streak) == ("no_progress", 5)
    assert check.evidence == {"calls": ["c4", "c6", "c8", "c10", "c12"], "name": "Grep", "input": '{"pattern": "x"}', "times": 6}


def test_the_same_call_with_other_results_is_no_loop() -> None:
    made = Maker("Fix it")
    for number in range(9):
        made.step(None, grep(str(number)))
    assert hits(made.turn()) == []


def test_polling_neither_adds_nor_resets() -> None:
    poll = {"name": "wait", "input": {}, "output": "running"}
    made = Maker("Fix it").step(None, grep()).step(None, grep())
    for _ in range(9):
        made.step(None, poll)
    assert context_from_turn(made.turn()).no_progress_streak == 1


def test_volatile_results_hide_a_loop_unless_they_are_scrubbed() -> None:
    made = Maker("Fix it")
    for number in range(7):
        made.step(None, {"name": "Bash", "input": {"command": "ls"}, "output": f"2026-01-01T10:00:0{number}Z /tmp/x{number} in 0.{number}s 0xabc{number}"})
    told = made.turn()
    assert hits(told) == []
    assert hits(told, scrub=True)[0][1] == "no_progress"


def test_without_results_nothing_is_said_about_progress() -> None:
    made = turn(*[item for at in range(7) for item in (
        call(call_id=f"m{at}", kind="model", call_index=2 * at, parent_call_id="t"),
        call(call_id=f"c{at}", call_index=2 * at + 1, parent_call_id="t", step_id=f"m{at}", name="Grep", input="{}", state="unanswered"),
    )])  # fmt: skip
    explained = explain_rules(made)
    assert [point.context.no_progress_streak for point in explained.points] == [0] * 6
    assert {check.status for point in explained.points for check in point.checks if check.code == "no_progress"} == {"unknown"}


def test_recorded_counting_ignores_its_own_nudges_and_counterfactual_spends_them() -> None:
    made = Maker("Look")
    for number in range(25):
        made.step(None, read(f"{number}.py"))
    recorded, counterfactual = hits(made.turn()), hits(made.turn(), counting="counterfactual")
    assert recorded == [(at, "exploration") for at in range(9, 25)]
    assert counterfactual == [(9, "exploration"), (19, "exploration")]
    assert hits(made.turn()) == recorded


def test_a_nudge_in_the_recording_is_counted_and_is_not_the_users() -> None:
    for nudge in (
        part(message_index=2, text=PROMPTS["no_action"]),
        part(message_index=2, text="Take it now.", extra=json.dumps({"meta": {"nudge": "no_action"}})),
        part(message_index=2, text="Take it now.", extra=json.dumps({"nudge": "no_action"}), injected=True),
    ):
        explained = explain_rules(nudged(nudge))
        first, second = explained.points
        assert (first.context.nudges, second.context.nudges) == ({}, {"no_action": 1})
        assert second.context.last_user_text == "Hello"
        assert [check.status for check in second.checks if check.code == "no_action"] == ["cap_spent"]
        assert explained.undecided_messages == 0


def test_what_a_person_says_in_between_is_the_last_word_and_is_told() -> None:
    explained = explain_rules(nudged(part(message_index=2, text="go")))
    assert explained.points[-1].context.last_user_text == "go"
    assert explained.undecided_messages == 1


def nudged(said: Any) -> Turn:
    models = [call(call_id=f"m{at}", kind="model", call_index=at, parent_call_id="t") for at in (1, 2)]
    spoken = [part(message_index=at, role="assistant", text="I'll fix it.", step_id=f"m{place}") for place, at in ((1, 1), (2, 3))]
    return turn(*models, messages=tuple(message(item.message_index, item) for item in (part(), spoken[0], said, spoken[1])))


def test_a_turn_that_begins_with_a_nudge_continues_the_one_before() -> None:
    before = Maker("Fix it").step(None, edit("a.py")).say("Done.").turn()
    after = Maker(PROMPTS["verify_before_done"]).say("It is done.").turn()
    alone, together = explain_rules(after), explain_rules(after, earlier=[before])
    assert (alone.points[-1].context.tool_calls, together.points[-1].context.tool_calls) == (0, 1)
    assert together.points[-1].context.nudges == {"verify_before_done": 1}
    assert together.points[-1].context.last_user_text == "Fix it"


def test_an_agent_that_goes_on_after_words_did_not_end_there() -> None:
    told = Maker("Fix it").say("I'll look at the file.", reason=None).step(None, read("a.py")).say("All is well.").turn()
    assert [point.phase for point in explain_rules(told).points] == ["tools", "final"]


@pytest.mark.parametrize("state", ["interrupted", "stopped", "waiting", "running", "abandoned"])
def test_who_was_interrupted_did_not_answer(state: str) -> None:
    assert hits(Maker("Fix it").say("I'll fix").turn(state=state)) == []


def test_calls_without_results_at_the_end_are_an_answer_only_where_the_runner_drops_them() -> None:
    def told(reason: str) -> Turn:
        own = call(call_id="m", kind="model", call_index=1, parent_call_id="t", finish_reason=reason)
        asked = call(call_id="c", call_index=2, parent_call_id="t", step_id="m", state="unanswered")
        return turn(own, asked, messages=(message(0, part()), message(1, part(message_index=1, role="assistant", text="def f(", step_id="m"))))

    assert hits(told("max_tokens")) == [(0, "length_recovery")]
    assert explain_rules(told("tool_use")).points == ()


def test_reasoning_is_no_answer_and_a_picture_is_no_empty_one() -> None:
    assert hits(Maker("Hi").say("<think>Let me think.</think>").turn()) == [(0, "empty_final_response")]
    model = call(call_id="m", kind="model", call_index=1, parent_call_id="t")
    picture = part(message_index=1, role="assistant", type="image", text="data:", step_id="m")
    assert hits(turn(model, messages=(message(0, part()), message(1, picture)))) == []


def test_a_model_call_that_failed_is_no_answer() -> None:
    model = call(call_id="m", kind="model", call_index=1, parent_call_id="t", failed=True, state="failed")
    assert hits(turn(model, messages=(message(0, part()),))) == []


def test_a_refused_call_does_not_count_but_makes_no_progress() -> None:
    ctx = context_from_calls([{"name": "Bash", "arguments": {"command": "rm x"}, "status": "refused"}] * 3)
    assert (ctx.tool_calls, ctx.no_progress_streak, ctx.read_streak) == (0, 3, 0)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([{"name": "Edit", "arguments": {"path": "a.py", "dry_run": True}}], {"unverified_write": False}),
        ([{"name": "Edit", "arguments": {"path": "a.py"}, "no_change": True}], {"unverified_write": False, "no_progress_streak": 1}),
        ([{"name": "Edit", "arguments": {"path": "a.py"}, "result": '{"changed": false}'}], {"no_progress_streak": 1}),
        ([{"name": "Edit", "arguments": {}}, {"name": "verify", "kind": "verify", "verdict": None}], {"unverified_write": True, "verify_failed": False}),
        ([{"name": "verify", "verdict": "fail"}, {"name": "verify", "verdict": None}], {"verify_failed": True}),
        ([{"name": "verify", "verdict": "fail"}, {"name": "verify", "verdict": "pass"}], {"verify_failed": False}),
        ([{"name": "Read", "status": "error"}, {"name": "Read", "arguments": "{not json"}], {"read_streak": 2}),
        ([{"name": "bash", "arguments": {"command": "pytest"}, "exit_code": 1, "result": "2 failed"}], {"verify_failed": True, "check_output": "2 failed"}),
    ],
)  # fmt: skip
def test_calls_come_to_fields(calls: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    ctx = context_from_calls(calls)
    assert {name: getattr(ctx, name) for name in expected} == expected


def test_a_check_that_proves_nothing_is_named() -> None:
    masked = {"name": "Bash", "input": {"command": "npm run check | head -3"}, "output": "Checked 120 files."}
    told = Maker("Fix it").step(None, edit("a.py")).step(None, masked).say("Done.").turn()
    ending = explain_rules(told).ending
    assert ending is not None
    assert ending.evidence == {"last_write": "c2", "last_check": None, "unproved": ["c4"]}


def test_a_limit_is_used_up() -> None:
    told = Maker("Fix it").step(None, read("a.py")).step(None, read("b.py")).turn()
    assert context_from_turn(told, limits=Limits(steps=4, tool_calls=100)).limit_usage == 0.5
    explained = explain_rules(told, limits=Limits(tool_calls=2))
    assert explained.hits[0][1].evidence == {"limit": "tool_calls", "used": 1.0}


def test_the_context_can_be_had_at_any_step() -> None:
    told = Maker("Fix it").step(None, read("a.py")).step(None, edit("a.py")).step(None, run_tests(False)).say("Done.").turn()
    assert [context_from_turn(told, at).read_streak for at in (0, 1)] == [1, 0]
    assert context_from_turn(told, told.steps[2]).verify_failed
    assert context_from_turn(told, told.steps[2].step_id) == context_from_turn(told, 2)
    assert context_from_turn(told).phase == "final"
    with pytest.raises(IndexError, match="has 4 steps"):
        context_from_turn(told, 9)
    with pytest.raises(IndexError, match="no point at step"):
        context_from_turn(Maker("Fix it").say("I'll", None).turn(state="stopped"), 0)


def test_a_sub_agent_is_judged_by_its_own_calls() -> None:
    own = call(call_id="m", kind="model", call_index=1, parent_call_id="t")
    task = call(call_id="task", name="Task", call_index=2, parent_call_id="t", step_id="m", input="{}", output="ok")
    agent = call(call_id="sub", kind="agent", name="helper", call_index=3, parent_call_id="task")
    inner = [item for at in range(11) for item in (
        call(call_id=f"s{at}", kind="model", call_index=4 + 2 * at, parent_call_id="sub"),
        call(call_id=f"r{at}", name="Read", call_index=5 + 2 * at, parent_call_id="sub", step_id=f"s{at}", input=f'{{"p":{at}}}', output="x"),
    )]  # fmt: skip
    told = turn(own, task, agent, *inner, messages=(message(0, part()),))
    assert explain_rules(told).points[0].context.tool_calls == 1
    assert hits(told, agent="sub", counting="counterfactual") == [(9, "exploration")]
    with pytest.raises(UnknownId, match="no agent call 'nobody'"):
        explain_rules(told, agent="nobody")


def test_tools_that_are_not_known_are_named() -> None:
    told = Maker("Book").step(None, {"name": "cancel_reservation", "input": {}}).say("Done.").turn()
    assert explain_rules(told).assumed_tools == ("cancel_reservation",)
    assert explain_rules(told, tool_kinds={"cancel_reservation": "write"}).assumed_tools == ()


def test_the_counter_of_a_rule_can_go_back_after_tools() -> None:
    first, again = part(message_index=2, text=PROMPTS["length_recovery"]), part(message_index=5)
    models = [call(call_id=f"m{at}", kind="model", call_index=at * 2, parent_call_id="t", finish_reason="length") for at in (1, 2, 3)]
    tool = call(call_id="c", call_index=5, parent_call_id="t", step_id="m2", input="{}", output="x")
    spoken = [part(message_index=at, role="assistant", text="def", step_id=f"m{place}") for place, at in ((1, 1), (2, 3), (3, 4))]
    told = turn(
        models[0], models[1], tool, models[2], messages=tuple(message(item.message_index, item) for item in (part(), spoken[0], first, *spoken[1:], again))
    )
    assert context_from_turn(told).nudges == {"length_recovery": 1}
    assert context_from_turn(told, reset_on_tools=("length_recovery",)).nudges == {}


def test_an_empty_turn_has_no_points() -> None:
    explained = explain_rules(turn(messages=(Message(message_index=0, role="user"),)))
    assert (explained.points, explained.ending, explained.language_covered) == ((), None, None)


def test_explaining_twice_gives_the_same() -> None:
    told = Maker("Fix it").step(None, read("a.py")).say("I'll go on.").turn()
    assert explain_rules(told) == explain_rules(told, default_rules()) or explain_rules(told).hits[0][1] == explain_rules(told).hits[0][1]
    assert explain_rules(told).model_dump_json() == explain_rules(told).model_dump_json()


def test_a_step_of_which_nothing_was_recorded_is_no_empty_answer() -> None:
    silent = Maker("Fix it").step(None, reason="stop").turn()
    assert hits(silent) == [(0, "empty_final_response")]
    calls = tuple(each.model_copy(update={"finish_reason": None}) for each in silent.calls)
    assert explain_rules(silent.model_copy(update={"calls": calls})).points == ()
