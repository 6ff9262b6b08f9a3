"""Which programs are right how often: what is counted, and whether it may be believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agentnb.ratings import BoardLine, Called, JudgedCall, ProgramVersion, board_lines, wilson

START = datetime(2026, 3, 2, tzinfo=UTC)
KEY = ProgramVersion("refund", "v1", "gpt-4o")


def judged(
    right: int = 1, wrong: int = 0, *, at: int = 0, samples: tuple[str, ...] = ("march",), key: ProgramVersion = KEY, disputed: bool = False
) -> JudgedCall:
    return JudgedCall(key, START + timedelta(hours=at), right, wrong, disputed, samples)


def line(*calls: JudgedCall) -> BoardLine:
    (found,) = board_lines([Called(KEY, 90, 0.25, 1.5)], calls)
    return found


def test_a_line_counts_by_most_and_leaves_out_what_is_undecided() -> None:
    found = line(judged(), judged(2, 1, disputed=True), judged(0, 1), judged(1, 1, disputed=True))
    assert (found.calls, found.rated, found.right, found.undecided, found.disputed) == (90, 4, 2, 1, 2)
    assert found.share == wilson(2, 3)
    assert (found.cost, found.seconds) == (0.25, 1.5)


def test_only_calls_of_one_draw_are_drawn() -> None:
    assert line(judged(), judged()).is_drawn
    assert not line(judged(), judged(samples=())).is_drawn
    assert not line(judged(), judged(samples=("may",))).is_drawn
    assert not line().is_drawn


def test_what_was_not_rated_has_no_share_and_stands_last() -> None:
    other = ProgramVersion("look_up", None, None)
    lines = board_lines([Called(other, 500, None, None), Called(KEY, 3, None, None)], [judged()])
    assert [(each.program, each.share is None) for each in lines] == [("refund", False), ("look_up", True)]


@pytest.mark.parametrize(("count", "parts"), [(0, 0), (9, 0), (10, 2), (23, 4), (400, 8)])
def test_the_trend_has_parts_of_the_same_size_and_none_where_too_few_are_rated(count: int, parts: int) -> None:
    trend = line(*(judged(at=at) for at in range(count))).trend
    assert len(trend) == parts
    assert sum(point.rated for point in trend) == (count if parts else 0)
    assert max((point.rated for point in trend), default=0) - min((point.rated for point in trend), default=0) <= 1


def test_the_trend_is_in_the_order_of_time() -> None:
    trend = line(*(judged(int(at >= 10), int(at < 10), at=at) for at in reversed(range(20)))).trend
    assert [point.share for point in trend] == [0.0, 0.0, 1.0, 1.0]
    assert trend[0].first_at == START
