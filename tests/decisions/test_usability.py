"""Right and usable are two questions: what the framework could not dispatch is told apart from what is wrong."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from agentnb.decisions import (
    Criterion,
    OracleResult,
    check_sub_agents,
    check_well_formed,
    judge_response,
    match_decision,
    normalize_decision,
    read_criteria,
    render_history,
    run_oracles,
    score_probabilities,
    score_verdicts,
)
from tests.decisions.turns import envelope, native, near, step

DONE = envelope(taskComplete=True)


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        ({"text": '{"taskComplete": true}'}, None),
        ({"text": "prose"}, "unparseable"),
        ({}, "empty"),
        ({"toolCalls": [{"name": "x"}]}, None),
        ({"text": '{"message": "m", "nextStep": {"type": "chat"}}'}, "wrong_case"),
        ({"text": '{"nextStep": {"type": " Chat"}}'}, "wrong_case"),
        ({"text": '{"nextStep": {"type": "action"}}'}, "not_dispatchable"),
        ({"text": '{"temperature": 21}'}, "nothing_to_dispatch"),
        ({"text": '{"nextStep": {"type": "Retry"}}'}, None),
        ({"text": '{"responseForm": {}}'}, None),
        ({"text": "Done.", "protocol": "implicit"}, None),
        ({"text": '{"answer": 42}', "protocol": "implicit"}, "nothing_to_dispatch"),
    ],
)
def test_a_turn_is_usable_or_the_first_reason_is_told(turn: dict[str, Any], reason: str | None) -> None:
    found = check_well_formed(normalize_decision(turn))
    assert (found.passed, found.reason, found.score) == (reason is None, reason, float(reason is None))


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "length", " Max_Tokens ", "content_filter", "safety", "recitation"])
def test_a_bad_finish_reason_makes_a_turn_unusable(reason: str) -> None:
    for decision in (DONE, native(("search_docs", {"q": "x"}))):
        assert check_well_formed(decision, finish_reason=reason).reason == "finish_reason"
        assert check_well_formed(decision, finish_reason=reason, unacceptable_finish_reasons=()).passed
    assert check_well_formed(DONE, finish_reason="STOP").passed


def test_an_error_of_the_call_outranks_everything() -> None:
    assert check_well_formed(normalize_decision({}), execution_error="429", finish_reason="length").reason == "execution_error"


def test_messages_name_what_a_person_needs() -> None:
    assert "canonical form is 'Chat'" in check_well_formed(envelope(nextStep=step("chat"))).message
    assert "text" in check_well_formed(normalize_decision({"text": "Done.", "protocol": "implicit"})).message
    assert "native" in check_well_formed(native(("x", {})), require_envelope=True).message
    assert "native" not in check_well_formed(normalize_decision({"text": "Done.", "protocol": "implicit"}), require_envelope=True).message


def test_step_types_are_a_parameter() -> None:
    assert check_well_formed(envelope(nextStep=step("Handoff")), step_types=("Handoff",)).passed


def test_sub_agents_of_a_run_are_checked_without_case() -> None:
    clean = check_sub_agents([" planner ", "Editor"], iterations=3, required_agents=["Planner"], forbidden_agents=["Mailer"], min_iterations=3)
    assert (clean.passed, clean.score) == (True, 1)
    wrong = check_sub_agents(["EDITOR"], iterations=1, required_agents=["Planner"], forbidden_agents=["editor"], min_iterations=1)
    assert (wrong.passed, wrong.score, wrong.missing, wrong.forbidden) == (False, near(1 / 3), ("Planner",), ("editor",))
    assert check_sub_agents(["x"], required_agents=["Planner"]).score == 0
    assert check_sub_agents([]).passed


ASSISTANT = {"role": "assistant"}
CALL = {"role": "assistant", "content": "", "toolCalls": [{"name": "search_docs"}]}


def result(**fields: Any) -> dict[str, Any]:
    return {"role": "tool", "content": [{"type": "tool_result", "toolCallId": "1", "toolName": "search_docs", "content": "3 hits"} | fields]}


@pytest.mark.parametrize(
    ("messages", "shown"),
    [
        ([CALL, result()], [{"role": "user", "content": "[Action Result] search_docs succeeded. 3 hits"}]),
        ([CALL | {"content": "Let me look."}], [{"role": "assistant", "content": "Let me look."}]),
        (
            [CALL | {"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "content": "b"}]}],
            [ASSISTANT | {"content": "a\nb"}],
        ),
        ([result(isError=True)], [{"role": "user", "content": "[Action Result] search_docs failed. 3 hits"}]),
        ([result(toolName=None, content={"a": 1})], [{"role": "user", "content": '[Action Result] tool succeeded. {"a":1}'}]),
        ([{"role": "tool", "content": "plain"}], [{"role": "user", "content": "[Action Result] plain"}]),
        ([{"role": "tool", "content": " "}, {"role": "tool"}, {"role": "tool", "content": 7}], []),
        ([{"role": "user", "content": "x"}, 7, None], [{"role": "user", "content": "x"}, 7, None]),
    ],
)
def test_a_history_is_told_to_a_model_without_tools(messages: list[Any], shown: list[Any]) -> None:
    assert render_history(messages) == shown
    assert render_history(messages, native_results=True) == messages


def test_a_message_that_needs_no_change_is_the_same_object() -> None:
    message = {"role": "user", "content": "x"}
    assert render_history([message])[0] is message


def test_the_decision_oracle_tells_all_about_the_turn() -> None:
    turn = {"text": "Hm.", "toolCalls": [{"name": "A"}]}
    found = match_decision(turn, {"kind": "chat"})
    assert (found.passed, found.score) == (False, 0.5)
    assert list(found.details) == [
        "expectedKind", "observedKind", "encoding", "decisionKindMatch", "actionAccuracy", "paramFidelity", "paramResults", "forbiddenViolations",
        "observedActions", "observedSubAgents", "dualChannel", "payloadChanged", "narrationWithCalls", "placeholderCall", "shadowEnvelopeKind", "diagnostic",
    ]  # fmt: skip
    assert (found.details["observedKind"], found.details["observedActions"], found.details["placeholderCall"]) == ("action", ["A"], True)


def test_an_oracle_takes_a_text_as_the_whole_output_and_anything_else_as_none() -> None:
    assert match_decision('{"taskComplete": true}', {"kind": "taskComplete"}).passed
    assert match_decision(None, {"kind": "empty"}).passed
    assert match_decision(7, {"kind": "empty"}).passed
    assert not match_decision(DONE, {}).passed
    assert judge_response({"text": '{"taskComplete": true}', "finishReason": "length"}, {}).score == 0
    assert judge_response({"text": "{}", "executionError": "x"}, {"stepTypes": ["A"]}).details["kind"] == "other"


def test_an_oracle_that_is_missing_or_raises_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    def broken(output: Any, config: Any) -> OracleResult:
        raise RuntimeError("no")

    def content(output: Any, config: Any) -> OracleResult:
        return OracleResult(oracle_type="content", passed=True, score=1, message="")

    registry = {"broken": broken, "content": content}
    with caplog.at_level(logging.DEBUG):
        outcome = run_oracles([{"type": "content"}, {"type": "broken"}, {"type": "gone"}], DONE, registry=registry)
    assert [result.passed for result in outcome.results] == [True, False, False]
    assert (outcome.passed, outcome.score) == (False, near(1 / 3))
    assert "RuntimeError" in outcome.results[1].message
    assert run_oracles([{"type": "content"}, {"type": "gone"}], DONE, registry=registry, weights={"content": 3, "gone": 1}).score == 0.75
    assert run_oracles([{"type": "content"}], DONE, registry=registry, weights={"x": 1}).score == 0
    assert run_oracles([{"type": "content"}], DONE, registry=registry).passed
    assert not run_oracles([], DONE).passed
    bad = run_oracles([{"type": "agent-decision-match", "config": {"kind": "action"}}], DONE)
    assert "needs the actions" in bad.results[0].message


CRITERIA = (Criterion(criterion="polite", weight=3), Criterion(criterion="short"))


def test_criteria_come_from_the_expected_output_first() -> None:
    assert read_criteria({"judgeValidationCriteria": ["a", {"criterion": "b", "weight": 0}]}, {"criteria": ["c"]}) == (
        Criterion(criterion="a"),
        Criterion(criterion="b", weight=0),
    )
    assert read_criteria({}, {"criteria": ["c"]}) == (Criterion(criterion="c"),)
    odd_weights = [[{"criterion": "a", "weight": weight}] for weight in (-1, True, float("nan"))]
    for bad in ([], ["a", 7], [{"weight": 1}], "a", [""], *odd_weights):
        assert read_criteria({"judgeValidationCriteria": bad}) is None
    assert read_criteria(None) is None


def test_probabilities_pass_at_the_threshold_and_are_weighted() -> None:
    found = score_probabilities(CRITERIA, {"criterion_1": 1.0, "criterion_2": 0.5})
    assert (found.passed, found.score) == (True, 0.875)
    assert not score_probabilities(CRITERIA, {"criterion_1": 1.0, "criterion_2": 0.49}).passed
    assert "criterion_2" in score_probabilities(CRITERIA, {"criterion_1": 1.0}).message
    for odd in (None, True, "0.5", float("nan"), 2):
        assert not score_probabilities(CRITERIA, {"criterion_1": 1.0, "criterion_2": odd}).passed
    assert not score_probabilities(CRITERIA, {"criterion_1": 1, "criterion_2": 1}, pass_threshold=1.5).passed
    assert score_probabilities((Criterion(criterion="x", weight=0),), {"criterion_1": 1}).score == 0
    assert not score_probabilities(None, {}).passed


def test_verdicts_are_a_weighted_share_and_what_is_unanswered_stays_so() -> None:
    found = score_verdicts(CRITERIA, {"criterion_1": {"met": True, "rationale": "It is."}})
    assert (found.passed, found.score) == (True, 0.75)
    assert [one["met"] for one in found.details["criteria"]] == [True, None]
    assert not score_verdicts(CRITERIA, {"criterion_1": True}, strict=True).passed
    assert not score_verdicts(CRITERIA, {"criterion_2": True}).passed
    assert not score_verdicts((), {}).passed
