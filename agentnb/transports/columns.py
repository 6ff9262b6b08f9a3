"""Rows for the tables `model_parts` and `model_selections`: columns of many answers at once, from their parts and traces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.values.model_parts import CallEndPart, CallPart, ModelPartRow
from agentnb.values.model_selections import ModelSelection, ModelSelectionRow, SelectedCall, SessionReply, Trace

MODEL_PARTS: Final = tuple(ModelPartRow.model_fields)
"""Columns of `model_parts`, in order."""
MODEL_SELECTIONS: Final = tuple(ModelSelectionRow.model_fields)
"""Columns of `model_selections`, in order."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class TracedResponse(NamedTuple):
    """One answer with its trace, and what it belongs to."""

    response_id: str
    """Id of the model call."""
    trace: Trace
    parts: Sequence[Any] = ()
    """The parts that were traced; without them ids and names of calls are null in `model_parts`."""
    turn_id: str | None = None
    resolution: str | Mapping[int, str] | None = None
    """What the tool said to the arguments: ok, input_rejected or failed; of a session by the place of the selection. None when it was not asked."""


def model_part_columns(responses: Iterable[TracedResponse]) -> dict[str, list[Any]]:
    """Return the rows of `model_parts` as columns.

    Args:
        responses: answers with their traces.

    Returns:
        A list for each of `MODEL_PARTS`, all of the same length; lone surrogates are escaped, since no table takes them.
    """
    columns: dict[str, list[Any]] = {name: [] for name in MODEL_PARTS}
    for response in responses:
        steps = response.trace.steps
        size = len(steps)
        columns["response_id"] += [response.response_id] * size
        columns["part_index"] += range(size)
        columns["kind"] += steps.kinds
        columns["chars"] += steps.delta_chars()
        columns["output_chars"] += steps.output_chars
        columns["verdict"] += steps.verdicts
        columns["code"] += steps.codes
        about = response.parts if len(response.parts) == size else [None] * size
        columns["call_index"] += [part.index if isinstance(part, (CallPart, CallEndPart)) else None for part in about]
        columns["call_id"] += [(whole(part.id) or None) if isinstance(part, (CallPart, CallEndPart)) else None for part in about]
        columns["name"] += [(whole(part.name) or None) if isinstance(part, CallPart) else None for part in about]
    return columns


def model_selection_columns(responses: Iterable[TracedResponse]) -> dict[str, list[Any]]:
    """Return the rows of `model_selections` as columns: one row per selection, and one without a tool for an answer that has none.

    Args:
        responses: answers with their traces.

    Returns:
        A list for each of `MODEL_SELECTIONS`, all of the same length.
    """
    columns: dict[str, list[Any]] = {name: [] for name in MODEL_SELECTIONS}
    for response in responses:
        for row in _rows(response):
            for name, value in row.items():
                columns[name].append(value)
    return columns


def whole(text: str | None) -> str | None:
    """Return a text that every table takes: lone surrogates become backslash escapes."""
    if text is None or text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _rows(response: TracedResponse) -> Iterable[dict[str, Any]]:
    trace = response.trace
    selections = _selections(trace)
    shared = {
        "response_id": response.response_id,
        "turn_id": response.turn_id,
        "transport": trace.transport_id,
        "stage": trace.stage,
        "adapter": trace.adapter_id,
        "outcome": trace.outcome,
        "code": trace.code,
        "broke_at": trace.broke_at,
        "finish_reason": trace.finish_reason,
        "schema_chars": trace.schema_chars,
        "instruction_chars": trace.instruction_chars,
        "output_chars": trace.output_chars,
        "catalog_digest": trace.catalog_digest,
        "stage_digest": trace.stage_digest,
    }
    for at, selection in enumerate(selections or [None]):
        yield {
            **dict.fromkeys(MODEL_SELECTIONS),
            **shared,
            "selection_index": at,
            **_about(selection, trace),
            "resolution": _resolution(response, at, selection),
        }


def _selections(trace: Trace) -> Sequence[ModelSelection]:
    if isinstance(trace.result, SessionReply):
        return trace.result.selections
    return (trace.result,) if trace.result is not None else ()


def _about(selection: ModelSelection | None, trace: Trace) -> dict[str, Any]:
    """Return what one row says of its selection; of an answer without one, the call that broke, else the first."""
    ordinal = trace.failure.ordinal if trace.failure is not None and trace.failure.ordinal is not None else 1
    broken = trace.calls[ordinal - 1] if selection is None and ordinal <= len(trace.calls) else None
    call: SelectedCall | None = selection.call if selection is not None else broken
    return {
        "tool_id": whole(selection.tool_id) if selection is not None else None,
        "input": _json(selection.input) if selection is not None else None,
        "call_id": whole(call.id) if call is not None else None,
        "call_name": whole(call.name) if call is not None else None,
        "argument_chars": call.argument_chars if call is not None else None,
    }


def _resolution(response: TracedResponse, at: int, selection: ModelSelection | None) -> str | None:
    if selection is None or response.resolution is None:
        return None
    return response.resolution if isinstance(response.resolution, str) else response.resolution.get(at)


def _json(value: dict[str, Any]) -> str | None:
    return whole(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))
