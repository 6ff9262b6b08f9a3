"""Chunks of Chat Completions -> parts; of several choices the first is read."""

from __future__ import annotations

from typing import Any, Final

from agentnb.streams._lifted import error_part, index_in, list_in, object_in, text_in
from agentnb.values.model_parts import CallEndPart, CallPart, FinishPart, FinishWord, ModelPart, ReasoningPart, RefusalPart, TextPart, UsagePart

_REASONS: Final[dict[str, FinishWord]] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
_BLOCKS: Final[dict[str, type[TextPart | ReasoningPart | RefusalPart]]] = {"text": TextPart, "thinking": ReasoningPart, "refusal": RefusalPart}


class ChatLifter:
    """Lifts chunks, and completions that were not streamed."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def lift(self, event: Any) -> list[ModelPart]:
        """Return the parts of a chunk."""
        if not isinstance(event, dict):
            return []
        parts: list[ModelPart] = [error_part(event["error"])] if event.get("error") else []
        choice = next((item for item in list_in(event, "choices") if isinstance(item, dict) and not item.get("index")), None)
        if choice is not None:
            whole = "message" in choice and "delta" not in choice
            self._take(choice.get("message" if whole else "delta"), parts, whole=whole)
            if choice.get("error"):
                parts.append(error_part(choice["error"]))
            reason = text_in(choice, "finish_reason")
            if reason is not None:
                known = _REASONS.get(reason)
                parts.append(FinishPart(reason=known or "unknown", raw=None if known == reason else reason))
        if object_in(event, "usage"):
            parts.append(UsagePart(data=event["usage"]))
        return parts

    def close(self) -> list[ModelPart]:
        """Nothing is held back."""
        return []

    def _take(self, delta: Any, parts: list[ModelPart], *, whole: bool) -> None:
        thought = text_in(delta, "reasoning_content") or text_in(delta, "reasoning")
        if thought is not None:
            parts.append(ReasoningPart(text=thought))
        said = text_in(delta, "content")
        if said is not None:
            parts.append(TextPart(text=said))
        for block in list_in(delta, "content"):
            _take_block(block, parts)
        refused = text_in(delta, "refusal")
        if refused is not None:
            parts.append(RefusalPart(text=refused))
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        for at, call in enumerate(calls if isinstance(calls, list) else [calls] if isinstance(calls, dict) else []):
            _take_call(call, parts, at if whole else None)
        function = object_in(delta, "function_call")
        if function:
            parts.append(CallPart(name=text_in(function, "name"), arguments=_arguments(function, "arguments")))


def _take_block(block: Any, parts: list[ModelPart]) -> None:
    kind = _BLOCKS.get(str(block.get("type"))) if isinstance(block, dict) else None
    said = text_in(block, "text") or text_in(block, "refusal") or text_in(block, "thinking")
    inner = "".join(text_in(item, "text") or "" for item in list_in(block, "thinking"))
    if kind is not None and (said or inner):
        parts.append(kind(text=said or inner))


def _take_call(call: Any, parts: list[ModelPart], place: int | None) -> None:
    """Take a piece of a call; one of an answer that was not streamed is whole, and numbered by its place."""
    function = object_in(call, "function") or object_in(call, "custom")
    index = index_in(call)
    index = place if index is None else index
    arguments = _arguments(function, "arguments" if "arguments" in function else "input")
    parts.append(CallPart(index=index, id=text_in(call, "id"), name=text_in(function, "name"), arguments=arguments))
    if place is not None:
        parts.append(CallEndPart(index=index))


def _arguments(function: dict[str, Any], name: str) -> str | dict[str, Any] | None:
    value = function.get(name)
    return value if isinstance(value, (str, dict)) else None
