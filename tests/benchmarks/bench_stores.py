"""What do stores cost beside the database alone, and beside parsing what they hold?

Appends are measured against the same rows, written with the same durability by sqlite3 and psycopg alone. Takes the number of appends and of records.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))

from agentnb.conversations.stores import FolderStore, MemoryStore, SqlStore, Store, open_store
from agentnb.conversations.stores._texts import record_text
from tests.benchmarks.measure import best_times, print_ratios
from tests.conversations.stores.postgres import NO_POSTGRESQL, PROGRAMS, running_postgres

GROW = (
    "insert into lengths values ({0}, {0}) on conflict (conversation) do update set length = lengths.length + excluded.length returning length",
    "insert into records values ({0}, {0}, {0})",
)


def main(appends: int, records: int) -> None:
    """Measure appends, then opening a long conversation, then looking at a thousand."""
    folder = Path(tempfile.mkdtemp(prefix="agentnb-bench-"))
    try:
        _measure_appends(folder, appends)
        _measure_reading(folder, records)
        _measure_lengths(folder)
    finally:
        shutil.rmtree(folder)


def _measure_appends(folder: Path, appends: int) -> None:
    sys.stdout.write(f"{appends:,} appends of one record, each flushed to the disk\n")
    sqlite = SqlStore(folder / "ours.sqlite")
    alone = _sqlite_alone(folder / "alone.sqlite")
    files = FolderStore(folder / "files")
    competitors: dict[str, Callable[[], Any]] = {
        "sqlite3 alone": lambda: _append_alone(alone, appends),
        "SqlStore, SQLite": lambda: _append(sqlite, appends),
        "FolderStore": lambda: _append(files, appends),
        "write and fsync alone": lambda: _write_alone(folder / "alone.jsonl", appends),
        "MemoryStore": lambda: _append(MemoryStore(), appends),
    }
    print_ratios(best_times(competitors, rounds=5), against="sqlite3 alone")
    sqlite.close()
    alone.close()
    if PROGRAMS is None:
        sys.stdout.write(f"{NO_POSTGRESQL}\n")
        return
    with running_postgres(durable=True) as server:
        url = server.new_place()
        ours = SqlStore(url)
        with psycopg.connect(url) as connection:
            connection.execute("create table lengths (conversation text primary key, length bigint not null)")
            connection.execute("create table records (conversation text, seq bigint, record text not null, primary key (conversation, seq))")
            connection.commit()
            servers = {"psycopg alone": lambda: _insert_alone(connection, appends), "SqlStore, PostgreSQL": lambda: _append(ours, appends)}
            print_ratios(best_times(servers, rounds=5), against="psycopg alone")
        ours.close()


def _measure_reading(folder: Path, count: int) -> None:
    texts = [record_text(_record(number)) for number in range(count)]
    sys.stdout.write(f"opening a conversation of {count:,} records, {sum(map(len, texts)) / 1e6:.0f} MB\n")
    places = {"SqlStore, SQLite": str(folder / "long.sqlite"), "FolderStore": str(folder / "long")}
    for place in places.values():
        store = open_store(place)
        for start in range(0, count, 5_000):
            store.append("long", [_record(number) for number in range(start, min(start + 5_000, count))])
    competitors: dict[str, Callable[[], Any]] = {
        "json.loads": lambda: [json.loads(text) for text in texts],
        "SqlStore, SQLite": lambda: _open(SqlStore(places["SqlStore, SQLite"]), count),
        "FolderStore": lambda: _open(FolderStore(places["FolderStore"]), count),
    }
    print_ratios(best_times(competitors, rounds=3), against="json.loads")


def _measure_lengths(folder: Path) -> None:
    sys.stdout.write("a look at 1,000 conversations\n")
    sqlite, files = SqlStore(folder / "many.sqlite"), FolderStore(folder / "many")
    for store in (sqlite, files):
        for number in range(1_000):
            store.append(f"conversation-{number:04}", [_record(number)])
        assert len(store.lengths()) == 1_000
    print_ratios(best_times({"SqlStore, SQLite": sqlite.lengths, "FolderStore": files.lengths}, rounds=5), against="SqlStore, SQLite")
    sqlite.close()


def _append(store: Store, appends: int) -> None:
    expect = len(store.read("c"))
    for number in range(appends):
        expect = store.append("c", [_record(number)], expect=expect)


def _open(store: SqlStore | FolderStore, count: int) -> None:
    assert len(store.read("long")) == count
    store.close()


def _sqlite_alone(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = full")
    connection.execute("create table lengths (conversation text primary key, length integer not null)")
    connection.execute("create table records (conversation text, seq integer, record text not null, primary key (conversation, seq))")
    return connection


def _append_alone(connection: sqlite3.Connection, appends: int) -> None:
    for number in range(appends):
        connection.execute("begin immediate")
        (length,) = connection.execute(GROW[0].format("?"), ("c", 1)).fetchone()
        connection.execute(GROW[1].format("?"), ("c", length, json.dumps(_record(number))))
        connection.execute("commit")


def _insert_alone(connection: psycopg.Connection[Any], appends: int) -> None:
    for number in range(appends):
        row = connection.execute(GROW[0].format("%s").encode(), ("c", 1)).fetchone()
        assert row is not None
        connection.execute(GROW[1].format("%s").encode(), ("c", row[0], json.dumps(_record(number))))
        connection.commit()


def _write_alone(path: Path, appends: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in range(appends):
        os.write(descriptor, json.dumps(_record(number)).encode() + b"\n")
        os.fsync(descriptor)
    os.close(descriptor)


def _record(number: int) -> dict[str, Any]:
    response = {"id": f"msg-{number}", "text": "The order was sent on Monday. " * 12, "usage": {"input": 1200 + number, "output": 80}}
    return {"functai_conversation": 1, "kind": "reply", "at": "2026-09-26T23:12:03.123456Z", "turn": "t", "key": f"sha256:{number:064}", "response": response}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
