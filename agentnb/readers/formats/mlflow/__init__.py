"""MLflow: traces of version 2 and 3, alone, in lists or lines, as rows of a table, and as notebooks keep them.

A record is a span; a trace without spans is one record that is left out. The traces of a session are one conversation, each of them a turn of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.span_tree import SpanTree
from agentnb.readers.formats.mlflow._spans import spans_of
from agentnb.readers.formats.mlflow._traces import trace_in, traces_in

# How a trace ended otherwise is told by its spans.
_STATES = {"IN_PROGRESS": "running", "TraceState.IN_PROGRESS": "running"}


def _matches(sample: Sample) -> bool:
    return sample.shape in ("document", "lines") and any(traces_in(value) is not None for value in sample.values)


def _keys(sample: Sample) -> set[str]:
    """Files of the same session are read together; of lines only their ends are known before they are read."""
    values = sample.values if sample.shape == "document" else (*sample.values, *sample.last_values)
    traces = [trace for value in values for item in traces_in(value) or () if (trace := trace_in(item)) is not None]
    return {name for trace in traces for name in (trace.session, trace.trace_id) if name}


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    tree = SpanTree(rows, READER.format)
    for file in files:
        place = 1
        for line, value in read_values(file, on_bytes):
            traces = traces_in(value)
            for item in [value] if traces is None else traces:
                place += _take(item, tree, file, place if file.sample.shape == "document" else line)
    tree.finish()


def _take(item: Any, tree: SpanTree, file: OpenFile, place: int) -> int:
    """Take the spans of a trace, and return how many places it had."""
    account, trace = file.account, trace_in(item)
    if trace is None or not trace.spans:
        message = "It is no trace of MLflow; it was left out." if trace is None else f"The trace {trace.trace_id} has no spans; it was left out."
        account.leave_out("no_trace" if trace is None else "empty_trace", message, line=place, excerpt=item)
        return 1
    for number, span in enumerate(trace.spans):
        if not isinstance(span, dict):
            account.leave_out("no_span", "The span is no object; it was left out.", line=place + number, excerpt=span)
    for span in spans_of(trace, place):
        tree.add(span if file.sample.shape == "document" else span._replace(place=place), account)
    tree.note(trace.trace_id, extra=trace.extra, labels=trace.labels, state=_STATES.get(trace.state or ""))
    return len(trace.spans)


READER = Reader(format="mlflow", title="MLflow traces", matches=_matches, keys=_keys, read=_read)
