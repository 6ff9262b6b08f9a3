"""Tables that are worked out from what was read: decisions, rule hits, script rows. They are filled when a query names them, and not before."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import pyarrow as pa

from agentnb.rules import default_rules
from agentnb.values import Rule
from agentnb.workspace._batches import Batch, source_ids, speaking_sources
from agentnb.workspace._contract import contract
from agentnb.workspace._database import Database
from agentnb.workspace._decided import decisions_of
from agentnb.workspace._hit import rule_hits_of
from agentnb.workspace._progress import Progress
from agentnb.workspace._scripted import scripts_of

_WORD = re.compile(r"\w+")
_Key = tuple[str, frozenset[str], int, int]


class _Work(NamedTuple):
    """Tables that are worked out together, and how: from the rows of some files."""

    tables: tuple[str, ...]
    make: Callable[..., Mapping[str, pa.Table]]
    ruled: bool = False
    """Whether it is also given the rules of the workspace, and made again when these change."""


_WORKS = (
    _Work(("decisions",), decisions_of),
    _Work(("rule_hits",), rule_hits_of, ruled=True),
    _Work(("script_rows", "script_programs"), scripts_of),
)
DERIVED: tuple[str, ...] = tuple(table for work in _WORKS for table in work.tables)
"""Tables that no reader fills."""


class Derivations:
    """Fills the derived tables of a database, batch by batch: what was worked out of one stays until that batch is replaced."""

    def __init__(self, database: Database, rules: Callable[[], Sequence[Rule]] = default_rules) -> None:
        """Start with nothing worked out.

        Args:
            database: whose tables are filled.
            rules: gives the rules whose hits are wanted, as they are now.
        """
        self._database, self._rules = database, rules
        self._asked: tuple[Rule, ...] = ()
        self._edition = 0
        self._lock = threading.Lock()
        self._made: dict[_Key, Mapping[str, pa.Table]] = {}
        self._shown: dict[str, object] = {}

    def fill_for(self, query: str, batches: Sequence[Batch], state: object) -> None:
        """Fill what a query names: a derived table, or a view over one. Words are looked at, not syntax: filling too much is harmless."""
        wanted = tables_named_in(query)
        if wanted:
            self.fill(wanted, batches, state)

    def fill(self, tables: Iterable[str], batches: Sequence[Batch], state: object) -> None:
        """Fill tables from batches that were shown; what is known of a batch is not worked out again.

        Args:
            tables: names of derived tables.
            batches: what the store holds.
            state: changes whenever the batches do.
        """
        wanted = set(tables)
        with self._lock:
            self._see_rules()
            works = [work for work in _WORKS if wanted.intersection(work.tables) and self._shown.get(work.tables[0]) != self._state(work, state)]
            jobs = [(work, batch) for work in works for batch in batches if self._key(work, batch) not in self._made]
            with Progress(len(jobs), "working out", unit=" batches") as progress:
                for work, batch in jobs:
                    given = (self._asked,) if work.ruled else ()
                    self._made[self._key(work, batch)] = work.make(self._database, speaking_sources(batch), *given)
                    progress.add(1)
            for work in works:
                self._show(work, batches)
                self._shown[work.tables[0]] = self._state(work, state)

    def filled(self, state: object) -> frozenset[str]:
        """Return the tables that are filled and up to date."""
        with self._lock:
            self._see_rules()
            return frozenset(table for work in _WORKS if self._shown.get(work.tables[0]) == self._state(work, state) for table in work.tables)

    def _see_rules(self) -> None:
        rules = tuple(self._rules())
        if rules != self._asked:
            self._asked, self._edition = rules, self._edition + 1

    def _state(self, work: _Work, state: object) -> object:
        return (state, self._edition) if work.ruled else (state, 0)

    def _key(self, work: _Work, batch: Batch) -> _Key:
        return work.tables[0], source_ids(batch.groups), batch.written_ns, self._edition if work.ruled else 0

    def _show(self, work: _Work, batches: Sequence[Batch]) -> None:
        current = {self._key(work, batch) for batch in batches}
        self._made = {key: made for key, made in self._made.items() if key[0] != work.tables[0] or key in current}
        for table in work.tables:
            pieces = [made[table] for key, made in self._made.items() if key[0] == work.tables[0]]
            self._database.say(table, pa.concat_tables(pieces) if pieces else contract().tables[table].empty_table())


def tables_named_in(query: str) -> set[str]:
    """Return the derived tables that the words of a query name, directly or through a view."""
    words = set(_WORD.findall(query.lower()))
    return words.intersection(DERIVED) | {table for view in words.intersection(_over()) for table in _over()[view]}


@cache
def _over() -> dict[str, set[str]]:
    """Return for each view over a derived table the derived tables under it."""
    statements = contract().create_views.split("create view ")[1:]
    over: dict[str, set[str]] = {}
    # A view stands after the views that it uses.
    for statement in statements:
        name, _, text = statement.partition(" as")
        words = set(_WORD.findall(text))
        under = words.intersection(DERIVED) | {table for view in words.intersection(over) for table in over[view]}
        if under:
            over[name.strip()] = under
    return over
