"""Usage adds up: what is known is added, what nobody knows stays null."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentnb.values import Usage

COUNTS = st.none() | st.integers(min_value=0, max_value=10**9)
USAGES = st.builds(Usage, input_tokens=COUNTS, output_tokens=COUNTS, cached_tokens=COUNTS, cache_write_tokens=COUNTS, reasoning_tokens=COUNTS)


def test_counts_are_added_one_by_one() -> None:
    left = Usage(input_tokens=100, output_tokens=20, cached_tokens=60, cache_write_tokens=5, reasoning_tokens=8, cost=0.5)
    right = Usage(input_tokens=10, output_tokens=2, cached_tokens=6, cache_write_tokens=1, reasoning_tokens=1, cost=0.25)
    assert left + right == Usage(input_tokens=110, output_tokens=22, cached_tokens=66, cache_write_tokens=6, reasoning_tokens=9, cost=0.75)


def test_a_count_that_one_side_knows_is_kept() -> None:
    assert Usage(input_tokens=3) + Usage(output_tokens=4) == Usage(input_tokens=3, output_tokens=4)


def test_a_count_that_nobody_knows_stays_null_and_is_no_zero() -> None:
    assert (Usage(input_tokens=3) + Usage(input_tokens=0)).output_tokens is None
    assert (Usage(input_tokens=0) + Usage()).input_tokens == 0


def test_all_tokens_are_those_sent_and_those_received() -> None:
    assert Usage(input_tokens=100, output_tokens=20, cached_tokens=60, reasoning_tokens=8).total_tokens == 120
    assert Usage(output_tokens=20).total_tokens == 20
    assert Usage(cached_tokens=60).total_tokens is None


@given(USAGES, USAGES, USAGES)
def test_the_order_of_adding_does_not_matter_and_nothing_is_added_by_nothing(left: Usage, right: Usage, third: Usage) -> None:
    assert left + right == right + left
    assert (left + right) + third == left + (right + third)
    assert left + Usage() == left
