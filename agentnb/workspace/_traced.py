"""Traces of model answers, recorded into a workspace: the rows of `model_parts` and `model_selections`, on disk before anyone is told so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, Protocol

import pyarrow as pa

from agentnb.conversations.identifiers import new_id
from agentnb.transports import MODEL_PARTS, MODEL_SELECTIONS, TracedResponse, model_part_columns, model_selection_columns
from agentnb.values.model_selections import Trace
from agentnb.workspace._append_log import AppendLog
from agentnb.workspace._columns import columns_table
from agentnb.workspace._contract import contract
from agentnb.workspace._stores import Store

FORMAT: Final = 1
"""Version of the record."""
_COLUMNS: Final = {"model_parts": MODEL_PARTS, "model_selections": MODEL_SELECTIONS}


class KeptTrace(NamedTuple):
    """The rows of one answer."""

    response_id: str
    """The answer."""
    order: tuple[str, str]
    """When it was recorded, and the id of the record: of one answer the latest counts."""
    tables: dict[str, pa.Table]
    """Its rows by the name of the table."""


class _Logs(Protocol):
    @property
    def traces(self) -> AppendLog[KeptTrace]:
        """The traces."""
        ...


class Kept(Protocol):
    """What is needed of a workspace."""

    @property
    def _logs(self) -> _Logs: ...

    def _sync(self) -> None: ...


class TracedAnswers:
    """Part of a workspace: what became of models' answers, part by part."""

    def record(self: Kept, traces: Trace | TracedResponse | Mapping[str, Trace] | Iterable[Trace | TracedResponse]) -> list[str]:
        """Keep traces of model answers, for the tables `model_parts` and `model_selections`.

        In a folder each is written and flushed to the disk before this returns; in memory it lives as long as the workspace, unless `save` keeps it.
        A trace of an answer that has one takes its place.

        Args:
            traces: a trace, or several. A `TracedResponse` says to which model call and turn the answer belongs, and what the tool said to the arguments; a
                mapping gives the traces by the id of the answer; a trace alone is an answer of its own.

        Returns:
            The ids of the answers, in order.

        Raises:
            TypeError: something else was given; then nothing is kept.
            WorkspaceError: one could not be written; those before it are kept.
        """
        responses = _responses(traces)
        self._sync()
        for response in responses:
            self._logs.traces.append(_record(response))
        self._sync()
        return [response.response_id for response in responses]


def trace_log(store: Store) -> AppendLog[KeptTrace]:
    """Return the log of the traces that belong to a store."""
    return AppendLog(None if store.place is None else store.place / "traces", trace_of, noun="trace")


def trace_of(record: Any) -> KeptTrace | None:
    """Make the rows of a record; None when it is of another format or not whole."""
    if not isinstance(record, dict) or record.get("agentnb_trace") != FORMAT:
        return None
    found = record.get("response"), record.get("at"), record.get("id")
    if not all(isinstance(text, str) for text in found):
        return None
    try:
        tables = {table: columns_table(table, {"response_id": _same(record, table), **record[table]}) for table in _COLUMNS}
    except (pa.ArrowException, AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None
    if any(column.null_count and not tables[table].schema.field(name).nullable for table in tables for name, column in _named(tables[table])):
        return None
    return KeptTrace(str(found[0]), (str(found[1]), str(found[2])), tables)


def traced_tables(traces: Iterable[KeptTrace]) -> dict[str, pa.Table]:
    """Put the rows of traces into one table each; of an answer that was recorded more than once the latest counts."""
    latest = {trace.response_id: trace for trace in sorted(traces, key=lambda trace: trace.order)}
    return {table: pa.concat_tables([contract().tables[table].empty_table(), *(trace.tables[table] for trace in latest.values())]) for table in _COLUMNS}


def _responses(traces: Any) -> list[TracedResponse]:
    if isinstance(traces, Mapping):
        listed: list[Any] = [TracedResponse(str(name), trace) for name, trace in traces.items()]
    elif isinstance(traces, Trace | TracedResponse):
        listed = [traces]
    else:
        listed = list(traces) if isinstance(traces, Iterable) else [traces]
    made = [TracedResponse(new_id(), each) if isinstance(each, Trace) else each for each in listed]
    wrong = next((each for each in made if not isinstance(each, TracedResponse) or not isinstance(each.trace, Trace)), None)
    if wrong is not None:
        raise TypeError(f"ws.record keeps traces, as anb.trace_selection makes them, or TracedResponse(response_id, trace), not a {type(wrong).__name__}.")
    return made


def _record(response: TracedResponse) -> dict[str, Any]:
    parts, selections = model_part_columns([response]), model_selection_columns([response])
    return {
        "agentnb_trace": FORMAT,
        "id": new_id(),
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "response": response.response_id,
        "model_parts": _without_id(parts),
        "model_selections": _without_id(selections),
    }


def _without_id(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Leave out the id, which is the same in every row."""
    return {name: values for name, values in columns.items() if name != "response_id"}


def _same(record: Mapping[str, Any], table: str) -> list[str]:
    return [record["response"]] * len(record[table]["output_chars"])


def _named(table: pa.Table) -> Iterable[tuple[str, Any]]:
    return zip(table.column_names, table.columns, strict=True)
