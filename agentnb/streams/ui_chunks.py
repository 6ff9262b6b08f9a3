"""Chunks of the AI SDK's UI message stream -> the messages they make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from agentnb.streams._assembled import Assembled, append, put

_TEXT_KINDS = ("text", "reasoning")
_WHOLE_PARTS = ("source-url", "source-document", "file")
# Kind of chunk -> what it says of the tool's part: its state, and the fields that are taken over.
_TOOL_KINDS = {
    "tool-input-start": ("input-streaming", ("toolName", "providerExecuted", "title")),
    "tool-input-available": ("input-available", ("toolName", "input", "providerExecuted")),
    "tool-input-error": ("output-error", ("toolName", "rawInput", "errorText", "providerExecuted")),
    "tool-output-available": ("output-available", ("output", "providerExecuted", "preliminary")),
    "tool-output-error": ("output-error", ("errorText", "providerExecuted")),
    "tool-output-denied": ("output-denied", ()),
}
_FIRST = frozenset({"start", "start-step", "text-start", "reasoning-start", "error", "tool-output-available", "tool-output-error", "message-metadata", "abort"})
_KINDS = frozenset(
    {
        "start",
        "start-step",
        "finish-step",
        "finish",
        "abort",
        "error",
        "message-metadata",
        "tool-input-delta",
        "tool-approval-request",
        *_TOOL_KINDS,
        *_WHOLE_PARTS,
    }
    | {f"{kind}-{piece}" for kind in _TEXT_KINDS for piece in ("start", "delta", "end")}
)


def is_ui_chunk(value: Any) -> bool:
    """Tell whether a value is a chunk of a UI message stream, by itself."""
    kind = value.get("type") if isinstance(value, dict) else None
    if not isinstance(kind, str) or (kind not in _KINDS and not kind.startswith("data-")):
        return False
    return not kind.startswith(("text-", "reasoning-")) or "id" in value


def begins_ui_stream(value: Any) -> bool:
    """Tell whether a value is a chunk with which such a stream begins."""
    return is_ui_chunk(value) and value["type"] in _FIRST and (value["type"] != "error" or "errorText" in value)


def assemble_ui_messages(chunks: Iterable[Any]) -> list[Assembled]:
    """Put chunks together, one message from each `start` on.

    A tool's input that is cut stays the text it is, in `rawInput`. An `error` chunk becomes the field `error`, an `abort` the field `aborted`, and the reason
    why the model stopped `finishReason`, which are no fields of a message that was not streamed.
    """
    found: list[_Message] = []
    for index, chunk in enumerate(chunks):
        starts = isinstance(chunk, dict) and chunk.get("type") == "start"
        if not found or (starts and not found[-1].is_new) or (found[-1].whole and is_ui_chunk(chunk)):
            found.append(_Message(index))
        found[-1].take(chunk)
    return [message.assembled() for message in found]


class _Message:
    """A message while its chunks come in."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.chunks = 0
        self.whole = False
        self.value: dict[str, Any] = {"role": "assistant"}
        self.parts: list[dict[str, Any]] = []
        self.texts: dict[tuple[str, Any], dict[str, Any]] = {}
        self.tools: dict[str, dict[str, Any]] = {}
        self.inputs: dict[str, str] = {}
        self.unread: list[Any] = []

    @property
    def is_new(self) -> bool:
        return self.chunks == 0

    def take(self, chunk: Any) -> None:
        self.chunks += 1
        named = chunk.get("type") if isinstance(chunk, dict) else None
        kind = named if isinstance(named, str) else ""
        name, _, piece = kind.partition("-")
        if kind in _TOOL_KINDS or kind in ("tool-input-delta", "tool-approval-request"):
            self._take_tool(kind, chunk)
        elif name in _TEXT_KINDS and piece in ("start", "delta", "end"):
            self._take_text(name, piece, chunk)
        elif kind in _WHOLE_PARTS or name == "data":
            self._take_part(chunk)
        elif kind == "start-step":
            self.parts.append({"type": "step-start"})
        elif kind in ("start", "finish", "message-metadata", "abort", "error"):
            self._take_frame(kind, chunk)
        elif kind != "finish-step":
            self.unread.append(chunk)

    def _take_frame(self, kind: str, chunk: dict[str, Any]) -> None:
        """Take what is said of the message as a whole."""
        if kind == "error":
            self.value["error"] = chunk.get("errorText")
        if kind == "abort":
            self.value["aborted"] = chunk.get("reason") or True
        self.whole |= kind in ("finish", "abort", "error")
        _take_over(chunk, {"messageId": "id", "finishReason": "finishReason"}, self.value)
        metadata = chunk.get("messageMetadata")
        if isinstance(metadata, dict):
            known = self.value.get("metadata")
            self.value["metadata"] = (known if isinstance(known, dict) else {}) | metadata

    def _take_text(self, kind: str, piece: str, chunk: dict[str, Any]) -> None:
        key = (kind, repr(chunk.get("id")))
        part = self.texts.get(key)
        if part is None or piece == "start":
            part = self.texts[key] = {"type": kind, "text": "", "state": "streaming"}
            self.parts.append(part)
        if piece == "delta":
            append(part, "text", chunk.get("delta"))
        if piece == "end":
            part["state"] = "done"
        _take_over(chunk, {"providerMetadata": "providerMetadata"}, part)

    def _take_part(self, chunk: dict[str, Any]) -> None:
        """Take a part that comes whole; data that comes again under its id replaces what came before."""
        same = next((part for part in self.parts if chunk.get("id") is not None and (part.get("type"), part.get("id")) == (chunk["type"], chunk["id"])), None)
        if same is None:
            self.parts.append(dict(chunk))
        else:
            same.update(chunk)

    def _take_tool(self, kind: str, chunk: dict[str, Any]) -> None:
        own_id = chunk.get("toolCallId")
        key = repr(own_id)
        part = self.tools.get(key)
        if part is None:
            part = self.tools[key] = {"type": "dynamic-tool", "toolCallId": own_id}
            self.parts.append(part)
        if kind == "tool-input-delta":
            fragment = chunk.get("inputTextDelta")
            self.inputs[key] = self.inputs.get(key, "") + fragment if isinstance(fragment, str) else self.inputs.get(key, "")
        elif kind == "tool-approval-request":
            part["state"], part["approval"] = "approval-requested", {"id": chunk.get("approvalId")}
        else:
            state, fields = _TOOL_KINDS[kind]
            part["state"] = state
            _take_over(chunk, {field: field for field in fields}, part)
        _take_over(chunk, {"providerMetadata": "callProviderMetadata"}, part)

    def assembled(self) -> Assembled:
        for key, part in self.tools.items():
            if "input" not in part and "rawInput" not in part and self.inputs.get(key):
                part["rawInput"] = self.inputs[key]
                _read_input(part)
        self.value["parts"] = self.parts
        return Assembled(self.value, self.whole, self.first, self.chunks, tuple(self.unread))


def _take_over(chunk: dict[str, Any], names: dict[str, str], into: dict[str, Any]) -> None:
    """Set fields that a chunk has, under the names that they have in a message."""
    for name, own in names.items():
        if name in chunk:
            put(into, own, chunk[name])


def _read_input(part: dict[str, Any]) -> None:
    """Take input that came in fragments as what it is, if it is whole."""
    try:
        part["input"] = msgspec.json.decode(part["rawInput"])
    except msgspec.DecodeError:
        return
    del part["rawInput"]
