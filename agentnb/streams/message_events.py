"""Events of the Anthropic Messages API -> the messages they make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agentnb.streams._assembled import Assembled, append, index_of, put

_KINDS = frozenset({"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"})
# Kind of delta -> type of the block it fills, the block's field, the delta's field.
_TEXTS = {
    "text_delta": ("text", "text", "text"),
    "thinking_delta": ("thinking", "thinking", "thinking"),
    "signature_delta": ("thinking", "signature", "signature"),
    "compaction_delta": ("compaction", "content", "content"),
}


def is_message_event(value: Any) -> bool:
    """Tell whether a value is an event by which a message is streamed; `ping` and `error`, which other streams have too, are not told by themselves."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in _KINDS


def assemble_messages(events: Iterable[Any]) -> list[Assembled]:
    """Put events together, one message from each `message_start` on.

    Input of a tool that is cut, and so no JSON, stays the text it is. An `error` event becomes the field `error` of the message.
    """
    found: list[_Message] = []
    for index, event in enumerate(events):
        starts = isinstance(event, dict) and event.get("type") == "message_start"
        if not found or (starts and not found[-1].begins_with(event)) or (found[-1].whole and is_message_event(event)):
            found.append(_Message(index))
        found[-1].take(event)
    return [message.assembled() for message in found]


class _Message:
    """A message while its events come in."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.events = 0
        self.whole = False
        self.value: dict[str, Any] = {"type": "message", "role": "assistant"}
        self.blocks: dict[int, dict[str, Any]] = {}
        self.inputs: dict[int, str] = {}
        self.unread: list[Any] = []

    def begins_with(self, start: dict[str, Any]) -> bool:
        """Tell whether a `message_start` is its own: nothing that is known came before it, or it is sent twice."""
        if self.whole or self.blocks:
            return False
        message = start.get("message")
        return "id" not in self.value or (isinstance(message, dict) and message.get("id") == self.value["id"])

    def take(self, event: Any) -> None:
        self.events += 1
        kind = event.get("type") if isinstance(event, dict) else None
        if kind == "message_start" and isinstance(event.get("message"), dict):
            self._take_fields(event["message"])
        elif kind == "message_delta":
            self._take_fields({name: value for name, value in event.items() if name not in ("type", "delta")})
            self._take_fields(event.get("delta"))
        elif kind == "message_stop":
            self.whole = True
            self._take_rest(event, "type")
        elif kind == "error":
            self.value["error"] = event.get("error")
        elif kind == "content_block_start" and isinstance(event.get("content_block"), dict):
            self.blocks[index_of(event.get("index"), len(self.blocks))] = dict(event["content_block"])
        elif kind == "content_block_delta" and isinstance(event.get("delta"), dict):
            self._take_delta(event)
        elif kind not in ("content_block_stop", "ping"):
            self.unread.append(event)

    def _take_fields(self, fields: Any) -> None:
        for key, value in fields.items() if isinstance(fields, dict) else ():
            if key == "content" and isinstance(value, list):
                self.blocks |= {index: dict(block) for index, block in enumerate(value) if isinstance(block, dict)}
            elif isinstance(value, dict) and isinstance(self.value.get(key), dict):
                self.value[key] = self.value[key] | {name: item for name, item in value.items() if item is not None}
            else:
                put(self.value, key, value)

    def _take_rest(self, event: dict[str, Any], *read: str) -> None:
        """Keep what other services put into an event of their own, such as metrics of Amazon Bedrock."""
        for key, value in event.items():
            if key not in read:
                put(self.value, key, value)

    def _take_delta(self, event: dict[str, Any]) -> None:
        delta = event["delta"]
        kind, index = delta.get("type"), index_of(event.get("index"), max(self.blocks, default=0))
        if kind == "input_json_delta":
            self.blocks.setdefault(index, {"type": "tool_use"})
            self.inputs[index] = self.inputs.get(index, "") + str(delta.get("partial_json") or "")
        elif kind == "citations_delta":
            block = self.blocks.setdefault(index, {"type": "text"})
            block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
        elif isinstance(kind, str) and kind in _TEXTS:
            type_, field, source = _TEXTS[kind]
            append(self.blocks.setdefault(index, {"type": type_}), field, delta.get(source))
        else:
            self.unread.append(event)

    def assembled(self) -> Assembled:
        for index, text in self.inputs.items():
            if text:
                self.blocks[index]["input"] = _input(text)
        self.value["content"] = [self.blocks[index] for index in sorted(self.blocks)]
        return Assembled(self.value, self.whole, self.first, self.events, tuple(self.unread))


def _input(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text
