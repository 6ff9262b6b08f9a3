"""How numbers are written: the same everywhere, thousands separated by comma, a dash for what is unknown."""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = "–"


def count(value: int | None) -> str:
    """Write a whole number: `1,906`, or `–` for null."""
    return UNKNOWN if value is None else f"{value:,}"


def amount(value: int, noun: str, plural: str = "") -> str:
    """Write a number with what it counts: `1 step`, `12 steps`, `3 tool calls`."""
    return f"{value:,} {noun if value == 1 else plural or noun + 's'}"


def seconds(value: float | None) -> str:
    """Write a time in seconds with one decimal: `21.4`, or `–` for null."""
    return UNKNOWN if value is None else f"{value:,.1f}"


def lasted(value: float | None) -> str | None:
    """Write a time with its unit: `21.4 s`; null stays null, so that it can be left out."""
    return None if value is None else f"{value:,.1f} s"


def tokens(value: int | None) -> str | None:
    """Write a number of tokens with its unit: `812 tok`; null stays null, so that it can be left out."""
    return None if value is None else f"{value:,} tok"


def size(value: int) -> str:
    """Write a number of bytes: `980 B`, `4.1 MB`."""
    if value < 1_000:
        return f"{value} B"
    for unit, scale in (("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)):
        if value < scale * 999.95:
            return f"{value / scale:.1f} {unit}"
    return f"{value / 1e12:,.1f} TB"


def facts(*known: str | None) -> str:
    """Join what is known by middle dots: `2 steps · 3.1 s`."""
    return " · ".join(fact for fact in known if fact)
