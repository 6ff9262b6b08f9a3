"""Tables that are worked out from what was read: decisions, rule hits, script rows. They are filled when a query names them, and not before."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import pyarrow as pa

from agentnb.workspace._batches import Batch, source_ids, speaking_sources
from agentnb.workspace._contract import contract
from agentnb.workspace._database import Database
from agentnb.workspace._decided import decisions_of
from agentnb.workspace._hit import rule_hits_of
from agentnb.workspace._progress import Progress
from agentnb.workspace._scripted import scripts_of

_WORD = re.compile(r"\w+")


class _Work(NamedTuple):
    """Tables that are worked out together, and how: from the rows of some files."""

    tables: tuple[str, ...]
    make: Callable[[Database, Sequence[str]], Mapping[str, pa.Table]]


_WORKS = (
    _Work(("decisions",), decisions_of),
    _Work(("rule_hits",), rule_hits_of),
    _Work(("script_rows", "script_programs"), scripts_of),
)
DERIVED: tuple[str, ...] = tuple(table for work in _WORKS for table in work.tables)
"""Tables that no reader fills."""


class Derivations:
    """Fills the derived tables of a database, batch by batch: what was worked out of one stays until that batch is replaced."""

    def __init__(self, database: Database) -> None:
        """Start with nothing worked out."""
        self._database = database
        self._lock = threading.Lock()
        self._made: dict[tuple[str, frozenset[str], int], Mapping[str, pa.Table]] = {}
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
            works = [work for work in _WORKS if wanted.intersection(work.tables) and self._shown.get(work.tables[0]) != state]
            jobs = [(work, batch) for work in works for batch in batches if (work.tables[0], *_key(batch)) not in self._made]
            with Progress(len(jobs), "working out", unit=" batches") as progress:
                for work, batch in jobs:
                    self._made[work.tables[0], *_key(batch)] = work.make(self._database, speaking_sources(batch))
                    progress.add(1)
            for work in works:
                self._show(work, batches)
                self._shown[work.tables[0]] = state

    def _show(self, work: _Work, batches: Sequence[Batch]) -> None:
        current = {(work.tables[0], *_key(batch)) for batch in batches}
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


def _key(batch: Batch) -> tuple[frozenset[str], int]:
    return source_ids(batch.groups), batch.written_ns
