"""Traces, observations and scores of Langfuse: where a file keeps them, whatever it was exported by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from agentnb.readers.dialects.any import parsed

TYPES = frozenset({"SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"})
"""Types of observations; SDKs before version 3.4 know the first three only."""

_SNAKE = re.compile(r"(?<!^)(?=[A-Z])")

Kind = Literal["observation", "trace", "score"]


class Record(NamedTuple):
    """A record of Langfuse."""

    kind: Kind | None
    """None of what is none of them."""
    value: Any
    counts: bool = True
    """Whether it is a record of its own: the trace around a list of observations is not."""


def field(record: dict[str, Any], name: str) -> Any:
    """Return a field by its name in camelCase; exports to a bucket write it in snake_case."""
    found = record.get(name)
    return record.get(_SNAKE.sub("_", name).lower()) if found is None else found


def is_observation(value: Any) -> bool:
    """Tell whether a value is an observation."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str) or value["type"] not in TYPES or not isinstance(value.get("id"), str):
        return False
    return isinstance(field(value, "traceId"), str) and ("parentObservationId" in value or "parent_observation_id" in value or _has(value, "startTime"))


def is_trace(value: Any) -> bool:
    """Tell whether a value is a trace, without its observations."""
    if not isinstance(value, dict) or not isinstance(value.get("id"), str) or "type" in value:
        return False
    return "timestamp" in value and "bookmarked" in value and (_has(value, "projectId") or _has(value, "sessionId"))


def is_score(value: Any) -> bool:
    """Tell whether a value is a score."""
    return isinstance(value, dict) and isinstance(field(value, "traceId"), str) and _has(value, "dataType") and "name" in value and _has(value, "observationId")


def records_in(value: Any) -> list[Record] | None:
    """Return the records of a value of a file; None when it holds none."""
    if isinstance(value, list):
        found = [records_in(item) for item in value]
        known = any(records is not None for records in found[:50])
        return [record for item, records in zip(value, found, strict=True) for record in records or [Record(None, item)]] if known else None
    if not isinstance(value, dict):
        return None
    kind = _kind_of(value)
    if kind is not None:
        return [Record(kind, value)]
    trace, listed = value.get("trace"), value.get("observations")
    if isinstance(trace, dict) and isinstance(listed, list):
        return [*_with_scores(trace), *_observations(listed)]
    if isinstance(listed, list) and isinstance(value.get("id"), str) and any(map(is_observation, listed[:50])):
        return [*_with_scores(value), *_observations(listed)]
    data = value.get("data")
    if isinstance(data, list) and "meta" in value:
        return records_in(data)
    return None


def metadata_of(record: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a trace or an observation, which is often JSON text."""
    found = parsed(record.get("metadata"))
    return found if isinstance(found, dict) else {} if found in (None, "", []) else {"metadata": found}


def attributes_of(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of the OpenTelemetry span that an observation was, if it was one."""
    found = parsed(metadata.get("attributes"))
    return found if isinstance(found, dict) else {}


def _has(value: dict[str, Any], name: str) -> bool:
    return name in value or _SNAKE.sub("_", name).lower() in value


def _kind_of(value: dict[str, Any]) -> Kind | None:
    if is_observation(value):
        return "observation"
    if is_score(value):
        return "score"
    listed = value.get("observations")
    return "trace" if is_trace(value) and not (isinstance(listed, list) and any(map(is_observation, listed[:50]))) else None


def _with_scores(trace: dict[str, Any]) -> Iterator[Record]:
    yield Record("trace", trace, counts=False)


def _observations(listed: list[Any]) -> Iterator[Record]:
    for item in listed:
        yield Record("observation" if is_observation(item) else None, item)
