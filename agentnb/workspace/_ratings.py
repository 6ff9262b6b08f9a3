"""Ratings as records and as values: what one is, and which of them count.

The records are FunctAI's rating records (format 1), with the name and a digest of the input of the rated call beside them, so that a rating of a call
that has changed since is noticed. Nothing is ever edited: a changed mind is a later record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from agentnb.values import Rating

FORMAT = 1
"""Version of the record."""

_TEXTS = {
    "rated_by": "by",
    "account": "account",
    "note": "note",
    "origin": "origin",
    "sample": "sample",
    "call_name": "call_name",
    "call_digest": "call_digest",
}


def rating_record(rating: Rating) -> dict[str, Any]:
    """Write a rating as a record; what is null is left out, except the verdict."""
    record: dict[str, Any] = {
        "functai_rating": FORMAT,
        "id": rating.rating_id,
        "call": rating.call_id,
        "at": rating.rated_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "verdict": rating.verdict,
    }
    optional: dict[str, Any] = {name: getattr(rating, field) for field, name in _TEXTS.items()} | {"reasons": list(rating.reasons) or None}
    record |= {name: value for name, value in optional.items() if value is not None}
    record |= {name: json.loads(text) for name, text in (("answer", rating.answer), ("outputs", rating.outputs)) if text is not None}
    return record


def rating_of(record: Any) -> Rating | None:
    """Make the rating of a record; None when it is of another format, or without id, call, verdict or time."""
    if not isinstance(record, dict) or record.get("functai_rating") != FORMAT:
        return None
    moment = _time_of(record.get("at"))
    rating_id, call_id, verdict = record.get("id"), record.get("call"), record.get("verdict", "none")
    if moment is None or not isinstance(rating_id, str) or not isinstance(call_id, str) or verdict not in ("right", "wrong", None):
        return None
    reasons = record.get("reasons")
    texts: dict[str, Any] = {field: spelled(value) for field, name in _TEXTS.items() if isinstance(value := record.get(name), str)}
    return Rating(
        rating_id=rating_id,
        call_id=spelled(call_id),
        verdict=verdict,
        rated_at=moment,
        answer=_json_of(record, "answer"),
        outputs=_json_of(record, "outputs"),
        reasons=tuple(spelled(str(reason)) for reason in reasons) if isinstance(reasons, list) else (),
        **texts,
    )


def counted(ratings: Iterable[Rating]) -> list[Rating]:
    """Return ratings, oldest first, and say of each whether it counts.

    Per call and named person the latest by time, then id, counts; a null verdict takes back what the person said. Ratings under an account count
    each alone and replace nothing (specs of FunctAI: ratings, counting).
    """
    ordered = sorted({rating.rating_id: rating for rating in ratings}.values(), key=lambda rating: (rating.rated_at, rating.rating_id))
    latest: dict[tuple[str, str | None], str] = {(rating.call_id, rating.rated_by): rating.rating_id for rating in ordered if rating.rated_by is not None}
    return [_with_counts(rating, latest.get((rating.call_id, rating.rated_by), rating.rating_id)) for rating in ordered]


def canonical(value: Any) -> str:
    """Write a value as JSON, the same for equal values: keys sorted, a lone surrogate spelled as JSON spells it."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace").decode()


def spelled(text: str) -> str:
    """Return a text that a table can hold: a lone surrogate, which is no character, is spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _with_counts(rating: Rating, latest_id: str) -> Rating:
    counts = rating.verdict is not None and rating.rating_id == latest_id
    return rating if rating.counts == counts else rating.model_copy(update={"counts": counts})


def _json_of(record: dict[str, Any], name: str) -> str | None:
    try:
        return canonical(record[name]) if name in record else None
    except RecursionError:
        return None


def _time_of(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        return None
