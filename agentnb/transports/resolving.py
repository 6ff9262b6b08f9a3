"""Is what the model chose acceptable, and what does it give? From a selection to a result."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal, NamedTuple

from pydantic import ValidationError

from agentnb.errors import ResolveError
from agentnb.transports.catalog import CatalogTool
from agentnb.transports.interaction import Resolving
from agentnb.transports.stages import Projection
from agentnb.values.model_selections import ModelSelection, SessionReply
from agentnb.values.tools import ToolContext

OnError = Literal["raise", "collect"]


class FailedTool(NamedTuple):
    """A tool of a session that gave no result, where errors are collected."""

    selection: ModelSelection
    error: Exception


def one_result(projection: Projection) -> Resolving:
    """Resolve the one selection of a stage."""
    return Resolving(partial(_resolve, projection), partial(_aresolve, projection))


def all_results(projection: Projection, on_error: OnError) -> Resolving:
    """Resolve every selection of a session's reply, in order; the first tool that fails stops it, unless errors are collected."""
    return Resolving(partial(_resolve_all, projection, on_error), partial(_aresolve_all, projection, on_error))


def text_result() -> Resolving:
    """Resolve a text to itself."""

    async def awaited(selection: ModelSelection, stage: str | None) -> Any:
        return _text_of(selection, stage)

    return Resolving(_text_of, awaited)


def _text_of(selection: ModelSelection, stage: str | None) -> Any:
    if stage is not None:
        raise ResolveError("stage_mismatch", f"a text transport has no stages, and no {stage!r}", stage, selection.tool_id)
    if selection.tool_id != "text" or not isinstance(selection.input.get("text"), str):
        raise ResolveError("tool_not_in_stage", f"a text transport gives selections of the tool text, not of {selection.tool_id!r}", None, selection.tool_id)
    return selection.input["text"]


def _resolve(projection: Projection, selection: ModelSelection, stage: str | None) -> Any:
    if not isinstance(selection, ModelSelection):
        raise TypeError(f"a selection is a ModelSelection, as finish() of a collector returns it, not {type(selection).__name__}")
    if stage is not None and stage != projection.stage_id:
        raise ResolveError("stage_mismatch", f"this was prepared for stage {projection.stage_id!r}, not for {stage!r}", stage, selection.tool_id)
    if selection.tool_id not in projection.offered_ids:
        offered = ", ".join(sorted(projection.offered_ids))
        raise ResolveError("tool_not_in_stage", f"stage {projection.stage_id!r} offers {offered}, not {selection.tool_id!r}", stage, selection.tool_id)
    tool = projection.catalog[selection.tool_id]
    parsed = _parsed(tool, selection, projection.stage_id)
    context = ToolContext.model_construct(stage=projection.stage_id, tool_id=tool.id, call=selection.call)
    given = (parsed, context)[: tool.takes]
    return tool.resolve(*given)


async def _aresolve(projection: Projection, selection: ModelSelection, stage: str | None) -> Any:
    return await _settled(_resolve(projection, selection, stage))


def _parsed(tool: CatalogTool, selection: ModelSelection, stage: str) -> Any:
    try:
        # A copy: a parser that changes what it gets must not change the record.
        return tool.parse(copy.deepcopy(selection.input))
    except Exception as error:
        errors = error.errors() if isinstance(error, ValidationError) else ()
        told = "; ".join(f"{'.'.join(map(str, item['loc'])) or 'input'}: {item['msg']}" for item in errors) or f"{type(error).__name__}: {error}"
        raise ResolveError("input_rejected", f"tool {tool.id!r} does not accept the input in stage {stage!r}: {told}", stage, tool.id, errors) from error


def _resolve_all(projection: Projection, on_error: OnError, reply: SessionReply, stage: str | None) -> list[Any]:
    results: list[Any] = []
    for selection in _selections_of(reply):
        results.append(_or_failed(partial(_resolve, projection, selection, stage), selection, on_error))
    return results


async def _aresolve_all(projection: Projection, on_error: OnError, reply: SessionReply, stage: str | None) -> list[Any]:
    results: list[Any] = []
    for selection in _selections_of(reply):
        try:
            results.append(await _aresolve(projection, selection, stage))
        except Exception as error:
            if on_error == "raise":
                raise
            results.append(FailedTool(selection, error))
    return results


def _selections_of(reply: SessionReply) -> tuple[ModelSelection, ...]:
    if not isinstance(reply, SessionReply):
        raise TypeError(f"a session resolves a SessionReply, as finish() of its collector returns it, not {type(reply).__name__}")
    return reply.selections


def _or_failed(resolve: Callable[[], Any], selection: ModelSelection, on_error: OnError) -> Any:
    try:
        return resolve()
    except Exception as error:
        if on_error == "raise":
            raise
        return FailedTool(selection, error)


async def _settled(value: Any) -> Any:
    if inspect.isawaitable(value):
        waited: Awaitable[Any] = value
        return await waited
    return value
