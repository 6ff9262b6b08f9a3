"""A decision is judged by what was expected of it, and the closest miss is told."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentnb.decisions import DecisionExpectation, Evaluation, Matcher, evaluate_decision, expect_decision, normalize_decision, read_expectation
from agentnb.decisions.evaluate import value_at
from agentnb.decisions.matchers import ABSENT
from agentnb.values import ObservedDecision
from tests.decisions.turns import envelope, native, near, step

CHAT = envelope(nextStep=step("Chat"))
UNPARSEABLE = normalize_decision({"text": "prose"})


def acts(*actions: Any, **fields: Any) -> ObservedDecision:
    named = [{"name": action, "params": {}} if isinstance(action, str) else {"name": action[0], "params": action[1]} for action in actions]
    return envelope(nextStep=step("Actions", actions=named), **fields)


def hands_over(*names: str) -> ObservedDecision:
    return envelope(nextStep=step("Sub-Agent", subAgents=[{"name": name} for name in names]))


def expects(*names: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "action", "actions": [{"name": name} for name in names]} | fields


def param(matcher: str, **fields: Any) -> dict[str, Any]:
    return {"matcher": matcher} | fields


@pytest.mark.parametrize(
    ("expectation", "observed", "passed", "score"),
    [
        ({"kind": "chat"}, CHAT, True, 1),
        ({"kind": "chat"}, acts("A"), False, 0.5),
        ({"kind": "chat", "forbiddenActions": ["A"]}, acts("A"), False, 0),
        (expects("A"), acts("A"), True, 1),
        (expects("A"), acts("A", "B"), False, 2 / 3),
        (expects("A", allowAdditionalActions=True), acts("A", "B"), True, 1),
        (expects("A", "A", allowAdditionalActions=True), acts("A", "B"), False, 2 / 3),
        (expects("A", "B"), acts("B", "A"), True, 1),
        (expects("A", "B", ordered=True), acts("B", "A"), False, 2 / 3),
        (expects("A", "B", ordered=True, allowAdditionalActions=True), acts("B", "A"), True, 1),
        (expects("a"), acts("A"), False, 2 / 3),
        ({"kind": "subAgent", "subAgents": ["P"]}, hands_over("P"), True, 1),
        ({"kind": "subAgent", "subAgents": ["P"]}, hands_over("P", "Q"), False, 2 / 3),
        ({"kind": "subAgent", "subAgents": ["P"], "allowAdditionalActions": True}, hands_over("P", "Q"), False, 2 / 3),
        ({"kind": "subAgent", "forbiddenActions": ["Q"]}, hands_over("P", "Q"), False, 0.5),
        ({"kind": "payloadChange"}, acts("A", payloadChangeRequest={}), True, 1),
        ({"kind": "chat", "message": param("contains", value="region")}, CHAT, False, 2 / 3),
        ({"kind": "anyOf", "anyOf": [{"kind": "chat"}, expects("A")]}, acts("A"), True, 1),
        ({"kind": "anyOf", "anyOf": [{"kind": "chat"}, expects("A")]}, UNPARSEABLE, False, 0.5),
    ],
)
def test_an_expectation_is_met_or_missed_by_a_score(expectation: dict[str, Any], observed: ObservedDecision, passed: bool, score: float) -> None:
    found = evaluate_decision(expectation, observed)
    assert (found.passed, found.score) == (passed, near(score))
    assert bool(found.messages) is not passed


def test_what_is_not_expected_is_not_judged() -> None:
    found = evaluate_decision({"kind": "chat"}, CHAT)
    assert (found.action_accuracy, found.param_fidelity, found.param_results) == (None, None, ())


def test_parameters_are_judged_one_by_one() -> None:
    wanted = {"kind": "action", "actions": [{"name": "A", "params": {"q": param("nonEmpty"), "n": param("numericTolerance", value=5, tolerance=5)}}]}
    found = evaluate_decision(wanted, acts(("A", {"q": "x", "n": 50})))
    assert (found.action_accuracy, found.param_fidelity, found.score) == (1, 0.5, 0.875)
    assert [(result.param, result.passed) for result in found.param_results] == [("A.q", True), ("A.n", False)]


def test_parameters_of_an_action_that_was_never_called_fail() -> None:
    wanted = {"kind": "action", "actions": [{"name": "A", "params": {"q": param("nonEmpty", optional=True)}}]}
    found = evaluate_decision(wanted, acts("B"))
    assert (found.action_accuracy, found.param_fidelity, found.score) == (0, 0, 0.5)
    assert found.param_results[0].param == "A.q"
    assert "never called" in (found.param_results[0].detail or "")


def test_the_first_call_of_an_action_is_judged() -> None:
    wanted = {"kind": "action", "actions": [{"name": "A", "params": {"q": param("exact", value="x")}}], "allowAdditionalActions": True}
    assert evaluate_decision(wanted, acts(("A", {"q": "y"}), ("A", {"q": "x"}))).param_fidelity == 0
    other = {"kind": "action", "actions": [{"name": "A", "params": {"q": param("exact", value="x")}}]}
    assert evaluate_decision(other, acts(("A", {"q": "y"}), ("A", {"q": "x"}))).score == near(0.5)


def test_a_payload_is_judged_by_paths_and_forbidden_paths() -> None:
    payload = envelope(payloadChangeRequest={"updateElements": {"f": [1], "b": None}})
    missed = evaluate_decision({"kind": "payloadChange", "payload": {"newElements.f": param("nonEmpty")}}, payload)
    assert (missed.passed, missed.param_fidelity, missed.score) == (False, 0, near(2 / 3))
    assert "payload newElements.f" in missed.messages[0]
    forbidden = evaluate_decision({"kind": "payloadChange", "forbiddenPayloadPaths": ["newElements.b", "updateElements.b"]}, payload)
    assert (forbidden.forbidden_violations, forbidden.score) == (("payload:updateElements.b",), 0.5)


def test_a_path_leads_through_objects_and_numbers_into_arrays() -> None:
    payload = {"a": [{"b": 1}], "": {"": 2}, "length": 3}
    assert value_at(payload, "a.0.b") == 1
    assert value_at(payload, ".") == 2
    assert [value_at(payload, path) for path in ("a.1", "a.-1", "a.00", "a.length", "a.0.b.c", "x", "a.²", "a." + "9" * 5000)] == [ABSENT] * 8
    assert value_at(None, "a") is ABSENT


def test_a_wrong_kind_tells_the_diagnostic() -> None:
    assert "not JSON" in evaluate_decision({"kind": "taskComplete"}, UNPARSEABLE).messages[0]


def test_an_envelope_and_a_native_call_that_say_the_same_are_judged_alike() -> None:
    wanted = {"kind": "action", "actions": [{"name": "Search Docs", "params": {"q": param("contains", value="pandas")}}]}
    assert evaluate_decision(wanted, acts(("Search Docs", {"q": "Pandas"}))) == evaluate_decision(wanted, native(("search_docs", {"q": "Pandas"})))


def test_the_branch_that_came_closest_is_told_and_the_earliest_of_equals() -> None:
    branches = {"kind": "anyOf", "anyOf": [{"kind": "taskComplete"}, {"kind": "anyOf", "anyOf": [expects("B"), expects("A", "B")]}, {"kind": "chat"}]}
    found = evaluate_decision(branches, acts("A"))
    assert (found.passed, found.branch) == (False, (1, 0))
    assert evaluate_decision(branches, CHAT).branch == (2,)
    assert evaluate_decision({"kind": "anyOf", "anyOf": [{"kind": "chat"}, {"kind": "other"}]}, UNPARSEABLE).branch == (0,)


def test_the_record_has_the_keys_of_the_engine() -> None:
    assert list(evaluate_decision({"kind": "chat"}, CHAT).record()) == [
        "decisionKindMatch", "actionAccuracy", "paramFidelity", "paramResults", "forbiddenViolations", "passed", "score", "messages",
    ]  # fmt: skip


def test_what_was_decided_is_what_is_expected_of_it() -> None:
    for decision in (acts(("A", {"q": {"x": [1, None]}}), "B", ("A", {"q": 2})), CHAT, hands_over("P", "Q"), native(("search_docs", {"q": "x"}))):
        wanted = expect_decision(decision)
        assert isinstance(wanted, DecisionExpectation)
        assert evaluate_decision(wanted, decision).passed
    assert not evaluate_decision(expect_decision(acts(("A", {"q": 1}))), acts(("A", {"q": 2}))).passed
    assert evaluate_decision(expect_decision(acts(("A", {"q": 1})), params=False), acts(("A", {"q": 2}))).passed


def test_the_form_of_the_values_is_read_too() -> None:
    wanted = {"kind": "action", "actions": [{"name": "A", "params": [{"param": "q", "matcher": {"kind": "nonEmptyString"}, "optional": True}]}]}
    assert evaluate_decision(wanted, acts("A")).passed
    assert not evaluate_decision(wanted, acts(("A", {"q": " "}))).passed
    message = DecisionExpectation(kind="chat", message=Matcher(kind="absent"))
    assert evaluate_decision(message, CHAT).passed
    assert read_expectation(message) is message


def test_an_evaluation_can_be_written_and_read() -> None:
    found = evaluate_decision(expects("A"), acts("B"))
    assert Evaluation.model_validate_json(json.dumps(found.model_dump())) == found
