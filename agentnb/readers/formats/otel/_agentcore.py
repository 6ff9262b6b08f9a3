"""AgentCore's log events that stand where spans should: nothing but what went in and came out, which alone tells what ran."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers.builders.message_list import Said
from agentnb.readers.dialects.any import parsed
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._values import arguments_in, said_as, words_of

_TOLD = frozenset({"event.name", "session.id", "gen_ai.input.messages", "gen_ai.output.messages"})


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that this convention tells."""
    given, returned = (_only(event.held.get(side) for event in record.events) for side in ("input", "output"))
    if (given is None and returned is None) or not record.attributes.keys() <= _TOLD:
        return {}
    # What is read here is all that the event tells.
    record.events = []
    record.take("event.name")
    came = parsed(returned)
    if isinstance(came, dict) and (came.get("type") == "tool" or "tool_call_id" in came):
        name, call_id = text_of(came.get("name")), text_of(came.get("tool_call_id"))
        return {"kind": "tool", "name": name, "tool_call_id": call_id, "input": arguments_in(given), "output": words_of(came.get("content"))}
    if isinstance(came, dict) and "generations" in came:
        heard = said_as(given, "user", record.place) or said_as([{"role": "user", "content": given}], "user", record.place)
        return {"kind": "model", "heard": heard or (), "replied": _generated(came["generations"], record.place)}
    said, heard = said_as(returned, "assistant", record.place), said_as(given, "user", record.place)
    if said is None or heard is None or "remaining_steps" in (parsed(given) if isinstance(parsed(given), dict) else {}):
        # A node of a graph passes on what others said.
        return {"kind": "other"}
    return {"kind": "agent", "heard": heard, "replied": said[-1:]}


def _only(sides: Any) -> Any:
    """Return the content of the only message of one side of an event."""
    side = next((side for side in sides if isinstance(side, dict)), None)
    messages = side.get("messages") if side is not None else None
    message = messages[0] if isinstance(messages, list) and len(messages) == 1 else None
    return message.get("content") if isinstance(message, dict) and isinstance(message.get("content"), str) else None


def _generated(generations: Any, place: int) -> tuple[Said, ...]:
    """Say the first of what LangChain generated, also one whose message was cut down to its calls."""
    said = said_as({"generations": generations}, "assistant", place)
    while isinstance(generations, list) and generations:
        generations = generations[0]
    if said is not None or not isinstance(generations, dict):
        return said or ()
    message = generations.get("message")
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    parts = [{"type": "text", "content": generations["text"]}] if isinstance(generations.get("text"), str) and generations["text"] else []
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            parts.append({"type": "tool_call", "id": call.get("id"), "name": call.get("name"), "arguments": call.get("args")})
    return said_as([{"role": "assistant", "parts": parts}], "assistant", place) or ()
