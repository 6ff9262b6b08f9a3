"""How values show themselves in IPython: one register, filled when agentnb is imported inside it.

Types are registered by name and renderers are imported on first use, so that nothing is imported for the sake of its looks.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation
    from IPython.core.interactiveshell import InteractiveShell

    from agentnb.render import ResultTable

ROWS: Final = 200
"""Rows of a relation that are fetched to be shown."""


class Shown(NamedTuple):
    """How a type shows itself: the names of two functions of `agentnb.render`."""

    module: str
    """Module that defines the type."""
    name: str
    """Its name there."""
    html: str
    """The function that gives text/html."""
    plain: str
    """The function that gives text/plain."""
    attribute: str | None = None
    """The attribute that is shown in its place."""


SHOWN: Final = (
    Shown("agentnb.values.approvals", "Approval", "render_approval", "plain_approval"),
    Shown("agentnb.values.calls", "Call", "render_call", "plain_call"),
    Shown("agentnb.values.calls", "Step", "render_step", "plain_step"),
    Shown("agentnb.values.conversations", "Conversation", "render_conversation", "plain_conversation"),
    Shown("agentnb.values.decisions", "RawTurn", "render_raw_turn", "plain_raw_turn"),
    Shown("agentnb.values.decisions", "ObservedDecision", "render_decision", "plain_decision"),
    Shown("agentnb.decisions.cases", "Case", "render_case", "plain_case"),
    Shown("agentnb.decisions.explain", "Explanation", "render_explanation", "plain_explanation"),
    Shown("agentnb.decisions.evaluate", "Evaluation", "render_evaluation", "plain_evaluation"),
    Shown("agentnb.values.messages", "Message", "render_message", "plain_message"),
    Shown("agentnb.values.model_selections", "ReplayFrame", "render_frame", "plain_frame"),
    Shown("agentnb.values.model_selections", "Trace", "render_trace", "plain_trace"),
    Shown("agentnb.values.ratings", "Rating", "render_rating", "plain_rating"),
    Shown("agentnb.ratings.accuracy", "Accuracy", "render_accuracy", "plain_accuracy"),
    Shown("agentnb.ratings.agreement", "Agreement", "render_agreement", "plain_agreement"),
    Shown("agentnb.ratings.comparison", "Comparison", "render_comparison", "plain_comparison"),
    Shown("agentnb.rules._trials", "Backtest", "render_backtest", "plain_backtest"),
    Shown("agentnb.rules._trials", "Sweep", "render_sweep", "plain_sweep"),
    Shown("agentnb.values.rules", "RuleExplanation", "render_rules", "plain_rules"),
    Shown("agentnb.scripts.evidence.check", "EvidenceCheck", "render_evidence", "plain_evidence"),
    Shown("agentnb.values.scripts", "ScriptRow", "render_script", "plain_script"),
    Shown("agentnb.values.turns", "Turn", "render_turn", "plain_turn"),
    Shown("agentnb.render._pages", "ResultTable", "render_table", "plain_table"),
    Shown("agentnb.render._pages", "TranscriptPage", "render_transcript", "plain_transcript"),
    Shown("agentnb.render._pages", "WorkspaceCard", "render_card", "plain_card"),
    Shown("agentnb.conversations.turn", "Turn", "render_live_turn", "plain_live_turn", "card"),
    Shown("agentnb.conversations.conversation", "Conversation", "render_live_conversation", "plain_live_conversation", "card"),
    Shown("agentnb.workspace._account", "Account", "render_table", "plain_table", "table"),
    Shown("agentnb.workspace._imported", "ImportedRatings", "render_table", "plain_table", "table"),
    Shown("agentnb.workspace._rated_rows", "RatedRows", "render_table", "plain_table", "table"),
    Shown("agentnb.workspace._scores", "Scores", "render_table", "plain_table", "table"),
    Shown("agentnb.workspace._workspace", "Workspace", "render_card", "plain_card", "card"),
)
RELATIONS: Final = (("duckdb._relation", "DuckDBPyRelation"), ("_duckdb", "DuckDBPyRelation"))


def register(shell: InteractiveShell) -> None:
    """Tell IPython how our values and DuckDB's relations show themselves.

    Args:
        shell: the running IPython.
    """
    display = shell.display_formatter
    if display is None:
        return
    for shown in SHOWN:
        display.formatters["text/html"].for_type_by_name(shown.module, shown.name, _writer(shown.html, shown.attribute))
        display.formatters["text/plain"].for_type_by_name(shown.module, shown.name, _printer(_writer(shown.plain, shown.attribute)))
    for module, name in RELATIONS:
        # A bundle, because it runs the query once for both; it also wins over the relation's own.
        display.mimebundle_formatter.for_type_by_name(module, name, relation_bundle)


def relation_bundle(relation: DuckDBPyRelation) -> dict[str, str]:
    """Show a relation as our table, in HTML and as text, from one run of its query."""
    from agentnb.render import plain_table, render_table

    table = relation_table(relation)
    return {"text/html": render_table(table), "text/plain": plain_table(table)}


def relation_table(relation: DuckDBPyRelation, *, title: str | None = None) -> ResultTable:
    """Fetch the first rows of a relation, and count the rest only where there is a rest.

    Args:
        relation: any relation; it is run once, and once more for the count when it has over 200 rows.
        title: what it shows.
    """
    from agentnb.render import ResultTable

    rows = relation.limit(ROWS + 1).fetchall()
    total = len(rows) if len(rows) <= ROWS else relation.count("*").fetchall()[0][0]
    types = tuple(str(kind) for kind in relation.types)
    return ResultTable(columns=tuple(relation.columns), types=types, rows=tuple(rows[:ROWS]), total=total, title=title)


def _writer(function: str, attribute: str | None) -> Callable[[Any], str]:
    def written(value: Any) -> str:
        shown = value if attribute is None else getattr(value, attribute)
        return str(getattr(importlib.import_module("agentnb.render"), function)(shown))

    return written


def _printer(plain: Callable[[Any], str]) -> Callable[[Any, Any, bool], None]:
    def printed(value: Any, printer: Any, cycle: bool) -> None:
        printer.text("…" if cycle else plain(value))

    return printed
