"""Ask a model once: one request, its reply as it streams in, and what both come to as a record."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncIterable, Callable, Iterable
from typing import Any, Final, NamedTuple

from agentnb.conversations.threads import in_thread, on_model_loop
from agentnb.errors import ModelError
from agentnb.readers.dialects.chat import usage_in
from agentnb.transports import Collector, JsonScanner, ModelRequest, PreparedModelInteraction, Provider, ReasoningPart, TextPart
from agentnb.transports.runner import ask_provider
from agentnb.transports.scanner import parse_object
from agentnb.values.model_parts import ModelPart, read_part

OnPart = Callable[[str, str], None]
"""Told each piece as it comes: text or thinking, and what it says."""
_CACHE_READS: Final = "cache_read_input_tokens"


class WantedCall(NamedTuple):
    """A tool call that a model asks for."""

    id: str
    name: str
    """The tool, or what the model wrote where there is no such tool."""
    input: Any
    """The arguments: an object, or the text that the model wrote where that is none."""


class Reply(NamedTuple):
    """What a model replied."""

    text: str
    calls: tuple[WantedCall, ...]
    finish: str | None
    usage: dict[str, int]
    """Tokens."""
    first_delta: float | None = None
    """Seconds until the first piece came; None for a reply that was recorded before."""

    def to_record(self) -> dict[str, Any]:
        """Return the reply as a record keeps it."""
        parts: list[dict[str, Any]] = [{"type": "text", "text": self.text}] if self.text else []
        parts += [{"type": "tool_call", "id": call.id, "name": call.name, "input": call.input} for call in self.calls]
        return {"message": {"role": "assistant", "parts": parts}, "finish": self.finish, "usage": self.usage}

    @classmethod
    def from_record(cls, response: dict[str, Any]) -> Reply:
        """Read a reply that was recorded."""
        message = response.get("message")
        parts = [part for part in (message.get("parts") if isinstance(message, dict) else None) or [] if isinstance(part, dict)]
        calls = tuple(WantedCall(str(part.get("id")), str(part.get("name")), part.get("input")) for part in parts if part.get("type") == "tool_call")
        text = "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
        usage = response.get("usage")
        return cls(text, calls, response.get("finish"), dict(usage) if isinstance(usage, dict) else {})


async def exchange(provider: Provider, request: ModelRequest, prepared: PreparedModelInteraction, *, on_part: OnPart, model: str) -> Reply:
    """Ask once.

    Args:
        provider: what answers.
        request: what it is asked.
        prepared: what the answer is meant for.
        on_part: told the pieces, in the thread in which they come; what it raises ends the reading.
        model: name of the model, for messages.

    Raises:
        ModelError: the provider failed (provider-error), the model refused (refused), was filtered (filtered) or cut (cut), or said nothing (empty).
    """
    collector, began = prepared.create_response(), time.monotonic()
    first: list[float] = []

    def take(given: Any) -> None:
        part = given if isinstance(given, str) else read_part(given)
        first.append(time.monotonic() - began) if not first else None
        collector.push(part)
        _tell(part, on_part)

    await _read(provider, request, take)
    return _reply_of(collector, prepared, first[0] if first else None, model)


def request_record(request: ModelRequest, model: str | None) -> dict[str, Any]:
    """Return a request as a record and a digest have it: everything that decides the reply, and nothing else."""
    found = {"model": model, "system": request.instruction, "messages": request.input, "options": request.options}
    return {name: value for name, value in found.items() if value not in (None, {})}


def _tell(part: str | ModelPart, on_part: OnPart) -> None:
    if isinstance(part, str):
        on_part("text", part)
    elif isinstance(part, TextPart):
        on_part("text", part.text)
    elif isinstance(part, ReasoningPart):
        on_part("thinking", part.text)


async def _read(provider: Provider, request: ModelRequest, take: Callable[[Any], None]) -> None:
    """Read a stream: an asynchronous one on the loop of the models, any other in a thread of its own, which it may block."""
    answer = await in_thread(lambda: ask_provider(provider, request))
    if inspect.isawaitable(answer) or isinstance(answer, AsyncIterable):
        await on_model_loop(_read_async(answer, take))
    elif isinstance(answer, Iterable):
        await in_thread(lambda: _read_here(answer, take))
    else:
        raise TypeError(f"stream() of a provider returns parts one after another, not {type(answer).__name__}")


async def _read_async(answer: Any, take: Callable[[Any], None]) -> None:
    found = await answer if inspect.isawaitable(answer) else answer
    if not isinstance(found, AsyncIterable):
        await in_thread(lambda: _read_here(found, take))
        return
    try:
        async for part in found:
            take(part)
            await asyncio.sleep(0)
    finally:
        close = getattr(found, "aclose", None)
        if callable(close):
            await close()


def _read_here(answer: Iterable[Any], take: Callable[[Any], None]) -> None:
    try:
        for part in answer:
            take(part)
    finally:
        close = getattr(answer, "close", None)
        if callable(close):
            close()


def _reply_of(collector: Collector, prepared: PreparedModelInteraction, first_delta: float | None, model: str) -> Reply:
    if collector.provider_error is not None:
        raise ModelError("provider-error", f"{model}: {collector.provider_error}")
    if collector.refusal or collector.finish_reason == "refusal":
        raise ModelError("refused", f"{model} refused: {collector.refusal or 'it gave no words'}")
    if collector.finish_reason == "content_filter":
        raise ModelError("filtered", f"the reply of {model} was filtered ({collector.finish_word})")
    slots = collector.assembly.slots
    if collector.finish_reason == "length":
        raise ModelError(
            "cut", f"the reply of {model} was cut at the limit of its length, after {collector.output_chars:,} characters; allow longer ones by options="
        )
    if not slots and not collector.has_prose:
        raise ModelError("empty", f"{model} replied with nothing")
    calls = tuple(WantedCall(slot.shown_id, prepared.tool_names.get(slot.name, slot.name), _arguments_of(slot.scanner, slot.arguments)) for slot in slots)
    return Reply(collector.text, calls, collector.finish_reason, _counts(collector.usage), first_delta)


def _arguments_of(scanner: JsonScanner, text: str) -> Any:
    if scanner.state == "empty":
        return {}
    if scanner.state != "complete":
        return text
    try:
        return parse_object(text[scanner.start : scanner.end]).value
    except (ValueError, RecursionError):
        return text


def _counts(usage: dict[str, Any] | None) -> dict[str, int]:
    """Return the tokens that a provider counted, by our names."""
    found = {name: count for name, count in usage_in(usage).items() if isinstance(count, int)}
    cached = (usage or {}).get(_CACHE_READS)
    return found | ({"cached_tokens": cached} if type(cached) is int else {})
