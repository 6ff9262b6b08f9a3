"""A rule over recorded turns: hits, precision and recall against ratings, and thresholds that move."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from agentnb.render import backtest_table, plain_table, render_table, sweep_table
from agentnb.rules import backtest, default_rules, evidence_of, rule_from_cell, runs_of_turn, sweep
from agentnb.values import Turn
from tests.rules.faults import Maker, read
from tests.rules.test_hits import RUNS, renamed


def reading(turn_id: str, reads: int) -> Turn:
    made = Maker("Look")
    for number in range(reads):
        made.step(None, read(f"{number}.py"))
    turn = renamed(made.say("All is well.").turn(), turn_id)
    return turn.model_copy(update={"conversation_id": turn_id})


TURNS = [reading("a", 3), reading("b", 8), reading("c", 12), reading("d", 25)]
RATINGS = {"a": "right", "b": "wrong", "c": "wrong", "d": "right", "elsewhere": "wrong"}


def test_a_backtest_counts_turns_and_shows_the_first_hits() -> None:
    rule = rule_from_cell("reads", "ctx.read_streak >= 10", phase="tools", cap=3)
    found = backtest(rule, TURNS, ratings=RATINGS)
    assert (found.turns, found.turns_hit, found.hits) == (4, 2, 6)
    assert [hit.turn_id for hit in found.first] == ["c", "d"]
    assert (found.rated, found.rated_hit, found.wrong, found.wrong_hit) == (4, 2, 2, 1)
    assert (found.precision, found.recall) == (0.5, 0.5)
    assert evidence_of(found.first[0])["reason"] == "read_streak is 10"


def test_without_ratings_nothing_is_said_about_them() -> None:
    found = backtest(rule_from_cell("reads", "ctx.read_streak > 99", phase="tools"), TURNS)
    assert (found.precision, found.recall, found.first, found.rated) == (None, None, (), 0)


def test_runs_serve_as_well_as_turns() -> None:
    rule = rule_from_cell("reads", "ctx.read_streak >= 10", phase="tools")
    assert backtest(rule, [run for turn in TURNS for run in runs_of_turn(turn)]) == backtest(rule, TURNS)


def test_only_the_first_five_are_shown() -> None:
    found = backtest(rule_from_cell("all", "True", phase="final"), [run.made.turn for run in RUNS])
    assert len(found.first) == 5
    assert found.turns_hit > 5


def test_a_sweep_shows_hits_as_thresholds_move() -> None:
    rows = sweep(default_rules, TURNS, ratings=RATINGS, exploration_threshold=(5, 10, 20))
    shown = [
        (row.settings["exploration_threshold"], row.turns_hit, row.hits, row.false_alarms, row.precision, row.recall)
        for row in rows
        if row.code == "exploration"
    ]
    assert shown == [(5, 3, 7, 1, pytest.approx(2 / 3), 1.0), (10, 2, 3, 1, 0.5, 0.5), (20, 1, 1, 1, 0.0, 0.0)]
    assert len(rows) == 33
    assert next(row for row in rows if row.code == "exploration").first_call_index == 10.0


def test_thresholds_are_combined() -> None:
    rows = sweep(default_rules, TURNS, exploration_threshold=(5, 10), no_progress_nudge=(3, 5))
    assert len({tuple(row.settings.items()) for row in rows}) == 4


def test_a_list_of_rules_cannot_be_swept() -> None:
    with pytest.raises(TypeError, match="a function that makes the rules"):
        sweep(default_rules(), TURNS, exploration_threshold=(5,))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no_threshold"):
        sweep(default_rules, TURNS, no_threshold=(5,))


def test_both_show_themselves_as_tables() -> None:
    found = backtest(rule_from_cell("reads", "'<b>' if ctx.read_streak >= 10 else None", phase="tools"), TURNS, ratings=RATINGS)
    table = backtest_table(found)
    assert table.title == "rule reads · 2 turns of 4 · 2 nudges · precision 50% · recall 50% · 4 rated turns"
    assert "<b>" not in render_table(table)
    swept = sweep_table(sweep(default_rules, TURNS, exploration_threshold=(5,)))
    assert swept.columns[:3] == ("exploration_threshold", "code", "turns")
    assert "exploration" in plain_table(swept)


def test_a_sweep_is_plotted_as_its_first_threshold_moves() -> None:
    rows = sweep(default_rules, TURNS, exploration_threshold=(5, 10, 20))
    plot = rows.plot()
    assert repr(plot) == "turns in which it fires\n  exploration  5: 3, 10: 2, 20: 1"
    bundle = plot._repr_mimebundle_()
    assert sorted(bundle) == ["application/vnd.vegalite.v5+json", "text/plain"]
    drawn = bundle["application/vnd.vegalite.v5+json"]
    assert [(point["at"], point["value"]) for point in drawn["data"]["values"]] == [(5, 3), (10, 2), (20, 1)]
    assert drawn == rows.plot()._repr_mimebundle_()["application/vnd.vegalite.v5+json"]
    assert (rows[0].code, rows.thresholds, len(rows[:2])) == ("length_recovery", ("exploration_threshold",), 2)


def test_a_measure_that_is_not_known_everywhere_is_plotted_with_gaps() -> None:
    rows = sweep(default_rules, TURNS, ratings={"a": "right"}, exploration_threshold=(5,), spacing=("spaced", "every"))
    assert repr(rows.plot("precision")) == "precision\n  exploration (spacing spaced)  5: –\n  exploration (spacing every)  5: –"


def test_what_cannot_be_plotted_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = sweep(default_rules, TURNS, exploration_threshold=(5,))
    with pytest.raises(ValueError, match="no measure 'luck'; expected one of turns_hit, hits"):
        rows.plot("luck")
    with pytest.raises(ValueError, match="no threshold was moved"):
        sweep(default_rules, TURNS).plot()

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match=r"needs the package altair: pip install 'agentnb-kit\[plots\]'; the table"):
        rows.plot()
