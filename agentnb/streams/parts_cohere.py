"""Events of Cohere's chat -> parts."""

from __future__ import annotations

from typing import Any, Final

from agentnb.streams._lifted import index_in, list_in, object_in, text_in
from agentnb.values.model_parts import CallEndPart, CallPart, FinishPart, FinishWord, ModelPart, ReasoningPart, TextPart, UsagePart

_REASONS: Final[dict[str, FinishWord]] = {"COMPLETE": "stop", "STOP_SEQUENCE": "stop", "MAX_TOKENS": "length", "TOOL_CALL": "tool_calls"}


class CohereLifter:
    """Lifts events; the plan that comes before calls is reasoning."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def lift(self, event: Any) -> list[ModelPart]:
        """Return the parts of an event."""
        kind, message = text_in(event, "type"), object_in(object_in(event, "delta"), "message")
        if kind == "tool-call-end":
            return [CallEndPart(index=index_in(event))]
        if kind == "message-end":
            return _end(object_in(event, "delta"))
        calls = message.get("tool_calls")
        content = message.get("content")
        parts: list[ModelPart] = []
        plan = text_in(message, "tool_plan") or text_in(content, "thinking")
        if plan is not None:
            parts.append(ReasoningPart(text=plan))
        said = text_in(content, "text")
        if said is not None:
            parts.append(TextPart(text=said))
        for call in [calls] if isinstance(calls, dict) else list_in(message, "tool_calls"):
            function = object_in(call, "function")
            arguments = function.get("arguments")
            text = arguments if isinstance(arguments, str) else None
            parts.append(CallPart(index=index_in(event), id=text_in(call, "id"), name=text_in(function, "name"), arguments=text))
        return parts

    def close(self) -> list[ModelPart]:
        """Nothing is held back."""
        return []


def _end(delta: dict[str, Any]) -> list[ModelPart]:
    word = text_in(delta, "finish_reason")
    parts: list[ModelPart] = [FinishPart(reason=_REASONS.get(word, "unknown"), raw=word)] if word is not None else []
    usage = object_in(delta, "usage")
    return [*parts, UsagePart(data=usage)] if usage else parts
