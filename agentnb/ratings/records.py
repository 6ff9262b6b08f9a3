"""Ratings as records and as values.

The records are FunctAI's rating records (format 1), with the name and a digest of the input of the rated call beside them, so that a rating of a call
that has changed since is noticed. Nothing is ever edited: a changed mind is a later record.

Tags without a verdict are a record of another kind (`agentnb_tags`): a rating record with a null verdict would take back what the person said before,
and readers of FunctAI's records leave alone what has no `functai_rating`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from agentnb.ratings.canonical import canonical, spelled
from agentnb.values import Rating
from agentnb.values.ratings import RatingKind
from agentnb.values.times import EPOCH, micros_of

FORMAT: Final = 1
"""Version of a rating record, and of a record of tags alone."""

_TEXTS: Final = {
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
        "functai_rating" if rating.kind == "verdict" else "agentnb_tags": FORMAT,
        "id": rating.rating_id,
        "call": rating.call_id,
        "at": write_time(rating.rated_at),
    }
    record |= {"verdict": rating.verdict} if rating.kind == "verdict" else {}
    optional: dict[str, Any] = {name: getattr(rating, field) for field, name in _TEXTS.items()} | {"reasons": list(rating.reasons) or None}
    optional |= {"tags": None if rating.tags is None else list(rating.tags)}
    record |= {name: value for name, value in optional.items() if value is not None}
    record |= {name: json.loads(text) for name, text in (("answer", rating.answer), ("outputs", rating.outputs)) if text is not None}
    return record


def rating_of(record: Any) -> Rating | None:
    """Make the rating of a record; None when it is of another format, or without id, call, verdict (or tags) or time."""
    kind = _kind_of(record)
    if kind is None:
        return None
    moment = time_of(record.get("at"))
    rating_id, call_id, verdict = record.get("id"), record.get("call"), record.get("verdict", "none") if kind == "verdict" else None
    if moment is None or not isinstance(rating_id, str) or not isinstance(call_id, str) or verdict not in ("right", "wrong", None):
        return None
    texts: dict[str, Any] = {field: spelled(value) for field, name in _TEXTS.items() if isinstance(value := record.get(name), str)}
    return Rating(
        rating_id=rating_id,
        kind=kind,
        call_id=spelled(call_id),
        verdict=verdict,
        rated_at=moment,
        answer=_json_of(record, "answer"),
        outputs=_json_of(record, "outputs"),
        reasons=_words_of(record.get("reasons")) or (),
        tags=_words_of(record.get("tags")),
        **texts,
    )


def write_time(moment: datetime) -> str:
    """Write a time as records have it: UTC, six digits of a second, so that the order of the texts is that of the times."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def rating_of_row(row: Mapping[str, Any]) -> Rating:
    """Make the value of a row of the `ratings` table."""
    tags = row["tags"]
    return Rating.model_construct(**dict(row) | {"reasons": tuple(row["reasons"] or ()), "tags": None if tags is None else tuple(tags)})


def _kind_of(record: Any) -> RatingKind | None:
    if not isinstance(record, dict):
        return None
    if record.get("functai_rating") == FORMAT:
        return "verdict"
    return "tags" if record.get("agentnb_tags") == FORMAT and isinstance(record.get("tags"), list) else None


def _words_of(listed: Any) -> tuple[str, ...] | None:
    return tuple(spelled(str(word)) for word in listed) if isinstance(listed, list) else None


def _json_of(record: dict[str, Any], name: str) -> str | None:
    try:
        return canonical(record[name]) if name in record else None
    except RecursionError:
        return None


def time_of(text: Any) -> datetime | None:
    """Read the time of a record, in UTC; None when it is none."""
    micros = micros_of(text)
    try:
        return None if micros is None else EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return None
