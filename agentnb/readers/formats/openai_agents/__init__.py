"""OpenAI Agents SDK: the saved state of a run, which may wait for a person, and the traces that it uploads.

A record of a state is an item that the run generated or was given; a record of a trace is a span, or the trace itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.span_tree import SpanTree
from agentnb.readers.formats.openai_agents._spans import Traces, is_trace_item
from agentnb.readers.formats.openai_agents._state import RunState, is_run_state, name_of_state


def _matches(sample: Sample) -> bool:
    return any(is_run_state(value) or is_trace_item(value) for value in _items(sample))


def _items(sample: Sample) -> list[Any]:
    values = [sample.document] if sample.shape == "document" else list(sample.values)
    return [item for value in values for item in _unwrapped(value)][:1000]


def _unwrapped(value: Any) -> list[Any]:
    """Return the records that a value holds: an upload and a list hold several."""
    held = value.get("data") if isinstance(value, dict) else value
    return held if isinstance(held, list) else [value]


def _keys(sample: Sample) -> set[str]:
    items = _items(sample)
    traces = {str(item.get("trace_id") or item.get("id")) for item in items if is_trace_item(item)}
    groups = {str(item["group_id"]) for item in items if is_trace_item(item) and isinstance(item.get("group_id"), str)}
    return {name_of_state(item) for item in items if is_run_state(item)} | traces | groups


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart, traces = Apart(rows, READER.format), Traces(SpanTree(rows, READER.format))
    for file in files:
        for place, value in _records(file, on_bytes):
            if is_run_state(value):
                RunState(value, file.account, apart, place).read()
            elif is_trace_item(value):
                traces.add(value, place, file.account)
            else:
                message = "The record is neither the state of a run nor a span of a trace; it was left out."
                file.account.leave_out("no_agents_record", message, line=place, excerpt=value)
    traces.finish()


def _records(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    for place, value in read_values(file, on_bytes):
        items = _unwrapped(value)
        yield from enumerate(items, 1) if file.sample.shape == "document" else ((place, item) for item in items)


READER = Reader(format="openai_agents", title="OpenAI Agents SDK run states and traces", matches=_matches, keys=_keys, read=_read)
