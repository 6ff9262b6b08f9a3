"""Events of Amazon Bedrock's Converse -> the responses they make, and the binary frames in which they are sent -> events.

An event is an object with one field, which names it: `{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hel"}}}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agentnb.streams._assembled import Assembled, append, index_of, put

_KINDS = frozenset({"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"})
_PRELUDE, _CHECKSUM = 12, 4
_TEXT_HEADER = 7


def is_converse_event(value: Any) -> bool:
    """Tell whether a value is an event by which a response is streamed."""
    return isinstance(value, dict) and len(value) == 1 and not _KINDS.isdisjoint(value) and all(isinstance(item, dict) for item in value.values())


def read_frames(data: bytes) -> list[dict[str, Any]] | None:
    """Return the events of the frames that make up binary data, up to where it is cut; None when it does not begin with one."""
    events: list[dict[str, Any]] = []
    while len(data) >= _PRELUDE + _CHECKSUM:
        length, headers = int.from_bytes(data[:4], "big"), int.from_bytes(data[4:8], "big")
        if not _PRELUDE + headers + _CHECKSUM <= length <= len(data):
            break
        name = _headers_in(data[_PRELUDE : _PRELUDE + headers]).get(":event-type")
        body = _value(data[_PRELUDE + headers : length - _CHECKSUM])
        if name is None or not isinstance(body, dict):
            break
        # Fields of no meaning make all events of a stream about as long.
        events.append({name: {key: item for key, item in body.items() if key != "p"}})
        data = data[length:]
    return events or None


def assemble_responses(events: Iterable[Any]) -> list[Assembled]:
    """Put events together, one response from each `messageStart` on."""
    found: list[_Response] = []
    for index, event in enumerate(events):
        starts = isinstance(event, dict) and "messageStart" in event
        if not found or (starts and found[-1].begun):
            found.append(_Response(index))
        found[-1].take(event)
    return [response.assembled() for response in found]


class _Response:
    """A response while its events come in."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.events = 0
        self.begun = False
        self.message: dict[str, Any] = {"role": "assistant"}
        self.blocks: dict[int, dict[str, Any]] = {}
        self.value: dict[str, Any] = {}
        self.unread: list[Any] = []

    def take(self, event: Any) -> None:
        self.events += 1
        if not is_converse_event(event):
            self.unread.append(event)
            return
        ((kind, told),) = event.items()
        self.begun = True
        if kind in ("messageStop", "metadata"):
            for name, item in told.items():
                put(self.value, name, item)
        elif kind == "contentBlockStart" and isinstance(told.get("start"), dict):
            self._block(told).update({name: dict(item) if isinstance(item, dict) else item for name, item in told["start"].items()})
        elif kind == "contentBlockDelta" and isinstance(told.get("delta"), dict):
            self._take_delta(self._block(told), told["delta"])

    def _block(self, told: dict[str, Any]) -> dict[str, Any]:
        return self.blocks.setdefault(index_of(told.get("contentBlockIndex"), max(self.blocks, default=0)), {})

    def _take_delta(self, block: dict[str, Any], delta: dict[str, Any]) -> None:
        for name, item in delta.items():
            if name == "text":
                append(block, name, item)
            elif isinstance(item, dict) and isinstance(block.setdefault(name, {}), dict):
                for key, text in item.items():
                    append(block[name], key, text) if isinstance(text, str) else put(block[name], key, text)
            else:
                put(block, name, item)

    def assembled(self) -> Assembled:
        content = [_whole(self.blocks[index]) for index in sorted(self.blocks)]
        value = {**self.value, "output": {"message": {**self.message, "content": content}}}
        return Assembled(value, "stopReason" in self.value, self.first, self.events, tuple(self.unread))


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block as a response has it: the input of a tool as an object, a thought with its signature."""
    use, thought = block.get("toolUse"), block.get("reasoningContent")
    if isinstance(use, dict):
        text = use.get("input") or "{}"
        parsed = _value(text.encode()) if isinstance(text, str) else text
        return {**block, "toolUse": {**use, "input": text if parsed is None else parsed}}
    if isinstance(thought, dict) and "text" in thought:
        return {**block, "reasoningContent": {"reasoningText": thought}}
    return block


def _headers_in(data: bytes) -> dict[str, str]:
    """Return the headers of a frame that are texts, up to the first of another type."""
    found: dict[str, str] = {}
    while len(data) > 4:
        name = data[1 : 1 + data[0]].decode("utf-8", "replace")
        rest = data[1 + data[0] :]
        if rest[:1] != bytes([_TEXT_HEADER]):
            break
        size = int.from_bytes(rest[1:3], "big")
        found[name] = rest[3 : 3 + size].decode("utf-8", "replace")
        data = rest[3 + size :]
    return found


def _value(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
