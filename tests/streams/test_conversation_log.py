"""A conversation is read from its records: what each turn is, what it waits for, and that nothing in a record is ever an error."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.streams.conversation_log import NOT_COUNTED, ConversationLog, NextTurn, Sends
from agentnb.streams.turn_log import ENDS
from tests.streams.records import NOON, approval_object, damaged, ended, lease, made, reply, tool, turn, waiting

STATES = {*ENDS, "running", "waiting", "interrupted", None}


def log_of(*records: Any) -> ConversationLog:
    return ConversationLog().read_all(records)


@given(st.lists(damaged(), max_size=30))
def test_whatever_stands_in_records_is_read_without_an_error(records: list[Any]) -> None:
    log = ConversationLog()
    for record in records:
        before = log.position
        assert log.read(record) in {None, *NOT_COUNTED}
        assert before < log.position or isinstance(record, dict)
    for each in log.turns.values():
        assert each.state(NOON) in STATES
        assert isinstance(each.outputs, dict)
        assert log.branch(each.id)[-1:] == [each.id]
        assert log.view_head(each.id) in log.turns
        done = log.done_on(each.id)
        assert done is None or log.turns[done].is_done
        found = (each.unanswered(), each.unfinished(), each.fresh_answers(), each.reply_queues(), each.result, each.model, each.error, each.usage, each.saw)
        assert len(found) == 9
        for sends in get_args(Sends):
            assert isinstance(log.next_parent(each.id, sends, NOON), NextTurn)


@given(st.lists(damaged(), max_size=20), st.integers(0, 20))
def test_a_log_that_is_read_in_two_goes_is_the_same(records: list[Any], cut: int) -> None:
    at_once, in_two = log_of(*records), log_of(*records[:cut]).read_all(records[cut:])
    assert repr({name: vars(each) for name, each in at_once.turns.items()}) == repr({name: vars(each) for name, each in in_two.turns.items()})
    assert (at_once.position, at_once.head, at_once.order) == (in_two.position, in_two.head, in_two.order)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (None, "no_record"),
        ("cut li", "no_record"),
        ({"kind": "turn"}, "no_record"),
        ({**turn("b"), "functai_conversation": 2}, "unknown_version"),
        ({**turn("b"), "functai_conversation": True}, "unknown_version"),
        (turn("a"), "second_turn"),
        (lease("b"), "unknown_turn"),
        (made("head", "b"), "unknown_turn"),
        (lease("a", 60, attempt=1), "overtaken_attempt"),
        (tool("a", 1, "done", output="late", attempt=1), "overtaken_attempt"),
        (ended("a", "stopped", attempt=1), "overtaken_attempt"),
        (made("mystery", "a"), None),
        (made("mystery"), None),
        (made("approval", "a", site="p#1", invocation=1, verdict="yes", attempt=1), None),
    ],
)
def test_a_record_that_does_not_count_says_why_and_keeps_its_place(record: Any, reason: str | None) -> None:
    log = log_of(turn("a"), lease("a", attempt=2))
    assert log.read(record) == reason
    assert log.position == 3


@pytest.mark.parametrize(("seq", "position"), [(7, 7), (2.0, 2), (None, 1), (0, 1), (-4, 1), (True, 1), ("9", 1), (2**80, 1), (float("inf"), 1)])
def test_the_position_is_the_highest_number_that_is_one(seq: Any, position: int) -> None:
    assert log_of(turn("a", seq=seq)).position == position


def test_the_first_end_of_the_attempt_that_holds_the_turn_counts() -> None:
    log = log_of(turn("a"), lease("a"), lease("a", 90, attempt=2), ended("a", "stopped", attempt=1), ended("a", attempt=2), ended("a", "failed", attempt=2))
    assert log.turns["a"].state(NOON) == "done"
    assert log.turns["a"].outputs == {"result": "answer to a"}


def test_an_end_that_is_not_known_is_an_end_but_no_answer_to_continue() -> None:
    log = log_of(turn("a"), ended("a"), turn("b", "a"), lease("b"), ended("b", "evaporated"))
    assert log.turns["b"].state(NOON) is None
    assert log.next_parent("b", "queue", NOON) == NextTurn("a")


def test_a_number_and_its_text_are_the_same_request() -> None:
    assert log_of(turn("a", request_id=7), turn("b", request_id="7")).request_ids == {"7": "a"}


def test_a_path_that_leads_back_to_itself_ends() -> None:
    log = log_of(turn("a", "b"), turn("b", "c"), turn("c", "a"), ended("c", "failed"))
    assert log.branch("c") == ["b", "a", "c"]
    assert log.done_on("a") is None
    assert log.view_head("a") == "c"
    assert log.view_head("nobody") == "nobody"


def test_a_view_finds_the_newest_turn_that_continues_its_own() -> None:
    log = log_of(turn("a"), turn("b", "a"), turn("c", "a"), turn("d", "b"), turn("e", "c"))
    assert [log.view_head(pinned) for pinned in (None, "a", "b", "c", "e")] == ["e", "e", "d", "e", "e"]
    assert log.view_head("b", exact=True) == "b"
    assert log.turns["a"].children == ["b", "c"]


def test_answers_that_came_since_the_turn_waited_are_told_from_older_ones() -> None:
    yes = {"site": "p#1", "verdict": "yes", "by": "Ana Example"}
    log = log_of(turn("a"), made("approval", "a", invocation=1, **yes), waiting("a", 1, 2), made("approval", "a", invocation=2, **yes))
    found = log.turns["a"]
    assert [each["invocation"] for each in found.unanswered()] == [1]
    assert [each["invocation"] for each in found.fresh_answers()] == [2]


def test_the_last_answer_to_a_question_counts_and_each_plugin_asks_its_own() -> None:
    answers = [made("approval", "a", site="p#1", invocation=1, verdict=verdict) for verdict in ("yes", "no")]
    found = log_of(turn("a"), *answers, made("approval", "a", site="p#1", invocation=1, verdict="yes", plugin="budget")).turns["a"]
    verdicts = [answer and answer["verdict"] for answer in (found.answer_of("p#1", 1), found.answer_of("p#1", 1, "budget"), found.answer_of("p#1", 2))]
    assert verdicts == ["no", "yes", None]


def test_a_tool_answers_what_was_recorded_first_of_it() -> None:
    found = log_of(turn("a"), tool("a", 1, "given", output="as told"), tool("a", 1, "done", output="late"), tool("a", 2, "done", output=5)).turns["a"]
    assert [found.result_of("p#1", number) for number in (1, 2, 3)] == ["as told", None, None]


def test_a_tool_that_may_have_run_is_told_with_what_it_was_given() -> None:
    found = log_of(turn("a"), tool("a", 3, "started", input={"order": "B-2210"})).turns["a"].unfinished()
    assert [each._asdict() for each in found] == [
        {"site": "p#1", "invocation": 3, "id": "c3", "name": "refund", "input": {"order": "B-2210"}, "started_at": "2026-09-21T14:13:20.000000Z"}
    ]


def test_replies_that_an_attempt_recorded_again_are_there_once() -> None:
    first = [reply("a", "k", "r1"), lease("a", attempt=2), reply("a", "k", "r1", 2), reply("a", "k", "r2", 2)]
    found = log_of(turn("a"), lease("a"), *first, lease("a", attempt=3), reply("a", "k", "r1", 3), reply("a", "k", "r2", 3), reply("a", "k", "r3", 3)).turns[
        "a"
    ]
    assert [each["response"]["text"] for each in found.reply_queues()["k"]] == ["r1", "r2", "r3"]


def test_the_same_answer_twice_in_one_attempt_is_two_replies() -> None:
    found = log_of(turn("a"), reply("a", "k", "r"), reply("a", "k", "r"), reply("a", "other", "r")).turns["a"]
    assert {key: len(queue) for key, queue in found.reply_queues().items()} == {"k": 2, "other": 1}


def test_a_reply_that_says_which_call_asked_is_never_taken_for_a_repetition() -> None:
    records = [reply("a", "k", "r", site="p#1"), lease("a", attempt=2), reply("a", "k", "r", 2, site="p#2")]
    assert len(log_of(turn("a"), *records).turns["a"].reply_queues()["k"]) == 2


@pytest.mark.parametrize(
    ("end", "result"),
    [({"value": 5}, 5), ({"value": None}, None), ({}, "answer to a"), ({"outputs": {"other": 1}}, None), ({"outputs": 3}, None)],
)
def test_the_result_is_the_value_that_was_returned_else_the_answer(end: dict[str, Any], result: Any) -> None:
    program = made("program", version="v1", name="tutor", interface={"outputs": [{"name": "other"}, {"name": "result"}]})
    assert log_of(program, turn("a"), ended("a", **end)).turns["a"].result == result


def test_a_program_may_name_its_answer_and_its_first_record_counts() -> None:
    programs = [made("program", version="v1", answer="summary"), made("program", version="v1", answer="result")]
    assert log_of(*programs, turn("a"), ended("a", outputs={"result": 1, "summary": 2})).turns["a"].result == 2


def test_a_turn_tells_the_model_that_answered_else_the_one_it_was_sent_with() -> None:
    lm = {"lm": "gpt-4.1-mini"}
    log = log_of(turn("a", settings=lm), ended("a", model="gpt-4.1"), turn("b", settings=lm), turn("c"), ended("c", "failed", error={"type": "E"}, model=None))
    assert [each.model for each in log.turns.values()] == ["gpt-4.1", "gpt-4.1-mini", None]
    assert log.turns["c"].error == {"type": "E"}


def test_what_a_turn_saw_is_recorded_at_its_end_or_while_it_waits() -> None:
    log = log_of(turn("a"), ended("a", saw=[]), turn("b"), waiting("b", 1, saw=[{"call": "a"}]), turn("c"), ended("c"))
    assert [each.saw for each in log.turns.values()] == [[], [{"call": "a"}], None]


def test_an_approval_that_is_no_object_is_no_question() -> None:
    found = log_of(turn("a"), made("waiting", "a", approvals=["x", None, approval_object("a", 1)])).turns["a"]
    assert len(found.unanswered()) == 1
