"""Which cell is best? One row a cell, as JSON and as Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from pydantic import Field

from agentnb.decisions.matchers import type_of
from agentnb.decisions.typed._random import SEED
from agentnb.decisions.typed.cells import CellMetrics, Label, Observation, measure_cell
from agentnb.decisions.typed.metrics import RESAMPLES, Metrics
from agentnb.values import Value

UNKNOWN: Final = "—"

_NAME = re.compile(r"(.+?) \[([^\[\]]+)\]", re.DOTALL)


class RunRow(Value):
    """One run of one point, as a test run records it."""

    name: str
    """Name of its record: the point's id and the cell in brackets."""
    status: str = "Complete"
    """Where it stands; one that is Pending or Running is left out."""
    label: str | None = None
    """The expected outcome."""
    probability: float | None = None
    """Its answer; null without one."""
    model: str | None = None
    """The model that answered."""
    sampling: str | None = None
    """Sampling that was asked for and applied, in words."""
    latency_ms: float | None = None
    """How long it took, in milliseconds."""
    cost_usd: float | None = None
    """What it cost, in US dollars."""
    failed_over: bool = False
    """Whether another model answered than was asked."""
    failover_allowed: bool = False
    """Whether that counts all the same."""


class CellScore(Value):
    """One cell with its metrics."""

    cell: str
    """Its label."""
    metrics: CellMetrics
    """What it is worth."""
    models: dict[str, int] = Field(default_factory=dict)
    """Models that answered, with how often."""
    sampling: tuple[str, ...] = ()
    """Sampling that was asked for and applied."""


class Scorecard(Value):
    """All cells of an evaluation."""

    window: str | None = None
    """The time or the name of what is scored, in words."""
    runs: int
    """Runs that were given."""
    skipped: dict[str, int] = Field(default_factory=dict)
    """Runs that were left out, by reason."""
    cells: tuple[CellScore, ...] = ()
    """The cells, by label."""


def score_runs(rows: Iterable[RunRow | Mapping[str, Any]], *, window: str | None = None, resamples: int = RESAMPLES, seed: int = SEED) -> Scorecard:
    """Score the runs of an evaluation, grouped by cell.

    Args:
        rows: runs, in any order.
        window: what is scored, for the heading.
        resamples: draws for each interval.
        seed: of the generator.

    Returns:
        Cells by label; what is still running, names no cell or has no label is counted by reason.
    """
    given = [row if isinstance(row, RunRow) else RunRow.model_validate(dict(row)) for row in rows]
    skipped: Counter[str] = Counter()
    cells: dict[str, list[tuple[RunRow, Observation]]] = {}
    for row in given:
        name, reason = _NAME.fullmatch(row.name), _unusable(row)
        if reason is not None or name is None:
            skipped[reason or "no cell in the name"] += 1
            continue
        cells.setdefault(name[2], []).append((row, _observation(name[1], row)))
    scored = [_cell(label, cells[label], resamples, seed) for label in sorted(cells)]
    return Scorecard(window=window, runs=len(given), skipped=dict(sorted(skipped.items())), cells=tuple(scored))


def scorecard_markdown(card: Scorecard) -> str:
    """Write a scorecard as Markdown; of points only ids are told, and what is unknown is a dash."""
    skipped = "; ".join(f"{count} {reason}" for reason, count in card.skipped.items())
    lines = ["# Scorecard", "", f"{card.window or 'All runs'} · {card.runs} runs" + (f" · left out: {skipped}" if skipped else ""), ""]
    summary = ["cell", "points", "accuracy", "95 %", "balanced", "AUC", "Brier", "ECE", "agreement", "signal", "p50 ms", "p95 ms", "$ per 1000"]
    lines += _table(summary, [[score.cell, *_summary(score.metrics)] for score in card.cells])
    lines += ["", "## Calibrated", ""]
    lines += _table(["cell", "accuracy", "AUC", "Brier", "ECE", "Platt A", "Platt B"], [[score.cell, *_calibrated(score.metrics)] for score in card.cells])
    for score in card.cells:
        lines += ["", f"## {_plain(score.cell)}", "", *_details(score)]
    return "\n".join(lines) + "\n"


def _unusable(row: RunRow) -> str | None:
    if row.status.strip().lower() in ("pending", "running"):
        return "still running"
    if not _NAME.fullmatch(row.name):
        return "no cell in the name"
    return None if row.label in get_args(Label) else "no readable expected outcome"


def _observation(case_id: str, row: RunRow) -> Observation:
    probability = row.probability if type_of(row.probability) == "number" else None
    return Observation.model_validate(
        {"case_id": case_id, "probability": probability}
        | {key: getattr(row, key) for key in ("label", "latency_ms", "cost_usd", "failed_over", "failover_allowed")}
    )


def _cell(label: str, runs: list[tuple[RunRow, Observation]], resamples: int, seed: int) -> CellScore:
    models = Counter(row.model for row, _ in runs if row.model)
    return CellScore(
        cell=label,
        metrics=measure_cell([observation for _, observation in runs], resamples=resamples, seed=seed),
        models=dict(sorted(models.items())),
        sampling=tuple(sorted({row.sampling for row, _ in runs if row.sampling})),
    )


def _summary(metrics: CellMetrics) -> list[str]:
    scored = metrics.scored
    between = scored.accuracy_interval
    return [
        str(scored.count), _share(scored.accuracy), UNKNOWN if between is None else f"{between[0]:.3f}–{between[1]:.3f}", _share(scored.balanced_accuracy),
        _share(scored.auc), _share(scored.brier), _share(scored.ece), _share(metrics.mean_agreement), _share(metrics.signal_value),
        _number(metrics.latency_p50, 0), _number(metrics.latency_p95, 0), _number(metrics.cost_per_1000, 2),
    ]  # fmt: skip


def _calibrated(metrics: CellMetrics) -> list[str]:
    scored: Metrics | None = metrics.calibrated
    shares = [scored.accuracy, scored.auc, scored.brier, scored.ece] if scored is not None else [None] * 4
    return [*(_share(share) for share in shares), _share(metrics.platt_a), _share(metrics.platt_b)]


def _details(score: CellScore) -> list[str]:
    metrics = score.metrics
    models = ", ".join(f"{_plain(model)} ({count})" for model, count in score.models.items()) or UNKNOWN
    kept = f"{metrics.ambiguous_kept} of {metrics.ambiguous} ambiguous points kept"
    lines = [
        f"{metrics.runs} runs, {metrics.usable} usable, {metrics.no_probability} without an answer, {metrics.failover} failed over, "
        f"{metrics.excluded_failover} of them left out; {kept}",
        "",
        f"Models: {models}. Sampling: {', '.join(map(_plain, score.sampling)) or UNKNOWN}.",
        "",
    ]
    lines += _table(["probability", "answers", "predicted", "observed"], [_bin(one) for one in metrics.scored.reliability])
    points = [[f"{at.threshold:.2f}", *map(_share, _point(at))] for at in metrics.scored.operating_points]
    lines += ["", *_table(["threshold", "continue precision", "continue recall", "switch precision", "switch recall"], points)]
    worst = [[one.case_id, str(one.repeats), _share(one.agreement), _share(one.deviation)] for one in metrics.worst]
    return [*lines, "", *_table(["least repeatable", "answers", "agreement", "deviation"], worst)]


def _bin(one: Any) -> list[str]:
    return [f"{one.low:.1f}–{one.high:.1f}", str(one.count), _share(one.mean_predicted), _share(one.observed_rate)]


def _point(at: Any) -> list[float | None]:
    return [at.continue_precision, at.continue_recall, at.switch_precision, at.switch_recall]


def _table(names: list[str], rows: list[list[str]]) -> list[str]:
    return [_line(names), _line(["---"] * len(names)), *(_line([_plain(cell) for cell in row]) for row in rows)]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def _share(value: float | None) -> str:
    return _number(value, 3)


def _number(value: float | None, places: int) -> str:
    return UNKNOWN if value is None else f"{value:.{places}f}"
