"""Conversations of different groups that bear the same id: a thread that two tools recorded, or ids that people chose themselves."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from agentnb.readers._rows import ConversationRow, DiagnosticRow, Rows

_IDS = {
    "turns": ("turn_id", "parent_turn_id"),
    "calls": ("call_id", "turn_id", "parent_call_id", "step_id"),
    "parts": ("turn_id", "agent_call_id", "step_id", "call_id"),
    "approvals": ("turn_id", "call_id"),
    "diagnostics": ("call_id",),
}
"""Columns of each table, besides the conversation's id, that hold ids of a conversation."""


class TakenIds:
    """The ids that conversations have."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        """Start with ids of conversations that were read before and stay."""
        self._taken = set(taken)

    def set_apart(self, rows: Rows, format: str) -> None:
        """Take the ids of a group's conversations; where another has one already, this one's ids get the name of its format, which is then said.

        Args:
            rows: of one group; changed in place.
            format: of the group.
        """
        for row in rows.conversations:
            if row.conversation_id in self._taken:
                suffixes = (f"~{format}" if number == 1 else f"~{format}-{number}" for number in itertools.count(1))
                _rename(rows, row, next(suffix for suffix in suffixes if row.conversation_id + suffix not in self._taken))
            self._taken.add(row.conversation_id)


def _rename(rows: Rows, conversation: ConversationRow, suffix: str) -> None:
    old, new = conversation.conversation_id, conversation.conversation_id + suffix
    for table, columns in _IDS.items():
        for row in getattr(rows, table):
            if row.conversation_id == old:
                row.conversation_id = new
                for column in columns:
                    value = getattr(row, column)
                    if value is not None:
                        setattr(row, column, value + suffix)
    conversation.conversation_id = new
    source = next(source for source in rows.sources if source.source_id == conversation.source_id)
    message = f"A conversation in another file has the id {old}; all ids of this one end with {suffix}."
    rows.diagnostics.append(DiagnosticRow(source.source_id, source.diagnostics, "info", "equal_conversations", message, conversation_id=new))
    source.diagnostics += 1
