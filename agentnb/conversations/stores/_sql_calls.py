"""Records of calls in a database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import bindparam, insert, select

from agentnb.conversations.stores._calls import call_line, tree_of
from agentnb.conversations.stores._sql_database import Database
from agentnb.conversations.stores._sql_tables import calls
from agentnb.conversations.stores._texts import read_objects
from agentnb.conversations.stores.protocols import Record

_INSERT = insert(calls)
_READ = select(calls.c.record).order_by(calls.c.place)
_READ_TREE = _READ.where(calls.c.tree == bindparam("tree"))


class SqlCalls:
    """Keeps the records of calls in a database.

    Args:
        database: the database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def write(self, record: Mapping[str, Any]) -> None:
        """Keep the record of a call; see `CallStore.write`."""
        row = {"tree": _key(tree_of(record)), "record": call_line(record)}
        with self._database.writing() as connection:
            connection.execute(_INSERT, row)

    def read(self, tree: str | None = None) -> list[Record]:
        """Return the records of calls; see `CallStore.read`."""
        with self._database.reading() as connection:
            texts = connection.scalars(_READ).all() if tree is None else connection.scalars(_READ_TREE, {"tree": _key(tree)}).all()
        return read_objects(texts)


def _key(tree: str) -> str:
    """Return an id as text that every database takes; ids as they are made stay as they are."""
    return json.dumps(tree)[1:-1]
