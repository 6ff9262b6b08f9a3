"""One message of a pi session: what it says, which tools it asks for, what it cost."""

from __future__ import annotations

import re
from typing import Any

from agentnb.readers._fields import amount_in, as_extra, count_in, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.message_list import Asked, Piece, Said

ROLES = {"user": "user", "assistant": "assistant", "toolResult": "tool"}
"""Roles of messages that are sent to a model, and what they are here."""

# The tool says with which code a command ended only in the last line of what it printed, and only if it is not zero.
_EXIT_CODE = re.compile(r"(?:^|\n)(Command exited with code (-?\d{1,9}))\s*$")
_READ_MESSAGE = frozenset({"role", "content", "timestamp", "model", "usage", "stopReason", "errorMessage", "toolCallId", "isError"})
_READ_USAGE = frozenset({"input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost"})


def said_in(message: dict[str, Any], place: int, at: int | None, entry_id: str | None, unread: dict[str, Any]) -> Said:
    """Say a message whose role is one of `ROLES` in no format's terms.

    Args:
        message: the message.
        place: its line, from 1.
        at: when it was written.
        entry_id: the recording's own id of it.
        unread: what else is not read of its line.
    """
    role = ROLES[message["role"]]
    rest = unread | rest_of(message, _READ_MESSAGE)
    content = message.get("content")
    blocks = content if isinstance(content, list) else [] if content is None else [content]
    calls = [block for block in blocks if role == "assistant" and _is_call(block)]
    pieces = tuple(_piece(block) for block in blocks if not (role == "assistant" and _is_call(block)))
    said = Said(role, place, pieces, tuple(map(_asked, calls)), at=at, id=entry_id)
    if role == "assistant":
        return _reply(said, message, rest)
    if role == "tool":
        return _result(said, message, rest)
    return said._replace(extra=as_extra(rest))


def command_in(message: dict[str, Any], place: int, at: int | None, unread: dict[str, Any]) -> tuple[Asked, Said]:
    """Say a command that a person ran, and what it printed."""
    known = ("role", "command", "output", "exitCode", "timestamp")
    rest = unread | {name: value for name, value in message.items() if name not in known and value not in (None, False)}
    output, code = text_of(message.get("output")), message.get("exitCode")
    exit_code = code if type(code) is int and abs(code) < 2**31 else None
    cancelled = message.get("cancelled") is True
    error = "The command was cancelled." if cancelled else f"Command exited with code {exit_code}" if exit_code else None
    asked = Asked(None, "bash", to_json({"command": message.get("command")}), as_extra(rest))
    pieces = (Piece("text", output),) if output is not None else ()
    return asked, Said("tool", place, pieces, at=at, error=error, failed=error is not None, exit_code=exit_code)


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that a `usage` object tells; one of nothing but zeros stands for a call that was not counted."""
    if not isinstance(usage, dict):
        return {}
    counts = {name: count_in(usage.get(name)) for name in ("input", "output", "cacheRead", "cacheWrite")}
    if not any(counts.values()):
        return {}
    sent = [counts[name] for name in ("input", "cacheRead", "cacheWrite") if counts[name] is not None]
    cost = usage.get("cost")
    found = {
        "input_tokens": sum(count for count in sent if count is not None) if sent else None,
        "output_tokens": counts["output"],
        "cached_tokens": counts["cacheRead"],
        "cache_write_tokens": counts["cacheWrite"],
        "cost": amount_in(cost.get("total") if isinstance(cost, dict) else cost),
    }
    return {name: value for name, value in found.items() if value is not None}


def _reply(said: Said, message: dict[str, Any], rest: dict[str, Any]) -> Said:
    usage = message.get("usage")
    unread = {name: value for name, value in usage.items() if name not in _READ_USAGE} if isinstance(usage, dict) else {}
    extra = rest | ({"usage": unread} if unread else {})
    reason = text_of(message.get("stopReason"))
    failed = reason in ("aborted", "error")
    return said._replace(
        started=read_time(message.get("timestamp")).micros,
        model=text_of(message.get("model")),
        usage=usage_in(usage),
        finish_reason=reason,
        error=(text_of(message.get("errorMessage")) or f"The call was {reason}." if reason == "aborted" else "The call failed.") if failed else None,
        extra=as_extra(extra),
    )


def _result(said: Said, message: dict[str, Any], rest: dict[str, Any]) -> Said:
    failed = message.get("isError")
    text = "\n".join(piece.text for piece in said.pieces if piece.type == "text" and piece.text)
    code = _EXIT_CODE.search(text[-200:]) if message.get("toolName") == "bash" else None
    if failed is False and message.get("toolName") == "bash":
        # That a command is told to have ended well is more than that nothing is told.
        rest = rest | {"isError": False}
    return said._replace(
        result_of=text_of(message.get("toolCallId")) or None,
        failed=failed if isinstance(failed, bool) else None,
        error=code.group(1) if code and failed else None,
        exit_code=int(code.group(2)) if code else None,
        extra=as_extra(rest),
    )


def _is_call(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "toolCall"


def _asked(block: dict[str, Any]) -> Asked:
    arguments = read_arguments(block.get("arguments"))
    rest = extra_of(block, ("type", "id", "name", "arguments"))
    return Asked(text_of(block.get("id")) or None, text_of(block.get("name")) or "", arguments.text, rest, arguments.oddities)


def _piece(block: Any) -> Piece:
    if isinstance(block, str):
        return Piece("text", block)
    kind = block.get("type") if isinstance(block, dict) else None
    for type, name, read in (("text", "text", "text"), ("thinking", "thinking", "reasoning"), ("image", "data", "image")):
        if kind == type and isinstance(block.get(name), str):
            return Piece(read, block[name], text_of(block.get("mimeType")), extra_of(block, ("type", name, "mimeType")))
    return Piece("other", text_of(kind), extra=object_of(block))
