"""Conversations in a folder, in the layout that FunctAI reads and writes: one file of JSON lines per conversation, one per tree of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from agentnb.conversations.identifiers import check_conversation_id
from agentnb.conversations.stores._conflicts import check_length
from agentnb.conversations.stores._failures import failing_clearly
from agentnb.conversations.stores._folder_events import FolderEvents
from agentnb.conversations.stores._line_log import LineLog
from agentnb.conversations.stores._texts import numbered, read_records, record_text
from agentnb.conversations.stores._waiting import Bell
from agentnb.conversations.stores.call_log import FolderCallLog
from agentnb.conversations.stores.protocols import Record


class FolderStore:
    """Keeps conversations as files that one can look at, copy and put under version control; safe for many processes on one computer.

    `conversations/<id>.jsonl` holds the records, `trees/<turn>.jsonl` the events of a turn, `calls/` the log of calls. Files are the owner's alone.

    Args:
        folder: the folder; made when something is first kept.
        busy_timeout: seconds to wait for another process that is writing, at most.
    """

    persistent: ClassVar[bool] = True
    durability: ClassVar[str] = "disk"

    def __init__(self, folder: str | Path, *, busy_timeout: float = 10.0) -> None:
        self.folder = Path(folder).expanduser().absolute()
        self._home = self.folder / "conversations"
        self._log = lru_cache(maxsize=1024)(lambda conversation: LineLog(self._home / f"{conversation}.jsonl", timeout=busy_timeout))
        self._bell = Bell()
        self.events = FolderEvents(self.folder / "trees", timeout=busy_timeout)
        self.calls = FolderCallLog(self.folder / "calls")

    def __repr__(self) -> str:
        return f"FolderStore({str(self.folder)!r})"

    def append(self, conversation: str, records: Sequence[Mapping[str, Any]], *, expect: int | None = None) -> int:
        """Append records to a conversation; see `Store.append`."""
        log = self._log(check_conversation_id(conversation))
        texts = [record_text(record) for record in records]

        def lines(length: int) -> list[str]:
            check_length(conversation, length, expect)
            return [numbered(text, place) for place, text in enumerate(texts, length + 1)]

        with failing_clearly(self.folder, doing="written"), log.held():
            length = log.append(lines)
        self._bell.ring()
        return length

    def read(self, conversation: str, *, after: int = 0) -> list[Record]:
        """Return the records after a place; see `Store.read`."""
        after = max(after, 0)
        with failing_clearly(self.folder, doing="read"):
            return read_records(enumerate(self._log(check_conversation_id(conversation)).read(after), after + 1))

    def wait(self, conversation: str, *, after: int, timeout: float) -> bool:
        """Wait until there are more than `after` records; see `Store`."""
        log = self._log(check_conversation_id(conversation))
        with failing_clearly(self.folder, doing="read"):
            return self._bell.wait_for(lambda: log.count() > after, timeout)

    def conversations(self) -> list[str]:
        """Return the ids of all conversations, sorted."""
        return sorted(self.lengths())

    def lengths(self) -> dict[str, int]:
        """Return how many records each conversation has; what is known is not read again."""
        with failing_clearly(self.folder, doing="read"):
            found = [path.stem for path in self._home.glob("*.jsonl")] if self._home.is_dir() else []
            lengths = {conversation: self._log(conversation).count() for conversation in sorted(found)}
        return {conversation: length for conversation, length in lengths.items() if length}

    def close(self) -> None:
        """Do nothing: no file is held open."""
