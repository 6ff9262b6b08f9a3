"""Tables that follow what a store and the logs of what people said hold, asked before every query: cheap when nothing has changed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import Any, Final

from agentnb.ratings import rating_of
from agentnb.values import Rating
from agentnb.workspace._append_log import Seen
from agentnb.workspace._call_facts import CallFacts
from agentnb.workspace._columns import to_table
from agentnb.workspace._database import Database
from agentnb.workspace._drawn import sample_rows
from agentnb.workspace._live_store import LiveStore
from agentnb.workspace._logs import Logs
from agentnb.workspace._said import odd_lines, odd_tables
from agentnb.workspace._standing import Standing
from agentnb.workspace._traced import traced_tables

# Logs of FunctAI hold ratings beside the calls.
_RECORDED: Final = """
select c.call_id, json_extract(c.extra, '$.ratings') as ratings
from conversations as v
inner join calls as c on c.conversation_id = v.conversation_id
where v.format = 'functai' and c.kind = 'agent' and json_exists(c.extra, '$.ratings')
order by c.conversation_id, c.call_index
"""


class Mirror:
    """Lets the tables of a database show a store and its logs."""

    def __init__(self, database: Database, store: LiveStore, logs: Logs) -> None:
        """Show what a store and its logs hold, from the first `sync` on."""
        self._database = database
        self.facts = CallFacts(database)
        """What ratings know of their calls."""
        self._lock = threading.Lock()
        self._store, self._logs = store, logs
        self._standing = Standing(self.facts)
        self._seen: Seen = {}
        self._shown: tuple[object, tuple[int, int, int]] | None = None

    def follow(self, store: LiveStore, logs: Logs) -> None:
        """Show another store and other logs from now on."""
        with self._lock:
            self._store, self._logs = store, logs
            self._shown, self._seen = None, {}
        self.sync()

    def sync(self) -> None:
        """Show what is there now.

        Raises:
            WorkspaceError: when the folder is gone or cannot be read.
        """
        with self._lock:
            state = (self._store.state(), self._logs.refresh())
            if state == self._shown:
                return
            if self._shown is None or state[0] != self._shown[0]:
                self._database.show(self._store.batches())
                self.facts.forget()
                self._seen = {}
            self._show_said(state[1], self._shown[1] if self._shown is not None else None)
            self._shown = state

    def _show_said(self, now: tuple[int, int, int], before: tuple[int, int, int] | None) -> None:
        logs = self._logs
        news = logs.ratings.news(self._seen)
        if not self._seen or news.from_the_start:
            self._standing.clear()
            self._standing.add(_recorded(self._database.rows(_RECORDED)))
        self._standing.add(entry.value for entry in news.entries)
        self._seen = news.seen
        self._database.say("ratings", self._standing.table())
        if before is None or now[1] != before[1]:
            for name, rows in traced_tables(entry.value for entry in logs.traces.entries()).items():
                self._database.say(name, rows)
        if before is None or now[2] != before[2]:
            for name, values in sample_rows(entry.value for entry in logs.samples.entries()).items():
                self._database.say(name, to_table(name, values))
        odd = [*odd_tables(self._store.damaged()), *self._standing.odd()]
        odd += [
            *odd_lines("rating", logs.ratings.passed(), first=len(odd)),
            *odd_lines("trace", logs.traces.passed()),
            *odd_lines("sample", logs.samples.passed()),
            *self._store.odd,
        ]
        self._database.say("diagnostics", to_table("diagnostics", odd))


def _recorded(rows: Iterable[dict[str, Any]]) -> Iterable[Rating]:
    """Yield the ratings that recordings hold, of the calls as they are called here."""
    for row in rows:
        listed = json.loads(row["ratings"])
        for record in listed if isinstance(listed, list) else ():
            rating = rating_of(record)
            if rating is not None:
                yield rating.model_copy(update={"call_id": row["call_id"]})
