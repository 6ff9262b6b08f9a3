"""Conversations in a database: an SQLite file for one computer, PostgreSQL for many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import URL, Connection, bindparam, insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from agentnb.conversations.identifiers import check_conversation_id
from agentnb.conversations.stores._conflicts import check_length
from agentnb.conversations.stores._sql_calls import SqlCalls
from agentnb.conversations.stores._sql_database import Database
from agentnb.conversations.stores._sql_events import SqlEvents
from agentnb.conversations.stores._sql_tables import conversations, records
from agentnb.conversations.stores._texts import read_records, record_text
from agentnb.conversations.stores._waiting import Bell
from agentnb.conversations.stores.protocols import Record
from agentnb.errors import SettingError

_DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg", "sqlite": "sqlite+pysqlite"}

# The length is compared and set in one statement, which also holds the row against everybody else until the end of the transaction.
_GROW = text("""
insert into agentnb_conversations (conversation, length) values (:conversation, :count)
on conflict (conversation) do update set length = agentnb_conversations.length + excluded.length
returning length
""")
_INSERT = insert(records)
_LENGTH = select(conversations.c.length).where(conversations.c.conversation == bindparam("conversation"))
_LENGTHS = select(conversations.c.conversation, conversations.c.length).order_by(conversations.c.conversation)
_READ = (
    select(records.c.seq, records.c.record)
    .where(records.c.conversation == bindparam("conversation"), records.c.seq > bindparam("after"))
    .order_by(records.c.seq)
)

# On PostgreSQL all of it is one statement: one way to the server and back, and one transaction.
_APPEND_AT_ONCE = text("""
with grown as (
    insert into agentnb_conversations (conversation, length)
    select :conversation, :count
    where cast(:expect as bigint) is null
        or :expect = 0
        or exists (select 1 from agentnb_conversations where conversation = :conversation)
    on conflict (conversation) do update set length = agentnb_conversations.length + excluded.length
        where cast(:expect as bigint) is null or agentnb_conversations.length = :expect
    returning length
), kept as (
    insert into agentnb_records (conversation, seq, record)
    select :conversation, grown.length - :count + given.place, given.record
    from grown cross join unnest(cast(:records as text[])) with ordinality as given (record, place)
)
select length from grown
""")


class SqlStore:
    """Keeps conversations in a database, for many threads, processes and, with PostgreSQL, computers at once.

    An SQLite file is written ahead and flushed with each append (WAL, synchronous=full). PostgreSQL needs the extra `postgres`.

    Args:
        place: path of an SQLite file, or the URL of a PostgreSQL database or an SQLite file.
        busy_timeout: seconds to wait for others at most.

    Raises:
        SettingError: it is neither.
        ConversationError: the database cannot be opened (`store-failed`), or is newer than this version (`store-version`).
    """

    persistent: ClassVar[bool] = True
    durability: ClassVar[str] = "disk"

    def __init__(self, place: str | Path, *, busy_timeout: float = 10.0) -> None:
        self._database = Database(database_url(place), busy_timeout=busy_timeout)
        self._bell = Bell()
        self.events = SqlEvents(self._database)
        self.calls = SqlCalls(self._database)

    def __repr__(self) -> str:
        return f"SqlStore({self._database.name!r})"

    @property
    def is_closed(self) -> bool:
        """Whether its file is not there any more, so that it has to be opened anew."""
        return self._database.is_closed

    def append(self, conversation: str, records: Sequence[Mapping[str, Any]], *, expect: int | None = None) -> int:
        """Append records to a conversation; see `Store.append`."""
        check_conversation_id(conversation)
        texts = [record_text(record) for record in records]
        if not texts:
            length = self._length(conversation)
            check_length(conversation, length, expect)
            return length
        length = (self._append if self._database.is_sqlite else self._append_at_once)(conversation, texts, expect)
        self._bell.ring()
        return length

    def read(self, conversation: str, *, after: int = 0) -> list[Record]:
        """Return the records after a place; see `Store.read`."""
        given = {"conversation": check_conversation_id(conversation), "after": max(after, 0)}
        with self._database.reading() as connection:
            rows = connection.execute(_READ, given).all()
        return read_records((row[0], row[1]) for row in rows)

    def wait(self, conversation: str, *, after: int, timeout: float) -> bool:
        """Wait until there are more than `after` records; see `Store`."""
        check_conversation_id(conversation)
        return self._bell.wait_for(lambda: self._length(conversation) > after, timeout)

    def conversations(self) -> list[str]:
        """Return the ids of all conversations, sorted."""
        return sorted(self.lengths())

    def lengths(self) -> dict[str, int]:
        """Return how many records each conversation has, with one query."""
        with self._database.reading() as connection:
            return {row[0]: row[1] for row in connection.execute(_LENGTHS)}

    def close(self) -> None:
        """Close all connections; they are opened again when they are needed."""
        self._database.close()

    def _append(self, conversation: str, texts: list[str], expect: int | None) -> int:
        with self._database.writing() as connection:
            grown: int = connection.execute(_GROW, {"conversation": conversation, "count": len(texts)}).scalar_one()
            length = grown - len(texts)
            check_length(conversation, length, expect)
            rows = [{"conversation": conversation, "seq": seq, "record": record} for seq, record in enumerate(texts, length + 1)]
            connection.execute(_INSERT, rows if len(rows) > 1 else rows[0])
        return grown

    def _append_at_once(self, conversation: str, texts: list[str], expect: int | None) -> int:
        given = {"conversation": conversation, "count": len(texts), "expect": expect, "records": texts}
        with self._database.writing_at_once() as connection:
            grown: int | None = connection.execute(_APPEND_AT_ONCE, given).scalar_one_or_none()
            if grown is None:
                length = _length_in(connection, conversation)
                # It may have got there since; the append was refused all the same.
                check_length(conversation, None if length == expect else length, expect)
        assert grown is not None
        return grown

    def _length(self, conversation: str) -> int:
        with self._database.reading() as connection:
            return _length_in(connection, conversation)


def database_url(place: str | Path) -> URL:
    """Return the URL of a database, with the driver that is used for it.

    Args:
        place: a path or URL.

    Raises:
        SettingError: it is neither an SQLite file nor a PostgreSQL database.
    """
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite+pysqlite", database=str(Path(place).expanduser().absolute()))
    try:
        url = make_url(place)
    except ArgumentError as error:
        raise SettingError("store-url", "the URL of the store cannot be read; write postgresql://user:password@host/database or sqlite:///path") from error
    backend = url.get_backend_name()
    if backend not in _DRIVERS:
        raise SettingError("store-url", f"a store is an SQLite file or a PostgreSQL database, not {backend}")
    url = url.set(drivername=_DRIVERS[backend])
    if backend != "sqlite":
        return url
    if url.database in (None, "", ":memory:") or url.query:
        raise SettingError("store-url", "an SQLite store is a file, as in sqlite:///path; without a store conversations are kept in memory")
    return url.set(database=str(Path(str(url.database)).expanduser().absolute()))


def _length_in(connection: Connection, conversation: str) -> int:
    return connection.execute(_LENGTH, {"conversation": conversation}).scalar_one_or_none() or 0
