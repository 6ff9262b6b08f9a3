"""How good is a program? Only a random draw can say, and only as far as it was looked at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from agentnb.ratings.agreement import Estimate
from agentnb.values import Value


class DrawnCall(NamedTuple):
    """One call of a draw, with what was said of it."""

    call_id: str
    """The call."""
    verdicts: tuple[tuple[str, str], ...]
    """Who said right or wrong; an account where no person was named."""
    stratum: str | None = None
    """The group it was drawn from; None in a simple random draw."""
    stratum_population: int = 1
    """How many calls its group has."""
    in_use: bool = True
    """Whether it was called in use, rather than to evaluate or optimize the program."""


class RaterAccuracy(Value):
    """How good a program is in the eyes of one person."""

    rater: str
    """The person, or the account where nobody was named."""
    rated: int
    """Calls of the draw that the person rated."""
    right: int
    """Of these, right ones."""
    share: Estimate
    """Share of right calls, with its interval."""


class Accuracy(Value):
    """How good a program is, by the calls of a named random draw."""

    sample: str
    """Name of the draw."""
    drawn: int
    """Calls of it that count here: calls in use, of the program that was asked for."""
    population: int | None = None
    """How many calls it was drawn from; null when the draw is not recorded here."""
    rated: int
    """Drawn calls with a verdict."""
    right: int
    """Drawn calls that are right: by most of those who rated one."""
    undecided: int = 0
    """Drawn calls about which as many say right as wrong; they count neither way."""
    not_in_use: int = 0
    """Drawn calls that were made to evaluate or optimize, and are left out."""
    share: Estimate | None
    """Share of right calls, with Wilson's interval; null when none was rated. In a stratified draw groups weigh as many calls as they have."""
    confidence: float
    """Confidence of the intervals."""
    raters: tuple[RaterAccuracy, ...] = ()
    """The same in the eyes of each person alone."""
    warnings: tuple[str, ...] = ()
    """Why the number may not be what it seems."""

    @property
    def coverage(self) -> float:
        """Share of the drawn calls that was rated."""
        return self.rated / self.drawn if self.drawn else 0.0


def measure_accuracy(sample: str, calls: Sequence[DrawnCall], *, population: int | None = None, confidence: float = 0.95) -> Accuracy:
    """Measure how good a program is by the calls of a draw.

    Args:
        sample: name of the draw.
        calls: its calls, in the order of the draw.
        population: how many calls it was drawn from; None when the draw itself is not recorded.
        confidence: confidence of the intervals.
    """
    used = [call for call in calls if call.in_use]
    rated = [call for call in used if call.verdicts]
    decided = {call.call_id: verdict for call in rated if (verdict := _decided(call)) is not None}
    return Accuracy(
        sample=sample,
        drawn=len(used),
        population=population,
        rated=len(rated),
        right=sum(decided.values()),
        undecided=len(rated) - len(decided),
        not_in_use=len(calls) - len(used),
        share=_share(used, decided, confidence) if decided else None,
        confidence=confidence,
        raters=tuple(_by_rater(used, confidence)),
        warnings=tuple(_warnings(used, population is not None)),
    )


def wilson(right: float, rated: float, *, confidence: float = 0.95) -> Estimate:
    """Return a share with the interval of Wilson (JASA 22, 1927), which holds for small numbers and shares near 0 and 1.

    Args:
        right: how many are right.
        rated: of how many, at least one.
        confidence: confidence of the interval.
    """
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(right, rated, alpha=1 - confidence, method="wilson")
    return Estimate(value=right / rated, low=float(low), high=float(high))


def _decided(call: DrawnCall) -> bool | None:
    counts = Counter(verdict for _, verdict in call.verdicts)
    return None if counts["right"] == counts["wrong"] else counts["right"] > counts["wrong"]


def _share(calls: Sequence[DrawnCall], decided: Mapping[str, bool], confidence: float) -> Estimate:
    """Return the share of right calls: groups weigh as many calls as they have, and the interval is Wilson's for as many calls as that is worth.

    Source: stratified estimator, W. G. Cochran, Sampling Techniques, chapter 5; effective sample size, E. L. Korn and B. I. Graubard (1998).
    """
    groups: defaultdict[str | None, list[bool]] = defaultdict(list)
    populations = {call.stratum: call.stratum_population for call in calls}
    for call in calls:
        if call.call_id in decided:
            groups[call.stratum].append(decided[call.call_id])
    if len(groups) == 1:
        (judged,) = groups.values()
        return wilson(sum(judged), len(judged), confidence=confidence)
    total = sum(populations[group] for group in groups)
    parts = [(populations[group] / total, sum(judged) / len(judged), len(judged)) for group, judged in groups.items()]
    share = sum(weight * part for weight, part, _ in parts)
    variance = sum(weight**2 * part * (1 - part) / size for weight, part, size in parts)
    worth = share * (1 - share) / variance if variance else float(sum(size for *_, size in parts))
    return wilson(share * worth, worth, confidence=confidence)


def _by_rater(calls: Iterable[DrawnCall], confidence: float) -> list[RaterAccuracy]:
    said: defaultdict[str, list[bool]] = defaultdict(list)
    for call in calls:
        for rater, verdict in call.verdicts:
            said[rater].append(verdict == "right")
    return [
        RaterAccuracy(rater=rater, rated=len(judged), right=sum(judged), share=wilson(sum(judged), len(judged), confidence=confidence))
        for rater, judged in sorted(said.items())
    ]


def _warnings(calls: Sequence[DrawnCall], is_recorded: bool) -> list[str]:
    rated = [bool(call.verdicts) for call in calls]
    found = [] if is_recorded else ["the draw is not recorded here: whether these calls were drawn at random, and which were not rated, cannot be checked"]
    if sum(rated) < len(rated):
        missing = f"{len(rated) - sum(rated):,} of {len(rated):,} drawn calls are not rated"
        # The first calls of a draw are a random draw themselves; any others may have been picked.
        is_first = not any(rated[sum(rated) :])
        how = "the rated ones are the first of the draw" if is_first else "those that are may have been picked: go on in the order of the draw"
        found.append(f"{missing}, and {how}")
    populations = {call.stratum: call.stratum_population for call in calls}
    unseen = sorted(str(stratum) for stratum in populations if not any(call.verdicts for call in calls if call.stratum == stratum))
    return found + ([f"nothing was rated of {', '.join(unseen[:5])}, so the number is about the other groups"] if unseen and len(populations) > 1 else [])
