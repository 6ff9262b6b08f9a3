"""The lines of a Claude Code session as structs: a fast way for lines with the usual fields only, and a slow one that keeps every other field."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from agentnb.readers._fields import as_extra
from agentnb.readers._json import to_json

_NOTHING = msgspec.Raw(b"")


_MOST = 10**15
Count = Annotated[int, msgspec.Meta(ge=0, lt=_MOST)]
"""A number of tokens that can be one."""


class Usage(msgspec.Struct, gc=False):
    """Token counts of a message, as far as they are read."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count | None = None


class Block(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One content block of a message."""

    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = _NOTHING
    caller: msgspec.Raw = _NOTHING
    tool_use_id: str | None = None
    content: str | list[Block] | None = None
    is_error: bool | None = None
    source: msgspec.Raw = _NOTHING
    extra: str | None = msgspec.field(default=None, name="·extra")

    def known(self) -> dict[str, Any]:
        """Return the fields that are there, for a block that is kept whole."""
        fields = {name: getattr(self, name) for name in ("type", "text", "id", "name", "data", "tool_use_id", "is_error")}
        raws = {"input": self.input, "source": self.source}
        found: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        found |= {name: raw for name, raw in raws.items() if bytes(raw)}
        return found | ({"extra": msgspec.Raw(self.extra.encode())} if self.extra else {})


class Message(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """The API message inside a line."""

    role: str | None = None
    content: str | list[Block] | None = None
    id: str | None = None
    type: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    usage: Usage | None = None


class Line(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """One event. `whole` is the line as JSON where it has fields that are not read, `other` those fields of a line that is no message."""

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    sessionId: str | None = None
    timestamp: str | None = None
    message: Message | None = None
    isSidechain: bool | None = None
    agentId: str | None = None
    toolUseResult: msgspec.Raw = _NOTHING
    requestId: str | None = None
    isMeta: bool | None = None
    isCompactSummary: bool | None = None
    isVisibleInTranscriptOnly: bool | None = None
    isApiErrorMessage: bool | None = None
    isAbortedMidStream: bool | None = None
    toolDenialKind: str | None = None
    logicalParentUuid: str | None = None
    version: str | None = None
    cwd: str | None = None
    gitBranch: str | None = None
    userType: str | None = None
    entrypoint: str | None = None
    slug: str | None = None
    permissionMode: str | None = None
    sourceToolAssistantUUID: str | None = None
    sourceToolUseID: str | None = None
    session_id: str | None = None
    parent_tool_use_id: str | None = None
    isSynthetic: bool | None = None
    other: dict[str, Any] | None = msgspec.field(default=None, name="·other")
    whole: str | None = msgspec.field(default=None, name="·whole")


_decode = msgspec.json.Decoder(Line).decode

_LINE_TEXTS = tuple(name for name in Line.__struct_fields__ if name not in ("message", "toolUseResult", "other", "whole") and not name.startswith("is"))
_LINE_FLAGS = tuple(name for name in Line.__struct_fields__ if name.startswith("is"))
_BLOCK_TEXTS = ("type", "text", "thinking", "signature", "data", "id", "name", "tool_use_id")
_MESSAGE_TEXTS = ("role", "id", "type", "model", "stop_reason", "stop_sequence")
_COUNTS = Usage.__struct_fields__


def decode_line(data: bytes) -> Line:
    """Decode a line that has the usual fields only.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError, RecursionError: when it has others, or is not what it should be; `line_from` reads it then.
    """
    line = _decode(data)
    if not data.isascii():
        # Texts are checked by the decoder, raw JSON is not.
        str(line.toolUseResult, "utf-8")
        if line.message is not None and isinstance(line.message.content, list):
            for block in line.message.content:
                str(block.input, "utf-8")
    return line


def raw_json(raw: msgspec.Raw) -> bytes | None:
    """Return raw JSON as the bytes it is; None when the field is missing."""
    return bytes(raw) or None


def line_from(record: dict[str, Any], original: str | None) -> Line:
    """Make a line of a decoded object, whatever its fields hold.

    Args:
        record: the object of one line.
        original: the text of the line where the object could not keep it as it was.
    """
    line = Line()
    rest = dict(record)
    for name in _LINE_TEXTS:
        if isinstance(rest.get(name), str):
            setattr(line, name, rest.pop(name))
    for name in _LINE_FLAGS:
        if isinstance(rest.get(name), bool):
            setattr(line, name, rest.pop(name))
    if "toolUseResult" in rest:
        line.toolUseResult = _raw(rest.pop("toolUseResult"))
    message = rest.pop("message", None)
    strange = False
    if isinstance(message, dict):
        line.message, strange = _message_from(message)
    elif message is not None:
        rest["message"] = message
    unread = {name: value for name, value in rest.items() if value is not None}
    line.other = unread
    if line.message is None or line.type not in ("user", "assistant"):
        line.whole = original or to_json(record)
    elif original is not None or strange:
        line.whole = to_json({"record": msgspec.Raw(original.encode()) if original else record})
    elif unread:
        line.whole = to_json(unread)
    return line


def _message_from(record: dict[str, Any]) -> tuple[Message, bool]:
    message = Message(**{name: record[name] for name in _MESSAGE_TEXTS if isinstance(record.get(name), str)})
    strange = bool(record.keys() - set(Message.__struct_fields__))
    usage = record.get("usage")
    if isinstance(usage, dict):
        message.usage = Usage(**{name: usage[name] for name in _COUNTS if type(usage.get(name)) is int and 0 <= usage[name] < _MOST})
    content = record.get("content")
    if isinstance(content, list):
        message.content = [_block_from(item) for item in content]
    elif isinstance(content, str):
        message.content = content
    else:
        strange = strange or content is not None
    return message, strange


def _block_from(item: Any) -> Block:
    if not isinstance(item, dict):
        return Block("text", text=item) if isinstance(item, str) else Block("unknown", extra=to_json({"block": item}))
    rest = dict(item)
    block = Block(**{name: rest.pop(name) for name in _BLOCK_TEXTS if isinstance(rest.get(name), str)})
    if "input" in rest:
        block.input = _raw(rest.pop("input"))
    if "source" in rest:
        block.source = _raw(rest.pop("source"))
    if isinstance(rest.get("is_error"), bool):
        block.is_error = rest.pop("is_error")
    content = rest.pop("content", None)
    if isinstance(content, list):
        block.content = [_block_from(inner) for inner in content]
    elif isinstance(content, str):
        block.content = content
    elif content is not None:
        block.content = to_json(content)
    rest.pop("caller", None)
    block.extra = as_extra(rest)
    return block


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(to_json(value).encode())
