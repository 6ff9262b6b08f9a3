"""An SQLite file of live conversations, read beside whoever writes it: never changed, and never waited for longer than a moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from agentnb.garbage import without_garbage_collection
from agentnb.readers._json import parse_json
from agentnb.readers.live import LiveRecords, trees_of

_MAGIC: Final = b"SQLite format 3\x00"
_WAIT: Final = 0.5
"""Seconds to wait for somebody who holds the whole file; who writes by the log that is written ahead holds nobody up."""
_AT_ONCE: Final = 500
_RECORDS: Final = "agentnb_records"


def is_live_database(path: Path) -> bool:
    """Tell whether a file is an SQLite database of live conversations, or one so damaged or held that nobody can tell."""
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return False
        with _connected(path) as connection:
            return _RECORDS in _tables(connection)
    except sqlite3.Error:
        return True
    except OSError:
        return False


class LiveDatabase:
    """The conversations of an SQLite file.

    Every method raises sqlite3.Error or OSError when the file cannot be read now.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def lengths(self) -> dict[str, int]:
        """Return how many records each conversation has, with one query."""
        with _connected(self.path) as connection:
            if _RECORDS not in _tables(connection):
                return {}
            return dict(connection.execute("select conversation, length from agentnb_conversations order by conversation"))

    def read(self, conversation_id: str) -> LiveRecords:
        """Return what is kept of a conversation."""
        with _connected(self.path) as connection, without_garbage_collection():
            tables = _tables(connection)
            found = connection.execute("select seq, record from agentnb_records where conversation = ? order by seq", [conversation_id])
            rows = found.fetchall()
            records = [_record(seq, record) for seq, record in rows]
            trees = trees_of(records)
            events = _of_trees(connection, "agentnb_events", "event", "seq", trees) if "agentnb_events" in tables else []
            calls = _of_trees(connection, "agentnb_calls", "record", "place", trees) if "agentnb_calls" in tables else []
            size = sum(len(text) for text in (*(text for _, text in rows), *events, *calls) if isinstance(text, str | bytes))
        return LiveRecords(conversation_id, records, list(map(_parsed, events)), list(map(_parsed, calls)), size)

    def progress(self, trees: Iterable[str]) -> int:
        """Return a number that grows whenever something is told of these calls."""
        wanted = list(trees)[:_AT_ONCE]
        with _connected(self.path) as connection:
            if "agentnb_trees" not in _tables(connection):
                return 0
            marks = ",".join("?" * len(wanted))
            (last,) = connection.execute(f"select coalesce(sum(last_seq), 0) from agentnb_trees where tree in ({marks})", wanted).fetchone()
        return int(last)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect to read. Where the files beside it cannot be made, as on a medium that cannot be written, nobody else writes it either."""
    place = path.absolute().as_uri()
    with closing(sqlite3.connect(f"{place}?mode=ro", uri=True, timeout=_WAIT)) as connection:
        try:
            connection.execute("select 1 from sqlite_master limit 1").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or path.with_name(f"{path.name}-wal").exists():
                raise
            with closing(sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)) as still:
                yield still
                return
        yield connection


def _tables(connection: sqlite3.Connection) -> frozenset[str]:
    return frozenset(name for (name,) in connection.execute("select name from sqlite_master where type = 'table'"))


def _record(seq: int, text: Any) -> Any:
    value = _parsed(text)
    return value | {"seq": seq} if isinstance(value, dict) else {"unreadable": True, "seq": seq}


def _of_trees(connection: sqlite3.Connection, table: str, column: str, order: str, trees: Sequence[str]) -> list[Any]:
    """Return the texts of these trees, tree by tree."""
    found: list[Any] = []
    for first in range(0, len(trees), _AT_ONCE):
        some = trees[first : first + _AT_ONCE]
        query = f"select {column} from {table} where tree in ({','.join('?' * len(some))}) order by tree, {order}"
        found.extend(text for (text,) in connection.execute(query, some))
    return found


def _parsed(text: Any) -> Any:
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return parse_json(data).value if isinstance(data, bytes) else None
