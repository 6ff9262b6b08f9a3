"""Ratings in the forms that other tools take: annotations of Phoenix, assessments of MLflow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from agentnb.ratings.records import write_time
from agentnb.values import Rating

ExportForm = Literal["phoenix", "mlflow"]


class Exported(NamedTuple):
    """A rating, and how the other tool knows its call."""

    rating: Rating
    """The rating."""
    span_id: str | None
    """The span of the call; None of a whole trace."""
    trace_id: str | None
    """The trace that it is in."""


def phoenix_annotations(ratings: Iterable[Exported], *, name: str) -> dict[str, Any]:
    """Return span annotations as Phoenix' REST interface takes them: one per person and span, so that a later one replaces an earlier one.

    Args:
        ratings: ratings that count.
        name: name of the annotation.
    """
    return {"data": [_phoenix(one, name) for one in ratings if one.span_id is not None]}


def mlflow_assessments(ratings: Iterable[Exported], *, name: str) -> list[dict[str, Any]]:
    """Return assessments as MLflow writes them: feedback for each verdict, and the right answer as an expectation.

    Args:
        ratings: ratings that count.
        name: name of the feedback; the expectation is `expected_` with that name.
    """
    return [assessment for one in ratings for assessment in _mlflow(one, name)]


def _phoenix(one: Exported, name: str) -> dict[str, Any]:
    rating = one.rating
    said = {"answer": rating.answer, "outputs": rating.outputs}
    metadata: dict[str, Any] = {key: json.loads(text) for key, text in said.items() if text is not None}
    metadata |= {"reasons": list(rating.reasons)} if rating.reasons else {}
    metadata |= {"rating_id": rating.rating_id, "rated_at": write_time(rating.rated_at)} | ({"sample": rating.sample} if rating.sample else {})
    result = {"label": rating.verdict, "score": 1.0 if rating.verdict == "right" else 0.0, "explanation": rating.note}
    who = rating.rated_by or rating.account or ""
    return {"span_id": one.span_id, "name": name, "annotator_kind": "HUMAN", "result": result, "metadata": metadata, "identifier": who}


def _mlflow(one: Exported, name: str) -> Iterator[dict[str, Any]]:
    rating = one.rating
    known = {
        "source": {"source_type": "HUMAN", "source_id": rating.rated_by or rating.account or "default"},
        "trace_id": one.trace_id,
        **({} if one.span_id is None else {"span_id": one.span_id}),
        "create_time": write_time(rating.rated_at),
        "last_update_time": write_time(rating.rated_at),
        "metadata": {"rating_id": rating.rating_id},
    }
    why = {"rationale": rating.note} if rating.note else {}
    yield {"assessment_name": name, **known, "feedback": {"value": rating.verdict == "right"}, **why}
    if rating.answer is not None:
        yield {"assessment_name": f"expected_{name}", **known, "expectation": {"value": json.loads(rating.answer)}}
