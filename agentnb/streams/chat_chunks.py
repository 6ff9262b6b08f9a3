"""Chunks of Chat Completions -> the completions they make.

Tool calls are told apart by `index`; services that follow OpenAI leave it out, send a call whole, give every call the index 0, or repeat the name empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentnb.streams._assembled import Assembled, append, index_of, put

_TEXTS = frozenset({"content", "reasoning_content", "reasoning", "refusal", "tool_plan"})
_AUDIO_TEXTS = frozenset({"data", "transcript"})


def is_chat_chunk(value: Any) -> bool:
    """Tell whether a value is a chunk of a completion."""
    if not isinstance(value, dict):
        return False
    choices = value.get("choices")
    streamed = isinstance(choices, list) and any(isinstance(choice, dict) and isinstance(choice.get("delta"), dict) for choice in choices)
    return streamed or value.get("object") == "chat.completion.chunk"


def assemble_completions(chunks: Iterable[Any]) -> list[Assembled]:
    """Put chunks together, one completion for each id in the order of their first chunks.

    Args:
        chunks: objects in the order they came; those of several completions may alternate. A chunk without an id belongs to the latest completion.
    """
    found: list[_Completion] = []
    for index, chunk in enumerate(chunks):
        _completion_of(chunk, index, found).take(chunk)
    return [completion.assembled() for completion in found]


def _completion_of(chunk: Any, index: int, found: list[_Completion]) -> _Completion:
    own_id = chunk.get("id") if isinstance(chunk, dict) else None
    if found and not own_id:
        return found[-1]
    known = next((item for item in reversed(found) if item.value.get("id") == own_id), None) if own_id else None
    if known is None and found and not found[-1].value.get("id") and not found[-1].choices:
        # Azure tells what it thinks of the prompt before the completion has an id.
        known = found[-1]
    if known is None:
        found.append(known := _Completion(index))
    return known


class _Completion:
    """A completion while its chunks come in."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.events = 0
        self.value: dict[str, Any] = {}
        self.choices: dict[int, _Choice] = {}
        self.unread: list[Any] = []

    def take(self, chunk: Any) -> None:
        self.events += 1
        if not isinstance(chunk, dict):
            self.unread.append(chunk)
            return
        for key, value in chunk.items():
            if key == "choices" and isinstance(value, list):
                for choice in value:
                    self._take_choice(choice)
            elif key != "object":
                put(self.value, key, value)

    def _take_choice(self, choice: Any) -> None:
        if isinstance(choice, dict):
            self.choices.setdefault(index_of(choice.get("index"), 0), _Choice()).take(choice)
        else:
            self.unread.append({"choices": [choice]})

    def assembled(self) -> Assembled:
        choices = [self.choices[index].assembled(index) for index in sorted(self.choices)]
        ended = bool(choices) and all(choice.get("finish_reason") for choice in choices)
        value = {**self.value, "object": "chat.completion", "choices": choices}
        return Assembled(value, ended, self.first, self.events, tuple(self.unread))


class _Choice:
    """One of the answers of a completion."""

    def __init__(self) -> None:
        self.fields: dict[str, Any] = {}
        self.message: dict[str, Any] = {"role": "assistant"}
        self.calls: list[tuple[int | None, dict[str, Any]]] = []

    def take(self, choice: dict[str, Any]) -> None:
        for key, value in choice.items():
            if key == "logprobs" and isinstance(value, dict):
                _extend(self.fields.setdefault("logprobs", {}), value)
            elif key not in ("delta", "index"):
                put(self.fields, key, value)
        delta = choice.get("delta")
        for key, value in delta.items() if isinstance(delta, dict) else ():
            self._take_field(key, value)

    def _take_field(self, key: str, value: Any) -> None:
        message = self.message
        if key == "tool_calls" and isinstance(value, list | dict):
            for call in value if isinstance(value, list) else [value]:
                self._take_call(call)
        elif key == "function_call" and isinstance(value, dict):
            _take_function(message.setdefault(key, {}), value)
        elif key == "content" and (isinstance(value, list) or isinstance(message.get(key), list)):
            message[key] = _joined_blocks(message.get(key), value)
        elif key in _TEXTS and isinstance(value, str):
            append(message, key, value)
        elif key == "audio" and isinstance(value, dict):
            for name, item in value.items():
                (append if name in _AUDIO_TEXTS and isinstance(item, str) else put)(message.setdefault(key, {}), name, item)
        elif isinstance(value, list) and isinstance(message.get(key), list):
            message[key] = [*message[key], *value]
        elif key != "index":
            put(message, key, value)

    def _take_call(self, delta: Any) -> None:
        if not isinstance(delta, dict):
            self.calls.append((None, {"unread": delta}))
            return
        call = self._call_of(delta)
        for key, value in delta.items():
            if key == "function" and isinstance(value, dict):
                _take_function(call.setdefault("function", {}), value)
            elif key == "id":
                call[key] = call.get(key) or value
            elif key != "index":
                put(call, key, value)

    def _call_of(self, delta: dict[str, Any]) -> dict[str, Any]:
        """Return the call that a fragment belongs to: by its index, unless it names another call, else by its id, else the latest."""
        index, own_id = delta.get("index"), delta.get("id")
        function = delta.get("function")
        named = bool(function.get("name")) if isinstance(function, dict) else False
        for place, call in reversed(self.calls):
            other = own_id and call.get("id") and own_id != call["id"]
            if not (named and other) and (place == index if index is not None else not other):
                known: dict[str, Any] = call
                return known
        begun: dict[str, Any] = {}
        self.calls.append((index if type(index) is int else None, begun))
        return begun

    def assembled(self, index: int) -> dict[str, Any]:
        if self.calls:
            self.message["tool_calls"] = [call for _, call in self.calls]
        self.fields.setdefault("finish_reason", None)
        return {"index": index, "message": self.message, **self.fields}


def _take_function(function: dict[str, Any], delta: dict[str, Any]) -> None:
    for key, value in delta.items():
        if key == "arguments" and isinstance(value, str):
            append(function, key, value)
        elif key == "name":
            function[key] = function.get(key) or value
        else:
            put(function, key, value)


def _joined_blocks(before: Any, more: Any) -> list[Any]:
    """Add content blocks to what was said; a text continues the text block before it."""
    blocks = list(before) if isinstance(before, list) else [{"type": "text", "text": before}] if before else []
    for block in more if isinstance(more, list) else [{"type": "text", "text": more}] if more else []:
        before_text, text = _text(blocks[-1]) if blocks else None, _text(block)
        if before_text is not None and text is not None:
            blocks[-1] = {**blocks[-1], **block, "text": before_text + text}
        else:
            blocks.append(block)
    return blocks


def _text(block: Any) -> str | None:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _extend(lists: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        known = lists.get(key)
        lists[key] = [*known, *value] if isinstance(known, list) and isinstance(value, list) else value if value is not None else known
