"""Langfuse: a trace with its observations, lists of observations, and tables that were exported as lines, each in a file of its own.

A record is an observation, and in exported tables also a trace or a score; the trace around a list of observations is none. The traces of a session are
one conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.span_tree import SpanTree
from agentnb.readers.dialects.any import parsed
from agentnb.readers.dialects.langchain import is_told
from agentnb.readers.formats.langfuse._records import Record, field, metadata_of, records_in
from agentnb.readers.formats.langfuse._spans import Met, spans_of

_LABELS = {"userId": "user", "tags": "tags", "release": "release", "version": "version", "environment": "environment"}
_READ_TRACE = frozenset({"id", "name", "timestamp", "sessionId", "input", "output", "metadata", "observations", "scores", "bookmarked", "public", *_LABELS})
_SILENT_TRACE = frozenset({"projectId", "createdAt", "updatedAt", "latency", "totalCost", "htmlPath"})
_SCORE = ("observationId", "name", "value", "stringValue", "comment", "source", "dataType")


def _matches(sample: Sample) -> bool:
    return sample.shape in ("document", "lines") and any(_first_records(value) is not None for value in sample.values)


def _first_records(value: Any) -> list[Record] | None:
    return records_in(value[:20] if isinstance(value, list) else value)


def _keys(sample: Sample) -> set[str]:
    """Files of the same traces or sessions are read together; of lines only their ends are known before they are read."""
    values = sample.values if sample.shape == "document" else (*sample.values, *sample.last_values)
    found: set[str] = set()
    for record in (record for value in values for record in records_in(value) or () if record.kind is not None):
        named = (_trace_id(record), field(record.value, "sessionId"))
        found |= {name for name in named if isinstance(name, str) and name}
    return found


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    traces: dict[str, _Trace] = {}
    for file in files:
        for line, value in read_values(file, on_bytes):
            listed = records_in(value)
            for number, record in enumerate([Record(None, value)] if listed is None else listed, 1):
                _take(record, traces, file, number if file.sample.shape == "document" else line)
    tree = SpanTree(rows, READER.format)
    for trace in traces.values():
        trace.give(tree)
    tree.finish()


def _take(record: Record, traces: dict[str, _Trace], file: OpenFile, place: int) -> None:
    if record.kind is None:
        file.account.leave_out("not_langfuse", "It is no trace, observation or score; it was left out.", line=place, excerpt=record.value)
        return
    trace = traces.setdefault(_trace_id(record), _Trace())
    if record.kind == "observation":
        trace.met.append(Met(record.value, file.account, place))
        return
    if record.kind == "trace":
        trace.fields |= {name: value for name, value in record.value.items() if value is not None}
        scores = record.value.get("scores")
        trace.scores += [score for score in scores if isinstance(score, dict)] if isinstance(scores, list) else []
    else:
        trace.scores.append(record.value)
    if record.counts:
        trace.told.append(Met(record.value, file.account, place))


def _trace_id(record: Record) -> str:
    return str(record.value.get("id") if record.kind == "trace" else field(record.value, "traceId"))


class _Trace:
    """What is known of a trace."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.met: list[Met] = []
        self.scores: list[dict[str, Any]] = []
        self.told: list[Met] = []
        """Records of the trace and its scores, where these are records of their own."""

    def give(self, tree: SpanTree) -> None:
        """Give the spans of the trace, and what is known besides, to the tree."""
        for item in self.told:
            if self.met:
                item.account.keep()
            else:
                message = "Of its trace no observation is among the files; it was left out."
                item.account.leave_out("no_observations", message, line=item.place, severity="info", excerpt=item.observation)
        if not self.met:
            return
        labels = self._labels()
        spans = spans_of(self.met, self.fields, labels)
        for span, item in zip(spans, self.met, strict=True):
            tree.add(span, item.account)
        title = self.fields.get("name")
        tree.note(spans[0].trace_id, title=title if isinstance(title, str) and title else None, labels=labels, extra=self._extra())

    def _labels(self) -> dict[str, Any]:
        """Return things to group by: who ran it, which version, and how it was scored."""
        first = self.met[0].observation
        told = {label: field(self.fields, name) if is_told(field(self.fields, name)) else field(first, name) for name, label in _LABELS.items()}
        labels = {name: value for name, value in told.items() if is_told(value) and value != "default"}
        for score in self.scores:
            name, value = score.get("name"), field(score, "stringValue")
            if isinstance(name, str) and not field(score, "observationId"):
                labels[name] = value if isinstance(value, str) and value else score.get("value")
        return labels

    def _extra(self) -> dict[str, Any]:
        read = {*_READ_TRACE, *_SILENT_TRACE}
        rest = {name: value for name, value in self.fields.items() if name not in read and is_told(value)}
        metadata = metadata_of(self.fields)
        kept = {name: parsed(value) for name, value in metadata.items() if name != "attributes" and is_told(value)}
        rest |= {"metadata": kept} if kept else {}
        if self.scores:
            rest["scores"] = [{name: value for name in _SCORE if is_told(value := field(score, name)) or value == 0} for score in self.scores]
        events = [item.observation for item in self.met if item.observation["type"] == "EVENT"]
        if events:
            rest["events"] = [
                {name: parsed(event[name]) for name in ("name", "startTime", "input", "output", "level") if is_told(event.get(name))} for event in events
            ]
        return rest


READER = Reader(format="langfuse", title="Langfuse traces and observations", matches=_matches, keys=_keys, read=_read)
