"""Questions to a person before a tool ran."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from agentnb.values._base import Value


class Approval(Value):
    """One question to a person before a tool runs, with the answer; a row of the `approvals` table."""

    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn that waited for it."""
    call_id: str
    """The tool call that was asked about."""
    question: str | None = None
    """What the person was asked; null when only the answer was recorded."""
    answer: Literal["yes", "no"] | None = None
    """yes or no; null while it waits."""
    answered_by: str | None = None
    """Who answered; null when the recording does not tell."""
    reason: str | None = None
    """Why, in the person's words."""
    asked_at: datetime | None = None
    """When it was asked, in UTC."""
    answered_at: datetime | None = None
    """When it was answered, in UTC."""
    source_id: str
    """The file it was read from."""
    source_line: int | None = None
    """Line of that file, from 1; in a file that is one document, the place of the record in its list, from 1."""
