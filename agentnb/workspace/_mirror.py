"""Tables that follow what a store, the ratings and the traces hold, asked before every query: cheap when nothing has changed."""

from __future__ import annotations

import threading

from agentnb.ratings import counted
from agentnb.values import Rating
from agentnb.workspace._append_log import AppendLog
from agentnb.workspace._columns import to_table
from agentnb.workspace._database import Database
from agentnb.workspace._said import Digests, odd_lines, odd_ratings, odd_tables
from agentnb.workspace._stores import Store
from agentnb.workspace._traced import KeptTrace, traced_tables


class Mirror:
    """Lets the tables of a database show a store, a log of ratings and one of traces."""

    def __init__(self, database: Database, store: Store, log: AppendLog[Rating], traces: AppendLog[KeptTrace]) -> None:
        """Show what a store and two logs hold, from the first `sync` on."""
        self._database = database
        self._digests = Digests(database)
        self._lock = threading.Lock()
        self._store, self._log, self._traces = store, log, traces
        self._shown: tuple[object, int, int] | None = None

    def follow(self, store: Store, log: AppendLog[Rating], traces: AppendLog[KeptTrace]) -> None:
        """Show another store and other logs from now on."""
        with self._lock:
            self._store, self._log, self._traces = store, log, traces
            self._shown = None
        self.sync()

    def sync(self) -> None:
        """Show what is there now.

        Raises:
            WorkspaceError: when the folder is gone or cannot be read.
        """
        with self._lock:
            state = (self._store.state(), self._log.refresh(), self._traces.refresh())
            if state == self._shown:
                return
            if self._shown is None or state[0] != self._shown[0]:
                self._database.show(self._store.batches())
                self._digests.forget()
            ratings = counted(entry.value for entry in self._log.entries())
            odd = [*odd_tables(self._store.damaged()), *odd_ratings(ratings, self._digests, self._log.passed()), *odd_lines("trace", self._traces.passed())]
            self._database.say("ratings", to_table("ratings", ratings))
            if self._shown is None or state[2] != self._shown[2]:
                for name, rows in traced_tables(entry.value for entry in self._traces.entries()).items():
                    self._database.say(name, rows)
            self._database.say("diagnostics", to_table("diagnostics", odd))
            self._shown = state
