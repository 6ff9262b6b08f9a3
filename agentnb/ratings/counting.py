"""Which ratings count, and do people differ?"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from agentnb.values import Rating


class _Latest(NamedTuple):
    """The latest that a person said about a call."""

    rated_at: datetime
    rating_id: str
    place: int


class Counts:
    """Which of some ratings count, kept up as further ones arrive in any order: one more costs the same however many there are.

    Per call and named person the latest by time, then id, counts; a null verdict takes back what the person said. Ratings under an account count
    each alone and replace nothing (specs of FunctAI: ratings, counting). Tags alone neither count nor replace.
    """

    def __init__(self) -> None:
        """Start with no rating."""
        self.ratings: list[Rating] = []
        """The ratings in the order in which they arrived, each once."""
        self.flags = bytearray()
        """1 for each that counts, in the same order."""
        self._ids: set[str] = set()
        self._latest: dict[tuple[str, str], _Latest] = {}

    def add(self, rating: Rating) -> bool:
        """Take in a rating; return whether it was not there already."""
        if rating.rating_id in self._ids:
            return False
        self._ids.add(rating.rating_id)
        self.flags.append(self._counts(rating))
        self.ratings.append(rating)
        return True

    def _counts(self, rating: Rating) -> bool:
        if rating.kind != "verdict" or rating.rated_by is None:
            return rating.kind == "verdict" and rating.verdict is not None
        own = _Latest(rating.rated_at, rating.rating_id, len(self.ratings))
        before = self._latest.get((rating.call_id, rating.rated_by))
        if before is not None and before[:2] > own[:2]:
            return False
        if before is not None:
            self.flags[before.place] = False
        self._latest[rating.call_id, rating.rated_by] = own
        return rating.verdict is not None


def counted(ratings: Iterable[Rating]) -> list[Rating]:
    """Return ratings, oldest first, and say of each whether it counts."""
    counts = Counts()
    for rating in ratings:
        counts.add(rating)
    said = [_with_counts(rating, bool(flag)) for rating, flag in zip(counts.ratings, counts.flags, strict=True)]
    return sorted(said, key=lambda rating: (rating.rated_at, rating.rating_id))


def _with_counts(rating: Rating, counts: bool) -> Rating:
    return rating if rating.counts == counts else rating.model_copy(update={"counts": counts})
