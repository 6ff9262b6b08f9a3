"""OpenTelemetry: spans of agents in any container and convention, with the events that belong to them.

A record is a span, or a log record that holds an event of one. Spans of one trace or session are one conversation, whatever files they stand in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.span_tree import Span, SpanTree
from agentnb.readers.formats.otel._containers import Log, NoSpan, is_container, is_map, is_span, records_of, spans_of
from agentnb.readers.formats.otel._conventions import span_of
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._sessions import session_of
from agentnb.readers.formats.otel._vercel import adopted

_MOST_KEYS = 2_000


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        return spans_of(sample.document) is not None
    if sample.shape != "lines":
        return False
    known = [is_container(value) or is_span(value) or is_map(value) or spans_of(value) is not None for value in sample.values]
    return any(known) and sum(known) * 2 >= len(known)


def _keys(sample: Sample) -> set[str]:
    """Files with the same traces or sessions are read together; of a file of lines only its ends are known before it is read."""
    values: Iterable[Any] = _values_of(sample.document) if sample.shape == "document" else (*sample.values, *sample.last_values)
    keys: set[str] = set()
    for value in values:
        for record in records_of(value, 1):
            if isinstance(record, Record):
                keys.add(record.trace_id)
                keys |= {session for session in (session_of(record),) if session}
            elif isinstance(record, Log) and record.trace_id.strip("0"):
                keys.add(record.trace_id)
        if len(keys) > _MOST_KEYS:
            break
    return keys


def _values_of(value: Any) -> list[Any]:
    return spans_of(value) or []


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    tree = SpanTree(rows, READER.format)
    records: list[tuple[Record, OpenFile]] = []
    logs: list[tuple[Log, OpenFile]] = []
    for file in files:
        for item in _items(file, on_bytes):
            if isinstance(item, Record):
                records.append((item, file))
            elif isinstance(item, Log):
                logs.append((item, file))
            else:
                file.account.leave_out("no_span", "It stands among spans and is none; it was left out.", line=item.place, excerpt=item.value)
    _add_logs(records, logs)
    spans = adopted([span_of(record) for record, _ in records])
    for span, (record, file) in zip(spans, records, strict=True):
        tree.add(span, file.account)
        _note_resource(tree, span, record)
    tree.finish()


def _items(file: OpenFile, on_bytes: OnBytes) -> Iterator[Record | Log | NoSpan]:
    """Yield the spans and log records of a file, each with its line, or in a document with its number."""
    if file.sample.shape != "document":
        for place, value in read_values(file, on_bytes):
            found = [item for span in _values_of(value) or [value] for item in records_of(span, place)]
            yield from found or [NoSpan(value, place)]
        return
    for _, document in read_values(file, on_bytes):
        number = 0
        for value in _values_of(document):
            for item in records_of(value, number + 1):
                number += 1
                if isinstance(item, Record):
                    item.place = number
                yield item if isinstance(item, Record) else item._replace(place=number)


def _add_logs(records: list[tuple[Record, OpenFile]], logs: list[tuple[Log, OpenFile]]) -> None:
    """Add events that were logged to their spans; one whose span is not there is left out."""
    by_id = {(record.trace_id, record.span_id): record for record, _ in records}
    for log, file in logs:
        record = by_id.get((log.trace_id, log.span_id))
        if record is not None:
            record.events.append(log.event)
            file.account.keep()
        else:
            file.account.leave_out(
                "log_without_span", "The span that the log record belongs to is not in the recording.", line=log.place, excerpt=log.event.name
            )


def _note_resource(tree: SpanTree, span: Span, record: Record) -> None:
    if record.resource:
        tree.note(span.trace_id, extra={"resource": record.resource})


READER = Reader(format="otel", title="OpenTelemetry (GenAI, OpenInference and other conventions)", matches=_matches, keys=_keys, read=_read)
