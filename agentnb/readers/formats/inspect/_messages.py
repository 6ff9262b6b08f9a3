"""One message of an Inspect log: what it says, which tools it asks for, and what the service's own tools answered inside it.

How a call was displayed (`view`) repeats its arguments and is not read.
"""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import as_extra, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders.message_list import Asked, Piece, Said

ROLES = frozenset({"system", "user", "assistant", "tool"})
"""Roles of messages."""

_READ = frozenset({"id", "role", "content", "source", "tool_calls", "tool_call_id", "function", "error", "model"})
_READ_CALL = frozenset({"id", "function", "arguments", "type", "view"})
_READ_PARTS = {"text": "text", "reasoning": "reasoning", "image": "image"}


def is_message(value: Any) -> bool:
    """Tell whether a value is a message."""
    return isinstance(value, dict) and isinstance(value.get("role"), str) and value["role"] in ROLES


def said_in(message: dict[str, Any], place: int, model: str | None = None, **told: Any) -> list[Said]:
    """Say a message: one, or where the service ran tools inside a reply, the reply cut where these answered.

    Args:
        message: one of which `is_message` is true.
        place: its place in the recording, from 1.
        model: which model replied, where that is known better than by the message.
        told: further fields of what is said, which its event tells.
    """
    role: str = message["role"]
    content = message.get("content")
    rest = {} if _READ.issuperset(message) else rest_of(message, _READ)
    if role == "tool":
        return [_result(message, rest, place, told)]
    if role == "assistant" and isinstance(content, list) and any(isinstance(part, dict) and part.get("type") == "tool_use" for part in content):
        said = _reply_with_own_tools(message, content, place)
        return [said[0]._replace(model=model or text_of(message.get("model")), extra=as_extra(rest), **told), *said[1:]]
    asked = asked_in(message) if role == "assistant" else ()
    if role != "assistant" and message.get("tool_calls"):
        rest["tool_calls"] = message["tool_calls"]
    named = model or text_of(message.get("model"))
    return [Said(role, place, _pieces(content, bool(asked)), asked, model=named, extra=as_extra(rest), **told)]


def key_of(message: dict[str, Any]) -> str:
    """Return what tells a message from others: its id, else its words and calls."""
    own_id = message.get("id")
    if isinstance(own_id, str):
        return own_id
    calls = message.get("tool_calls")
    ids = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return to_json([message.get("role"), message.get("content"), ids, message.get("tool_call_id")])


def asked_in(message: dict[str, Any]) -> tuple[Asked, ...]:
    """Return the calls that a message asks for."""
    calls = message.get("tool_calls")
    return tuple(map(_asked, calls)) if isinstance(calls, list) else ()


def _result(message: dict[str, Any], rest: dict[str, Any], place: int, told: dict[str, Any]) -> Said:
    error = message.get("error")
    words = text_of(error.get("message") if isinstance(error, dict) else error)
    if isinstance(error, dict):
        rest = rest | {"error": {name: value for name, value in error.items() if name != "message"}}
    return Said(
        "tool",
        place,
        _pieces(message.get("content"), False),
        result_of=text_of(message.get("tool_call_id")),
        error=words,
        failed=error is not None or None,
        extra=as_extra(rest),
        **told,
    )


def _reply_with_own_tools(message: dict[str, Any], content: list[Any], place: int) -> list[Said]:
    said: list[Said] = []
    pieces: list[Piece] = []
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "tool_use":
            pieces.append(_piece(part))
            continue
        unread = extra_of(part, ("type", "id", "name", "arguments", "result", "error"))
        arguments = read_arguments(part.get("arguments"))
        named = text_of(part.get("id")) or None
        asked = Asked(named, text_of(part.get("name")) or "", arguments.text, unread, arguments.oddities)
        said.append(Said("assistant", place, tuple(pieces), (asked,), same_step=bool(said), records=0))
        pieces = []
        result, error = text_of(part.get("result")), text_of(part.get("error") or None)
        answer = (Piece("text", result),) if result is not None else ()
        said.append(Said("tool", place, answer, result_of=named, error=error, failed=error is not None, same_step=True, records=0))
    return [*said, Said("assistant", place, tuple(pieces), asked_in(message), same_step=True)]


def _asked(call: Any) -> Asked:
    if not isinstance(call, dict):
        return Asked(None, "", to_json(call))
    named = call.get("function")
    # Very old logs hold the calls as the service gave them.
    function = named if isinstance(named, dict) else {"name": named, "arguments": call.get("arguments")}
    rest = {} if _READ_CALL.issuperset(call) else rest_of(call, _READ_CALL)
    arguments = read_arguments(function.get("arguments"))
    return Asked(text_of(call.get("id")) or None, text_of(function.get("name")) or "", arguments.text, as_extra(rest), arguments.oddities)


def _pieces(content: Any, has_calls: bool) -> tuple[Piece, ...]:
    if isinstance(content, str):
        return () if not content and has_calls else (Piece("text", content),)
    if isinstance(content, list):
        return tuple(map(_piece, content))
    return () if content is None else (Piece("other", extra=object_of(content)),)


def _piece(part: Any) -> Piece:
    if isinstance(part, str):
        return Piece("text", part)
    kind = part.get("type") if isinstance(part, dict) else None
    field = _READ_PARTS.get(kind) if isinstance(kind, str) else None
    if field is None or not isinstance(part.get(field), str):
        return Piece("other", text_of(kind), extra=object_of(part))
    rest = rest_of(part, ("type", field)) if len(part) > 2 else {}
    text: str | None = part[field]
    if kind == "reasoning" and part.get("redacted") is True:
        # What stands there is encrypted; what may be read of it is a summary.
        rest["reasoning"], text = text, text_of(rest.pop("summary", None))
    mime = text[5:].replace(",", ";").split(";")[0] if kind == "image" and text is not None and text.startswith("data:") else None
    return Piece(str(kind), text, mime or None, as_extra(rest))
