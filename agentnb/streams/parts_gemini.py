"""Chunks of Gemini's generateContent -> parts; of several candidates the first is read.

Arguments that come by JSON path, as Vertex streams them, are held back until the call says that it is complete. A call that never says so has arguments that
stop in the middle, however complete they may look.
"""

from __future__ import annotations

import json
from typing import Any, Final

from agentnb.streams._lifted import error_part, list_in, object_in, text_in
from agentnb.streams.gemini_chunks import _Candidate
from agentnb.values.model_parts import CallEndPart, CallPart, ErrorPart, FinishPart, FinishWord, ModelPart, ReasoningPart, TextPart, UsagePart

_REASONS: Final[dict[str, FinishWord]] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"), "content_filter"),
}
_ERRORS: Final = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE"})
_SERVER: Final = frozenset({"executableCode", "codeExecutionResult", "toolCall", "toolResponse"})


class GeminiLifter:
    """Lifts chunks, and responses that were not streamed."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._open: _Candidate | None = None

    def lift(self, event: Any) -> list[ModelPart]:
        """Return the parts of a chunk."""
        parts: list[ModelPart] = [error_part(event["error"])] if isinstance(event, dict) and event.get("error") else []
        candidates = [item for item in list_in(event, "candidates") if isinstance(item, dict)]
        candidate = next((item for item in candidates if not item.get("index")), None)
        for part in list_in(object_in(candidate, "content"), "parts"):
            parts += self._part(part if isinstance(part, dict) else {})
        reason = text_in(candidate, "finishReason")
        if reason is not None:
            parts += [*self.close(), _end(reason, text_in(candidate, "finishMessage"))]
        blocked = text_in(object_in(event, "promptFeedback"), "blockReason")
        if blocked is not None and candidate is None:
            parts.append(FinishPart(reason="content_filter", raw=blocked))
        usage = object_in(event, "usageMetadata")
        return [*parts, UsagePart(data=usage)] if usage else parts

    def close(self) -> list[ModelPart]:
        """Return the arguments of a call that never said that it is complete, without the brace that would make them so."""
        if self._open is None:
            return []
        call, self._open = _call_of(self._open), None
        self.notes.append("call_never_ended")
        return [CallPart(arguments=_written(call)[:-1])]

    def _part(self, part: dict[str, Any]) -> list[ModelPart]:
        call = part.get("functionCall")
        if isinstance(call, dict):
            return self._call(part, call)
        said = text_in(part, "text")
        if said is not None:
            return [ReasoningPart(text=said) if part.get("thought") else TextPart(text=said)]
        self.notes += [f"part_left_out:{name}" for name in part if name in _SERVER]
        return []

    def _call(self, part: dict[str, Any], call: dict[str, Any]) -> list[ModelPart]:
        if self._open is None and "partialArgs" not in call and not call.get("willContinue"):
            return [_begin(call, object_in(call, "args")), CallEndPart(id=text_in(call, "id"))]
        parts: list[ModelPart] = []
        if self._open is not None and text_in(call, "name") is not None:
            parts += self.close()
        if self._open is None:
            self._open = _Candidate()
            parts.append(_begin(call, None))
        self._open.take({"content": {"parts": [part]}})
        if self._open.open_call is not None:
            return parts
        whole, self._open = _call_of(self._open), None
        if "partialArgs" in whole:
            self.notes.append("arguments_left_out")
            return [*parts, CallPart(arguments=_written(whole)[:-1])]
        return [*parts, CallPart(arguments=object_in(whole, "args")), CallEndPart()]


def _begin(call: dict[str, Any], arguments: dict[str, Any] | None) -> CallPart:
    return CallPart(id=text_in(call, "id"), name=text_in(call, "name"), arguments=arguments)


def _call_of(candidate: _Candidate) -> dict[str, Any]:
    return object_in(candidate.parts[-1] if candidate.parts else None, "functionCall")


def _written(call: dict[str, Any]) -> str:
    return json.dumps(object_in(call, "args"), ensure_ascii=False, separators=(",", ":"))


def _end(reason: str, message: str | None) -> ModelPart:
    if reason in _ERRORS:
        return ErrorPart(message=f"{reason}: {message}" if message else reason)
    known = _REASONS.get(reason)
    return FinishPart(reason=known or "unknown", raw=reason)
