"""Traces of MLflow: where a file keeps them, and what they tell besides their spans."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentnb.readers._fields import dict_of, dicts_of
from agentnb.readers._json import parse_json
from agentnb.readers.dialects.any import parsed
from agentnb.readers.dialects.langchain import is_told

MIME = "application/databricks.mlflow.trace"
"""Under which a notebook keeps the traces that a cell showed."""

_SESSIONS = ("mlflow.trace.session", "mlflow.session.id", "mlflow.chat.session")
_USERS = ("mlflow.trace.user",)
# Of no use after the run: where it was stored, how large it was, and what its spans repeat.
_SILENT = re.compile(r"mlflow\.(?:trace\.(?:size\w+|infoFinalized|spansLocation|tokenUsage)|artifactLocation|trace(?:Inputs|Outputs|Name)|source\.git\.\w+)$")
_READ_INFO = frozenset({"trace_id", "request_id", "trace_metadata", "request_metadata", "tags", "request_preview", "response_preview", "assessments", "spans"})


class Trace(NamedTuple):
    """A trace of MLflow."""

    trace_id: str
    session: str | None
    spans: list[Any]
    labels: dict[str, Any]
    extra: dict[str, Any]
    state: str | None
    """OK, ERROR or IN_PROGRESS."""


def trace_in(value: Any) -> Trace | None:
    """Return the trace that a value is; None when it is none."""
    value = parsed(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("trace"), str):
        # A row of a table of traces holds the trace as JSON.
        return trace_in(value["trace"])
    info, data = value.get("info"), value.get("data")
    spans = data.get("spans") if isinstance(data, dict) else value.get("spans")
    info = info if isinstance(info, dict) else value
    trace_id = info.get("trace_id") or info.get("request_id")
    if not isinstance(trace_id, str) or not isinstance(spans, list):
        return None
    if not trace_id.startswith("tr-") and not any(map(_is_span, spans[:20])):
        return None
    metadata = dict_of(info.get("trace_metadata")) | dict_of(info.get("request_metadata"))
    session = next((metadata[name] for name in _SESSIONS if isinstance(metadata.get(name), str) and metadata[name]), None)
    state = info.get("state") or info.get("status")
    return Trace(trace_id, session, spans, _labels(info, metadata), _extra(info, metadata), state if isinstance(state, str) else None)


def traces_in(value: Any) -> list[Any] | None:
    """Return the traces of a value of a file, each as it stands there; None when it holds none."""
    if trace_in(value) is not None:
        return [value]
    if isinstance(value, list) and any(trace_in(item) is not None for item in value[:20]):
        return value
    if not isinstance(value, dict):
        return None
    if MIME in value:
        return _shown(value[MIME])
    if isinstance(value.get("traces"), list):
        return traces_in(value["traces"])
    shown = [
        trace for cell in dicts_of(value.get("cells")) for output in dicts_of(cell.get("outputs")) for trace in _shown(dict_of(output.get("data")).get(MIME))
    ]
    return shown or None


def attributes_of(span: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of a span, each of which is JSON text."""
    return {name: _read(value) for name, value in dict_of(span.get("attributes")).items()}


def _read(value: Any) -> Any:
    read = parse_json(value.encode("utf-8", "replace")) if isinstance(value, str) else None
    return read.value if read is not None and read.ok else value


def _is_span(span: Any) -> bool:
    attributes = span.get("attributes") if isinstance(span, dict) else None
    return isinstance(attributes, dict) and any(isinstance(name, str) and name.startswith("mlflow.") for name in attributes)


def _shown(value: Any) -> list[Any]:
    found = parsed(value)
    return found if isinstance(found, list) else [found] if isinstance(found, dict) else []


def _labels(info: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    """Return things to group by: who ran it, the tags that people gave, and what was found of it."""
    user = next((metadata[name] for name in _USERS if metadata.get(name)), None)
    labels = {"user": user} | {name: value for name, value in dict_of(info.get("tags")).items() if not name.startswith("mlflow.")}
    for assessment in dicts_of(info.get("assessments")):
        name = assessment.get("name") or assessment.get("assessment_name")
        if isinstance(name, str):
            labels[name] = _assessed(assessment)
    return {name: value for name, value in labels.items() if is_told(value) or value is False}


def _assessed(assessment: dict[str, Any]) -> Any:
    """Return the value of an assessment: feedback of a person or a judge, or what was expected."""
    for name in ("feedback", "expectation"):
        told = assessment.get(name)
        if isinstance(told, dict) and "value" in told:
            return told["value"]
    return assessment.get("value")


def _extra(info: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in info.items() if name not in _READ_INFO and name not in ("data", "info") and is_told(value)}
    read = {*_SESSIONS, *_USERS}
    rest |= {name: parsed(value) for name, value in metadata.items() if name not in read and is_told(value) and not _SILENT.match(name)}
    rest |= {name: value for name, value in dict_of(info.get("tags")).items() if name.startswith("mlflow.") and not _SILENT.match(name)}
    return rest | ({"assessments": info["assessments"]} if is_told(info.get("assessments")) else {})
