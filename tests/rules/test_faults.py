"""The rules over generated runs with known faults: what they find, and what they accuse wrongly."""

from __future__ import annotations

import pytest

from tests.rules import fault_kinds
from tests.rules.faults import KINDS, LANGUAGES, labelled_runs, measure, rules_that_fire

assert fault_kinds

MEASURED = {found.rule: found for found in measure(labelled_runs())}
OPEN_TO_WORDING = {"no_action", "remaining_work"}
"""Rules that read prose: some wordings of the set lie outside of the word lists, and some healthy texts inside."""


def test_there_are_twelve_kinds_of_faults_and_a_dozen_healthy_ones_in_two_languages() -> None:
    healthy = {kind for kind in KINDS if kind.startswith("healthy")}
    assert len(KINDS) - len(healthy) >= 12
    assert len(healthy) >= 12
    assert LANGUAGES == ("en", "fr")


def test_the_same_seed_gives_the_same_runs() -> None:
    first, second = ([run.made.turn for run in labelled_runs(each=1)] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("rule", sorted(MEASURED.keys() - OPEN_TO_WORDING))
def test_what_counters_tell_is_found_every_time_and_accuses_nobody(rule: str) -> None:
    found = MEASURED[rule]
    assert (found.recall, found.precision, found.healthy_accused) == (1.0, 1.0, 0)


@pytest.mark.parametrize("rule", sorted(OPEN_TO_WORDING))
def test_what_prose_tells_is_found_mostly(rule: str) -> None:
    found = MEASURED[rule]
    assert found.recall is not None
    assert found.recall >= 0.7
    assert found.precision is not None
    assert found.precision >= 0.6


@pytest.mark.parametrize("kind", sorted(kind for kind in KINDS if kind.startswith("healthy") and kind != "healthy_design"))
def test_a_healthy_run_is_left_alone(kind: str) -> None:
    runs = [run for run in labelled_runs(each=6) if run.kind == kind]
    assert [(run.made.turn.answer, rules_that_fire(run.made)) for run in runs if rules_that_fire(run.made)] == []
