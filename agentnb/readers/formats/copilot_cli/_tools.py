"""What an event tells of a tool call: as a reply asks for it, as it starts, and how it ended."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentnb.readers._fields import as_extra, extra_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import Micros
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.formats.copilot_cli._verdicts import exit_code_at_end

_READ_REQUEST = frozenset({"type", "toolCallId", "name", "arguments"})
_READ_RESULT = frozenset({"toolCallId", "success", "result", "error", "parentToolCallId"})


class Event(NamedTuple):
    """One event."""

    place: int
    kind: str
    data: dict[str, Any]
    at: Micros | None
    id: str | None


def asked_in(request: Any) -> Asked:
    """Return a call as a reply asks for it."""
    if not isinstance(request, dict):
        return Asked(None, "", to_json(request))
    arguments = read_arguments(request.get("arguments"))
    extra = extra_of(request, _READ_REQUEST)
    return Asked(text_of(request.get("toolCallId")) or None, text_of(request.get("name")) or "", arguments.text, extra, arguments.oddities)


def started_in(data: dict[str, Any]) -> Asked:
    """Return a call of which only that it starts is told."""
    arguments = read_arguments(data.get("arguments"))
    extra = extra_of(data, ("toolCallId", "toolName", "arguments", "parentToolCallId"))
    return Asked(text_of(data.get("toolCallId")) or None, text_of(data.get("toolName")) or "", arguments.text, extra, arguments.oddities)


def result_in(event: Event, call_id: str | None) -> Said:
    """Read a result: what the agent was shown is the content; exit codes stand at its end."""
    data = event.data
    result, error = data.get("result"), data.get("error")
    shown = text_of(result.get("content")) if isinstance(result, dict) else text_of(result)
    words = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
    code = exit_code_at_end(shown)
    failed = True if data.get("success") is False or code else False if data.get("success") is True else None
    rest: dict[str, Any] = rest_of(data, _READ_RESULT)
    if isinstance(result, dict):
        more = {name: value for name, value in result.items() if name != "content" and value is not None and value != result.get("content")}
        rest |= {"result": more} if more else {}
    if isinstance(error, dict) and set(error) - {"message"}:
        rest["error"] = error
    text = shown if shown is not None else words
    pieces = (Piece("text", text),) if text is not None else ()
    told = words or (first_line(shown or "") or None if failed else None)
    return Said("tool", event.place, pieces, (), call_id, at=event.at, failed=failed, exit_code=code, error=told, extra=as_extra(rest))
