"""What the rules said in a turn, as HTML and as text: within its budget, and with every recorded text escaped."""

from __future__ import annotations

import re

import pytest

from agentnb.render import TranscriptPage, plain_rules, render_rule_strip, render_rules, render_transcript, turn_line
from agentnb.rules import explain_rules, rule_from_cell
from agentnb.values import Rule, RuleExplanation
from tests.render.pages import Page
from tests.render.samples import ATTACKS, coding_turn, conversation, hostile_turn
from tests.rules.faults import Maker, edit, read


def explained(reads: int = 12) -> RuleExplanation:
    made = Maker("Fix it")
    for number in range(reads):
        made.step(None, read(f"{number}.py"))
    return explain_rules(made.step(None, edit("a.py")).say("I'll add the tests next.").turn(), counting="counterfactual")


def test_a_strip_says_which_rule_where_why_and_what_it_would_have_sent() -> None:
    text = Page(render_rule_strip(explained())).text
    assert "exploration" in text
    assert "read_streak 10 >= 10" in text
    assert "point 10, call 20" in text
    assert "name the one fact that is missing" in text
    assert 'final_text says "I\'ll add the tests next."' in text


def test_a_turn_without_nudges_has_no_strip() -> None:
    assert render_rule_strip(explain_rules(Maker("Hi").say("Hello.").turn())) == ""


def test_the_explanation_shows_every_rule_at_the_last_point() -> None:
    text = Page(render_rules(explained())).text
    for word in ("14 points", "2 nudges due", "counterfactual counting", "also due", "verify_before_done", "every rule at the last point", "not due"):
        assert word in text, word


def test_plain_text_is_one_line() -> None:
    assert plain_rules(explained()) == (
        "Rules of turn t · 14 points · 2 nudges due · counterfactual counting · exploration after point 9; remaining_work after point 13"
    )


def test_a_turn_without_points_says_so() -> None:
    text = Page(render_rules(explain_rules(Maker("Hi").say("I'll", None).turn(state="interrupted")))).text
    assert "no point at which a rule is asked" in text


@pytest.mark.parametrize("budget", [2_000, 8_000, 25_000])
def test_a_long_turn_stays_within_its_budget(budget: int) -> None:
    made = Maker("Fix it")
    for number in range(300):
        made.step(None, read(f"{number}.py"))
    told = explain_rules(made.turn())
    html = render_rules(told, budget=budget)
    assert len(html.encode()) <= budget
    assert len(render_rule_strip(told, budget=budget).encode()) <= budget
    assert "more nudges" in html


def test_calls_can_be_addressed() -> None:
    assert 'data_call="c' not in render_rules(explained())
    assert 'data-call="c19"' in render_rules(explained())


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_a_recorded_text_stays_text(attack: str) -> None:
    rule = Rule(code="mine", phase="tools", cap=99, check=lambda ctx: attack + "!")
    end = rule_from_cell("end", "ctx.final_text or None", cap=99)
    made = Maker(attack).step(attack, {"name": attack or "x", "input": {attack: attack}, "output": attack}).say(f"I'll fix {attack}")
    for told in (
        explain_rules(made.turn(), [rule, end]),
        explain_rules(made.turn()),
        explain_rules(hostile_turn(attack), [rule, end]),
        explain_rules(coding_turn(3)),
    ):
        html = render_rules(told)
        assert Page(html).elements
        assert len(html.encode("utf-8")) <= 25_000
        shown = re.sub('data-[a-z]+="[^"]*"', "", html)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
        assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", plain_rules(told))


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("budget", [6_000, 25_000])
def test_an_unfolded_turn_has_its_strip_within_the_budget_of_the_transcript(budget: int, live: bool) -> None:
    made = Maker("Fix it")
    for number in range(300):
        made.step(None, read(f"{number}.py"))
    turn = made.say("I'll add the tests next.").turn()
    told = {"t": explain_rules(turn, counting="counterfactual")}
    page = TranscriptPage(conversation=conversation(turn), lines=(turn_line(turn),), total=1, turns={"t": turn}, told=told)
    html = render_transcript(page, live=live, open_turns=("t",), budget=budget)
    assert len(html.encode()) <= budget
    assert "▲ due" in html or "more nudges" in html
    assert "▲ due" not in render_transcript(page.model_copy(update={"told": {}}), live=live, open_turns=("t",), budget=budget)
