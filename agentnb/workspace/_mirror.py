"""Tables that follow what a store and the ratings hold, asked before every query: cheap when nothing has changed."""

from __future__ import annotations

import threading

from agentnb.workspace._columns import to_table
from agentnb.workspace._database import Database
from agentnb.workspace._rating_log import RatingLog
from agentnb.workspace._ratings import counted
from agentnb.workspace._said import Digests, odd_ratings, odd_tables
from agentnb.workspace._stores import Store


class Mirror:
    """Lets the tables of a database show a store and a log of ratings."""

    def __init__(self, database: Database, store: Store, log: RatingLog) -> None:
        """Show what a store and a log hold, from the first `sync` on."""
        self._database = database
        self._digests = Digests(database)
        self._lock = threading.Lock()
        self._store, self._log = store, log
        self._shown: tuple[object, int] | None = None

    def follow(self, store: Store, log: RatingLog) -> None:
        """Show another store and log from now on."""
        with self._lock:
            self._store, self._log = store, log
            self._shown = None
        self.sync()

    def sync(self) -> None:
        """Show what is there now.

        Raises:
            WorkspaceError: when the folder is gone or cannot be read.
        """
        with self._lock:
            state = (self._store.state(), self._log.refresh())
            if state == self._shown:
                return
            if self._shown is None or state[0] != self._shown[0]:
                self._database.show(self._store.batches())
                self._digests.forget()
            ratings = counted(entry.rating for entry in self._log.entries())
            odd = [*odd_tables(self._store.damaged()), *odd_ratings(ratings, self._digests, self._log.passed())]
            self._database.say("ratings", to_table("ratings", ratings))
            self._database.say("diagnostics", to_table("diagnostics", odd))
            self._shown = state
