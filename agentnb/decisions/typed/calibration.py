"""Do probabilities mean what they say once they are calibrated? Platt scaling, fitted outside of the fold that it is applied to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from agentnb.decisions.typed._random import SEED, mulberry32, shuffle
from agentnb.decisions.typed.metrics import Answer

FOLDS: Final = 5
CLAMP: Final = 1e-6
ITERATIONS: Final = 100
RIDGE: Final = 1e-12
SMALL_GRADIENT: Final = 1e-9
SMALLEST_STEP: Final = 1e-10


class Platt(NamedTuple):
    """A fitted scaling: 1 / (1 + exp(-(a * logit + b)))."""

    a: float
    b: float
    converged: bool

    def apply(self, probability: float) -> float:
        """Return a probability calibrated."""
        return sigmoid(self.a * logit(probability) + self.b)


def logit(probability: float) -> float:
    """Return the log odds of a probability that is kept away from 0 and 1."""
    clamped = min(max(probability, CLAMP), 1 - CLAMP)
    return math.log(clamped / (1 - clamped))


def sigmoid(value: float) -> float:
    """Return the probability of log odds, without overflow."""
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


def fit_platt(answers: Sequence[Answer]) -> Platt:
    """Fit a scaling to answers by Newton's method, with Platt's smoothed targets.

    Args:
        answers: at least one; with one class the targets keep it finite.
    """
    positives = sum(answer.positive for answer in answers)
    negatives = len(answers) - positives
    high, low = (positives + 1) / (positives + 2), 1 / (negatives + 2)
    points = [(logit(answer.probability), high if answer.positive else low) for answer in answers]
    a, b = 0.0, math.log((positives + 1) / (negatives + 1))
    loss = _loss(points, a, b)
    for _ in range(ITERATIONS):
        slope = _slope(points, a, b)
        if abs(slope.a) < SMALL_GRADIENT and abs(slope.b) < SMALL_GRADIENT:
            return Platt(a, b, True)
        determinant = slope.aa * slope.bb - slope.ab * slope.ab
        step_a = -(slope.bb * slope.a - slope.ab * slope.b) / determinant
        step_b = -(slope.aa * slope.b - slope.ab * slope.a) / determinant
        size = 1.0
        while size >= SMALLEST_STEP and _loss(points, a + size * step_a, b + size * step_b) > loss:
            size /= 2
        if size < SMALLEST_STEP:
            return Platt(a, b, False)
        a, b = a + size * step_a, b + size * step_b
        loss = _loss(points, a, b)
    return Platt(a, b, False)


def assign_folds(answers: Sequence[Answer], *, folds: int = FOLDS, seed: int = SEED) -> tuple[int, ...]:
    """Deal answers into folds, each class evenly: positives shuffled first, then negatives, by one generator.

    Returns:
        The fold of each answer, in the answers' order.
    """
    number, draw, dealt = max(2, min(folds, len(answers))), mulberry32(seed), []
    for positive in (True, False):
        places = [place for place, answer in enumerate(answers) if answer.positive is positive]
        shuffle(places, draw)
        dealt.extend(places)
    fold_of = {place: turn % number for turn, place in enumerate(dealt)}
    return tuple(fold_of[place] for place in range(len(answers)))


def calibrate(answers: Sequence[Answer], *, folds: int = FOLDS, seed: int = SEED) -> tuple[Answer, ...] | None:
    """Calibrate each answer by a scaling that was fitted without its fold.

    Returns:
        The answers with calibrated probabilities; null when there are fewer than two.
    """
    if len(answers) < 2:
        return None
    fold_of = assign_folds(answers, folds=folds, seed=seed)
    fitted = {fold: fit_platt([answer for answer, other in zip(answers, fold_of, strict=True) if other != fold]) for fold in sorted(set(fold_of))}
    return tuple(Answer(fitted[fold].apply(answer.probability), answer.positive) for answer, fold in zip(answers, fold_of, strict=True))


class _Slope(NamedTuple):
    a: float
    b: float
    aa: float
    ab: float
    bb: float


def _slope(points: Sequence[tuple[float, float]], a: float, b: float) -> _Slope:
    grad_a = grad_b = ab = 0.0
    aa = bb = RIDGE
    for x, target in points:
        p = sigmoid(a * x + b)
        weight = p * (1 - p)
        grad_a += (p - target) * x
        grad_b += p - target
        aa += weight * x * x
        ab += weight * x
        bb += weight
    return _Slope(grad_a, grad_b, aa, ab, bb)


def _loss(points: Sequence[tuple[float, float]], a: float, b: float) -> float:
    total = 0.0
    for x, target in points:
        value = a * x + b
        # log(1 + exp(-v)) without overflow
        total += max(value, 0.0) - value * target + math.log1p(math.exp(-abs(value)))
    return total
