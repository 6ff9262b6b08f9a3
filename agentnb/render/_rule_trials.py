"""What rules did in recorded turns, as tables: a backtest, and thresholds that move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.render._numbers import amount, facts
from agentnb.render._pages import ResultTable
from agentnb.render._plain import plain_table
from agentnb.render._rule_strip import LONGEST_REASON
from agentnb.render._tables import render_table
from agentnb.render._text import one_line, visible
from agentnb.rules import Backtest, SweepRow, evidence_of


def backtest_table(found: Backtest) -> ResultTable:
    """Return what a backtest found as a table: the first hits, with the counts in its title."""
    rated = facts(f"precision {_percent(found.precision)}", f"recall {_percent(found.recall)}", amount(found.rated, "rated turn")) if found.rated else None
    title = f"rule {found.code} · " + facts(f"{amount(found.turns_hit, 'turn')} of {found.turns:,}", amount(found.hits, "nudge"), rated)
    rows = tuple((hit.turn_id, hit.call_index, hit.nudge, _why(evidence_of(hit))) for hit in found.first)
    return ResultTable(columns=("turn_id", "call_index", "nudge", "evidence"), rows=rows, total=found.turns_hit, title=title)


def render_backtest(found: Backtest) -> str:
    """Show what a backtest found: the first hits with their evidence, below the counts."""
    return render_table(backtest_table(found))


def plain_backtest(found: Backtest) -> str:
    """Say in one line what a backtest found."""
    return visible(one_line(backtest_table(found).title or "", 300))


def render_sweep(rows: Sequence[SweepRow]) -> str:
    """Show the rows of a sweep as a table."""
    return render_table(sweep_table(rows))


def plain_sweep(rows: Sequence[SweepRow]) -> str:
    """Show the rows of a sweep as text."""
    return plain_table(sweep_table(rows))


def sweep_table(rows: Sequence[SweepRow]) -> ResultTable:
    """Return the rows of a sweep as a table: a column per threshold, then the counts."""
    names = list(dict.fromkeys(name for row in rows for name in row.settings))
    counts = ("code", "turns", "turns_hit", "hits", "first_call_index", "false_alarms", "precision", "recall")
    cells = tuple((*(row.settings.get(name) for name in names), *(getattr(row, name) for name in counts)) for row in rows)
    return ResultTable(columns=(*names, *counts), rows=cells, total=len(rows), title="sweep")


def _why(evidence: Any) -> str:
    return one_line(str(evidence.get("sentence") or evidence.get("reason") or ""), LONGEST_REASON)


def _percent(share: float | None) -> str:
    return "not known" if share is None else f"{share * 100:.0f}%"
