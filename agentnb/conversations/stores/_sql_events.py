"""Events of turns in a database: the check and what it lets through are one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, text, update

from agentnb.conversations.stores._event_form import is_tree_id
from agentnb.conversations.stores._sql_database import Database
from agentnb.conversations.stores._sql_tables import events, trees
from agentnb.conversations.stores._texts import event_text, json_of, read_objects
from agentnb.conversations.stores.event_rules import LogState, check_events, check_tree_id, next_claim
from agentnb.conversations.stores.memory import events_after
from agentnb.conversations.stores.protocols import Claim, Outcome, Record

_BEGIN = text("""
insert into agentnb_trees (tree, writer, last_writer, last_seq, finished) values (:tree, 1, 0, 0, :finished)
on conflict (tree) do nothing
""").bindparams(bindparam("finished", False, type_=trees.c.finished.type))
_STATE = select(trees.c.writer, trees.c.last_writer, trees.c.last_seq, trees.c.finished).where(trees.c.tree == bindparam("tree")).with_for_update()
_UPDATE = update(trees).where(trees.c.tree == bindparam("of_tree"))
_KEPT = select(events.c.event).where(events.c.tree == bindparam("tree"), events.c.seq == bindparam("seq"))
_READ = select(events.c.event).where(events.c.tree == bindparam("tree"), events.c.seq >= bindparam("first")).order_by(events.c.seq)
_INSERT = insert(events)


class SqlEvents:
    """Keeps the events of turns in a database.

    Args:
        database: the database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, tree: str) -> Claim:
        """Become the writer of a log; see `EventStore.claim`."""
        if not is_tree_id(tree):
            return next_claim(tree, LogState())
        with self._database.writing() as connection:
            claim = next_claim(tree, _state_of(connection, tree))
            connection.execute(_UPDATE, {"of_tree": tree, "writer": claim.writer})
            return claim

    def append(self, tree: str, events: Sequence[Mapping[str, Any]]) -> Outcome:
        """Keep events; see `EventStore.append`."""
        check_tree_id(tree)
        with self._database.writing() as connection:
            connection.execute(_BEGIN, {"tree": tree})
            checked = check_events(tree, events, _state_of(connection, tree), lambda seq: _kept(connection, tree, seq))
            if checked.new:
                connection.execute(_INSERT, [{"tree": tree, "seq": event["seq"], "event": event_text(event)} for event in checked.new])
                writer, seq = checked.state.last or (0, 0)
                connection.execute(_UPDATE, {"of_tree": tree, "last_writer": writer, "last_seq": seq, "finished": checked.state.finished})
            return checked.outcome

    def read(self, tree: str, *, after: Mapping[str, int] | None = None) -> list[Record]:
        """Return the events after a position; see `EventStore.read`."""
        texts: Sequence[str] = ()
        if is_tree_id(tree):
            with self._database.reading() as connection:
                texts = connection.scalars(_READ, {"tree": tree, "first": after.get("seq", 0) if after else 0}).all()
        return events_after(tree, read_objects(texts), after)


def _state_of(connection: Connection, tree: str) -> LogState:
    row = connection.execute(_STATE, {"tree": tree}).one_or_none()
    if row is None:
        return LogState()
    return LogState(row.writer, (row.last_writer, row.last_seq) if row.last_seq else None, row.finished)


def _kept(connection: Connection, tree: str, seq: int) -> Record | None:
    kept = connection.execute(_KEPT, {"tree": tree, "seq": seq}).scalar_one_or_none()
    event = None if kept is None else json_of(kept)
    return event if isinstance(event, dict) else None
