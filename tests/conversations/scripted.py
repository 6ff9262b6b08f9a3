"""Programs of an invented shop, and models whose answers are written beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import agentnb as anb
from agentnb.transports import CallPart, FinishPart, ModelRequest, ScriptedProvider


@anb.tool(effects="changes")
def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


@anb.program(tools=[refund], approve="changes")
def support(message: str) -> str:
    """Help."""


def wants(*calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Return a reply that wants tools: name and input of each."""
    parts: list[Any] = [CallPart(index=at, id=f"call_{at + 1}", name=name, arguments=json.dumps(given)) for at, (name, given) in enumerate(calls)]
    return [*parts, FinishPart(reason="tool_calls")]


def last_text(request: ModelRequest) -> str:
    """Return the text of the last message of a request."""
    return "".join(str(part.get("text", part.get("output", ""))) for part in request.input[-1]["parts"])


class EchoProvider(ScriptedProvider):
    """Answers every request by a function of it, as often as it is asked."""

    def __init__(self, answer: Callable[[ModelRequest], Any] = lambda request: f"echo {last_text(request)}") -> None:
        super().__init__()
        self._answer = answer

    def stream(self, request: ModelRequest) -> Any:
        """Answer."""
        self.requests.append(request)
        given = self._answer(request)
        yield from (given,) if isinstance(given, str) else given
