"""The tables of a database of conversations, the steps in which they came to be, and whether a database is of a layout that is known."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Connection, Index, Integer, MetaData, Table, Text, func, insert, inspect, select, text

from agentnb.errors import ConversationError

_metadata = MetaData()

conversations: Final = Table(
    "agentnb_conversations",
    _metadata,
    Column("conversation", Text, primary_key=True, comment="id of the conversation"),
    Column("length", BigInteger, nullable=False, comment="how many records it has; who changes it in the same step as they read it has appended"),
)
records: Final = Table(
    "agentnb_records",
    _metadata,
    Column("conversation", Text, primary_key=True, comment="id of the conversation"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False, comment="place of the record in its conversation, from 1"),
    Column("record", Text, nullable=False, comment="the record without its seq, as JSON in ASCII"),
)
trees: Final = Table(
    "agentnb_trees",
    _metadata,
    Column("tree", Text, primary_key=True, comment="id of the outermost call, which is that of the turn"),
    Column("writer", BigInteger, nullable=False, comment="number of the writer whose turn it is"),
    Column("last_writer", BigInteger, nullable=False, comment="writer of the last event; 0 while there is none"),
    Column("last_seq", BigInteger, nullable=False, comment="seq of the last event; 0 while there is none"),
    Column("finished", Boolean, nullable=False, comment="whether the outermost call has ended"),
)
events: Final = Table(
    "agentnb_events",
    _metadata,
    Column("tree", Text, primary_key=True, comment="id of the outermost call"),
    Column("seq", BigInteger, primary_key=True, autoincrement=False, comment="number of the event in its tree, growing"),
    Column("event", Text, nullable=False, comment="the event as JSON in ASCII"),
)
calls: Final = Table(
    "agentnb_calls",
    _metadata,
    Column("place", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, comment="order in which the calls ended"),
    Column("tree", Text, nullable=False, comment="id of the outermost call"),
    Column("record", Text, nullable=False, comment="the record of the call as JSON in ASCII"),
    Index("agentnb_calls_of_tree", "tree", "place"),
)
layout: Final = Table("agentnb_layout", _metadata, Column("version", Integer, nullable=False, comment="version of the layout"))

STEPS: Final = ((conversations, records), (trees, events), (calls,))
"""The tables that each version of the layout added; a database goes through the steps that it lacks."""

VERSION: Final = len(STEPS)
"""Version of the layout."""

_ONE_AT_A_TIME: Final = 0x61676E62  # a key of our own among the advisory locks of a PostgreSQL database


def layout_of(connection: Connection) -> int:
    """Return the version of the layout of a database; 0 when it has none of our tables."""
    if not inspect(connection).has_table(layout.name):
        return 0
    return connection.scalar(select(func.max(layout.c.version))) or 0


def check_layout(version: int, name: str) -> None:
    """Refuse a database whose layout is newer than what is known here.

    Raises:
        ConversationError: it is (`store-version`); nothing was changed.
    """
    if version > VERSION:
        detail = f"{name} has layout {version}; this agentnb knows layout {VERSION}. Nothing was changed"
        raise ConversationError("store-version", f"{detail}; update agentnb (pip install -U agentnb-kit), or name another place")


def migrate(connection: Connection, name: str) -> None:
    """Bring a database to the layout of this version, within the transaction of the connection.

    Args:
        connection: connected, in a transaction that nobody else may begin meanwhile.
        name: the database, for messages.

    Raises:
        ConversationError: its layout is newer than what is known here (`store-version`).
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": _ONE_AT_A_TIME})
    version = layout_of(connection)
    check_layout(version, name)
    if version == VERSION:
        return
    _metadata.create_all(connection, tables=[layout, *(table for step in STEPS[version:] for table in step)])
    connection.execute(layout.delete())
    connection.execute(insert(layout).values(version=VERSION))
