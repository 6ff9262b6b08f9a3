"""Does a label or a number say right or wrong? As tools and people write it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

from agentnb.values.ratings import Verdict


class Absent(Enum):
    """Stands for what a row does not say, where None means something."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

_RIGHT: Final = frozenset(
    {"right", "correct", "true", "yes", "y", "pass", "passed", "good", "up", "thumbs_up", "thumbs up", "positive", "accepted", "👍", "✓", "✔"}
)
_WRONG: Final = frozenset(
    {"wrong", "incorrect", "false", "no", "n", "fail", "failed", "bad", "down", "thumbs_down", "thumbs down", "negative", "rejected", "👎", "✗", "✘"}
)


def verdict_of(value: Any, *, labels: Mapping[str, str] | None = None, threshold: float | None = None) -> Verdict | None:
    """Return right or wrong; None when a value says neither for certain.

    Args:
        value: a label, a number, true or false.
        labels: what further labels mean: right or wrong.
        threshold: numbers from here on are right and lower ones wrong; without it only 1 and 0 (or -1) say something.
    """
    if isinstance(value, str):
        return _of_word(value, labels or {}, threshold)
    if isinstance(value, bool):
        return "right" if value else "wrong"
    if not isinstance(value, int | float) or value != value:
        return None
    if threshold is not None:
        return "right" if value >= threshold else "wrong"
    return "right" if value == 1 else "wrong" if value in (0, -1) else None


def is_missing(value: Any) -> bool:
    """Tell whether a cell says nothing: null, not a number, or blank."""
    return value is None or (isinstance(value, float) and value != value) or (isinstance(value, str) and not value.strip())


def _of_word(text: str, labels: Mapping[str, str], threshold: float | None) -> Verdict | None:
    meant = {label.strip().lower(): meaning for label, meaning in labels.items()}
    word = text.strip().lower()
    word = meant.get(word, word)
    if word in _RIGHT:
        return "right"
    if word in _WRONG:
        return "wrong"
    try:
        return verdict_of(float(word), threshold=threshold)
    except ValueError:
        return None
