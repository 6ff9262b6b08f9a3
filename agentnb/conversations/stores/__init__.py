"""Where the records of conversations are kept: in memory, in files, in a database, or in whatever has two methods."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from agentnb.conversations.stores.call_log import FolderCallLog
from agentnb.conversations.stores.folder import FolderStore
from agentnb.conversations.stores.memory import MemoryStore
from agentnb.conversations.stores.opening import Place, open_store
from agentnb.conversations.stores.optional import calls_of, durability_of, events_of, is_persistent, lengths_of, wait_for
from agentnb.conversations.stores.protocols import CallStore, Claim, EventStore, Outcome, Record, Store

if TYPE_CHECKING:
    from agentnb.conversations.stores.sql import SqlStore

__all__ = [
    "CallStore",
    "Claim",
    "EventStore",
    "FolderCallLog",
    "FolderStore",
    "MemoryStore",
    "Outcome",
    "Place",
    "Record",
    "SqlStore",
    "Store",
    "calls_of",
    "durability_of",
    "events_of",
    "is_persistent",
    "lengths_of",
    "open_store",
    "wait_for",
]


def __getattr__(name: str) -> Any:
    """Import the store in a database, and SQLAlchemy with it, on first use."""
    if name != "SqlStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("agentnb.conversations.stores.sql").SqlStore
