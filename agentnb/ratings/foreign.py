"""Ratings that other tools keep -> what was said of which call: Phoenix, MLflow, Langfuse, LangSmith, FunctAI, and plain tables.

The form of a row is found by its content. Sources: the annotations of Phoenix' REST interface, MLflow's assessments, Langfuse's scores and LangSmith's
feedback, as their public references describe them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from agentnb.ratings.verdicts import ABSENT, is_missing

Row = Mapping[str, Any]


class ForeignRating(NamedTuple):
    """What one row says; what it does not say is None, or ABSENT where None means something."""

    place: int
    """The row it comes from, from 0; of a trace with several, the trace."""
    form: str
    """phoenix, mlflow, langfuse, langsmith, functai or table."""
    ids: tuple[str, ...]
    """Ids of what is rated, the nearest first: a span, an observation, a run; then its trace."""
    name: str | None = None
    """What the judgement is about, such as correctness."""
    value: Any = ABSENT
    """The judgement, as the tool has it: a label, a number, true or false."""
    answer: Any = ABSENT
    """The right answer, where one is given."""
    expected: bool = False
    """Whether the answer was given without a judgement, as what should come out."""
    outputs: Mapping[str, Any] | None = None
    """Further right outputs by name."""
    by: str | None = None
    """Who judged."""
    kind: str = "person"
    """person, or judge: a model or a program."""
    note: str | None = None
    """Why."""
    reasons: tuple[str, ...] = ()
    """Short reasons."""
    tags: tuple[str, ...] | None = None
    """Open codes."""
    at: Any = None
    """When, as the tool has it."""
    key: str | None = None
    """The tool's own id of the judgement."""
    sample: str | None = None
    """The random draw it belongs to."""
    exported: str | None = None
    """Id of the rating here that was exported as this one."""


def read_foreign(rows: Iterable[Any]) -> Iterator[ForeignRating | int]:
    """Yield what rows say; the place of a row that is of no known form.

    Args:
        rows: objects as they were exported: judgements, or traces that hold some.
    """
    for place, row in enumerate(rows):
        form = next((form for form, is_form in _FORMS.items() if isinstance(row, Mapping) and is_form(row)), None)
        if form is None:
            yield place
            continue
        yield from _READERS[form](place, row)


def _said(row: Row, *names: str) -> Any:
    """Return the first of some fields that says something."""
    return next((row[name] for name in names if name in row and not is_missing(row[name])), None)


def _text(row: Row, *names: str) -> str | None:
    value = _said(row, *names)
    return None if value is None else str(value)


def _object(value: Any) -> Row:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def _ids(row: Row, *names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for name in names if (text := _text(row, name)) is not None))


def _list(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        value = value.split(";")
    return tuple(str(item).strip() for item in value if str(item).strip()) if isinstance(value, list | tuple) else None


def _phoenix(place: int, row: Row) -> Iterator[ForeignRating]:
    result = _object(row.get("result"))
    flat = {**row, **{f"result.{name}": value for name, value in result.items()}}
    own = _object(row.get("metadata"))
    label, score = _said(flat, "result.label", "label"), _said(flat, "result.score", "score")
    yield ForeignRating(
        place,
        "phoenix",
        _ids(row, "span_id", "context.span_id", "trace_id", "context.trace_id", "session_id"),
        name=_text(row, "name", "annotation_name"),
        value=ABSENT if label is None and score is None else (score if label is None else label),
        by=_text(row, "user_id", "annotator", "identifier"),
        kind="person" if _text(row, "annotator_kind") in (None, "HUMAN") else "judge",
        answer=own.get("answer", ABSENT) if "rating_id" in own else ABSENT,
        reasons=_list(own.get("reasons")) or () if "rating_id" in own else (),
        sample=_text(own, "sample") if "rating_id" in own else None,
        exported=_text(own, "rating_id"),
        note=_text(flat, "result.explanation", "explanation"),
        at=_said(row, "updated_at", "created_at"),
        key=_text(row, "id", "annotation_id"),
    )


def _mlflow(place: int, row: Row) -> Iterator[ForeignRating]:
    listed = row.get("assessments", _object(row.get("info")).get("assessments"))
    if listed is not None:
        trace_id = _text(row, "trace_id", "request_id") or _text(_object(row.get("info")), "trace_id", "request_id")
        for one in json.loads(listed) if isinstance(listed, str) else listed:
            yield from _mlflow(place, {"trace_id": trace_id, **_object(one)} if _object(one).get("trace_id") is None else _object(one))
        return
    source, feedback, expectation = (_object(row.get(name)) for name in ("source", "feedback", "expectation"))
    yield ForeignRating(
        place,
        "mlflow",
        _ids(row, "span_id", "trace_id"),
        name=_text(row, "assessment_name", "name"),
        value=feedback.get("value", ABSENT),
        answer=_expected(expectation),
        expected="value" in expectation or "serialized_value" in expectation,
        by=_text(source, "source_id"),
        kind="person" if _text(source, "source_type") in (None, "HUMAN") else "judge",
        note=_text(row, "rationale"),
        at=_said(row, "last_update_time", "create_time", "last_update_time_ms", "create_time_ms"),
        key=_text(row, "assessment_id"),
        exported=_text(_object(row.get("metadata")), "rating_id"),
    )


def _expected(expectation: Row) -> Any:
    if "serialized_value" in expectation:
        held = _object(expectation["serialized_value"])
        return _parsed(held.get("value", ABSENT))
    return expectation.get("value", ABSENT)


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _langfuse(place: int, row: Row) -> Iterator[ForeignRating]:
    listed = row.get("scores", _object(row.get("trace")).get("scores"))
    if isinstance(listed, list):
        for one in listed:
            yield from _langfuse(place, {"traceId": _text(row, "id") or _text(_object(row.get("trace")), "id"), **_object(one)})
        return
    text, number = _said(row, "stringValue", "string_value"), _said(row, "value")
    yield ForeignRating(
        place,
        "langfuse",
        _ids(row, "observationId", "observation_id", "traceId", "trace_id", "sessionId", "session_id"),
        name=_text(row, "name"),
        value=ABSENT if text is None and number is None else (number if text is None else text),
        by=_text(row, "authorUserId", "author_user_id", "authorUserName"),
        kind="person" if _text(row, "source") in (None, "ANNOTATION", "API") else "judge",
        note=_text(row, "comment"),
        at=_said(row, "updatedAt", "updated_at", "timestamp", "createdAt", "created_at"),
        key=_text(row, "id"),
    )


def _langsmith(place: int, row: Row) -> Iterator[ForeignRating]:
    source = _object(row.get("feedback_source"))
    score, value, correction = _said(row, "score"), _said(row, "value"), _said(row, "correction")
    outputs = correction if isinstance(correction, Mapping) else None
    yield ForeignRating(
        place,
        "langsmith",
        _ids(row, "run_id", "trace_id"),
        name=_text(row, "key"),
        value=ABSENT if score is None and value is None else (value if score is None else score),
        answer=ABSENT if correction is None or outputs is not None else correction,
        outputs=outputs,
        by=_text(source, "user_name", "user_id") or _text(_object(source.get("metadata")), "user", "user_id"),
        kind="judge" if _text(source, "type") == "model" else "person",
        note=_text(row, "comment"),
        at=_said(row, "modified_at", "created_at"),
        key=_text(row, "id"),
    )


def _functai(place: int, row: Row) -> Iterator[ForeignRating]:
    outputs = row.get("outputs")
    yield ForeignRating(
        place,
        "functai",
        _ids(row, "call"),
        value=row.get("verdict", ABSENT),
        answer=row.get("answer", ABSENT),
        outputs=outputs if isinstance(outputs, Mapping) else None,
        by=_text(row, "by", "account"),
        note=_text(row, "note"),
        reasons=_list(row.get("reasons")) or (),
        tags=_list(row.get("tags")),
        at=row.get("at"),
        key=_text(row, "id"),
        sample=_text(row, "sample"),
    )


def _table(place: int, row: Row) -> Iterator[ForeignRating]:
    value = _said(row, "verdict", "rating", "label", "score", "correct")
    yield ForeignRating(
        place,
        "table",
        _ids(row, "call_id", "call", "step_id", "turn_id"),
        name=_text(row, "name", "criterion"),
        value=ABSENT if value is None else value,
        answer=ABSENT if is_missing(row.get("answer")) else row["answer"],
        by=_text(row, "rated_by", "by", "rater", "annotator", "user"),
        note=_text(row, "note", "comment", "explanation", "rationale"),
        reasons=_list(_said(row, "reasons", "reason")) or (),
        tags=_list(_said(row, "tags")),
        at=_said(row, "rated_at", "at", "timestamp", "created_at"),
        key=_text(row, "rating_id", "id"),
    )


def _has(row: Row, *names: str) -> bool:
    return any(name in row for name in names)


_FORMS: Final[Mapping[str, Callable[[Row], bool]]] = {
    "functai": lambda row: row.get("functai_rating") == 1,
    "langsmith": lambda row: "run_id" in row and "key" in row,
    "langfuse": lambda row: (_has(row, "traceId", "observationId") and _has(row, "value", "stringValue")) or isinstance(
        row.get("scores", _object(row.get("trace")).get("scores")), list
    ),
    "mlflow": lambda row: _has(row, "assessment_name", "assessments") or "assessments" in _object(row.get("info")) or (
        "source" in row and _has(row, "feedback", "expectation")
    ),
    "phoenix": lambda row: _has(row, "span_id", "context.span_id") and _has(row, "annotator_kind", "result", "label", "score"),
    "table": lambda row: _has(row, "call_id", "call", "step_id", "turn_id") and _has(row, "verdict", "rating", "label", "score", "correct", "answer", "tags"),
}  # fmt: skip
_READERS: Final[Mapping[str, Callable[[int, Row], Iterator[ForeignRating]]]] = {
    "functai": _functai, "langsmith": _langsmith, "langfuse": _langfuse, "mlflow": _mlflow, "phoenix": _phoenix, "table": _table,
}  # fmt: skip
