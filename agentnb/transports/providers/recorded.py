"""Answers that were recorded: the same parts again, for any request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentnb.streams.parts import lift_parts
from agentnb.transports.runner import ModelRequest
from agentnb.values.model_parts import ModelPart, read_part


class RecordedProvider:
    """Replays one answer, however often it is asked.

    Example:
        RecordedProvider(chunks, dialect="openai-chat")
    """

    def __init__(self, parts: Iterable[Any], *, dialect: str | None = None) -> None:
        """Keep an answer.

        Args:
            parts: texts, parts or recorded objects with a `kind`; with a dialect, the events as the provider sent them.
            dialect: openai-chat, openai-responses, anthropic or gemini.
        """
        lifted = lift_parts(parts, dialect) if dialect is not None else (part if isinstance(part, str) else read_part(part) for part in parts)
        self.parts: tuple[str | ModelPart, ...] = tuple(lifted)

    def stream(self, request: ModelRequest | None = None) -> Iterator[str | ModelPart]:
        """Give the recorded parts."""
        yield from self.parts
