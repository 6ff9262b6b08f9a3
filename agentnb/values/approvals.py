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


class WaitingApproval(Value):
    """A question of a live turn that waits for a person: what would run, and where in the program."""

    conversation_id: str
    """The conversation."""
    turn_id: str
    """The turn that waits."""
    call_id: str | None = None
    """The call whose model asked for the tool."""
    site: str = ""
    """The place of that call in the program."""
    invocation: int = 0
    """Number of the tool call there."""
    plugin: str | None = None
    """Who asks when it is not the program's own rule."""
    name: str = ""
    """The tool."""
    path: str = ""
    """The names of the calls from the outermost one to the tool."""
    input: str | None = None
    """What the tool would be given, as JSON."""
    effects: str | None = None
    """reads or changes; null where the tool does not say."""
    question: str | None = None
    """What the tool itself asks."""
    program: str | None = None
    """Name of the program that the turn called."""
    prompt: str | None = None
    """What the turn was given."""
    asked_at: datetime | None = None
    """Since when it waits, in UTC."""

    @property
    def place(self) -> tuple[str, str, str, int, str]:
        """What tells it from every other question."""
        return self.conversation_id, self.turn_id, self.site, self.invocation, self.plugin or ""

    @property
    def which(self) -> dict[str, str | int]:
        """What names it to `turn.approve` and `turn.deny`."""
        return {"site": self.site, "invocation": self.invocation, **({"plugin": self.plugin} if self.plugin is not None else {})}
