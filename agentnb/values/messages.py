"""What was said: messages and the parts they are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from agentnb.values._base import Value

PartType = Literal["text", "reasoning", "tool_call", "tool_result", "image", "other"]
Role = Literal["system", "user", "assistant", "tool"]


class Part(Value):
    """One piece of a message; a row of the `parts` table.

    A text is stored once: a tool call or tool result points to its call by `call_id`, where input and output are.
    """

    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn in which it was said."""
    message_index: int
    """Place of its message in the conversation, from 0, in file order."""
    part_index: int
    """Place in its message, from 0."""
    role: Role
    """Who said it: system, user, assistant or tool."""
    type: PartType
    """What it is: text, reasoning, tool_call, tool_result, image or other."""
    text: str | None = None
    """The text; of an image its data or address as recorded; null for what is in the call and for hidden reasoning."""
    step_id: str | None = None
    """The model call that produced it; null for what a person, a tool or the system said."""
    call_id: str | None = None
    """For tool_call and tool_result the call that holds input and output."""
    agent_call_id: str
    """The agent call in whose conversation with its model it was said: the turn itself, or a sub-agent's call."""
    injected: bool = False
    """Whether the tool, not a person, put it there: a reminder, a command's output, a summary after compaction."""
    mime_type: str | None = None
    """Media type of an image or a file."""
    said_at: datetime | None = None
    """When it was recorded, in UTC."""
    source_id: str
    """The file it was read from."""
    source_line: int | None = None
    """Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1."""
    extra: str | None = None
    """JSON object of what the reader did not understand."""


class Message(Value):
    """One message: its parts, in order."""

    message_index: int
    """Place in the conversation, from 0, in file order."""
    role: Role
    """Who said it: system, user, assistant or tool."""
    said_at: datetime | None = None
    """When it was recorded, in UTC."""
    parts: tuple[Part, ...] = ()
    """Its parts, in order."""

    @property
    def text(self) -> str:
        """Its text parts, joined by blank lines; reasoning is not text."""
        return "\n\n".join(part.text for part in self.parts if part.type == "text" and part.text)
