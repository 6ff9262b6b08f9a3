"""Do people agree? Krippendorff's alpha, Fleiss' and Cohen's kappa of nominal judgements, with intervals that respect conversations.

The numbers are those of krippendorff and statsmodels. Intervals are percentiles of a bootstrap that draws whole conversations, since calls of one are alike;
every coefficient is a function of sums over calls, so a draw is a weighted sum, and a hundred thousand judgements take seconds.

Sources: K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011); J. L. Fleiss, Psychological Bulletin 76 (1971); J. Cohen, EPM 20 (1960).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agentnb.values import Value

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BLOCK: Final = 64
"""Draws that are added up at once."""
_FEWEST_RATERS: Final = 2


class Judgements(NamedTuple):
    """Judgements in columns of one length, one of each person and call at most."""

    call_ids: Sequence[str]
    """What was judged."""
    raters: Sequence[str | None]
    """Who judged; None for an account, which may be several people: it counts in alpha and Fleiss' kappa, not between two people."""
    values: Sequence[str]
    """What they said."""
    conversations: Sequence[str | None]
    """The conversation of the call; None for a call that stands alone."""


class Estimate(Value):
    """A number with its interval."""

    value: float
    """The number."""
    low: float | None = None
    """Lower end of the interval; null when there are too few conversations to tell."""
    high: float | None = None
    """Upper end of the interval."""


class PairAgreement(Value):
    """How far two people agree beyond chance."""

    raters: tuple[str, str]
    """The two, in the order of their names."""
    calls: int
    """Calls that both judged."""
    agreed: int
    """Of these, how many alike."""
    kappa: Estimate | None
    """Cohen's kappa; null when neither of them ever said anything else, so that chance explains all."""


class Disagreement(Value):
    """A call that was judged differently."""

    call_id: str
    """The call."""
    conversation_id: str | None = None
    """Its conversation."""
    said: tuple[tuple[str | None, str], ...]
    """Who said what."""


class Agreement(Value):
    """How far people agree about calls."""

    calls: int
    """Calls that at least two judged; the others say nothing about agreement."""
    judgements: int
    """Judgements of these calls."""
    raters: tuple[str, ...]
    """Named people who judged one of these calls."""
    conversations: int
    """Conversations of these calls: what the intervals draw."""
    agreed: int
    """Calls about which all said the same."""
    alpha: Estimate | None
    """Krippendorff's alpha; null when everybody always said the same one thing, or no call was judged twice."""
    fleiss: Estimate | None
    """Fleiss' kappa, of the calls that were judged by `fleiss_raters`."""
    fleiss_calls: int = 0
    """Calls it is about: it needs the same number of judgements of each."""
    fleiss_raters: int = 0
    """The number of judgements that most of the calls have."""
    pairs: tuple[PairAgreement, ...] = ()
    """Cohen's kappa of every two people with a call in common."""
    disagreements: tuple[Disagreement, ...] = ()
    """The calls that were judged differently, in the order of their ids."""
    confidence: float
    """Share of the draws that an interval holds."""


def measure_agreement(judgements: Judgements, *, draws: int = 1000, seed: int = 0, confidence: float = 0.95) -> Agreement:
    """Measure how far people agree.

    Args:
        judgements: who said what about which call; values are names, without order.
        draws: how often conversations are drawn for the intervals; 0 for none.
        seed: a whole number; the same seed gives the same intervals.
        confidence: share of the draws that an interval holds.
    """
    coded = _Coded.of(judgements)
    twice = coded.only_judged_twice()
    estimate = _Intervals(twice.groups, draws, seed, confidence)
    fleiss_raters = _usual_number(twice.counts)
    alike = twice.counts[twice.counts.sum(axis=1) == fleiss_raters]
    return Agreement(
        calls=len(twice.call_ids),
        judgements=int(twice.counts.sum()),
        raters=tuple(sorted(twice.names)),
        conversations=int(twice.groups.max(initial=-1)) + 1,
        agreed=int((twice.counts.max(axis=1, initial=0) == twice.counts.sum(axis=1)).sum()),
        alpha=estimate(_alpha(twice.counts), _coincidences(twice.counts), _alphas),
        fleiss=estimate(_fleiss(alike), _fleiss_sums(twice.counts, fleiss_raters), lambda sums: _fleiss_kappas(sums, fleiss_raters)),
        fleiss_calls=len(alike),
        fleiss_raters=fleiss_raters,
        pairs=tuple(_pairs(twice, estimate)),
        disagreements=tuple(_disagreements(twice)),
        confidence=confidence,
    )


class _Coded(NamedTuple):
    """Judgements as numbers: a row per call, a column per value or person."""

    call_ids: list[str]
    conversations: list[str | None]
    values: list[str]
    names: list[str]
    counts: Floats
    """How many said what: calls × values."""
    said: Ints
    """What each named person said, -1 for nothing: calls × people."""
    groups: Ints
    """The conversation of each call, from 0."""
    unnamed: dict[int, list[str]]
    """What was said under accounts, by row."""

    @classmethod
    def of(cls, judgements: Judgements) -> _Coded:
        calls, values, names = (_codes(column) for column in (judgements.call_ids, judgements.values, [name for name in judgements.raters if name is not None]))
        call, value = (_coded(column, codes) for column, codes in ((judgements.call_ids, calls), (judgements.values, values)))
        counts = np.bincount(call * len(values) + value, minlength=len(calls) * len(values)).astype(float).reshape(len(calls), len(values))
        person = np.fromiter((-1 if name is None else names[name] for name in judgements.raters), dtype=np.int64, count=len(judgements.raters))
        said = np.full((len(calls), len(names)), -1, dtype=np.int64)
        said[call[person >= 0], person[person >= 0]] = value[person >= 0]
        unnamed: dict[int, list[str]] = {}
        for place in np.flatnonzero(person < 0).tolist():
            unnamed.setdefault(int(call[place]), []).append(judgements.values[place])
        conversations: list[str | None] = [None] * len(calls)
        for row, conversation in zip(call.tolist(), judgements.conversations, strict=True):
            conversations[row] = conversation
        return cls([*calls], conversations, [*values], [*names], counts, said, _groups(conversations), unnamed)

    def only_judged_twice(self) -> _Coded:
        """Return the calls that at least two judged, and the people who did."""
        kept = np.flatnonzero(self.counts.sum(axis=1) >= _FEWEST_RATERS)
        people = np.flatnonzero((self.said[kept] >= 0).any(axis=0))
        places = {int(row): place for place, row in enumerate(kept)}
        conversations = [self.conversations[row] for row in kept]
        return self._replace(
            call_ids=[self.call_ids[row] for row in kept],
            conversations=conversations,
            names=[self.names[person] for person in people],
            counts=self.counts[kept],
            said=self.said[np.ix_(kept, people)],
            groups=_groups(conversations),
            unnamed={places[row]: said for row, said in self.unnamed.items() if row in places},
        )


def _codes(column: Sequence[str]) -> dict[str, int]:
    return {value: code for code, value in enumerate(dict.fromkeys(column))}


def _coded(column: Sequence[str], codes: dict[str, int]) -> Ints:
    return np.fromiter((codes[value] for value in column), dtype=np.int64, count=len(column))


def _groups(conversations: Sequence[str | None]) -> Ints:
    """Number the conversations; a call without one is a group of its own."""
    keys: list[Any] = [place if conversation is None else conversation for place, conversation in enumerate(conversations)]
    codes = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    return np.fromiter((codes[key] for key in keys), dtype=np.int64, count=len(keys))


class _Intervals:
    """Puts an interval around a coefficient that is a function of sums over calls."""

    def __init__(self, groups: Ints, draws: int, seed: int, confidence: float) -> None:
        self.groups = groups
        self.count = int(groups.max(initial=-1)) + 1
        self._draws = draws if self.count > 1 else 0
        self._weights = _weights(self._draws, self.count, seed)
        self._ends = (100 * (1 - confidence) / 2, 100 * (1 + confidence) / 2)

    def __call__(self, value: float | None, terms: Floats, coefficient: Callable[[Floats], Floats]) -> Estimate | None:
        """Return a value with its interval; None of one that is not defined.

        Args:
            value: the coefficient of all calls.
            terms: what each call adds: calls × sums.
            coefficient: the coefficient of sums: draws × sums -> draws, nan where it is not defined.
        """
        if value is None or not self._draws:
            return None if value is None else Estimate(value=value)
        drawn = coefficient(self.sums(terms))
        known = drawn[~np.isnan(drawn)]
        low, high = np.percentile(known, self._ends) if known.size else (np.nan, np.nan)
        return Estimate(value=value, low=float(low), high=float(high)) if known.size else Estimate(value=value)

    def sums(self, terms: Floats) -> Floats:
        """Return the sums of each draw: draws × sums. The draws are the same for all coefficients."""
        by_group = np.stack([np.bincount(self.groups, weights=column, minlength=self.count) for column in terms.T], axis=1)
        return np.concatenate([self._weights[place : place + _BLOCK].astype(float) @ by_group for place in range(0, self._draws, _BLOCK)])


def _weights(draws: int, count: int, seed: int) -> npt.NDArray[np.uint8]:
    """Return how often each group is in each draw: draws × groups."""
    random = np.random.default_rng(seed)
    weights = np.empty((draws, count), dtype=np.uint8)
    for row in weights:
        row[:] = np.bincount(random.integers(0, count, count), minlength=count)
    return weights


def _alpha(counts: Floats) -> float | None:
    used = counts[:, counts.any(axis=0)]
    if used.shape[1] < _FEWEST_RATERS:
        return None
    import krippendorff

    return float(krippendorff.alpha(value_counts=used, level_of_measurement="nominal"))


def _coincidences(counts: Floats) -> Floats:
    """Return what each call adds to the matrix of coincidences: calls × values²."""
    pairs: Floats = counts[:, :, None] * (counts[:, None, :] - np.eye(counts.shape[1])) / (counts.sum(axis=1) - 1)[:, None, None]
    return pairs.reshape(len(counts), counts.shape[1] ** 2)


def _alphas(sums: Floats) -> Floats:
    size = round(sums.shape[1] ** 0.5)
    matrix = sums.reshape(-1, size, size)
    of_value = matrix.sum(axis=2)
    total = of_value.sum(axis=1)
    differ = total - np.trace(matrix, axis1=1, axis2=2)
    alphas: Floats = 1 - (total - 1) * _divided(differ, total**2 - (of_value**2).sum(axis=1))
    return alphas


def _usual_number(counts: Floats) -> int:
    """Return the number of judgements that most calls have; of two such numbers the larger one."""
    numbers = np.bincount(counts.sum(axis=1).astype(np.int64), minlength=1)
    return int(len(numbers) - 1 - np.argmax(numbers[::-1])) if len(counts) else 0


def _fleiss(table: Floats) -> float | None:
    if not len(table) or table.any(axis=0).sum() < _FEWEST_RATERS:
        return None
    from statsmodels.stats.inter_rater import fleiss_kappa

    return float(fleiss_kappa(table))


def _fleiss_sums(counts: Floats, raters: int) -> Floats:
    """Return what each call adds: itself, the share of pairs that agree, and the judgements by value; nothing of a call with another number of them."""
    alike = (counts.sum(axis=1) == raters)[:, None]
    agreeing = ((counts**2).sum(axis=1) - raters) / max(raters * (raters - 1), 1)
    terms: Floats = np.concatenate([np.ones((len(counts), 1)), agreeing[:, None], counts], axis=1) * alike
    return terms


def _fleiss_kappas(sums: Floats, raters: int) -> Floats:
    calls = sums[:, 0]
    by_chance = (_divided(sums[:, 2:], (calls * raters)[:, None]) ** 2).sum(axis=1)
    return _divided(_divided(sums[:, 1], calls) - by_chance, 1 - by_chance)


def _pairs(coded: _Coded, estimate: _Intervals) -> Iterator[PairAgreement]:
    order = sorted(range(len(coded.names)), key=lambda person: coded.names[person])
    for first, second in combinations(order, 2):
        ours, theirs = coded.said[:, first], coded.said[:, second]
        both = (ours >= 0) & (theirs >= 0)
        if not both.any():
            continue
        size = len(coded.values)
        terms = np.zeros((len(ours), size * size))
        terms[np.flatnonzero(both), (ours * size + theirs)[both]] = 1
        table = terms.sum(axis=0).reshape(size, size)
        kappa = estimate(_cohen(table), terms, _cohen_kappas)
        names = (coded.names[first], coded.names[second])
        yield PairAgreement(raters=names, calls=int(table.sum()), agreed=int(np.trace(table)), kappa=kappa)


def _cohen(table: Floats) -> float | None:
    total = table.sum()
    if (table.sum(axis=0) @ table.sum(axis=1)) == total**2:
        return None
    from statsmodels.stats.inter_rater import cohens_kappa

    return float(cohens_kappa(table, return_results=False))


def _cohen_kappas(sums: Floats) -> Floats:
    size = round(sums.shape[1] ** 0.5)
    table = sums.reshape(-1, size, size)
    total = table.sum(axis=(1, 2))
    seen = _divided(np.trace(table, axis1=1, axis2=2), total)
    by_chance = _divided((table.sum(axis=1) * table.sum(axis=2)).sum(axis=1), total**2)
    return _divided(seen - by_chance, 1 - by_chance)


def _divided(above: Floats, below: Floats) -> Floats:
    """Divide, with nan where that is not defined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below == 0, np.nan, above / below)


def _disagreements(coded: _Coded) -> list[Disagreement]:
    rows = np.flatnonzero(coded.counts.max(axis=1, initial=0) < coded.counts.sum(axis=1))
    found = []
    for row in rows.tolist():
        named = [(coded.names[person], coded.values[code]) for person, code in enumerate(coded.said[row].tolist()) if code >= 0]
        said = (*sorted(named), *((None, value) for value in coded.unnamed.get(row, ())))
        found.append(Disagreement(call_id=coded.call_ids[row], conversation_id=coded.conversations[row], said=said))
    return sorted(found, key=lambda one: one.call_id)
