"""An explanation says which rule fired, what was tried before, and where the runtime would do something else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentnb.decisions import explain_decision
from tests.decisions.turns import ROLES, step


def fired(raw: dict[str, Any]) -> list[str]:
    return [rule.rule for rule in explain_decision(raw).rules if rule.outcome == "fired"]


def situations(**fields: Any) -> list[str]:
    return [found.name for found in explain_decision({"text": json.dumps(fields)}).differences]


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        ({}, "envelope 1"),
        ({"text": "prose"}, "envelope 2"),
        ({"text": "[1]"}, "envelope 2"),
        ({"text": "prose", "protocol": "implicit"}, "turn 3b"),
        ({"text": '{"nextStep": {"type": "chat"}}'}, "class 1"),
        ({"text": '{"nextStep": {"actions": [{"name": "A"}]}}'}, "class 2"),
        ({"text": '{"nextStep": {"subAgent": {"name": "P"}}}'}, "class 3"),
        ({"text": '{"taskComplete": true}'}, "class 4"),
        ({"text": '{"responseForm": {}}'}, "class 5"),
        ({"text": '{"payloadChangeRequest": {}}'}, "class 6"),
        ({"text": "{}", "protocol": "implicit"}, "class 7"),
        ({"toolCalls": [{"name": "ask_user"}], "controlToolMap": ROLES}, "native 1"),
        ({"toolCalls": [{"name": "complete_task"}], "controlToolMap": ROLES}, "native 2"),
        ({"toolCalls": [{"name": "delegate_to_planner"}], "controlToolMap": ROLES}, "native 3a"),
        ({"toolCalls": [{"name": "x"}], "controlToolMap": ROLES}, "native 3b"),
        ({"toolCalls": [{"name": "payload_change_request"}], "controlToolMap": ROLES}, "native 3c"),
    ],
)
def test_exactly_one_rule_fires(raw: dict[str, Any], rule: str) -> None:
    assert fired(raw) == [rule]


def test_the_rules_before_the_one_that_fired_are_told_in_order() -> None:
    rules = explain_decision({"text": '{"taskComplete": true}'}).rules
    assert [rule.rule for rule in rules if rule.outcome == "passed"] == ["turn 2", "class 1", "class 2", "class 3"]


def test_a_field_that_is_not_what_counts_is_told() -> None:
    told = [rule.condition for rule in explain_decision({"text": '{"taskComplete": "true", "nextStep": "Chat"}'}).rules]
    assert "taskComplete is not a boolean" in told
    assert "nextStep is not an object" in told


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"nextStep": step(" Actions", actions=[{"name": "A"}])}, ["spelling"]),
        ({"nextStep": step("retry")}, ["spelling"]),
        ({"nextStep": step("Actions", actions=[{"name": "A"}])}, []),
        ({"nextStep": step(None, actions=[{"name": "A"}], subAgent={"name": "P"})}, ["inference"]),
        ({"message": "hello"}, ["repair"]),
        ({"reasoning": "I think", "payloadChangeRequest": {"newElements": {"a": 1}}}, ["repair"]),
        ({"payloadChangeRequest": {"newElements": {"a": 1}}}, ["write_completes"]),
        ({"payloadChangeRequest": {"replaceElements": {"a": 1}}}, []),
        ({"taskComplete": True, "nextStep": step("Actions", actions=[{"name": "A"}])}, ["completion_wins"]),
        ({"taskComplete": True, "nextStep": step("Actions", actions=[{"name": "A"}], clientTools=[{"name": "c"}])}, []),
        ({"taskComplete": True, "nextStep": step("chat"), "message": "m"}, ["chat_spelling"]),
        ({"nextStep": step("Sub-Agent", subAgent={"name": "P"}, subAgents=[{"name": "Q"}])}, ["both_agents"]),
        ({"nextStep": step("Actions", actions=[])}, ["no_actions"]),
        ({"nextStep": step("Chat")}, ["no_message"]),
        ({"nextStep": step("Chat"), "message": "m", "artifactToolCalls": [{}]}, ["reading"]),
        ({"taskComplete": True, "conversationToolCalls": [{}]}, ["reading"]),
        ({"taskComplete": True}, []),
    ],
)
def test_where_the_runtime_does_something_else_is_told(fields: dict[str, Any], names: list[str]) -> None:
    assert situations(**fields) == names


def test_the_runtime_asks_again_where_the_output_is_no_json() -> None:
    for protocol in ("envelope", "implicit"):
        found = explain_decision({"text": "prose", "protocol": protocol}).differences
        assert [one.name for one in found] == ["not_json"]
        assert "Retry" in found[0].runtime


def test_an_implicit_answer_that_is_a_broken_envelope_is_warned_about() -> None:
    explained = explain_decision({"text": '{"nextStep": {"type": "Chat"},', "protocol": "implicit"})
    assert explained.decision.kind == "taskComplete"
    assert "broken" in explained.warnings[0]
    assert not explain_decision({"text": "It is done.", "protocol": "implicit"}).warnings


def test_a_shadow_envelope_is_warned_about_strictly_and_loosely() -> None:
    strict = explain_decision({"text": '{"taskComplete": true}', "toolCalls": [{"name": "x"}]})
    loose = explain_decision({"text": '{"x": 1}', "toolCalls": [{"name": "x"}]})
    assert (strict.looks_like_envelope, loose.looks_like_envelope) == (True, False)
    assert "an envelope: it would have decided taskComplete" in strict.warnings[0]
    assert "not an envelope in the strict sense" in loose.warnings[0]


def test_an_unknown_step_type_that_hides_a_list_is_warned_about() -> None:
    explained = explain_decision({"text": '{"nextStep": {"type": "action", "actions": [{"name": "A"}]}}'})
    assert "'action' is unknown" in explained.warnings[0]
