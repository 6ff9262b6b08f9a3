"""Agreement: published examples, reference implementations to nine digits, intervals that a slow way gives too."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from agentnb.ratings import Agreement, Judgements, measure_agreement

NINE = 1e-9

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units, some missing; nominal alpha 0.743.
KRIPPENDORFF = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}
# The worked example of Fleiss' kappa: ten subjects, fourteen raters, five categories; kappa 0.210.
FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip

Row = tuple[str, str | None, str, str | None]


def judgements(rows: list[Row]) -> Judgements:
    return Judgements(*(list(column) for column in zip(*rows, strict=True))) if rows else Judgements([], [], [], [])


def measured(rows: list[Row], **options: Any) -> Agreement:
    return measure_agreement(judgements(rows), **options)


def random_rows(seed: int, *, calls: int = 60, people: int = 4, conversations: int = 15, missing: float = 0.4) -> list[Row]:
    chance = random.Random(seed)
    rows: list[Row] = []
    for call in range(calls):
        truth = chance.choice(["right", "wrong", "wrong"])
        for person in range(people):
            if chance.random() > missing:
                value = truth if chance.random() < 0.8 else chance.choice(["right", "wrong"])
                rows.append((f"c{call}", f"p{person}", value, f"v{call % conversations}"))
    return rows


def exact_alpha(rows: list[Row]) -> float:
    """Work alpha out in fractions, from the definition: pairs within calls against pairs of all."""
    by_call: dict[str, list[str]] = {}
    for call, _, value, _ in rows:
        by_call.setdefault(call, []).append(value)
    units = [values for values in by_call.values() if len(values) > 1]
    everything = [value for values in units for value in values]
    total = len(everything)
    differ = sum(Fraction(sum(one != other for one in values for other in values), len(values) - 1) for values in units)
    counts = Counter(everything)
    expected = Fraction(total**2 - sum(count**2 for count in counts.values()), total - 1)
    return float(1 - differ / expected)


def test_krippendorffs_own_example_gives_his_alpha() -> None:
    rows: list[Row] = [(f"u{unit}", name, str(value), None) for name, values in KRIPPENDORFF.items() for unit, value in enumerate(values) if value is not None]
    found = measured(rows)
    assert found.alpha is not None
    assert round(found.alpha.value, 3) == 0.743
    data = [[np.nan if value is None else value for value in values] for values in KRIPPENDORFF.values()]
    assert found.alpha.value == pytest.approx(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"), abs=NINE)
    assert (found.calls, found.judgements, found.raters) == (11, 40, ("A", "B", "C", "D"))


def test_the_worked_example_of_fleiss_gives_its_kappa() -> None:
    rows: list[Row] = [
        (f"s{subject}", None, str(category), None) for subject, counts in enumerate(FLEISS) for category, count in enumerate(counts) for _ in range(count)
    ]
    found = measured(rows)
    assert found.fleiss is not None
    assert round(found.fleiss.value, 3) == 0.210
    assert found.fleiss.value == pytest.approx(fleiss_kappa(np.array(FLEISS)), abs=NINE)
    assert (found.fleiss_calls, found.fleiss_raters, found.raters, found.pairs) == (10, 14, (), ())


def test_cohens_table_gives_a_kappa_of_four_tenths() -> None:
    table = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    rows: list[Row] = []
    for (first, second), count in table.items():
        for number in range(count):
            rows += [(f"{first}{second}{number}", "ana", first, None), (f"{first}{second}{number}", "ben", second, None)]
    (pair,) = measured(rows).pairs
    assert pair.kappa is not None
    assert pair.kappa.value == pytest.approx(0.4, abs=NINE)
    assert (pair.raters, pair.calls, pair.agreed) == (("ana", "ben"), 50, 35)


@pytest.mark.parametrize("seed", range(8))
def test_the_numbers_are_those_of_reference_implementations(seed: int) -> None:
    rows = random_rows(seed)
    found = measured(rows, draws=0)
    assert found.alpha is not None
    assert found.alpha.value == pytest.approx(exact_alpha(rows), abs=NINE)
    people = sorted({person for _, person, _, _ in rows if person})
    said = {(call, person): value for call, person, value, _ in rows}
    calls = sorted({call for call, *_ in rows})
    data = [[{"right": 0.0, "wrong": 1.0}.get(said.get((call, person), ""), np.nan) for call in calls] for person in people]
    assert found.alpha.value == pytest.approx(krippendorff.alpha(reliability_data=data, level_of_measurement="nominal"), abs=NINE)
    for pair in found.pairs:
        both = [call for call in calls if all((call, person) in said for person in pair.raters)]
        ours, theirs = ([said[call, person] for call in both] for person in pair.raters)
        assert pair.kappa is not None
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(ours, theirs), abs=NINE)
        assert (pair.calls, pair.agreed) == (len(both), sum(map(str.__eq__, ours, theirs)))
    alike = [[said[call, person] for person in people if (call, person) in said] for call in calls]
    table, _ = aggregate_raters(np.array([values for values in alike if len(values) == found.fleiss_raters]))
    assert found.fleiss is not None
    assert found.fleiss.value == pytest.approx(fleiss_kappa(table), abs=NINE)


@pytest.mark.parametrize("seed", range(3))
def test_an_interval_is_that_of_drawing_conversations_one_by_one(seed: int) -> None:
    rows = [row for row in random_rows(seed, missing=0) if row[1] in ("p0", "p1", "p2")]
    found = measured(rows, draws=40, seed=seed, confidence=0.9)
    conversations = list(dict.fromkeys(str(conversation) for *_, conversation in rows))
    chance = np.random.default_rng(seed)
    alphas, fleiss, cohen = [], [], []
    for _ in range(40):
        drawn = [conversations[place] for place in chance.integers(0, len(conversations), len(conversations))]
        again: list[Row] = [
            (f"{call}-{copy}", person, value, None)
            for copy, conversation in enumerate(drawn)
            for call, person, value, own in rows
            if own == conversation
        ]  # fmt: skip
        one = measured(again, draws=0)
        assert one.alpha is not None
        assert one.fleiss is not None
        assert one.pairs[0].kappa is not None
        alphas.append(one.alpha.value)
        fleiss.append(one.fleiss.value)
        cohen.append(one.pairs[0].kappa.value)
    for estimate, slow in ((found.alpha, alphas), (found.fleiss, fleiss), (found.pairs[0].kappa, cohen)):
        assert estimate is not None
        assert (estimate.low, estimate.high) == pytest.approx(tuple(np.percentile(slow, (5, 95))), abs=NINE)


def test_the_same_seed_gives_the_same_interval_and_another_another() -> None:
    rows = random_rows(1)
    first, again, other = (measured(rows, seed=seed).alpha for seed in (1, 1, 2))
    assert first == again != other


def test_order_and_names_change_nothing() -> None:
    rows = random_rows(2)
    turned = measured(rows[::-1], draws=0)
    assert turned.model_dump(exclude={"pairs"}) == measured(rows, draws=0).model_dump(exclude={"pairs"})
    assert [(pair.raters, pair.calls) for pair in turned.pairs] == [(pair.raters, pair.calls) for pair in measured(rows, draws=0).pairs]


def test_everybody_who_always_says_the_same_leaves_nothing_to_measure() -> None:
    found = measured([("c", "ana", "right", None), ("c", "ben", "right", None), ("d", "ana", "right", None)])
    assert (found.alpha, found.fleiss, found.pairs[0].kappa) == (None, None, None)
    assert (found.calls, found.agreed, found.judgements) == (1, 1, 2)


def test_without_a_call_that_two_judged_there_is_no_agreement() -> None:
    cases: list[list[Row]] = [[], [("c", "ana", "right", None)], [("c", "ana", "right", "v"), ("d", "ben", "wrong", "v")]]
    for rows in cases:
        found = measured(rows)
        assert (found.calls, found.alpha, found.fleiss, found.pairs, found.disagreements) == (0, None, None, (), ())


def test_calls_of_one_conversation_alone_have_no_interval() -> None:
    found = measured(
        [(call, person, value, "v") for call, values in {"c": "ab", "d": "aa", "e": "bb"}.items() for person, value in zip("xy", values, strict=True)]
    )
    assert found.alpha is not None
    assert (found.conversations, found.alpha.low, found.alpha.high) == (1, None, None)


def test_disagreements_say_who_said_what() -> None:
    rows: list[Row] = [
        ("d", "ben", "wrong", "v"),
        ("d", "ana", "right", "v"),
        ("c", "ana", "right", None),
        ("c", None, "wrong", None),
        ("e", "ana", "right", None),
    ]
    first, second = measured(rows).disagreements
    assert (first.call_id, first.said) == ("c", (("ana", "right"), (None, "wrong")))
    assert (second.call_id, second.conversation_id, second.said) == ("d", "v", (("ana", "right"), ("ben", "wrong")))


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["x", "y", "z", None]), st.sampled_from("12"), st.sampled_from(["v", "w", None]))))
@settings(max_examples=60, deadline=None)
def test_any_judgements_can_be_measured(rows: list[Row]) -> None:
    seen: dict[tuple[str, str | None], Row] = {
        (call, person if person else str(place)): (call, person, value, talk) for place, (call, person, value, talk) in enumerate(rows)
    }
    kept = list(seen.values())
    found = measured(kept, draws=20)
    assert found.agreed + len(found.disagreements) == found.calls
    if found.alpha is not None:
        assert found.alpha.value == pytest.approx(exact_alpha(kept), abs=NINE)
