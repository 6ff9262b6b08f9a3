"""One message of the Vercel AI SDK as it is sent to a model (ModelMessage): `{role, content: [{type: "tool-call"…}]}`; several results may stand in it."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import extra_of, object_of, read_arguments, text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.dialects.replies import cut_reply

ROLES = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
"""Roles of the SDK, and what they are here."""

_OWN_PARTS = frozenset({"tool-call", "tool-result", "tool-error", "tool-approval-request", "tool-approval-response", "redacted-reasoning"})


def is_message(item: Any) -> bool:
    """Tell whether a value has the shape of a message of the SDK; one that holds only texts may also be another's."""
    if not isinstance(item, dict) or not isinstance(item.get("role"), str) or item["role"] not in ROLES:
        return False
    return isinstance(item.get("content"), str | list)


def is_message_list(values: Any) -> bool:
    """Tell whether most of a list are messages of the SDK, and one of them holds a part that no other service has."""
    if not isinstance(values, list) or not any(is_message(value) and _has_own_part(value["content"]) for value in values[:50]):
        return False
    return sum(map(is_message, values[:50])) * 2 > len(values[:50])


def is_call_list(values: Any) -> bool:
    """Tell whether a list holds nothing but tool calls as the SDK gives them to its caller."""
    return isinstance(values, list) and bool(values) and all(isinstance(call, dict) and {"toolCallId", "toolName"} <= call.keys() for call in values)


def said_of_message(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message in no format's terms; the first of what it becomes stands for its record.

    Args:
        message: one of which `is_message` is true.
        place: its place in the recording, from 1.
    """
    role = ROLES[message["role"]]
    content = message["content"]
    parts = content if isinstance(content, list) else [content]
    extra = extra_of(message, ("role", "content"))
    if role == "assistant":
        said = list(cut_reply(Said("assistant", place, extra=extra), (_item(part, place) for part in parts)))
    else:
        results = [item for item in (_item(part, place) for part in parts) if isinstance(item, Said)]
        pieces = [item for item in (_item(part, place) for part in parts) if isinstance(item, Piece)]
        words = [Said("user" if role == "tool" else role, place, tuple(pieces), injected=role == "tool", extra=extra)] if pieces or not results else []
        said = [*results, *words]
    return [said[0], *(item._replace(records=0) for item in said[1:])]


def said_of_calls(calls: list[dict[str, Any]], place: int) -> list[Said]:
    """Say a reply of which only the tool calls are there."""
    return [Said("assistant", place, asked=tuple(map(_asked, calls)))]


def _has_own_part(content: Any) -> bool:
    return isinstance(content, list) and any(isinstance(part, dict) and text_of(part.get("type")) in _OWN_PARTS for part in content)


def _item(part: Any, place: int) -> Piece | Asked | Said:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "tool-call":
        return _asked(part)
    if kind in ("tool-result", "tool-error"):
        return _result(part, place)
    return _piece(part)


def _asked(part: dict[str, Any]) -> Asked:
    named = "input" if part.get("input") is not None else "args"
    arguments = read_arguments(part.get(named))
    extra = _rest(part, "toolCallId", "toolName", named, "toolCallType")
    return Asked(text_of(part.get("toolCallId")) or None, text_of(part.get("toolName")) or "", arguments.text, extra, arguments.oddities)


def _result(part: dict[str, Any], place: int) -> Said:
    output = next((part[name] for name in ("output", "result", "error") if part.get(name) is not None), None)
    kind = output.get("type") if isinstance(output, dict) and "value" in output else None
    text = text_of(output["value"] if isinstance(output, dict) and isinstance(kind, str) else output)
    failed = part.get("isError") is True or part.get("type") == "tool-error" or (isinstance(kind, str) and kind.startswith(("error", "execution-denied")))
    return Said(
        "tool",
        place,
        (Piece("text", text),) if text is not None else (),
        result_of=text_of(part.get("toolCallId")) or None,
        result_name=text_of(part.get("toolName")) or None,
        failed=True if failed else None,
        extra=_rest(part, "toolCallId", "toolName", "output", "result", "error", "isError"),
    )


def _piece(part: Any) -> Piece:
    if isinstance(part, str):
        return Piece("text", part)
    if not isinstance(part, dict):
        return Piece("other", None, extra=object_of(part))
    kind = part.get("type")
    if kind in ("text", "reasoning") and isinstance(part.get("text"), str):
        return Piece(kind, part["text"], extra=_rest(part, "text"))
    mime = text_of(part.get("mediaType") or part.get("mimeType"))
    if kind == "image" or (kind == "file" and (mime or "").startswith("image/")):
        named = "image" if kind == "image" else "data"
        return Piece("image", text_of(part.get(named)), mime, _rest(part, named, "mediaType", "mimeType"))
    return Piece("other", text_of(kind), extra=to_json(part))


def _rest(part: dict[str, Any], *read: str) -> str | None:
    return extra_of(part, ("type", *read))
