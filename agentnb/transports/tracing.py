"""Where did the selection break? The parts of an answer, one after another, and what could be said after each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from agentnb.errors import SelectionError
from agentnb.streams.parts import lift_parts
from agentnb.transports.collector import Collector
from agentnb.transports.interaction import PreparedModelInteraction
from agentnb.transports.transports import SessionTransport, StageTransport, TextTransport, Transport
from agentnb.values.model_parts import CallEndPart, CallPart, ErrorPart, FinishPart, ModelPart, ReasoningPart, RefusalPart, TextPart, UsagePart, read_part
from agentnb.values.model_selections import Outcome, ReplayFrame, SelectionFailure, Trace, TraceSteps, Verdict

_KINDS: dict[type, str] = {
    str: "text",
    TextPart: "text",
    ReasoningPart: "reasoning",
    RefusalPart: "refusal",
    CallPart: "call",
    CallEndPart: "call_end",
    FinishPart: "finish",
    UsagePart: "usage",
    ErrorPart: "error",
}

_OUTCOMES: dict[Verdict, Outcome] = {"ok": "ok", "pending": "cut", "doomed": "broken"}


def trace_selection(prepared: PreparedModelInteraction, parts: Iterable[Any], *, dialect: str | None = None) -> Trace:
    """Follow an answer part by part, and say whether it is a valid selection, and from which part on it could not become one any more.

    After each part the verdict is ok (what came is valid, and may still turn), pending (more parts can make it valid) or doomed. An answer that ends while it
    is pending was cut: nothing in it is wrong, the stream stopped. Time grows with the length of the answer, however small its parts.

    Args:
        prepared: what the answer was meant for.
        parts: texts, parts, or recorded objects with a `kind`; with a dialect, the events or chunks as the provider sent them.
        dialect: openai-chat, openai-responses, anthropic or gemini.

    Returns:
        The trace.

    Example:
        trace = anb.trace_selection(transport.prepare("support"), chunks, dialect="openai-chat")
        trace.outcome, trace.code, trace.broke_at  # "broken", "tool_not_in_stage", 3
    """
    collector, steps = prepared.create_response(), TraceSteps()
    kinds, output_chars, verdicts, codes, calls = steps.kinds, steps.output_chars, steps.verdicts, steps.codes, steps.calls
    slots = collector.assembly.slots
    broke_at: int | None = None
    for at, given in enumerate(lift_parts(parts, dialect) if dialect is not None else parts):
        part = given if type(given) in _KINDS else read_part(given)
        collector.push(part)
        verdict, code = collector.verdict()
        if verdict != "doomed":
            broke_at = None
        elif broke_at is None:
            broke_at = at
        kinds.append(_KINDS[type(part)])
        output_chars.append(collector.output_chars)
        verdicts.append(verdict)
        codes.append(code)
        calls.append(len(slots))
    return _trace(prepared, collector, steps, broke_at)


def what_if(
    parts: Iterable[Any],
    transport: Transport,
    *,
    stage: str | None = None,
    adapter: str | None = None,
    dialect: str | None = None,
    schema_budget: int | None = None,
) -> Trace:
    """Follow the same answer under another stage or adapter; no model is called.

    It tells whether this answer would have been accepted, not what the model would have answered.

    Args:
        parts: the parts of an answer, as `trace_selection` takes them.
        transport: the transport.
        stage: one of its stages; a session has one of its own.
        adapter: one of its adapters; else its own.
        dialect: the dialect, when the parts are events as the provider sent them.
        schema_budget: another budget than the transport's own.

    Returns:
        The trace.
    """
    return trace_selection(prepare(transport, stage=stage, adapter=adapter, schema_budget=schema_budget), parts, dialect=dialect)


def prepare(transport: Transport, *, stage: str | None = None, adapter: str | None = None, schema_budget: int | None = None) -> PreparedModelInteraction:
    """Prepare an interaction of any transport.

    Raises:
        TypeError: a stage is missing, or given to a transport that has none.
    """
    if isinstance(transport, TextTransport):
        if stage is not None or adapter is not None:
            raise TypeError(f"text transport {transport.id!r} has neither stages nor adapters")
        return transport.prepare()
    if isinstance(transport, StageTransport) and stage is None:
        raise TypeError(f"transport {transport.id!r} needs a stage: {', '.join(transport.stage_ids)}")
    if isinstance(transport, SessionTransport) and stage is None:
        return transport.prepare(adapter=adapter, schema_budget=schema_budget)
    return transport.prepare(str(stage), adapter=adapter, schema_budget=schema_budget)


class ReplayFrames(Sequence[ReplayFrame]):
    """What a slider over an answer shows, made when it is asked for; going on from where one was costs no new start."""

    def __init__(self, prepared: PreparedModelInteraction, parts: Iterable[Any], *, dialect: str | None = None) -> None:
        """Keep the parts; see `trace_selection` for what they may be."""
        self._prepared = prepared
        self._parts: list[ModelPart] = [read_part(part) for part in (lift_parts(parts, dialect) if dialect is not None else parts)]
        self._collector = prepared.create_response()

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, at: int) -> ReplayFrame: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[ReplayFrame, ...]: ...
    def __getitem__(self, at: int | slice) -> ReplayFrame | tuple[ReplayFrame, ...]:
        if isinstance(at, slice):
            return tuple(self._frame(index) for index in range(*at.indices(len(self))))
        return self._frame(range(len(self))[at])

    def __iter__(self) -> Iterator[ReplayFrame]:
        return map(self._frame, range(len(self)))

    def _frame(self, at: int) -> ReplayFrame:
        if self._collector.parts > at + 1:
            self._collector = self._prepared.create_response()
        while self._collector.parts <= at:
            self._collector.push(self._parts[self._collector.parts])
        return _frame(self._collector, self._parts[at], at)


def replay_frames(prepared: PreparedModelInteraction, parts: Iterable[Any], *, dialect: str | None = None) -> ReplayFrames:
    """Return the positions of a slider over an answer: what had come by each part, and what could be said of it.

    Args:
        prepared: what the answer was meant for.
        parts: the parts of the answer, as `trace_selection` takes them.
        dialect: the dialect, when the parts are events as the provider sent them.

    Returns:
        A sequence with one frame per part.
    """
    return ReplayFrames(prepared, parts, dialect=dialect)


def _trace(prepared: PreparedModelInteraction, collector: Collector, steps: TraceSteps, broke_at: int | None) -> Trace:
    verdict = collector.verdict().verdict
    failure = collector.failure()
    try:
        collector.finish()
    except SelectionError as error:
        # What only the last look finds, such as a number that this Python does not read, breaks at the end.
        verdict = "doomed" if verdict == "ok" else verdict
        failure = failure or _failure_of(error)
        broke_at = max(0, len(steps) - 1) if verdict == "doomed" and broke_at is None else broke_at
    return Trace(
        transport_id=prepared.transport_id,
        stage=prepared.stage,
        adapter_id=prepared.adapter_id,
        outcome=_OUTCOMES[verdict],
        broke_at=broke_at if verdict == "doomed" else None,
        result=collector.result,
        failure=failure,
        steps=steps,
        notes=collector.notes,
        finish_reason=collector.finish_reason,
        calls=collector.every_call,
        output_chars=collector.output_chars,
        reasoning_chars=collector.reasoning_chars,
        schema_chars=prepared.schema_chars,
        instruction_chars=prepared.instruction_chars,
        catalog_digest=prepared.catalog_digest,
        stage_digest=prepared.stage_digest,
    )


def _failure_of(error: SelectionError) -> SelectionFailure:
    return SelectionFailure(code=error.code, detail=error.detail, hint=error.hint, place=error.place, ordinal=error.ordinal)


def _frame(collector: Collector, part: ModelPart, at: int) -> ReplayFrame:
    verdict, code = collector.verdict()
    failure, slot = collector.failure(), collector.focus()
    return ReplayFrame(
        part_index=at,
        kind=part.kind,
        part=part.record(),
        verdict=verdict,
        code=code,
        detail=failure.detail if failure is not None else None,
        hint=failure.hint if failure is not None else None,
        text=collector.text,
        arguments=slot.arguments if slot is not None else "",
        call=collector.every_call[slot.ordinal - 1] if slot is not None else None,
        place=failure.place if failure is not None else None,
        output_chars=collector.output_chars,
    )
