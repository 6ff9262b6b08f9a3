"""The times of records: one form is written, every ISO 8601 form is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.values.times import micros_of, read_moment, time_text

LATEST = 253_402_300_799_999_999


@pytest.mark.parametrize(
    ("micros", "text"),
    [(0, "1970-01-01T00:00:00.000000Z"), (1_790_464_323_123_456, "2026-09-26T23:12:03.123456Z"), (LATEST, "9999-12-31T23:59:59.999999Z")],
)
def test_a_time_has_six_digits_and_a_z(micros: int, text: str) -> None:
    assert time_text(micros) == text
    assert micros_of(text) == micros


@given(st.integers(0, LATEST), st.integers(0, LATEST))
def test_texts_sort_as_times_do_and_read_back_exactly(one: int, other: int) -> None:
    assert (time_text(one) < time_text(other)) is (one < other)
    assert micros_of(time_text(one)) == one


@pytest.mark.parametrize("micros", [-1, LATEST + 1])
def test_a_moment_that_no_record_can_have_is_refused(micros: int) -> None:
    with pytest.raises(ValueError, match="no time of a record"):
        time_text(micros)


@pytest.mark.parametrize("value", [None, 5, True, "", "soon", [], {}, "2026-13-01T00:00:00Z"], ids=repr)
def test_what_is_no_time_has_none(value: Any) -> None:
    assert micros_of(value) is None


@given(st.datetimes(timezones=st.timezones()))
def test_a_time_in_any_zone_and_any_year_is_read(moment: Any) -> None:
    read = read_moment(moment.isoformat())
    assert read is not None
    assert not read.zone_assumed
