"""What the vendors' clients share: how their failures become parts, and how a missing client is told."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from agentnb.streams.parts import lifter
from agentnb.transports.messages import lower_messages
from agentnb.transports.options import CAMEL, COMPILED
from agentnb.values.model_parts import ErrorPart, ModelPart


def client_library(name: str) -> Any:
    """Import a vendor's client.

    Raises:
        ImportError: it is not installed; the message says how to get it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this provider needs the package {name}: pip install 'agentnb-kit[{name}]'", name=name) from error


async def lifted(ask: Callable[[], Awaitable[Any]], dialect: str, refused: type[Exception]) -> AsyncIterator[ModelPart]:
    """Ask, and lift what comes.

    An answer that the service refuses, and a connection that breaks in the middle, end in an `ErrorPart`: it is part of what happened. Wrong use of the client
    raises as it does without us. The connection is closed wherever reading stops.
    """
    try:
        stream = await ask()
    except refused as error:
        yield ErrorPart(message=told(error))
        return
    made = lifter(dialect)
    async with stream:
        events = aiter(stream)
        while True:
            try:
                event = await anext(events)
            except StopAsyncIteration:
                break
            except Exception as error:
                yield ErrorPart(message=told(error))
                return
            for part in made.lift(plain(event)):
                yield part
    for part in made.close():
        yield part


def told(error: Exception) -> str:
    """Say what a client's exception means, in one line."""
    status = getattr(error, "status_code", None)
    cause = error.__cause__
    # A broken connection is told by the exception below the client's own, which only says that there was an error.
    words = f"{error}" if cause is None or isinstance(status, int) else f"{error} ({type(cause).__name__}: {cause})".replace(": )", ")")
    return f"HTTP {status}: {words}" if isinstance(status, int) else f"{type(error).__name__}: {words}"


def plain(event: Any) -> Any:
    """Return an event as the JSON object that came."""
    return event.to_dict() if hasattr(event, "to_dict") else event


def messages_of(given: Any, dialect: str) -> list[Any]:
    """Return messages in a provider's form: a text is what a person says, messages of parts are lowered."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return lower_messages([given] if isinstance(given, Mapping) else given, dialect)


def own_part(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that no tool decides."""
    return {name: value for name, value in options.items() if CAMEL.get(name, name) not in COMPILED}
