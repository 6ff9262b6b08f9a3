"""Events of the Anthropic Messages API -> parts."""

from __future__ import annotations

from typing import Any, Final

from agentnb.streams._lifted import error_part, index_in, list_in, object_in, text_in
from agentnb.values.model_parts import CallEndPart, CallPart, FinishPart, FinishWord, ModelPart, ReasoningPart, TextPart, UsagePart

_REASONS: Final[dict[str, FinishWord]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_QUIET: Final = frozenset({"text", "thinking", "redacted_thinking", "tool_use"})


class MessageLifter:
    """Lifts events, and messages that were not streamed; it keeps which block is of which kind, for the events that do not tell."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._calls: set[int | None] = set()

    def lift(self, event: Any) -> list[ModelPart]:
        """Return the parts of an event."""
        kind = text_in(event, "type")
        if kind == "content_block_delta":
            return self._delta(event)
        if kind == "content_block_start":
            return self._start(index_in(event), object_in(event, "content_block"))
        if kind == "content_block_stop":
            return self._stop(index_in(event))
        if kind == "message_delta":
            return _end(object_in(event, "delta"), object_in(event, "usage"))
        if kind == "message_start":
            usage = object_in(object_in(event, "message"), "usage")
            return [UsagePart(data=usage)] if usage else []
        if kind == "error":
            return [error_part(event.get("error"))]
        return self._whole(event) if kind == "message" else []

    def close(self) -> list[ModelPart]:
        """Nothing is held back."""
        return []

    def _start(self, index: int | None, block: dict[str, Any]) -> list[ModelPart]:
        kind = text_in(block, "type")
        self._calls.discard(index)
        if kind == "tool_use":
            self._calls.add(index)
            given = object_in(block, "input")
            return [CallPart(index=index, id=text_in(block, "id"), name=text_in(block, "name"), arguments=given or None)]
        if kind not in _QUIET:
            # What the service runs itself is no call of the caller's tools.
            self.notes.append(f"block_left_out:{kind}")
        said, thought = text_in(block, "text"), text_in(block, "thinking")
        if kind == "text" and said is not None:
            return [TextPart(text=said)]
        return [ReasoningPart(text=thought)] if kind == "thinking" and thought is not None else []

    def _delta(self, event: dict[str, Any]) -> list[ModelPart]:
        delta = object_in(event, "delta")
        kind = text_in(delta, "type")
        if kind == "text_delta":
            said = text_in(delta, "text")
            return [TextPart(text=said)] if said is not None else []
        if kind == "thinking_delta":
            thought = text_in(delta, "thinking")
            return [ReasoningPart(text=thought)] if thought is not None else []
        piece, index = text_in(delta, "partial_json"), index_in(event)
        if kind == "input_json_delta" and piece is not None and index in self._calls:
            return [CallPart(index=index, arguments=piece)]
        return []

    def _stop(self, index: int | None) -> list[ModelPart]:
        return [CallEndPart(index=index)] if index in self._calls else []

    def _whole(self, message: dict[str, Any]) -> list[ModelPart]:
        parts: list[ModelPart] = []
        for index, block in enumerate(list_in(message, "content")):
            parts += self._start(index, block if isinstance(block, dict) else {})
            parts += self._stop(index)
        return [*parts, *_end(message, object_in(message, "usage"))]


def _end(delta: dict[str, Any], usage: dict[str, Any]) -> list[ModelPart]:
    word = text_in(delta, "stop_reason")
    parts: list[ModelPart] = [FinishPart(reason=_REASONS.get(word, "unknown"), raw=word)] if word is not None else []
    return [*parts, UsagePart(data=usage)] if usage else parts
