"""Which ratings count, and do people differ?"""

from __future__ import annotations

from collections.abc import Iterable

from agentnb.values import Rating


def counted(ratings: Iterable[Rating]) -> list[Rating]:
    """Return ratings, oldest first, and say of each whether it counts.

    Per call and named person the latest by time, then id, counts; a null verdict takes back what the person said. Ratings under an account count
    each alone and replace nothing (specs of FunctAI: ratings, counting). Tags alone neither count nor replace.
    """
    ordered = sorted({rating.rating_id: rating for rating in ratings}.values(), key=lambda rating: (rating.rated_at, rating.rating_id))
    latest: dict[tuple[str, str | None], str] = {}
    latest |= {(rating.call_id, rating.rated_by): rating.rating_id for rating in ordered if rating.rated_by is not None and rating.kind == "verdict"}
    return [_with_counts(rating, latest.get((rating.call_id, rating.rated_by), rating.rating_id)) for rating in ordered]


def _with_counts(rating: Rating, latest_id: str) -> Rating:
    counts = rating.kind == "verdict" and rating.verdict is not None and rating.rating_id == latest_id
    return rating if rating.counts == counts else rating.model_copy(update={"counts": counts})
