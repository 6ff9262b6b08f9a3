"""Chunks of Gemini's streamGenerateContent -> the responses they make."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from agentnb.streams._assembled import Assembled, index_of, put

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")


def is_gemini_chunk(value: Any) -> bool:
    """Tell whether a value is a response of generateContent, or a chunk of one."""
    return isinstance(value, dict) and (isinstance(value.get("candidates"), list) or ("usageMetadata" in value and "responseId" in value))


def assemble_responses(chunks: Iterable[Any]) -> list[Assembled]:
    """Put chunks together: those with one `responseId` are a response; without ids a response ends with its finish reason."""
    found: list[_Response] = []
    for index, chunk in enumerate(chunks):
        if not found or found[-1].is_over(chunk):
            found.append(_Response(index))
        found[-1].take(chunk)
    return [response.assembled() for response in found]


class _Response:
    """A response while its chunks come in."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.events = 0
        self.value: dict[str, Any] = {}
        self.candidates: dict[int, _Candidate] = {}
        self.unread: list[Any] = []

    @property
    def ended(self) -> bool:
        """Whether every answer has a reason why it ended."""
        return bool(self.candidates) and all(candidate.fields.get("finishReason") for candidate in self.candidates.values())

    def is_over(self, chunk: Any) -> bool:
        """Tell whether a chunk begins the next response."""
        own_id, known_id = (chunk.get("responseId") if isinstance(chunk, dict) else None), self.value.get("responseId")
        if own_id and known_id:
            return bool(own_id != known_id)
        return self.ended and isinstance(chunk, dict) and bool(chunk.get("candidates"))

    def take(self, chunk: Any) -> None:
        self.events += 1
        if not isinstance(chunk, dict):
            self.unread.append(chunk)
            return
        for key, value in chunk.items():
            if key == "candidates" and isinstance(value, list):
                for candidate in value:
                    self._take_candidate(candidate)
            elif isinstance(value, dict) and isinstance(self.value.get(key), dict):
                self.value[key] = self.value[key] | value
            else:
                put(self.value, key, value)

    def _take_candidate(self, candidate: Any) -> None:
        if isinstance(candidate, dict):
            self.candidates.setdefault(index_of(candidate.get("index"), 0), _Candidate()).take(candidate)
        else:
            self.unread.append({"candidates": [candidate]})

    def assembled(self) -> Assembled:
        value: dict[str, Any] = {"candidates": [self.candidates[index].assembled() for index in sorted(self.candidates)], **self.value}
        blocked = isinstance(self.value.get("promptFeedback"), dict) or "error" in self.value
        return Assembled(value, self.ended or (blocked and not self.candidates), self.first, self.events, tuple(self.unread))


class _Candidate:
    """One of the answers of a response."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.content: dict[str, Any] = {}
        self.parts: list[Any] = []
        self.open_call: dict[str, Any] | None = None
        self.open_path: str | None = None

    def take(self, candidate: dict[str, Any]) -> None:
        for key, value in candidate.items():
            if key != "content" or not isinstance(value, dict):
                put(self.fields, key, value)
                continue
            for name, item in value.items():
                if name != "parts" or not isinstance(item, list):
                    put(self.content, name, item)
                    continue
                for part in item:
                    self._take_part(part)

    def _take_part(self, part: Any) -> None:
        call = part.get("functionCall") if isinstance(part, dict) else None
        if isinstance(call, dict) and (self.open_call is not None or "partialArgs" in call or call.get("willContinue")):
            self._take_call(part, call)
        elif _continues(self.parts[-1] if self.parts else None, part):
            last = self.parts[-1]
            self.parts[-1] = {**last, **part, "text": last["text"] + part["text"]}
        else:
            self.open_call = None
            self.parts.append(part)

    def _take_call(self, part: dict[str, Any], delta: dict[str, Any]) -> None:
        """Take a piece of a call of which the arguments come one by one; a piece with a name begins the next call."""
        if self.open_call is None or delta.get("name"):
            self.open_call, self.open_path = {}, None
            self.parts.append({})
        call = self.open_call
        for key, value in part.items():
            put(self.parts[-1], key, call if key == "functionCall" else value)
        for key, value in delta.items():
            if key == "args" and isinstance(value, dict):
                call[key] = call.get(key, {}) | value
            elif key == "partialArgs" and isinstance(value, list):
                for argument in value:
                    self._take_argument(call, argument)
            elif key != "willContinue":
                put(call, key, value)
        if not delta.get("willContinue"):
            self.open_call = None

    def _take_argument(self, call: dict[str, Any], argument: Any) -> None:
        path = argument.get("jsonPath") if isinstance(argument, dict) else None
        steps = _steps(path)
        name = next((name for name in _VALUES if name in argument), None) if steps else None
        value = None if name is None or name == "nullValue" else argument[name]
        if name is None or not _set(call.setdefault("args", {}), steps, value, longer=path == self.open_path):
            call["partialArgs"] = [*call.get("partialArgs", ()), argument]
            return
        self.open_path = path if argument.get("willContinue") else None

    def assembled(self) -> dict[str, Any]:
        return {"content": {"role": "model", **self.content, "parts": self.parts}, **self.fields}


def _continues(last: Any, part: Any) -> bool:
    """Tell whether a text goes on: the part before is text too, and both are thoughts or neither is."""
    if not (isinstance(last, dict) and isinstance(part, dict) and isinstance(last.get("text"), str) and isinstance(part.get("text"), str)):
        return False
    return bool(last.get("thought")) == bool(part.get("thought"))


def _steps(path: Any) -> list[str | int]:
    """Return the steps of a JSON path such as `$.items[0].name`; none when it is another kind of path."""
    if not isinstance(path, str) or not path.startswith("$") or _STEP.sub("", path[1:]):
        return []
    return [int(match[2]) if match[2] else match[1] or match[3] or match[4] or "" for match in _STEP.finditer(path)]


def _set(target: Any, steps: list[str | int], value: Any, *, longer: bool) -> bool:
    """Set what a path names, making what is on the way; a text that goes on is made longer. False when something else is on the way."""
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if not _has_room(target, step):
            return False
        if following is None:
            before = target[step] if longer else None
            target[step] = before + value if isinstance(before, str) and isinstance(value, str) else value
        elif not isinstance(target[step], dict | list):
            target[step] = [] if isinstance(following, int) else {}
        target = target[step]
    return True


def _has_room(target: Any, step: str | int) -> bool:
    """Make room for a step in an object or a list; where the other was begun there is none."""
    if isinstance(target, list) and isinstance(step, int) and step <= len(target) + 1000:
        target.extend([None] * (step + 1 - len(target)))
        return True
    if isinstance(target, dict) and isinstance(step, str):
        target.setdefault(step, None)
        return True
    return False
