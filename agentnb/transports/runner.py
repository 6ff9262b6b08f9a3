"""Ask a model: prepare, stream, collect, resolve; within budgets, and with everything that came at hand when it fails."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from agentnb.errors import ModelTransportError, OutputBudgetExceeded, SchemaBudgetExceeded, UnknownTransport
from agentnb.transports.catalog import positional
from agentnb.transports.collector import Collector
from agentnb.transports.interaction import PreparedModelInteraction
from agentnb.transports.tracing import prepare
from agentnb.transports.transports import Transport
from agentnb.values.model_parts import ModelPart, read_part
from agentnb.values.model_selections import ModelSelection, SessionReply


class ModelRequest(NamedTuple):
    """What a provider is asked."""

    input: Any
    """A text that a person says, or messages: with `role` and `parts`, which a provider lowers, or in the provider's own form."""
    instruction: str | None
    """What the model is told first; None for nothing."""
    options: dict[str, Any]
    """Options of the transport, and those that its tools compile to; `lower_options` writes the latter in a provider's form."""


class Provider(Protocol):
    """Something that answers. `stream` returns parts or bare texts, one after another, at once or asynchronously; it may take no request at all."""

    def stream(self, request: ModelRequest, /) -> AsyncIterable[Any] | Iterable[Any]:
        """Answer a request."""


class ModelRun(NamedTuple):
    """One question and its answer."""

    value: Any
    """The result: what the tool returned, the results of a session, or the text."""
    selection: ModelSelection | SessionReply
    parts: tuple[str | ModelPart, ...]
    """The parts of the answer as they came."""
    prepared: PreparedModelInteraction
    collector: Collector
    """Finished; its counters, notes and text can be read."""

    @property
    def schema_chars(self) -> int:
        """Characters that the schemas took."""
        return self.prepared.schema_chars

    @property
    def output_chars(self) -> int:
        """Characters of the answer: text, refusal and arguments."""
        return self.collector.output_chars

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped."""
        return self.collector.finish_reason

    def __repr__(self) -> str:
        reason = f", {self.finish_reason}" if self.finish_reason else ""
        return f"ModelRun({self.value!r} from {len(self.parts)} parts, {self.output_chars} characters{reason})"


class ModelRunner:
    """Asks one provider through several transports.

    Example:
        runner = anb.ModelRunner(provider, [transport])
        run = await runner.invoke(input="How is my order?", transport="support", stage="status-only")
        run.value, run.selection.tool_id
    """

    def __init__(self, provider: Provider, transports: Iterable[Transport] = (), *, schema_budget: int | None = None, output_budget: int | None = None) -> None:
        """Make a runner.

        Args:
            provider: what answers.
            transports: transports with different ids.
            schema_budget: characters that the schemas of any stage may take, beside the budget of the transport itself.
            output_budget: characters that an answer may have; reading stops at the part that exceeds it.
        """
        self.provider = provider
        self.schema_budget, self.output_budget = schema_budget, output_budget
        self._transports: dict[str, Transport] = {}
        for transport in transports:
            if transport.id in self._transports:
                raise ValueError(f"two transports have the id {transport.id!r}; ids of a runner's transports differ")
            self._transports[transport.id] = transport

    async def invoke(self, *, input: Any, transport: Transport | str, stage: str | None = None, adapter: str | None = None) -> ModelRun:
        """Ask, and return the result.

        Args:
            input: what the person says, or messages.
            transport: one of the runner's transports, or its id.
            stage: the stage; transports of text have none.
            adapter: another adapter than the transport's own.

        Returns:
            The run.

        Raises:
            UnknownTransport: the transport is none of the runner's.
            SelectionError: the answer is no valid selection; `error.prepared` and `error.parts` have what there was.
            SchemaBudgetExceeded: nothing was asked.
            OutputBudgetExceeded: reading stopped.
            ResolveError: the selection is valid and the tool does not accept it.
        """
        prepared = prepare(self._known(transport), stage=stage, adapter=adapter)
        if self.schema_budget is not None and prepared.schema_chars > self.schema_budget:
            raise SchemaBudgetExceeded(str(prepared.stage), prepared.adapter_id, prepared.schema_chars, self.schema_budget, prepared.schema_chars_by_tool)
        request = ModelRequest(input, prepared.instruction, prepared.all_options)
        collector, parts = prepared.create_response(), list[str | ModelPart]()
        try:
            await self._read(request, collector, parts)
            selection = collector.finish()
            value = await prepared.aresolve(selection, prepared.stage)
        except ModelTransportError as error:
            error.prepared, error.parts = prepared, tuple(parts)
            raise
        return ModelRun(value, selection, tuple(parts), prepared, collector)

    def _known(self, transport: Transport | str) -> Transport:
        own_id = transport if isinstance(transport, str) else transport.id
        found = self._transports.get(own_id)
        if found is None or (not isinstance(transport, str) and found is not transport):
            known = tuple(self._transports)
            raise UnknownTransport(f"this runner has no transport {own_id!r}; it has {', '.join(known) or 'none'}", known)
        return found

    async def _read(self, request: ModelRequest, collector: Collector, parts: list[str | ModelPart]) -> None:
        answer = ask_provider(self.provider, request)
        if inspect.isawaitable(answer):
            answer = await answer
        try:
            async for given in _each(answer):
                part = given if isinstance(given, str) else read_part(given)
                collector.push(part)
                parts.append(part)
                _check_budget(collector, self.output_budget)
        finally:
            await _close(answer)


def ask_provider(provider: Provider, request: ModelRequest) -> Any:
    """Return what a provider answers a request with: parts one after another, at once or asynchronously, or what is awaited for them.

    A provider whose `stream` takes no request is not given one.
    """
    stream: Callable[..., Any] = provider.stream
    return stream(request) if positional(stream) != 0 else stream()


def collect(prepared: PreparedModelInteraction, parts: Iterable[Any], *, output_budget: int | None = None) -> Collector:
    """Collect the parts of an answer, and finish.

    Args:
        prepared: what the answer is meant for.
        parts: texts, parts or recorded objects; reading stops, and a generator is closed, where the budget is exceeded.
        output_budget: characters that the answer may have; None for no limit.

    Returns:
        The collector, finished; `result` is the selection.

    Raises:
        SelectionError: the answer is no valid selection.
        OutputBudgetExceeded: it is longer than the budget; as long as it is allowed.
    """
    collector = prepared.create_response()
    source = iter(parts)
    try:
        for given in source:
            collector.push(given if isinstance(given, str) else read_part(given))
            _check_budget(collector, output_budget)
    finally:
        close = getattr(source, "close", None)
        if callable(close):
            close()
    collector.finish()
    return collector


def _check_budget(collector: Collector, budget: int | None) -> None:
    if budget is not None and collector.output_chars > budget:
        raise OutputBudgetExceeded(collector.parts - 1, collector.output_chars, budget)


async def _each(answer: AsyncIterator[Any] | Iterator[Any] | Mapping[str, Any]) -> AsyncIterator[Any]:
    if isinstance(answer, AsyncIterable):
        async for part in answer:
            yield part
    elif isinstance(answer, Iterable) and not isinstance(answer, Mapping):
        for part in answer:
            yield part
    else:
        raise TypeError(f"stream() of a provider returns parts one after another, not {type(answer).__name__}")


async def _close(answer: Any) -> None:
    """Close what was read, wherever reading stopped, so that its connection ends."""
    for name in ("aclose", "close"):
        close = getattr(answer, name, None)
        if callable(close):
            done = close()
            if inspect.isawaitable(done):
                await done
            return
