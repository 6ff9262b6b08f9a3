"""Workspaces of conversations that were made for the tests, without a file to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentnb.values import Conversation
from agentnb.workspace import Workspace
from agentnb.workspace._columns import ROW_TABLES, to_table
from agentnb.workspace._stores import MemoryStore


def workspace_of(*conversations: Conversation, folder: Path | None = None) -> Workspace:
    """A workspace that holds these conversations, in memory or in a folder."""
    turns = [turn for each in conversations for turn in each.turns]
    rows: dict[str, list[Any]] = {
        "conversations": list(conversations),
        "turns": turns,
        "calls": [call for turn in turns for call in turn.calls],
        "parts": [part for turn in turns for message in turn.messages for part in message.parts],
        "approvals": [approval for turn in turns for approval in turn.approvals],
    }
    store = MemoryStore()
    store.add((), {name: to_table(name, rows.get(name, [])) for name in ROW_TABLES})
    workspace = Workspace(store)
    return workspace if folder is None else workspace.save(folder)
