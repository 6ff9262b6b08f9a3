"""A moment as text and as microseconds since 1970: ISO 8601 as people write it, and the one form that our own records have."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LATEST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // _MICROSECOND


class Moment(NamedTuple):
    """A moment that was read from a text."""

    micros: int
    """Microseconds since 1970 in UTC; negative before."""
    zone_assumed: bool
    """Whether the text named no zone, so that UTC had to be assumed."""


def read_moment(text: str) -> Moment | None:
    """Read an ISO 8601 text; None when it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return Moment(((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)) - EPOCH) // _MICROSECOND, moment.tzinfo is None)


def time_text(micros: int) -> str:
    """Write a moment as `2026-09-26T23:12:03.123456Z`: always six digits, so that texts sort as times do.

    Args:
        micros: microseconds since 1970 in UTC, up to the year 9999.

    Raises:
        ValueError: the moment is before 1970 or after the year 9999.
    """
    if not 0 <= micros <= _LATEST:
        raise ValueError(f"{micros} microseconds since 1970 is no time of a record; it must be from 0 to {_LATEST}")
    return f"{(EPOCH + timedelta(microseconds=micros)).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def micros_of(value: object) -> int | None:
    """Return the microseconds since 1970 of a recorded time; None for anything that is no time."""
    moment = read_moment(value) if isinstance(value, str) else None
    return None if moment is None else moment.micros
