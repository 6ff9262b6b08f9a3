"""Values made for the tests, with every field that is needed."""

from __future__ import annotations

from typing import Any

from agentnb.values import Call, Message, Part, Turn


def call(**fields: Any) -> Call:
    """Make a call: a done tool call unless told otherwise."""
    needed: dict[str, Any] = {"call_id": "c", "conversation_id": "k", "turn_id": "t", "call_index": 0, "kind": "tool", "name": "search", "source_id": "s"}
    return Call(**needed | fields)


def part(**fields: Any) -> Part:
    """Make a part: a text of the user unless told otherwise."""
    needed: dict[str, Any] = {
        "conversation_id": "k",
        "turn_id": "t",
        "message_index": 0,
        "part_index": 0,
        "role": "user",
        "type": "text",
        "agent_call_id": "t",
        "source_id": "s",
    }
    return Part(**needed | {"text": "Hello"} | fields)


def message(index: int, *parts: Part) -> Message:
    """Make a message of parts."""
    return Message(message_index=index, role=parts[0].role, parts=parts)


def turn(*calls: Call, messages: tuple[Message, ...] = (), **fields: Any) -> Turn:
    """Make a turn with its calls; its own call is made too."""
    own = call(call_id="t", kind="agent", name="agent")
    needed: dict[str, Any] = {"turn_id": "t", "conversation_id": "k", "turn_index": 0, "source_id": "s"}
    return Turn(**needed | fields, calls=(own, *calls), messages=messages)
