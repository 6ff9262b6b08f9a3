"""Other spellings of one value: a date by its parts, a clock time by twelve hours, a version with its v, a number grouped in another language.

What exempt text yields (dates and clock times) is the reference's; all else is ours, so that an answer that writes a value in another way is not
accused. A spelling is never a calculation: `2024ms` is not a year, and a part of an id is not the id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

LONGEST: Final = 80
"""Characters of the longest token that is spelled in other ways."""
_DATE = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?:[t_](.+))?", re.ASCII)
_DATE_LAST = re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4})", re.ASCII)
_COMPACT_DATE = re.compile(r"((?:19|20)[0-9]{2})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(?:t?([0-9]{6})z?)?", re.ASCII)
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9])(?:\.[0-9]{1,9})?)?(am|pm)?(?:z|[-+][0-9]{2}:?[0-9]{2})?", re.ASCII)
_VERSION = re.compile(r"v([0-9]+(?:\.[0-9a-z]+)+(?:-[0-9a-z.]+)?)", re.ASCII)
_NUMBERED = re.compile(r"[a-z]+(?:_[a-z]+){0,6}_([0-9]{4,})", re.ASCII)
"""An id that says what it is an id of: `gift_card_9932251`."""
_GROUPED_BY_DOTS = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]{1,15})?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"-?[0-9]+,[0-9]{1,2}", re.ASCII)
_GROUPED_WITH_TAIL = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?(-?[a-z]{1,5})?", re.ASCII)


def times_in(token: str, *, by_parts: bool = False) -> Iterator[str]:
    """Return other spellings of a date, a clock time, or both: the year, the date and the time by themselves, twelve hours and twenty-four.

    Args:
        token: a token in normal form.
        by_parts: whether month and day count by themselves, without padding, as they do for what a person said.

    Returns:
        The spellings; nothing for a token that is neither. A duration is none: `1:30` after `took` cannot be told from a clock time, and stays as it is
        where its hours are over 23.
    """
    if len(token) > LONGEST or (":" not in token and not any(character.isdigit() for character in token[:4])):
        return
    if match := _DATE.fullmatch(token):
        yield from _dates(match[1], match[2], match[3], by_parts=by_parts)
        if match[4]:
            yield from _clocks(match[4])
    elif match := _DATE_LAST.fullmatch(token):
        yield from _dates(match[4], match[1], match[3], by_parts=by_parts)
        yield from _whole_dates(match[4], match[3], match[1])
    elif match := _COMPACT_DATE.fullmatch(token):
        yield from _dates(match[1], match[2], match[3], by_parts=by_parts)
    else:
        yield from _clocks(token)


def spellings_of(token: str) -> Iterator[str]:
    """Return other spellings under which the value of an answer's token may stand in the evidence."""
    if len(token) > LONGEST:
        return
    if match := _VERSION.fullmatch(token):
        yield match[1]
    elif token[0].isdigit() and token.count(".") >= 1 and _VERSION.fullmatch(f"v{token}"):
        yield f"v{token}"
    if _GROUPED_BY_DOTS.fullmatch(token):
        yield _plain(token.replace(".", "").replace(",", "."))
    elif _DECIMAL_COMMA.fullmatch(token):
        yield _plain(token.replace(",", "."))
    elif "," in token and (match := _GROUPED_WITH_TAIL.fullmatch(token)):
        plain = token.replace(",", "")
        yield plain
        if match[1]:
            yield _plain(plain.removesuffix(match[1]))
    if ":" in token or "-" in token or "/" in token or token.count(".") == 2:
        yield from _same_date(token)


def parts_of(token: str) -> Iterator[str]:
    """Return what else a token of the evidence says: the items of a tight list, a value behind a colon, a package's version, the times in a time stamp."""
    if len(token) > LONGEST * 8:
        return
    if token[0] in ":=/" and len(token) > 1:
        # JSON and the like inside a text: `"id":4417` leaves `:4417`.
        yield token.lstrip(":=/")
    if "," in token and not _is_grouped(token):
        yield from (item for item in token.split(",") if item)
    if "@" in token and (version := token.rpartition("@")[2])[:1].isdigit():
        yield version
    if numbered := _NUMBERED.fullmatch(token):
        yield numbered[1]
    if token.count(":") >= 2 and (place := re.match(r"([^:]{1,200}\.[a-z]{1,5}:[0-9]{1,7})(?::|\Z)", token)):
        yield place[1]
    if token[0].isdigit():
        yield from times_in(token)
        if _GROUPED_BY_DOTS.fullmatch(token) and (token.count(".") > 1 or "," in token):
            yield _plain(token.replace(".", "").replace(",", "."))


def _same_date(token: str) -> Iterator[str]:
    """Write the date of an answer as evidence may have it: whole, by dashes, with and without padding."""
    if match := _DATE.fullmatch(token):
        yield from _whole_dates(match[1], match[2], match[3])
    elif match := _DATE_LAST.fullmatch(token):
        yield from _whole_dates(match[4], match[1], match[3])
        yield from _whole_dates(match[4], match[3], match[1])
    elif _CLOCK.fullmatch(token):
        yield from _clocks(token)


def _dates(year: str, month: str, day: str, *, by_parts: bool) -> Iterator[str]:
    yield year
    if by_parts:
        yield str(int(month))
        yield str(int(day))
    yield from _whole_dates(year, month, day)


def _whole_dates(year: str, month: str, day: str) -> Iterator[str]:
    if 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
        yield f"{year}-{int(month):02}-{int(day):02}"
        yield f"{year}-{int(month)}-{int(day)}"


def _clocks(token: str) -> Iterator[str]:
    match = _CLOCK.fullmatch(token)
    if match is None:
        return
    hour, minute, second, half = int(match[1]), match[2], match[3], match[4]
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    late = "pm" if hour >= 12 else "am"
    for written in dict.fromkeys((f"{hour:02}:{minute}", f"{hour}:{minute}", f"{(hour - 1) % 12 + 1}:{minute}", f"{(hour - 1) % 12 + 1:02}:{minute}")):
        yield written
        if second:
            yield f"{written}:{second}"
    yield f"{(hour - 1) % 12 + 1}:{minute}{late}"


def _is_grouped(token: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?", token) is not None


def _plain(number: str) -> str:
    """Drop the zeros that a canonical number has not."""
    sign, digits = ("-", number[1:]) if number.startswith("-") else ("", number)
    whole, _, fraction = digits.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return sign + (f"{whole}.{fraction}" if fraction else whole)
