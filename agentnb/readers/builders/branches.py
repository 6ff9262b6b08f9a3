"""Entries that name the entry they follow -> where in a conversation each one belongs: a file of lines may hold a tree."""

from __future__ import annotations

from typing import Any

from agentnb.readers._rows import TurnRow
from agentnb.readers.builders.message_list import MessageList


class Branches:
    """Follows the entries of one conversation; an entry that does not follow the one before it goes on where its parent is."""

    def __init__(self, messages: MessageList) -> None:
        """Start before the first entry."""
        self._messages = messages
        self._turns: dict[str, TurnRow | None] = {}
        self._last: str | None = None

    def root(self, own_id: str) -> None:
        """Name what stands before the first entry: entries may name the session as their parent."""
        self._turns[own_id] = None

    def follow(self, parent: Any) -> None:
        """Go to where the next entry belongs; of a parent that is not known nothing is told, so the entry follows the one before it.

        Args:
            parent: id of the entry that it follows; None of one that starts the conversation anew.
        """
        if self._last is None or parent == self._last:
            return
        if parent is None or (isinstance(parent, str) and parent in self._turns):
            self._messages.go_back_to(self._turns[parent] if parent is not None else None)

    def remember(self, own_id: str | None, turn: TurnRow | None) -> None:
        """Remember where an entry is, so that others find it."""
        if own_id is not None:
            self._turns[own_id] = turn
            self._last = own_id
