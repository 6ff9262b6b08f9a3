"""A checked answer shows what stands in nothing the agent was shown, by a mark and a word, and where it was looked for."""

from __future__ import annotations

import pytest

from agentnb import render
from agentnb.scripts import Served, check_answer, check_evidence
from tests.render.pages import Page
from tests.render.samples import ATTACKS

BUDGET = 25_000
ANSWER = "Port fc1/3 peaks at 41,200 IOPS, not 39,999."
CHECK = check_answer(ANSWER, [Served('{"iops": 41200}', "query", "call-1")], [Served("How is fc1/3?", "user")])


def test_an_unsupported_value_is_marked_in_the_answer_by_sign_and_word() -> None:
    page = Page(render.render_evidence(CHECK))
    assert "Port fc1/3 peaks at 41,200 IOPS, not 39,999 ✕ unsupported." in page.text
    assert "✕ in nothing it was shown 39999 number" in page.text
    assert "✓ found 41200" in page.text
    assert "○ was said to it fc1/3" in page.text
    assert "found is not right" in page.text


def test_the_places_that_were_searched_are_folded_and_one_can_be_unfolded() -> None:
    page = Page(render.render_evidence(CHECK, selected="39999"))
    opened = ["open" in element.attributes for element in page.elements if element.tag == "details"]
    assert opened == [True, False, False]
    assert "not found in: user said to the agent · turn 1 · 13 characters query result · turn 1 · 15 characters" in page.text
    assert list(page.all(data_call="call-1"))


def test_the_line_of_text_names_the_values() -> None:
    assert render.plain_evidence(CHECK) == "Evidence · 3 values · 1 in nothing it was shown · 1 from this turn · 1 said to it · 2 texts searched: 39999"


def test_an_answer_without_values_or_without_words_says_so() -> None:
    assert "no name or number that is looked up" in Page(render.render_evidence(check_evidence("Done."))).text
    assert "no answer" in Page(render.render_evidence(check_evidence(""))).text
    assert "nothing to search" in Page(render.render_evidence(check_evidence("4417"))).text


def test_another_spelling_says_as_what_it_was_found() -> None:
    assert "identifier · as 7.0.3" in Page(render.render_evidence(check_evidence("v7.0.3", results=["7.0.3"]))).text


def test_a_cap_is_said() -> None:
    assert "20,000 tokens" in Page(render.render_evidence(check_evidence("word " * 20_001))).text


def test_a_secret_in_the_answer_stays_masked() -> None:
    page = Page(render.render_evidence(check_evidence("the key is sk-abcdef0123456789abcdef0123456789 and 9999")))
    assert "0123456789abcdef0123456789" not in page.text


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_hostile_answers_and_results_stay_text(attack: str) -> None:
    check = check_answer(f"{attack} 4417 {attack}9", [Served(attack, attack, attack)], [Served(attack, attack)])
    html = render.render_evidence(check)
    assert Page(html).elements
    assert len(html.encode()) <= BUDGET
    render.plain_evidence(check).encode("utf-8")


@pytest.mark.parametrize("unit", ["x1 ", "<9999>", "😀", "\ud800", "1", "1,", "fc1/3\n"])
def test_a_megabyte_fits_the_budget(unit: str) -> None:
    html = render.render_evidence(check_evidence(unit * (1_000_000 // len(unit)), results=["x"]))
    assert len(html.encode("utf-8")) <= BUDGET
    Page(html)
