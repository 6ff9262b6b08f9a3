"""A database behind a URL: connections that are safe among threads and forks, transactions, and errors that say what to do."""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from agentnb.conversations.stores._failures import failing_clearly, store_failed
from agentnb.conversations.stores._forks import at_rest_in_forks
from agentnb.conversations.stores._gate import Gate
from agentnb.conversations.stores._sql_failures import reason_and_advice, was_cut_off
from agentnb.conversations.stores._sql_tables import VERSION, check_layout, layout_of, migrate
from agentnb.errors import ConversationError

# What a server or an account may have set otherwise: an append must wait for another, not fail; must be flushed; and must not wait for ever.
_POSTGRESQL_SETTINGS = """
select set_config('default_transaction_isolation', 'read committed', false),
    set_config('lock_timeout', %s, false),
    case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', false) end
"""


class Database:
    """An SQLite file or a PostgreSQL database with the tables of conversations.

    Args:
        url: where it is, with a driver.
        busy_timeout: seconds to wait for others at most.
    """

    def __init__(self, url: URL, *, busy_timeout: float) -> None:
        self._url, self._busy_timeout = url, busy_timeout
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.path = Path(url.database or "") if self.is_sqlite else None
        self.name = str(self.path) if self.path else url.set(query={}).render_as_string(hide_password=True)
        self.is_closed = False
        self._make_file()
        self._identity = self._look()
        self._gate = Gate()
        with self._failing_clearly("opened"):
            self._connect_anew()
        at_rest_in_forks(self)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def pause(self) -> None:
        """Let what is under way end and close all connections before a fork: SQLite's locks belong to a process, and a child that met them would fail."""
        self._gate.close()
        self._engine.dispose()

    def resume(self) -> None:
        """Go on in the parent."""
        self._gate.open()

    def renew(self) -> None:
        """Connect anew in a child of the process."""
        self._close_late.detach()
        self._gate = Gate()
        self._connect_anew()

    def close(self) -> None:
        """Close all connections; they are opened again when they are needed."""
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Connect to read: each statement sees what is committed.

        Raises:
            ConversationError: the database cannot be read (`store-failed`).
        """
        with self._gate.passing(), self._failing_clearly("read"):
            self._check_file("read")
            with self._engine.connect() as connection:
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Connect to write: what is done is kept when the block ends, durably and as one; when it raises, nothing is.

        Raises:
            ConversationError: the database cannot be written (`store-failed`).
        """
        with self._gate.passing(), self._failing_clearly("written"), self._in_turn():
            self._check_file("written")
            with self._engine.connect() as connection:
                connection.exec_driver_sql("begin immediate" if self.is_sqlite else "begin")
                try:
                    yield connection
                    connection.exec_driver_sql("commit")
                except BaseException:
                    _roll_back(connection)
                    raise
            self._check_file("written")

    @contextmanager
    def writing_at_once(self) -> Iterator[Connection]:
        """Connect to write with one statement, which is a transaction of its own.

        Raises:
            ConversationError: the database cannot be written (`store-failed`).
        """
        with self._gate.passing(), self._failing_clearly("written"), self._engine.connect() as connection:
            yield connection

    def _connect_anew(self) -> None:
        self._engine = self._make_engine()
        self._turn = threading.Lock()
        self._close_late = weakref.finalize(self, self._engine.dispose)

    def _make_engine(self) -> Engine:
        options: dict[str, Any] = {"isolation_level": "AUTOCOMMIT", "hide_parameters": True, "pool_timeout": self._busy_timeout}
        if self.is_sqlite:
            given: dict[str, Any] = {"timeout": self._busy_timeout, "check_same_thread": False}
            if self.path is not None:
                # A file that was removed is not made anew by whoever connects next: that it is gone has to be seen.
                place = f"{self.path.absolute().as_uri()}?mode=rw"
                options["creator"] = lambda: sqlite3.connect(place, uri=True, **given)
            engine = create_engine(self._url, connect_args=given, max_overflow=-1, **options)
            event.listen(engine, "connect", _set_up_sqlite)
            return engine
        patience = {"connect_timeout": max(2, math.ceil(self._busy_timeout)), "tcp_user_timeout": math.ceil(self._busy_timeout * 1000)}
        asked = {name: value for name, value in patience.items() if name not in self._url.query}
        engine = create_engine(self._url, connect_args=asked, pool_pre_ping=True, **options)
        event.listen(engine, "connect", partial(_set_up_postgresql, milliseconds=math.ceil(self._busy_timeout * 1000)))
        return engine

    def _prepare(self) -> None:
        with self._failing_clearly("opened"):
            with self._gate.passing(), self._engine.connect() as connection:
                version = layout_of(connection)
            check_layout(version, self.name)
            if version < VERSION:
                with self.writing() as connection:
                    migrate(connection, self.name)

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        """Let the threads of this process write to SQLite one after the other: it would have them look again and again, and some for long."""
        if not self.is_sqlite:
            yield
            return
        if not self._turn.acquire(timeout=self._busy_timeout):
            reason, advice = f"other threads of this process have held it for {self._busy_timeout:g} seconds", "let fewer of them write at once"
            raise store_failed(self.name, reason, advice, doing="written")
        try:
            yield
        finally:
            self._turn.release()

    def _make_file(self) -> None:
        """Make an SQLite file that is the owner's alone; SQLite gives the files beside it the same rights."""
        if self.path is None or self.path.exists():
            return
        with failing_clearly(self.path, doing="opened"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))

    def _look(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:
            return (0, 0)
        return status.st_dev, status.st_ino

    def _check_file(self, doing: Any) -> None:
        """Refuse to go on with a file that is not there any more: SQLite would write to it all the same, and all of it would be lost."""
        if self._look() != self._identity:
            self.is_closed = True
            self._engine.dispose()
            advice = "put it back, or open the place again (open_store) to begin with what is there now"
            raise store_failed(self.name, "the file was removed or replaced since it was opened", advice, doing=doing)

    @contextmanager
    def _failing_clearly(self, doing: Any) -> Iterator[None]:
        try:
            yield
        except PoolTimeout as error:
            reason = f"all connections of this process were in use for {self._busy_timeout:g} seconds"
            raise store_failed(self.name, reason, "let fewer threads use it at once", doing=doing) from error
        except DBAPIError as error:
            self._check_file(doing)
            if doing == "written" and was_cut_off(error) and not self.is_sqlite:
                unknown = f"the connection to {self.name} broke while something was written: it is not known whether it is kept"
                raise ConversationError("store-failed", f"{unknown}. Read the conversation before you write again") from error
            reason, advice = reason_and_advice(error, self._busy_timeout, str(self._url.password or ""))
            raise store_failed(self.name, reason, advice, doing=doing) from error
        except ModuleNotFoundError as error:
            raise store_failed(self.name, str(error), "install the driver (pip install 'agentnb-kit[postgres]')", doing=doing) from error
        except SQLAlchemyError as error:
            raise store_failed(self.name, str(error), "correct the URL", doing=doing) from error


def _roll_back(connection: Connection) -> None:
    try:
        connection.exec_driver_sql("rollback")
    except SQLAlchemyError:
        # SQLite has taken it back already when a disk is full, and says that there is no transaction.
        connection.invalidate()


def _set_up_sqlite(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    if cursor.execute("pragma journal_mode").fetchone()[0] != "wal":
        cursor.execute("pragma journal_mode = wal")
    cursor.execute("pragma synchronous = full")
    cursor.close()


def _set_up_postgresql(connection: Any, _: object, *, milliseconds: int) -> None:
    cursor = connection.cursor()
    cursor.execute(_POSTGRESQL_SETTINGS, [str(milliseconds)])
    cursor.close()
    if not connection.autocommit:
        connection.commit()
