"""A line of a tool's log that holds one message of Anthropic Messages beside fields of the tool's own."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders.message_list import Said, joined
from agentnb.readers.dialects.anthropic import said_of_message


def said_of_line(line: dict[str, Any], place: int, read: frozenset[str], *, own_id: Any = None, at: Any = None) -> list[Said]:
    """Say the message of a line.

    Args:
        line: an object whose `message` is one; its role may stand beside it.
        place: its place in the recording, from 1.
        read: names of the line's fields that are read elsewhere; what is neither there nor in the message is kept with what was said.
        own_id: the recording's own id of the line.
        at: when it was written, as recorded.
    """
    message = dict(line["message"])
    message.setdefault("role", line.get("role"))
    if own_id is not None:
        message["id"] = own_id
    if at is not None:
        message["timestamp"] = at
    said = said_of_message(message, place)
    rest = {name: value for name, value in line.items() if name not in read and name not in ("message", "role") and value is not None}
    return [said[0]._replace(extra=text_of(joined(said[0].extra, to_json(rest)))), *said[1:]] if rest else said
