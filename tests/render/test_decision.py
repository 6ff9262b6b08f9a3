"""A decision shows what it does, what is odd about it and what was discarded; an explanation and an evaluation say why."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agentnb import render
from agentnb.decisions import evaluate_decision, explain_decision, normalize_decision, read_turn
from agentnb.display import SHOWN
from tests.render.pages import Page
from tests.render.samples import ATTACKS

BUDGET = 25_000
ASK = {"ask": {"kind": "chat"}}


def views(raw: dict[str, Any], expectation: dict[str, Any]) -> dict[str, str]:
    decision, explanation = normalize_decision(raw), explain_decision(raw)
    evaluation = evaluate_decision(expectation, decision)
    return {
        "raw turn": render.render_raw_turn(read_turn(raw)),
        "plain raw turn": render.plain_raw_turn(read_turn(raw)),
        "decision": render.render_decision(decision),
        "explanation": render.render_explanation(explanation),
        "evaluation": render.render_evaluation(evaluation),
        "bare": render.render_decision(decision, standalone=False),
        "plain decision": render.plain_decision(decision),
        "plain explanation": render.plain_explanation(explanation),
        "plain evaluation": render.plain_evaluation(evaluation),
    }


def hostile(attack: str) -> list[dict[str, Any]]:
    step = {"type": attack, "actions": [{"name": attack or "x", "params": {attack: attack}}, attack], "subAgents": [{"name": attack or "x", "message": attack}]}
    return [
        {"text": json.dumps({"message": attack, "nextStep": step, "payloadChangeRequest": {attack: [attack]}})},
        {"text": attack, "protocol": "implicit"},
        {"text": attack},
        {
            "text": attack,
            "toolCalls": [{"name": attack, "arguments": {attack: attack}}, {"name": "ask", "arguments": attack}],
            "controlToolMap": ASK,
        },
        {"text": attack, "toolCalls": [{"name": attack, "arguments": attack}] * 100, "controlToolMap": {attack: {"kind": "subAgent", "name": attack}}},
    ]


@pytest.mark.parametrize("attack", [*ATTACKS, "\ud800", "x" * 1_000_000, "{" * 100_000], ids=range(len(ATTACKS) + 3))
def test_a_text_in_every_place_stays_text_and_fits(attack: str) -> None:
    wanted = {"kind": "action", "actions": [{"name": attack or "x", "params": {attack: {"matcher": "exact", "value": attack}}}], "forbiddenActions": [attack]}
    for raw in hostile(attack):
        for view, shown in views(raw, wanted).items():
            assert len(shown.encode("utf-8")) <= BUDGET, view
            if view.startswith("plain"):
                assert "\n" not in shown
                assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown), view
            else:
                assert Page(shown).elements, view


def test_a_decision_shows_its_kind_form_actions_and_what_was_discarded() -> None:
    raw = {
        "text": "Let me ask.",
        "toolCalls": [{"name": "search", "arguments": {"q": "x"}}, {"name": "ask_user", "arguments": {"message": "Which region?"}}],
        "controlToolMap": {"ask_user": {"kind": "chat"}},
    }
    text = Page(render.render_decision(normalize_decision(raw))).text
    for word in ("chat", "native", "Which region?", "narration", "discarded", "search", "the call of ask_user decides the turn alone"):
        assert word in text
    assert render.plain_decision(normalize_decision(raw)) == 'Decision chat · native · "Which region?" · narration'


def test_an_explanation_marks_the_rule_that_fired_and_the_runtime() -> None:
    text = Page(render.render_explanation(explain_decision({"text": '{"nextStep": {"type": "chat"}}'}))).text
    for word in ("fired", "class 1", "the step type is chat", "forces a Retry"):
        assert word in text
    assert render.plain_explanation(explain_decision({"text": "{"})).endswith("by envelope 2")


def test_an_evaluation_shows_what_is_not_as_expected_and_the_branch() -> None:
    wanted = {"kind": "anyOf", "anyOf": [{"kind": "chat"}, {"kind": "action", "actions": [{"name": "A", "params": {"q": {"matcher": "nonEmpty"}}}]}]}
    found = evaluate_decision(wanted, normalize_decision({"text": '{"nextStep": {"actions": [{"name": "A", "params": {"q": ""}}]}}'}))
    text = Page(render.render_evaluation(found)).text
    for word in ("not as expected", "A.q", "nonEmpty", "closest miss: branch 2"):
        assert word in text
    assert render.plain_evaluation(found).startswith("Evaluation failed · score 0.75 · A.q: expected")


def test_an_empty_turn_says_so() -> None:
    assert "no output" in Page(render.render_decision(normalize_decision({}))).text
    assert render.plain_decision(normalize_decision({})) == "Decision empty · none · no output"


def test_decisions_show_themselves_in_a_notebook() -> None:
    decision = normalize_decision({"text": "{}"})
    values = [read_turn({"text": "x", "toolCalls": [{"name": "a"}]}), decision, explain_decision({}), evaluate_decision({"kind": "other"}, decision)]
    registered = {(shown.module, shown.name): shown for shown in SHOWN}
    for value in values:
        shown = registered[type(value).__module__, type(value).__name__]
        assert Page(getattr(render, shown.html)(value)).text
        assert "\n" not in getattr(render, shown.plain)(value)
