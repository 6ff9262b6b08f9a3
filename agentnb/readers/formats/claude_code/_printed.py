"""What Claude Code prints while it runs without a screen: events of a session under other names, and on request every piece of a reply."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentnb.readers._fields import count_in, text_of
from agentnb.readers._rows import CallRow
from agentnb.readers.builders._thread import Thread
from agentnb.readers.formats.claude_code._lines import Line


class EndOfReply(NamedTuple):
    """What the last pieces of a reply tell of all of it."""

    message_id: str
    output_tokens: int | None
    reason: str | None


class Printed:
    """What is known of a run while its events are read."""

    def __init__(self) -> None:
        """Start before the first event."""
        self.calls: dict[str, tuple[CallRow, Thread]] = {}
        self._replies: dict[str | None, str] = {}
        self._running = False

    def take(self, line: Line) -> None:
        """Take an event; the first one tells the version, and words that no person said are marked in their own way."""
        self._running = True
        version = (line.other or {}).get("claude_code_version")
        if line.version is None and isinstance(version, str):
            line.version = version
        line.isMeta = line.isMeta or line.isSynthetic

    def asked(self, tool_call_id: str | None, call: CallRow, thread: Thread) -> None:
        """Remember a call, which a sub-agent's events name."""
        if self._running and tool_call_id is not None:
            self.calls[tool_call_id] = (call, thread)

    def end_of_reply(self, line: Line) -> EndOfReply | None:
        """Read a piece of a reply; None unless it ends the reply."""
        event: Any = (line.other or {}).get("event")
        kind = event.get("type") if isinstance(event, dict) else None
        if kind == "message_start":
            message = event.get("message")
            self._replies[line.parent_tool_use_id] = str(message.get("id")) if isinstance(message, dict) else ""
        if kind != "message_delta":
            return None
        usage, delta = event.get("usage"), event.get("delta")
        tokens = count_in(usage.get("output_tokens")) if isinstance(usage, dict) else None
        reason = text_of(delta.get("stop_reason")) if isinstance(delta, dict) else None
        return EndOfReply(self._replies.get(line.parent_tool_use_id, ""), tokens, reason)
