"""How good are yes-or-no answers that come as probabilities?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from agentnb.decisions.typed._random import SEED, mulberry32
from agentnb.values import Value

THRESHOLD: Final = 0.5
RESAMPLES: Final = 1000
BINS: Final = 10
OPERATING_THRESHOLDS: Final = tuple(round(0.3 + 0.05 * step, 2) for step in range(13))
"""0.30 to 0.90 in steps of 0.05."""


class Answer(NamedTuple):
    """One answer: the probability of the positive label, and whether that is the right one."""

    probability: float
    positive: bool


class Interval(NamedTuple):
    """Where a statistic lies with 95 % of the resamples."""

    low: float
    high: float


class Bin(Value):
    """One bin of the reliability table."""

    low: float
    """Least probability of the bin."""
    high: float
    """Greatest probability of the bin; only the last includes it."""
    count: int
    """Answers in it."""
    mean_predicted: float | None = None
    """Mean of their probabilities."""
    observed_rate: float | None = None
    """Share of them that are positive."""


class OperatingPoint(Value):
    """Precision and recall of both classes at one threshold; null where there is nothing to divide by."""

    threshold: float
    """Least probability with which the answer is positive."""
    continue_precision: float | None = None
    """Of the answers continue, the share that is right."""
    continue_recall: float | None = None
    """Of the points labelled continue, the share that was found."""
    switch_precision: float | None = None
    """Of the answers switch, the share that is right."""
    switch_recall: float | None = None
    """Of the points labelled switch, the share that was found."""


class Metrics(Value):
    """What a set of answers is worth; every number is null where there are no answers for it."""

    count: int
    """Number of answers."""
    accuracy: float | None = None
    """Share that is right at the threshold."""
    balanced_accuracy: float | None = None
    """Mean recall of the classes that are present."""
    continue_recall: float | None = None
    """Recall of the positive class."""
    switch_recall: float | None = None
    """Recall of the negative class."""
    auc: float | None = None
    """Area under the ROC curve, ties counted a half; null with one class."""
    brier: float | None = None
    """Mean squared distance of the probability from the truth."""
    ece: float | None = None
    """Expected calibration error over ten bins."""
    accuracy_interval: tuple[float, float] | None = None
    """95 % interval of the accuracy."""
    balanced_accuracy_interval: tuple[float, float] | None = None
    """95 % interval of the balanced accuracy."""
    auc_interval: tuple[float, float] | None = None
    """95 % interval of the area."""
    brier_interval: tuple[float, float] | None = None
    """95 % interval of the Brier score."""
    operating_points: tuple[OperatingPoint, ...] = ()
    """Precision and recall at each threshold."""
    reliability: tuple[Bin, ...] = ()
    """The reliability table."""


def measure(answers: Sequence[Answer], *, threshold: float = THRESHOLD, resamples: int = RESAMPLES, seed: int = SEED) -> Metrics:
    """Measure a set of answers.

    Args:
        answers: in an order that does not depend on when they were given.
        threshold: least probability with which the answer is positive.
        resamples: draws for the intervals; 0 leaves them out.
        seed: of the generator, which starts anew for each statistic.
    """

    def interval(statistic: Callable[[Sequence[Answer]], float | None]) -> tuple[float, float] | None:
        return bootstrap(answers, statistic, resamples=resamples, seed=seed) if resamples else None

    return Metrics(
        count=len(answers),
        accuracy=accuracy(answers, threshold),
        balanced_accuracy=balanced_accuracy(answers, threshold),
        continue_recall=recall(answers, positive=True, threshold=threshold),
        switch_recall=recall(answers, positive=False, threshold=threshold),
        auc=auc(answers),
        brier=brier(answers),
        ece=expected_calibration_error(answers),
        accuracy_interval=interval(lambda drawn: accuracy(drawn, threshold)),
        balanced_accuracy_interval=interval(lambda drawn: balanced_accuracy(drawn, threshold)),
        auc_interval=interval(auc),
        brier_interval=interval(brier),
        operating_points=tuple(operating_point(answers, at) for at in OPERATING_THRESHOLDS) if answers else (),
        reliability=reliability(answers) if answers else (),
    )


def accuracy(answers: Sequence[Answer], threshold: float = THRESHOLD) -> float | None:
    """Return the share of answers that is right; the threshold itself is positive."""
    return _mean([float((answer.probability >= threshold) == answer.positive) for answer in answers])


def recall(answers: Sequence[Answer], *, positive: bool, threshold: float = THRESHOLD) -> float | None:
    """Return the share of one class that was found; null when there is none of it."""
    return _mean([float((answer.probability >= threshold) == positive) for answer in answers if answer.positive is positive])


def balanced_accuracy(answers: Sequence[Answer], threshold: float = THRESHOLD) -> float | None:
    """Return the mean recall of the classes that are present."""
    recalls = [recall(answers, positive=positive, threshold=threshold) for positive in (True, False)]
    return _mean([found for found in recalls if found is not None])


def auc(answers: Sequence[Answer]) -> float | None:
    """Return the area under the ROC curve by average ranks; null when only one class is present."""
    positives = sum(answer.positive for answer in answers)
    negatives = len(answers) - positives
    if not positives or not negatives:
        return None
    ordered, ranks, at = sorted(answers, key=lambda answer: answer.probability), 0.0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end].probability == ordered[at].probability:
            end += 1
        ranks += (at + 1 + end) / 2 * sum(answer.positive for answer in ordered[at:end])
        at = end
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives)


def brier(answers: Sequence[Answer]) -> float | None:
    """Return the mean squared distance of the probability from the truth."""
    return _mean([(answer.probability - answer.positive) ** 2 for answer in answers])


def expected_calibration_error(answers: Sequence[Answer]) -> float | None:
    """Return how far probabilities and observed rates are apart, over ten bins weighted by their counts."""
    if not answers:
        return None
    filled = [one for one in reliability(answers) if one.count]
    return sum(one.count / len(answers) * abs((one.mean_predicted or 0.0) - (one.observed_rate or 0.0)) for one in filled)


def reliability(answers: Sequence[Answer]) -> tuple[Bin, ...]:
    """Return the reliability table: ten bins of equal width."""
    bins: list[list[Answer]] = [[] for _ in range(BINS)]
    for answer in answers:
        bins[min(int(answer.probability * BINS), BINS - 1)].append(answer)
    return tuple(
        Bin(
            low=place / BINS,
            high=(place + 1) / BINS,
            count=len(inside),
            mean_predicted=_mean([answer.probability for answer in inside]),
            observed_rate=_mean([float(answer.positive) for answer in inside]),
        )
        for place, inside in enumerate(bins)
    )


def operating_point(answers: Sequence[Answer], threshold: float) -> OperatingPoint:
    """Return precision and recall of both classes at one threshold."""
    kept = [answer.positive for answer in answers if answer.probability >= threshold]
    switched = [not answer.positive for answer in answers if answer.probability < threshold]
    return OperatingPoint(
        threshold=threshold,
        continue_precision=_mean([float(right) for right in kept]),
        continue_recall=recall(answers, positive=True, threshold=threshold),
        switch_precision=_mean([float(right) for right in switched]),
        switch_recall=recall(answers, positive=False, threshold=threshold),
    )


def bootstrap(
    answers: Sequence[Answer], statistic: Callable[[Sequence[Answer]], float | None], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Interval | None:
    """Return the percentile interval of a statistic over resampled answers; draws for which it is undefined are skipped.

    Args:
        answers: the cases.
        statistic: what is computed of each resample.
        resamples: number of draws.
        seed: of the generator.
    """
    if not answers:
        return None
    draw, found, count = mulberry32(seed), [], len(answers)
    for _ in range(resamples):
        value = statistic([answers[int(draw() * count)] for _ in range(count)])
        if value is not None:
            found.append(value)
    low, high = quantile(found, 0.025), quantile(found, 0.975)
    return None if low is None or high is None else Interval(low, high)


def quantile(values: Sequence[float], share: float) -> float | None:
    """Return a quantile by linear interpolation (type 7); null of no values."""
    if not values:
        return None
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
