"""Answers that are written beforehand: for tests, demos and notebooks that run without a key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from agentnb.transports.runner import ModelRequest
from agentnb.values.model_parts import ModelPart, read_part

Script: TypeAlias = "str | Iterable[Any] | Callable[[ModelRequest], str | Iterable[Any]]"


class ScriptedProvider:
    """Gives its answers in order, one for each request, and then says that it has no more; `requests` keeps what it was asked.

    Example:
        ScriptedProvider("Hello.", [CallPart(index=0, id="a", name="status", arguments="{}"), FinishPart(reason="tool_calls")])
    """

    def __init__(self, *answers: Script) -> None:
        """Write the answers: a text, parts (texts, parts or recorded objects), or a function of the request that returns either."""
        self._answers = list(answers)
        self.requests: list[ModelRequest] = []

    def stream(self, request: ModelRequest) -> Iterator[str | ModelPart]:
        """Give the next answer.

        Raises:
            LookupError: there is none left.
        """
        at = len(self.requests)
        self.requests.append(request)
        if at >= len(self._answers):
            raise LookupError(f"this script has {len(self._answers)} answers, and was asked {at + 1} times")
        answer = self._answers[at]
        return _parts(answer(request) if callable(answer) else answer)


def _parts(answer: str | Iterable[Any]) -> Iterator[str | ModelPart]:
    for part in (answer,) if isinstance(answer, str) else answer:
        yield part if isinstance(part, str) else read_part(part)
