"""Events of Cohere's chat -> the answers they make, which are those of Chat Completions with the message beside `finish_reason`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentnb.streams._assembled import Assembled, append, index_of, put

_ENDS = frozenset({"content-end", "tool-call-end", "citation-end"})
_KINDS = frozenset(
    {"message-start", "tool-plan-delta", "content-start", "content-delta", "tool-call-start", "tool-call-delta", "citation-start", "message-end", *_ENDS}
)


def is_cohere_event(value: Any) -> bool:
    """Tell whether a value is an event of such a stream."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in _KINDS


def assemble_answers(events: Iterable[Any]) -> list[Assembled]:
    """Put events together, one answer from each `message-start` on."""
    found: list[_Answer] = []
    for index, event in enumerate(events):
        if not found or (isinstance(event, dict) and event.get("type") == "message-start"):
            found.append(_Answer(index))
        found[-1].take(event)
    return [answer.assembled() for answer in found]


class _Answer:
    """An answer while its events come in."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.events = 0
        self.whole = False
        self.value: dict[str, Any] = {}
        self.message: dict[str, Any] = {"role": "assistant"}
        self.calls: dict[int, dict[str, Any]] = {}
        self.blocks: dict[int, dict[str, Any]] = {}
        self.unread: list[Any] = []

    def take(self, event: Any) -> None:
        self.events += 1
        if not is_cohere_event(event):
            self.unread.append(event)
            return
        kind, delta = event["type"], event.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        if kind == "message-start":
            put(self.value, "id", event.get("id"))
        elif kind == "message-end":
            self.whole = True
            for key, value in delta.items():
                put(self.value, key, value)
        message = delta.get("message")
        for key, value in message.items() if isinstance(message, dict) else ():
            self._take_field(key, value, event.get("index"))

    def _take_field(self, key: str, value: Any, index: Any) -> None:
        if key == "tool_calls" and isinstance(value, dict):
            call = self.calls.setdefault(index_of(index, max(self.calls, default=0)), {"function": {}})
            function = value.get("function")
            for name, item in function.items() if isinstance(function, dict) else ():
                (append if name == "arguments" and isinstance(item, str) else put)(call["function"], name, item)
            for name, item in value.items():
                if name != "function":
                    put(call, name, item)
        elif key == "content" and isinstance(value, dict):
            block = self.blocks.setdefault(index_of(index, max(self.blocks, default=0)), {})
            for name, item in value.items():
                (append if name in ("text", "thinking") and isinstance(item, str) else put)(block, name, item)
        elif key == "tool_plan" and isinstance(value, str):
            append(self.message, key, value)
        elif key == "citations" and isinstance(value, dict):
            self.message[key] = [*self.message.get(key, ()), value]
        elif value:
            put(self.message, key, value)

    def assembled(self) -> Assembled:
        if self.blocks:
            self.message["content"] = [{"type": "text", **self.blocks[index]} for index in sorted(self.blocks)]
        if self.calls:
            self.message["tool_calls"] = [self.calls[index] for index in sorted(self.calls)]
        self.value["message"] = self.message
        self.value.setdefault("finish_reason", None)
        return Assembled(self.value, self.whole, self.first, self.events, tuple(self.unread))
