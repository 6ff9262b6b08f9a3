"""Events of the OpenAI Responses API -> parts; a call's results must cite its `call_id`, so that is its id here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from agentnb.streams._lifted import error_part, index_in, list_in, object_in, text_in
from agentnb.values.model_parts import (
    CallEndPart,
    CallPart,
    ErrorPart,
    FinishPart,
    FinishWord,
    ModelPart,
    ReasoningPart,
    RefusalPart,
    TextPart,
    UsagePart,
)

_TEXTS: Final[dict[str, type[TextPart | ReasoningPart | RefusalPart]]] = {
    "response.output_text.delta": TextPart,
    "response.refusal.delta": RefusalPart,
    "response.reasoning_text.delta": ReasoningPart,
    "response.reasoning_summary_text.delta": ReasoningPart,
}
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_PIECES: Final = {"response.function_call_arguments": "arguments", "response.custom_tool_call_input": "input"}
_INCOMPLETE: Final[dict[str, FinishWord]] = {"max_output_tokens": "length", "content_filter": "content_filter"}
_BLOCKS: Final[dict[str, tuple[type[TextPart | ReasoningPart | RefusalPart], str]]] = {
    "output_text": (TextPart, "text"),
    "refusal": (RefusalPart, "refusal"),
    "summary_text": (ReasoningPart, "text"),
    "reasoning_text": (ReasoningPart, "text"),
}


class ResponseLifter:
    """Lifts events, and responses that were not streamed; items are told apart by `output_index`."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._begun: set[int | None] = set()
        self._ends: dict[str, Callable[[dict[str, Any]], list[ModelPart]]] = {
            "response.completed": self._completed,
            "response.incomplete": _incomplete,
            "response.failed": lambda response: [error_part(response.get("error"))],
            "response.cancelled": lambda response: [ErrorPart(message="the response was cancelled")],
        }

    def lift(self, event: Any) -> list[ModelPart]:
        """Return the parts of an event."""
        kind = text_in(event, "type") or ""
        if kind in _TEXTS:
            said = text_in(event, "delta")
            return [_TEXTS[kind](text=said)] if said is not None else []
        if kind in self._ends:
            response = object_in(event, "response")
            usage = object_in(response, "usage")
            return [*self._ends[kind](response), *([UsagePart(data=usage)] if usage else [])]
        if kind == "error" or (not kind and object_in(event, "error")):
            return [error_part(event.get("error") or {"code": event.get("code"), "message": event.get("message")})]
        if kind.startswith("response.output_item."):
            return self._item(index_in(event, "output_index"), object_in(event, "item"), kind.rpartition(".")[2])
        subject, _, what = kind.rpartition(".")
        if subject in _PIECES:
            return self._arguments(event, _PIECES[subject], what)
        return self._whole(event) if isinstance(event, dict) and event.get("object") == "response" else []

    def close(self) -> list[ModelPart]:
        """Nothing is held back."""
        return []

    def _item(self, index: int | None, item: dict[str, Any], what: str) -> list[ModelPart]:
        field = _CALLS.get(str(item.get("type")))
        if field is None:
            if what == "added" and item.get("type") not in ("message", "reasoning"):
                # What the service runs itself is no call of the caller's tools.
                self.notes.append(f"item_left_out:{item.get('type')}")
            return []
        begins = what == "added" or index not in self._begun
        given = item.get(field)
        text = given if isinstance(given, str) and given else None
        parts: list[ModelPart] = []
        if begins:
            self._begun.add(index)
            parts.append(CallPart(index=index, id=text_in(item, "call_id"), name=text_in(item, "name"), arguments=text))
        return [*parts, CallEndPart(index=index, arguments=text)] if what == "done" else parts

    def _arguments(self, event: dict[str, Any], field: str, what: str) -> list[ModelPart]:
        index = index_in(event, "output_index")
        if what == "delta":
            self._begun.add(index)
            piece = text_in(event, "delta")
            return [CallPart(index=index, arguments=piece)] if piece is not None else []
        return [CallEndPart(index=index, arguments=text_in(event, field))] if what == "done" and index in self._begun else []

    def _completed(self, response: dict[str, Any]) -> list[ModelPart]:
        asked = bool(self._begun) or any(isinstance(item, dict) and item.get("type") in _CALLS for item in list_in(response, "output"))
        return [FinishPart(reason="tool_calls" if asked else "stop", raw="completed")]

    def _whole(self, response: dict[str, Any]) -> list[ModelPart]:
        parts: list[ModelPart] = []
        for index, item in enumerate(list_in(response, "output")):
            parts += self._item(index, item if isinstance(item, dict) else {}, "added")
            parts += self._item(index, item if isinstance(item, dict) else {}, "done")
            for block in (*list_in(item, "summary"), *list_in(item, "content")):
                kind, field = _BLOCKS.get(str(block.get("type")) if isinstance(block, dict) else "", (TextPart, ""))
                said = text_in(block, field)
                parts += [kind(text=said)] if said is not None else []
        end = self._ends.get(f"response.{response.get('status')}")
        usage = object_in(response, "usage")
        return [*parts, *(end(response) if end is not None else []), *([UsagePart(data=usage)] if usage else [])]


def _incomplete(response: dict[str, Any]) -> list[ModelPart]:
    word = text_in(object_in(response, "incomplete_details"), "reason")
    return [FinishPart(reason=_INCOMPLETE.get(word or "", "unknown"), raw=word or "incomplete")]
