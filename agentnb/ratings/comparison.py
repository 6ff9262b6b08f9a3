"""Is the new version better? Two versions on the same inputs, call by call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from agentnb.ratings.agreement import Estimate
from agentnb.ratings.canonical import canonical
from agentnb.ratings.rated import Program, rated_records
from agentnb.values import Value


class ScoredCall(NamedTuple):
    """A rated call with its score."""

    call_id: str
    """The call."""
    version: str | None
    """The version of the program that made it."""
    question: str
    """What it was asked, as a text that is the same for the same inputs after the same earlier turns."""
    score: float
    """Share of the ratings that count and say right."""
    started: str
    """When it started."""


class Comparison(Value):
    """What a new version does better or worse than an old one, on the same inputs."""

    before: str | None
    """The old version."""
    after: str | None
    """The new version."""
    pairs: int
    """Inputs on which both were rated."""
    mean_before: float
    """Mean score of the old version on these."""
    mean_after: float
    """Mean score of the new version on these."""
    difference: Estimate
    """Mean difference, new less old, with the range of the paired t-test; without ends below two pairs."""
    better: int
    """Inputs on which the new version is better."""
    worse: int
    """Inputs on which it is worse."""
    same: int
    """Inputs on which they are alike."""
    only_before: int
    """Inputs on which the old version alone was rated; they say nothing here."""
    only_after: int
    """Inputs on which the new version alone was rated."""
    confidence: float
    """Confidence of the range."""
    worse_calls: tuple[str, ...] = ()
    """Calls of the new version that are worse: what to look at next."""


def scored_calls(records: Iterable[Any], program: Program, *, by: str | None = None) -> list[ScoredCall]:
    """Return the rated calls of a program with their scores; those whose inputs or earlier turns were not recorded are left out.

    Args:
        records: call and rating records in any order.
        program: whose calls.
        by: only what this person said.
    """
    return [
        ScoredCall(
            call_id=one.call["id"],
            version=one.call.get("program", {}).get("version"),
            question=canonical([one.call["inputs"], [{"inputs": turn["inputs"], "outputs": turn["outputs"]} for turn in one.context.get("earlier", ())]]),
            score=sum(rating.verdict == "right" for rating in one.ratings) / len(one.ratings),
            started=str(one.call.get("started") or ""),
        )
        for one in rated_records(records, program, by=by)
        if isinstance(one.call.get("inputs"), dict) and one.context is not None
    ]


def compare(calls: Iterable[ScoredCall], before: str | None, after: str | None, *, confidence: float = 0.95) -> Comparison | None:
    """Compare two versions on the same inputs; several calls of one version on one input count with their mean.

    Returns:
        What came of it; None when there is no input on which both were rated.
    """
    listed = list(calls)
    old, new = (_by_question(call for call in listed if call.version == version) for version in (before, after))
    shared = sorted(old.keys() & new.keys())
    if not shared:
        return None
    olds, news = ([_mean(scores[question]) for question in shared] for scores in (old, new))
    differences = [after_score - before_score for before_score, after_score in zip(olds, news, strict=True)]
    worse = {question for question, difference in zip(shared, differences, strict=True) if difference < 0}
    return Comparison(
        before=before,
        after=after,
        pairs=len(shared),
        mean_before=sum(olds) / len(olds),
        mean_after=sum(news) / len(news),
        difference=paired_range(differences, confidence=confidence),
        better=sum(difference > 0 for difference in differences),
        worse=len(worse),
        same=sum(difference == 0 for difference in differences),
        only_before=len(old) - len(shared),
        only_after=len(new) - len(shared),
        confidence=confidence,
        worse_calls=tuple(sorted(call.call_id for call in listed if call.version == after and call.question in worse)),
    )


def paired_range(differences: list[float], *, confidence: float = 0.95) -> Estimate:
    """Return the mean of paired differences with the range of the t-test; without ends below two pairs."""
    mean = sum(differences) / len(differences)
    if len(differences) < 2:
        return Estimate(value=mean)
    from statsmodels.stats.weightstats import DescrStatsW

    low, high = DescrStatsW(differences).tconfint_mean(alpha=1 - confidence)
    return Estimate(value=mean, low=float(low), high=float(high))


def _by_question(calls: Iterable[ScoredCall]) -> Mapping[str, list[ScoredCall]]:
    found: defaultdict[str, list[ScoredCall]] = defaultdict(list)
    for call in calls:
        found[call.question].append(call)
    return found


def _mean(calls: list[ScoredCall]) -> float:
    return sum(call.score for call in calls) / len(calls)
