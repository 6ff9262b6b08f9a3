"""One recorded exchange with an agent."""

from __future__ import annotations

from datetime import datetime

from agentnb.values._base import Value
from agentnb.values.turns import Turn


class Conversation(Value):
    """One recorded exchange with an agent; a row of the `conversations` table, with its turns."""

    conversation_id: str
    """The recording's own id, else a digest of how it begins; opaque text."""
    format: str
    """Format it was read from, such as claude_code."""
    title: str | None = None
    """What the recording calls it, else null."""
    agent_name: str | None = None
    """Name of the agent or tool that ran."""
    agent_version: str | None = None
    """Version of that agent."""
    model: str | None = None
    """The model that answered first."""
    parent_conversation_id: str | None = None
    """The conversation it continues; null for one that stands alone."""
    started_at: datetime | None = None
    """Time of the earliest record, in UTC."""
    ended_at: datetime | None = None
    """Time of the latest record, in UTC."""
    time_zone_assumed: bool = False
    """Whether a time without a zone was read as UTC."""
    labels: str | None = None
    """JSON object of what is known about the run as a whole: task, trial, reward, working folder."""
    source_id: str
    """The file it was first met in."""
    extra: str | None = None
    """JSON object of what the reader did not understand."""
    turns: tuple[Turn, ...] = ()
    """Its turns, in order."""
