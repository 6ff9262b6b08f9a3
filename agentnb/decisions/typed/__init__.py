"""YES OR NO, HOW PROBABLY: labels, metrics and scorecards of one typed question about a conversation: keep the agent, or switch?

Constants and rules are those of MemberJunction's typed-decision evaluation; numbers do not depend on the order of the runs.
"""

from __future__ import annotations

from agentnb.decisions.typed.cells import CellMetrics, Observation, measure_cell
from agentnb.decisions.typed.metrics import Answer, Metrics, measure
from agentnb.decisions.typed.points import join_labels, match_label, read_labels, read_points
from agentnb.decisions.typed.scorecard import RunRow, Scorecard, score_runs, scorecard_markdown
from agentnb.decisions.typed.suite import plan_runs, stable_id

__all__ = [
    "Answer",
    "CellMetrics",
    "Metrics",
    "Observation",
    "RunRow",
    "Scorecard",
    "join_labels",
    "match_label",
    "measure",
    "measure_cell",
    "plan_runs",
    "read_labels",
    "read_points",
    "score_runs",
    "scorecard_markdown",
    "stable_id",
]
