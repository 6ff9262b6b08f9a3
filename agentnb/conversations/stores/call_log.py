"""The log of calls in a folder: one folder per day, one file per process in it, a line per call (FunctAI's layout)."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

from agentnb.conversations.stores._calls import call_line, tree_of
from agentnb.conversations.stores._event_form import is_tree_id
from agentnb.conversations.stores._failures import failing_clearly
from agentnb.conversations.stores._files import write_whole
from agentnb.conversations.stores._pruning import Pruned, prune_folder
from agentnb.conversations.stores._texts import read_objects
from agentnb.conversations.stores.protocols import Record

_FORMATS: Final = (1, 2)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class FolderCallLog:
    """Keeps the records of calls in a folder that many processes write to at once.

    A line is appended in one write and not flushed: a log of calls may lose its last line with the computer, never with the process.

    Args:
        folder: the folder; made when the first call is kept.
        today: returns the day it is.
    """

    def __init__(self, folder: str | os.PathLike[str], *, today: Callable[[], date] = lambda: datetime.now(UTC).date()) -> None:
        self.folder = Path(folder).expanduser().absolute()
        self._today = today
        self._process, self._name = 0, ""

    def __repr__(self) -> str:
        return f"FolderCallLog({str(self.folder)!r})"

    def write(self, record: Mapping[str, Any]) -> None:
        """Keep the record of a call, in the folder of this day, which no pruning touches; see `CallStore.write`."""
        line = call_line(record).encode("ascii") + b"\n"
        day = self.folder / self._today().isoformat()
        with failing_clearly(self.folder, doing="written"):
            day.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(day / self._own_name(), os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
            try:
                write_whole(descriptor, line)
            finally:
                os.close(descriptor)

    def read(self, tree: str | None = None) -> list[Record]:
        """Return the records of calls, day by day and file by file; see `CallStore.read`. What is no record of a known format is passed over."""
        # Most lines are of other trees and need not be parsed; an id that JSON writes in several ways is looked for in all.
        wanted = tree.encode() if tree is not None and is_tree_id(tree) else b""
        with failing_clearly(self.folder, doing="read"):
            lines = [line for path in self._files() for line in path.read_bytes().split(b"\n") if wanted in line]
        records = [record for record in read_objects(lines) if record.get("functai_call") in _FORMATS and isinstance(record.get("id"), str)]
        return [record for record in records if tree in (None, tree_of(record))]

    def prune(self, before: date, *, rated: frozenset[str] | set[str] = frozenset()) -> Pruned:
        """Delete the days before a day, except the calls that are rated, and what is needed to read those.

        Of each rated call all calls of its tree are kept, every call that one of them was shown, and all their ratings, in one file `kept-….jsonl`
        at the top, which is on the disk before anything is deleted.

        Args:
            before: the first day that stays.
            rated: ids of calls with ratings that are kept elsewhere.

        Returns:
            What was deleted and what was kept.

        Raises:
            ConversationError: the folder cannot be read or written (`store-failed`).
        """
        with failing_clearly(self.folder, doing="pruned"):
            return prune_folder(self.folder, self._days(before), self._files(), rated)

    def _files(self) -> list[Path]:
        """Return all files: what pruning kept, then day by day."""
        return [*sorted(self.folder.glob("*.jsonl")), *(path for day in self._days() for path in sorted(day.glob("*.jsonl")))]

    def _days(self, before: date | None = None) -> list[Path]:
        days = [path for path in self.folder.glob("*-*-*") if _DAY.fullmatch(path.name) and path.is_dir()]
        return sorted(path for path in days if before is None or path.name < before.isoformat())

    def _own_name(self) -> str:
        if self._process != os.getpid():
            host = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())[:20] or "host"
            self._process, self._name = os.getpid(), f"{host}-{os.getpid()}-{secrets.token_hex(3)}.jsonl"
        return self._name
