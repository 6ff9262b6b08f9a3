"""Metrics of yes-or-no answers: the same numbers on every machine and in every order."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from agentnb.decisions.typed import (
    Answer,
    Observation,
    RunRow,
    join_labels,
    match_label,
    measure,
    measure_cell,
    plan_runs,
    read_labels,
    read_points,
    score_runs,
    scorecard_markdown,
    stable_id,
)
from agentnb.decisions.typed._random import mulberry32
from agentnb.decisions.typed.calibration import assign_folds, calibrate, fit_platt
from agentnb.decisions.typed.cells import repeatability
from agentnb.decisions.typed.metrics import auc, balanced_accuracy, bootstrap, brier, expected_calibration_error, operating_point, quantile
from agentnb.decisions.typed.points import Agent, agent_of, asked_history
from agentnb.decisions.typed.suite import estimate_tokens
from agentnb.errors import CaseError
from tests.decisions.turns import near


def answers(*pairs: tuple[float, bool]) -> list[Answer]:
    return [Answer(*pair) for pair in pairs]


M = answers((0.9, True), (0.6, False), (0.4, True), (0.2, False))
T = answers(
    (0.05, False), (0.1, False), (0.2, False), (0.3, False), (0.35, True), (0.6, False), (0.7, True), (0.8, True), (0.9, True), (0.95, True),
)  # fmt: skip


def test_chance_is_the_public_generator() -> None:
    for seed, expected in (
        (9, [0.19872891809791327, 0.8512107962742448, 0.1417661067098379, 0.8216717173345387]),
        (20260929, [0.33081650477834046, 0.7369657973758876, 0.29230662784539163, 0.2545880174729973]),
    ):
        draw = mulberry32(seed)
        assert [draw() for _ in range(4)] == expected


def test_a_small_set_is_measured_as_by_hand() -> None:
    found = measure(M)
    assert (found.accuracy, found.continue_recall, found.switch_recall, found.balanced_accuracy, found.auc) == (0.5, 0.5, 0.5, 0.5, 0.75)
    assert (found.brier, found.ece) == (near(0.1925), near(0.375))
    assert found.brier_interval == (near(0.025), near(0.36))
    assert len(found.operating_points) == 13
    assert [found.operating_points[0].threshold, found.operating_points[-1].threshold] == [0.3, 0.9]


def test_operating_points_give_both_classes() -> None:
    low, high = operating_point(M, 0.3), operating_point(M, 0.9)
    assert (low.continue_precision, low.continue_recall, low.switch_precision, low.switch_recall) == (near(2 / 3), 1, 1, 0.5)
    assert (high.continue_precision, high.continue_recall, high.switch_precision, high.switch_recall) == (1, 0.5, near(2 / 3), 1)
    assert operating_point(answers((0.1, False)), 0.5).continue_precision is None


def test_ties_and_single_classes_are_told() -> None:
    assert auc(answers((0.5, True), (0.5, False), (0.5, True))) == 0.5
    assert auc(answers((0.5, True))) is None
    assert measure(answers((0.5, True))).accuracy == 1
    assert balanced_accuracy(answers((0.9, True), (0.8, True), (0.7, True), (0.6, False))) == 0.5
    assert expected_calibration_error(answers((0.05, False), (0.15, True), (0.15, False), (1, True))) == near(0.1875)


def test_no_answers_are_nulls() -> None:
    found = measure([])
    assert (found.count, found.accuracy, found.auc, found.ece, found.brier_interval) == (0, None, None, None, None)
    cell = measure_cell([])
    assert (cell.runs, cell.scored.count, cell.calibrated, cell.signal_value, cell.latency_p50) == (0, 0, None, None, None)


def test_quantiles_are_linear() -> None:
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([1, 2, 3, 4], 0.95) == near(3.85)
    assert quantile([], 0.5) is None


def test_repeats_agree_by_their_majority() -> None:
    assert repeatability([0.2, 0.4, 0.6, 0.8]) == (0.5, near(0.05**0.5))
    assert repeatability([0.4, 0.6, 0.7])[0] == near(2 / 3)


def test_calibration_is_platts() -> None:
    fitted = fit_platt(M)
    assert (fitted.a, fitted.b, fitted.converged) == (near(0.4198886, abs=1e-7), near(-0.0795593, abs=1e-7), True)
    even = fit_platt(answers((0.1, False), (0.2, False), (0.8, True), (0.9, True)))
    assert (even.a, even.b, even.converged) == (near(0.5904320, abs=1e-7), near(0, abs=1e-9), True)
    fitted = fit_platt(T)
    assert (fitted.a, fitted.b) == (near(0.7575265, abs=1e-7), near(0.0221280, abs=1e-7))
    assert assign_folds(T) == (1, 3, 4, 2, 2, 0, 4, 3, 1, 0)
    expected = [0.106380, 0.195502, 0.296345, 0.315238, 0.351836, 0.678876, 0.618837, 0.695994, 0.826185, 0.947650]
    assert [one.probability for one in calibrate(T) or ()] == near(expected, abs=1e-6)
    assert calibrate(M[:1]) is None
    assert fit_platt(answers((0.0, True), (1.0, True))).converged


def test_draws_for_which_a_statistic_is_undefined_are_skipped() -> None:
    assert bootstrap(answers((0.9, True), (0.1, False)), auc, resamples=50) == (1, 1)
    assert bootstrap([], brier) is None


def seen(case: str, label: str, probability: float | None, **fields: Any) -> Observation:
    return Observation.model_validate({"case_id": case, "label": label, "probability": probability} | fields)


RUNS = [
    seen("a", "continue", 0.9), seen("a", "continue", 0.7), seen("b", "switch", 0.6), seen("b", "switch", 0.3), seen("c", "switch", 0.8),
    seen("c", "switch", 0.1, failed_over=True, latency_ms=5), seen("d", "continue", None, cost_usd=5), seen("e", "ambiguous", 0.7),
    seen("f", "ambiguous", 0.2), seen("f", "ambiguous", 0.4, latency_ms=100, cost_usd=0.002),
]  # fmt: skip


def test_a_cell_counts_what_is_usable_and_scores_each_point_once() -> None:
    cell = measure_cell(RUNS)
    assert (cell.runs, cell.usable, cell.no_probability, cell.failover, cell.excluded_failover) == (10, 8, 1, 1, 1)
    assert (cell.scored.count, cell.scored.switch_recall, cell.scored.balanced_accuracy, cell.scored.auc) == (3, 0.5, 0.75, 0.75)
    assert cell.scored.accuracy == near(2 / 3)
    assert (cell.ambiguous, cell.ambiguous_kept, cell.ambiguous_rate) == (2, 1, 0.5)
    assert (cell.repeated, cell.mean_agreement, cell.worst[0].case_id, cell.signal_value) == (2, 0.75, "b", near(0.5))
    assert (cell.latency_p50, cell.cost_per_1000) == (100, near(2))
    allowed = [run.model_copy(update={"failover_allowed": True}) for run in RUNS]
    assert measure_cell(allowed).scored.accuracy == 1


def test_the_order_of_the_runs_changes_nothing() -> None:
    shuffled = list(RUNS)
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)
        assert measure_cell(shuffled) == measure_cell(RUNS)


POINT = "0d0c1a5e-3c1f-4f0e-9a51-0c6c1d2e3f40"
OTHER = "1d0c1a5e-3c1f-4f0e-9a51-0c6c1d2e3f40"


def point(**fields: Any) -> dict[str, Any]:
    return {
        "id": POINT,
        "source": "chat",
        "conversation_id": OTHER,
        "created_at": "2026-03-02T10:00:00Z",
        "latest_message": "And in May?",
        "previous_agent": {"id": "a1", "name": "Analyst", "description": "Counts."},
        "history": [
            {"id": "h1", "role": "User", "message": "Revenue in April?"},
            {"id": "h2", "role": "AI", "message": "1,290.", "agent_id": "a2", "agent_name": "Ann"},
        ],
        "fast_path": True,
    } | fields


def label(**fields: Any) -> dict[str, Any]:
    return {"id": POINT.upper(), "label": "continue", "source": "construction"} | fields


def lines(*values: Any) -> str:
    return "\r\n".join(["", *(json.dumps(value) for value in values), ""])


def test_points_and_labels_are_read_and_joined() -> None:
    points = read_points(lines(point(), point(id=OTHER)))
    labels = read_labels(lines(label(), label(), label(source="ana", label="switch"), label(id="2d0c1a5e-3c1f-4f0e-9a51-0c6c1d2e3f40")))
    joined = join_labels(points, labels)
    assert [(str(found.id), labelled.label) for found, labelled in joined.cases] == [(POINT, "continue")]
    assert (joined.unlabelled, joined.unknown) == ((OTHER,), 1)
    assert [labelled.label for _, labelled in join_labels(points, labels, source="ana").cases] == ["switch"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\n{", "corpus.jsonl:2: not JSON"),
        (lines(point(), point(id=POINT.upper())), "corpus.jsonl:3: the point .* is in line 2"),
        (lines(point(id="x")), "corpus.jsonl:2: id: .*"),
        (lines(point(history=[{"id": "x", "role": "Robot", "message": ""}])), r"history\.0\.role"),
        (lines({}), "and 5 more"),
        (lines([]), "the line"),
    ],
)
def test_a_bad_point_fails_with_its_line(text: str, told: str) -> None:
    with pytest.raises(CaseError, match=told):
        read_points(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (lines(label(), label(label="switch")), "labels.jsonl:3: construction calls .* switch, and in line 2 continue"),
        (lines(label(label="maybe")), "label: "),
        (lines(label(source="")), "source: "),
    ],
)
def test_a_bad_label_fails_with_its_line(text: str, told: str) -> None:
    with pytest.raises(CaseError, match=told):
        read_labels(text)


def test_the_message_itself_is_not_part_of_the_history_that_is_asked_with() -> None:
    again = {"id": "h3", "role": "User", "message": " And in May?\n"}
    for row in (again, {"id": POINT.upper(), "role": "User", "message": "x"}):
        (read,) = read_points(lines(point(history=[*point()["history"], row])))
        assert [one.id for one in asked_history(read)] == ["h1", "h2"]


def test_an_agent_is_found_in_the_catalog_else_in_the_point() -> None:
    (read,) = read_points(lines(point()))
    known = {"A9": Agent(id="a9", name="Nine")}
    assert [(found.name if found else None) for found in (agent_of(name, known, read) for name in ("a9", "A1", "a2", "a3"))] == ["Nine", "Analyst", "Ann", None]


def test_an_answer_is_right_or_wrong_and_an_ambiguous_label_gates_nothing() -> None:
    right = match_label(0.5, "continue")
    assert (right.passed, right.score, right.details["positive"], right.details["brier"]) == (True, 1, 1, 0.25)
    assert not match_label(0.49, "continue").passed
    assert match_label(0.49, "switch").passed
    assert (match_label(None, "switch").passed, match_label(None, "ambiguous").passed, match_label(0.9, "ambiguous").score) == (False, True, 0)


def test_ids_of_runs_depend_on_point_and_cell_alone() -> None:
    assert stable_id("case-1", "cell-a") == "96789831-11D7-496B-A612-D7984913D799"
    planned = plan_runs(["p", "q"], ["x", "y"])
    assert [run.name for run in planned] == ["p [x]", "p [y]", "q [x]", "q [y]"]
    assert len({run.id for run in planned}) == 4
    for cells in (["x", "x"], ["x[1]"]):
        with pytest.raises(CaseError):
            plan_runs(["p"], cells)
    assert estimate_tokens(["a" * 401], repeats=2).model_dump() == {"prompt_tokens": 1402, "completion_tokens": 240}


def row(name: str, **fields: Any) -> RunRow:
    return RunRow.model_validate({"name": name, "label": "continue", "probability": 0.8, "model": "m-1"} | fields)


def test_a_scorecard_groups_runs_by_cell_and_counts_what_it_leaves_out() -> None:
    rows = [
        row("p [b|x]"), row("p [a]", probability=None), row("q [a]", label="switch", probability=0.1), row("p"), row("p [a]", label=None),
        row("p [a]", status="Running"), row("r [a]", label="ambiguous"),
    ]  # fmt: skip
    card = score_runs(rows, window="March", resamples=20)
    assert [cell.cell for cell in card.cells] == ["a", "b|x"]
    assert card.skipped == {"no cell in the name": 1, "no readable expected outcome": 1, "still running": 1}
    assert card.cells[0].metrics.no_probability == 1
    text = scorecard_markdown(card)
    assert "| b\\|x |" in text
    assert "—" in text
    assert scorecard_markdown(score_runs(reversed(rows), window="March", resamples=20)) == text
    assert scorecard_markdown(score_runs([])).startswith("# Scorecard")
