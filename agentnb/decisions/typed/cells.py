"""How good is one cell: one model with one prompt, over all points and repeats?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from agentnb.decisions.typed._random import SEED
from agentnb.decisions.typed.calibration import calibrate, fit_platt
from agentnb.decisions.typed.metrics import RESAMPLES, THRESHOLD, Answer, Metrics, measure, quantile
from agentnb.values import Value

Label = Literal["continue", "switch", "ambiguous"]
WORST = 10


class Observation(Value):
    """One run of one point."""

    case_id: str
    """Id of the point."""
    label: Label
    """continue (the previous agent keeps the turn, the positive class), switch, or ambiguous."""
    probability: float | None = None
    """Probability of continue; null when there is no answer."""
    latency_ms: float | None = None
    """How long it took, in milliseconds."""
    cost_usd: float | None = None
    """What it cost, in US dollars."""
    failed_over: bool = False
    """Whether another model answered than was asked."""
    failover_allowed: bool = False
    """Whether that counts all the same."""

    @property
    def usable(self) -> bool:
        """Whether it has a probability of the model that was asked, or failing over is allowed."""
        return self.probability is not None and math.isfinite(self.probability) and not (self.failed_over and not self.failover_allowed)


class Repeatability(Value):
    """How alike the answers to one point are."""

    case_id: str
    """Id of the point."""
    repeats: int
    """Usable answers."""
    agreement: float
    """Share of the majority's verdict."""
    deviation: float
    """Standard deviation of the probabilities, of the whole population."""


class CellMetrics(Value):
    """What one cell is worth."""

    runs: int
    """Runs of the cell."""
    usable: int
    """Runs that count."""
    no_probability: int
    """Runs without an answer."""
    failover: int
    """Runs that another model answered."""
    excluded_failover: int
    """Those of them that do not count, although they have an answer."""
    scored: Metrics
    """Metrics over the points that are not ambiguous, one mean probability each."""
    calibrated: Metrics | None = None
    """The same after calibration; null for fewer than two points."""
    platt_a: float | None = None
    """Slope of the calibration over all points."""
    platt_b: float | None = None
    """Its intercept."""
    ambiguous: int = 0
    """Points labelled ambiguous."""
    ambiguous_kept: int = 0
    """Those of them for which the answer is continue."""
    repeated: int = 0
    """Points with at least two usable answers, ambiguous ones left out."""
    mean_agreement: float | None = None
    """Mean of their agreement."""
    mean_deviation: float | None = None
    """Mean of their standard deviation."""
    worst: tuple[Repeatability, ...] = ()
    """The ten that agree least."""
    signal_value: float | None = None
    """Accuracy times mean agreement: how much a single answer is worth."""
    latency_p50: float | None = None
    """Median latency of usable runs, in milliseconds."""
    latency_p95: float | None = None
    """Latency that 95 % of the usable runs stay below."""
    cost_per_1000: float | None = None
    """Cost of a thousand usable runs, in US dollars."""

    @property
    def ambiguous_rate(self) -> float | None:
        """Share of ambiguous points for which the answer is continue."""
        return self.ambiguous_kept / self.ambiguous if self.ambiguous else None


class _Point(NamedTuple):
    case_id: str
    label: Label
    probabilities: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.probabilities) / len(self.probabilities)


def measure_cell(observations: Iterable[Observation], *, threshold: float = THRESHOLD, resamples: int = RESAMPLES, seed: int = SEED) -> CellMetrics:
    """Measure one cell; the same runs in any order give the same numbers.

    Args:
        observations: its runs.
        threshold: least probability with which the answer is continue.
        resamples: draws for each interval.
        seed: of the generator.
    """
    runs = list(observations)
    usable = [run for run in runs if run.usable]
    points = _points(usable)
    clear, ambiguous = [point for point in points if point.label != "ambiguous"], [point for point in points if point.label == "ambiguous"]
    answers = [Answer(point.mean, point.label == "continue") for point in clear]
    scored = measure(answers, threshold=threshold, resamples=resamples, seed=seed)
    recalibrated = calibrate(answers, seed=seed)
    platt = fit_platt(answers) if len(answers) >= 2 else None
    repeats = [_repeatability(point, threshold) for point in clear if len(point.probabilities) >= 2]
    agreement, costs = _mean([one.agreement for one in repeats]), sorted(run.cost_usd for run in usable if run.cost_usd is not None)
    latencies = [run.latency_ms for run in usable if run.latency_ms is not None]
    mean_cost = _mean(costs)
    return CellMetrics(
        runs=len(runs),
        usable=len(usable),
        no_probability=sum(run.probability is None for run in runs),
        failover=sum(run.failed_over for run in runs),
        excluded_failover=sum(run.failed_over and not run.failover_allowed and run.probability is not None for run in runs),
        scored=scored,
        calibrated=None if recalibrated is None else measure(recalibrated, threshold=threshold, resamples=resamples, seed=seed),
        platt_a=platt.a if platt else None,
        platt_b=platt.b if platt else None,
        ambiguous=len(ambiguous),
        ambiguous_kept=sum(point.mean >= threshold for point in ambiguous),
        repeated=len(repeats),
        mean_agreement=agreement,
        mean_deviation=_mean([one.deviation for one in repeats]),
        worst=tuple(sorted(repeats, key=lambda one: (one.agreement, -one.deviation, one.case_id))[:WORST]),
        signal_value=None if scored.accuracy is None or agreement is None else scored.accuracy * agreement,
        latency_p50=quantile(latencies, 0.5),
        latency_p95=quantile(latencies, 0.95),
        cost_per_1000=None if mean_cost is None else mean_cost * 1000,
    )


def repeatability(probabilities: Sequence[float], *, threshold: float = THRESHOLD) -> tuple[float, float]:
    """Return agreement and population standard deviation of several answers to one point."""
    positive = sum(probability >= threshold for probability in probabilities)
    mean = sum(probabilities) / len(probabilities)
    variance = sum((probability - mean) ** 2 for probability in probabilities) / len(probabilities)
    return max(positive, len(probabilities) - positive) / len(probabilities), math.sqrt(variance)


def _points(usable: Sequence[Observation]) -> list[_Point]:
    labels: dict[str, Counter[Label]] = {}
    found: dict[str, list[float]] = {}
    for run in usable:
        labels.setdefault(run.case_id, Counter())[run.label] += 1
        found.setdefault(run.case_id, []).append(run.probability or 0.0)
    return [_Point(case_id, min(labels[case_id]), tuple(sorted(found[case_id]))) for case_id in sorted(found)]


def _repeatability(point: _Point, threshold: float) -> Repeatability:
    agreement, deviation = repeatability(point.probabilities, threshold=threshold)
    return Repeatability(case_id=point.case_id, repeats=len(point.probabilities), agreement=agreement, deviation=deviation)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
