"""Conversations that would have the same id, told apart."""

from __future__ import annotations

from agentnb.readers._account import Account
from agentnb.readers._rows import Rows
from agentnb.readers.builders._draft import ConversationDraft


class Apart:
    """Ids of the conversations of one group: equal ones are told apart by their order."""

    def __init__(self, rows: Rows, format: str) -> None:
        """Start conversations of a format, whose rows go here."""
        self._rows = rows
        self._format = format
        self._seen: dict[str, int] = {}

    def start(self, wanted: str, account: Account, *, line: int | None = None) -> ConversationDraft:
        """Start a conversation under an id, or where another has it already under the id with its number, which is then said."""
        count = self._seen[wanted] = self._seen.get(wanted, 0) + 1
        conversation_id = wanted if count == 1 else f"{wanted}~{count}"
        if count > 1:
            message = f"Another conversation has the id {wanted}; this one is told apart by its order."
            account.diagnose("equal_conversations", message, line=line, severity="info", conversation_id=conversation_id)
        return ConversationDraft(self._rows, account, conversation_id, self._format)
