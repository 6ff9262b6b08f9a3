"""What ratings say in numbers, as tables: agreement, accuracy, a comparison of versions."""

from __future__ import annotations

from agentnb.ratings import Accuracy, Agreement, Comparison, Estimate
from agentnb.render._numbers import amount, facts
from agentnb.render._pages import ResultTable
from agentnb.render._plain import plain_table
from agentnb.render._tables import render_table
from agentnb.render._text import one_line, visible

_COLUMNS = ("measure", "who", "calls", "value", "low", "high")


def agreement_table(found: Agreement) -> ResultTable:
    """Return how far people agree as a table: a row per coefficient, the counts in the title."""
    rows = [
        ("Krippendorff's alpha", "all", found.calls, *_ends(found.alpha)),
        ("Fleiss' kappa", f"{found.fleiss_raters} ratings a call", found.fleiss_calls, *_ends(found.fleiss)),
        *(("Cohen's kappa", " and ".join(pair.raters), pair.calls, *_ends(pair.kappa)) for pair in found.pairs),
    ]
    counts = facts(
        f"{found.agreed:,} of {amount(found.calls, 'call')} alike", amount(len(found.raters), "named person", "named people"), _sure(found.confidence)
    )
    return ResultTable(columns=_COLUMNS, rows=tuple(rows), total=len(rows), title=f"agreement · {counts}")


def accuracy_table(found: Accuracy) -> ResultTable:
    """Return how good a program is as a table: all people together, then each alone; what is doubtful stands in the title."""
    rows = [("right", "most people", found.rated - found.undecided, *_ends(found.share))]
    rows += [("right", one.rater, one.rated, *_ends(one.share)) for one in found.raters]
    undecided = amount(found.undecided, "undecided call") if found.undecided else None
    counts = facts(f"{found.rated:,} of {amount(found.drawn, 'drawn call')} rated", undecided, _sure(found.confidence), *(f"! {one}" for one in found.warnings))
    return ResultTable(columns=_COLUMNS, rows=tuple(rows), total=len(rows), title=f"accuracy · sample {found.sample} · {counts}")


def comparison_table(found: Comparison) -> ResultTable:
    """Return what a version does better and worse as a table."""
    rows = (
        ("before", found.before, found.pairs, found.mean_before, None, None),
        ("after", found.after, found.pairs, found.mean_after, None, None),
        ("difference", "after - before", found.pairs, *_ends(found.difference)),
    )
    counts = facts(f"{found.better:,} better", f"{found.worse:,} worse", f"{found.same:,} the same", _sure(found.confidence))
    return ResultTable(columns=_COLUMNS, rows=rows, total=len(rows), title=f"versions on the same inputs · {counts}")


def render_agreement(found: Agreement) -> str:
    """Show how far people agree."""
    return render_table(agreement_table(found))


def plain_agreement(found: Agreement) -> str:
    """Say how far people agree, as text."""
    return _plain(agreement_table(found))


def render_accuracy(found: Accuracy) -> str:
    """Show how good a program is."""
    return render_table(accuracy_table(found))


def plain_accuracy(found: Accuracy) -> str:
    """Say how good a program is, as text."""
    return _plain(accuracy_table(found))


def render_comparison(found: Comparison) -> str:
    """Show what a version does better and worse."""
    return render_table(comparison_table(found))


def plain_comparison(found: Comparison) -> str:
    """Say what a version does better and worse, as text."""
    return _plain(comparison_table(found))


def _plain(table: ResultTable) -> str:
    return f"{visible(one_line(table.title or '', 300))}\n{plain_table(table)}"


def _ends(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if estimate is None else (_rounded(estimate.value), _rounded(estimate.low), _rounded(estimate.high))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _sure(confidence: float) -> str:
    return f"{confidence * 100:g}% intervals"
