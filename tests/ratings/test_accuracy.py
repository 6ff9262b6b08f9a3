"""Honest numbers: Wilson's interval, groups that weigh what they are, what is doubtful said, versions compared in pairs."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import pytest

from agentnb.ratings import Accuracy, DrawnCall, ScoredCall, compare, draw, measure_accuracy, paired_range, wilson

NINE = 1e-9


def calls(verdicts: str, *, stratum: str | None = None, population: int = 100, start: int = 0) -> list[DrawnCall]:
    """Make the calls of a draw: r and w were rated by ana, - was not."""
    words = {"r": (("ana", "right"),), "w": (("ana", "wrong"),), "-": ()}
    return [DrawnCall(f"{stratum}{start + place}", words[letter], stratum, population) for place, letter in enumerate(verdicts)]


def measured(drawn: list[DrawnCall], **options: Any) -> Accuracy:
    return measure_accuracy("march", drawn, **({"population": 100} | options))


def test_wilsons_interval_is_that_of_his_formula() -> None:
    z = statistics.NormalDist().inv_cdf(0.975)
    for right, rated in [(0, 10), (8, 10), (10, 10), (37, 50), (1, 1)]:
        share = right / rated
        middle = (share + z**2 / (2 * rated)) / (1 + z**2 / rated)
        half = z / (1 + z**2 / rated) * math.sqrt(share * (1 - share) / rated + z**2 / (4 * rated**2))
        found = wilson(right, rated)
        assert (found.value, found.low, found.high) == pytest.approx((share, middle - half, middle + half), abs=NINE)


def test_wilsons_interval_holds_about_as_often_as_it_says() -> None:
    chance = random.Random(7)
    truth = 0.8
    held = 0
    for _ in range(2000):
        found = wilson(sum(chance.random() < truth for _ in range(30)), 30)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.93 < held / 2000 < 0.98


def test_the_share_of_a_draw_is_that_of_its_calls() -> None:
    found = measured(calls("rrwr"))
    assert (found.rated, found.right, found.coverage, found.warnings) == (4, 3, 1.0, ())
    assert found.share == wilson(3, 4)
    assert [(one.rater, one.rated, one.right) for one in found.raters] == [("ana", 4, 3)]


def test_most_people_decide_and_a_tie_counts_neither_way() -> None:
    drawn = [
        DrawnCall("a", (("ana", "right"), ("ben", "wrong"), ("eve", "right"))),
        DrawnCall("b", (("ana", "right"), ("ben", "wrong"))),
        DrawnCall("c", (("ben", "wrong"),)),
    ]
    found = measured(drawn)
    assert (found.rated, found.right, found.undecided) == (3, 1, 1)
    assert found.share == wilson(1, 2)
    assert {one.rater: (one.rated, one.right) for one in found.raters} == {"ana": (2, 2), "ben": (3, 0), "eve": (1, 1)}


def test_the_first_of_a_draw_are_a_draw_and_any_others_may_have_been_picked() -> None:
    (first,) = measured(calls("rrw--")).warnings
    assert first == "2 of 5 drawn calls are not rated, and the rated ones are the first of the draw"
    (others,) = measured(calls("r-wr-")).warnings
    assert "may have been picked" in others
    (unknown,) = measured(calls("rr"), population=None).warnings
    assert "not recorded here" in unknown
    assert measured(calls("--")).share is None


def test_groups_weigh_as_many_calls_as_they_have() -> None:
    drawn = [*calls("rrrrr", stratum="often", population=900), *calls("wwwww", stratum="seldom", population=100)]
    found = measured(drawn)
    assert found.share is not None
    assert found.share.value == pytest.approx(0.9, abs=NINE)
    even = [*calls("rrw" * 10, stratum="a", population=50), *calls("rrw" * 10, stratum="b", population=50)]
    whole = measured(even).share
    assert whole is not None
    assert (whole.value, whole.low, whole.high) == pytest.approx(tuple(wilson(40, 60).model_dump().values()), abs=NINE)
    (missing,) = [warning for warning in measured([*calls("rr", stratum="a"), *calls("--", stratum="b")]).warnings if "nothing was rated of" in warning]
    assert "nothing was rated of b" in missing


def test_calls_made_to_evaluate_are_left_out() -> None:
    found = measured([*calls("rr"), DrawnCall("e", (("ana", "wrong"),), in_use=False)])
    assert (found.drawn, found.right, found.not_in_use) == (2, 2, 1)


# draws


def test_every_call_is_drawn_about_equally_often() -> None:
    population = {f"c{number}": None for number in range(50)}
    times = dict.fromkeys(population, 0)
    for seed in range(2000):
        for drawn in draw(population, 10, seed=seed):
            times[drawn.call_id] += 1
    assert all(330 < count < 470 for count in times.values()), times


def test_a_larger_draw_begins_with_the_smaller_one_and_order_does_not_matter() -> None:
    population = {f"c{number}": None for number in range(50)}
    assert draw(population, 30, seed=3)[:10] == draw(dict(reversed(population.items())), 10, seed=3)
    assert draw(population, 500, seed=3) == draw(population, 50, seed=3)


@pytest.mark.parametrize("size", range(1, 41))
def test_groups_give_their_share(size: int) -> None:
    groups = {f"c{number}": "large" if number < 30 else "small" if number < 39 else "one" for number in range(40)}
    found = draw(groups, size, seed=1)
    counts = {name: sum(one.stratum == name for one in found) for name in ("large", "small", "one")}
    assert len({one.call_id for one in found}) == sum(counts.values()) == size
    assert size < 3 or min(counts.values()) >= 1
    assert abs(counts["large"] - size * 30 / 40) <= 1.5
    assert {one.stratum_population for one in found if one.stratum == "small"} <= {9}


# versions


def scored(version: str, **scores: float) -> list[ScoredCall]:
    return [ScoredCall(f"{version}-{question}", version, question, score, "") for question, score in scores.items()]


def test_versions_are_compared_on_the_inputs_that_both_were_rated_on() -> None:
    found = compare([*scored("old", a=0, b=1, c=1, d=0, e=1), *scored("new", a=1, b=1, c=0, d=1, f=0)], "old", "new")
    assert found is not None
    assert (found.pairs, found.better, found.worse, found.same, found.only_before, found.only_after) == (4, 2, 1, 1, 1, 1)
    assert (found.mean_before, found.mean_after, found.difference.value) == (0.5, 0.75, 0.25)
    assert found.worse_calls == ("new-c",)
    assert compare(scored("old", a=1), "old", "new") is None


def test_several_calls_on_one_input_count_with_their_mean() -> None:
    again = [ScoredCall("again", "new", "a", 0.0, "")]
    found = compare([*scored("old", a=1), *scored("new", a=1), *again], "old", "new")
    assert found is not None
    assert (found.mean_after, found.difference.value, found.difference.low) == (0.5, -0.5, None)


def test_the_range_is_that_of_the_paired_t_test() -> None:
    differences = [1.0, 0.0, -1.0, 1.0, 1.0, 0.0]
    found = paired_range(differences)
    half = 2.5705818366147395 * statistics.stdev(differences) / math.sqrt(6)
    assert (found.value, found.low, found.high) == pytest.approx((1 / 3, 1 / 3 - half, 1 / 3 + half), abs=NINE)
    assert paired_range([0.5, 0.5]).model_dump() == {"value": 0.5, "low": 0.5, "high": 0.5}
