"""What only a database has: a layout with a version, a file that may vanish, a URL with a password, a server that may be away."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, insert, select, update

from agentnb.conversations.stores import SqlStore, Store, events_of
from agentnb.conversations.stores import _sql_tables as tables
from agentnb.conversations.stores.sql import database_url
from agentnb.errors import ConversationError, SettingError
from tests.conversations.stores.places import Place
from tests.conversations.stores.postgres import Postgres
from tests.conversations.stores.test_events import TREE, event

SQL = ("sqlite", "postgres")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "kept.sqlite"


def database(place: Place) -> Any:
    store = place.open()
    assert isinstance(store, SqlStore)
    return store._database


@pytest.mark.kinds(*SQL)
def test_an_older_layout_is_brought_up_to_this_one_and_keeps_its_records(place: Place) -> None:
    store = place.open()
    store.append("c", [{"text": "old"}])
    with database(place).writing() as connection:
        tables._metadata.drop_all(connection, tables=[table for step in tables.STEPS[1:] for table in step])
        connection.execute(update(tables.layout).values(version=1))
    newer = place.open()
    assert newer.read("c") == [{"text": "old", "seq": 1}]
    events = events_of(newer)
    assert events is not None
    assert events.append(TREE, [event(1, "started")]) == "kept"
    with database(place).reading() as connection:
        assert connection.scalars(select(tables.layout.c.version)).all() == [tables.VERSION]


@pytest.mark.kinds(*SQL)
def test_a_newer_layout_is_refused_and_left_as_it_is(place: Place) -> None:
    place.open().append("c", [{"text": "kept"}])
    with database(place).writing() as connection:
        connection.execute(update(tables.layout).values(version=99))
    with pytest.raises(
        ConversationError, match=r"store-version: .* has layout 99; this agentnb knows layout \d+\. Nothing was changed; update agentnb"
    ) as caught:
        place.open()
    assert "secret-word" not in str(caught.value)
    engine = create_engine(database_url(place.where))
    with engine.connect() as connection:
        assert connection.scalars(select(tables.records.c.record)).all() == ['{"text":"kept"}']
    engine.dispose()


@pytest.mark.kinds(*SQL)
def test_a_record_is_kept_as_json_in_ascii_byte_for_byte(place: Place) -> None:
    place.open().append("c", [{"b": "é\x00\ud800", "a": 1.0}])
    with database(place).reading() as connection:
        assert connection.scalars(select(tables.records.c.record)).all() == [r'{"b":"\u00e9\u0000\ud800","a":1.0}']


@pytest.mark.kinds(*SQL)
def test_a_record_that_somebody_damaged_keeps_its_place(place: Place) -> None:
    store = place.open()
    store.append("c", [{"text": "a"}, {"text": "b"}, {"text": "c"}])
    with database(place).writing() as connection:
        connection.execute(update(tables.records).where(tables.records.c.seq == 2).values(record="{cut"))
    assert store.read("c") == [{"text": "a", "seq": 1}, {"unreadable": True, "seq": 2}, {"text": "c", "seq": 3}]
    assert store.append("c", [{}], expect=3) == 4


def test_an_sqlite_file_is_written_ahead_flushed_with_each_commit_and_the_owners_alone(path: Path) -> None:
    store = SqlStore(path)
    with store._database.reading() as connection:
        assert connection.exec_driver_sql("pragma journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("pragma synchronous").scalar() == 2
    assert [oct(file.stat().st_mode & 0o777) for file in path.parent.iterdir()] == ["0o600"] * len(list(path.parent.iterdir()))
    store.close()


def test_a_session_of_postgresql_is_durable_and_patient_whatever_the_account_has_set(postgres_server: Postgres) -> None:
    url = postgres_server.new_place() + "%20-csynchronous_commit%3Doff%20-cdefault_transaction_isolation%3Dserializable"
    store = SqlStore(url, busy_timeout=7)
    with store._database.reading() as connection:
        shown = [connection.exec_driver_sql(f"show {name}").scalar() for name in ("synchronous_commit", "transaction_isolation", "lock_timeout")]
    assert shown == ["on", "read committed", "7s"]
    store.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_vanished_is_said_to_be_gone_and_nothing_is_written_into_the_void(path: Path, replaced: bool) -> None:
    store = SqlStore(path)
    store.append("c", [{}])
    path.rename(path.with_suffix(".elsewhere"))
    if replaced:
        SqlStore(path).close()
    for use in (lambda: store.append("c", [{}]), lambda: store.read("c"), store.lengths, lambda: store.wait("c", after=1, timeout=1)):
        with pytest.raises(ConversationError, match=r"store-failed: .*kept\.sqlite cannot be .*: the file was removed or replaced .* open the place again"):
            use()
    assert store.is_closed
    assert path.exists() == replaced


def test_a_file_that_is_no_database_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("dear diary, " * 100)
    with pytest.raises(ConversationError, match=r"store-failed: .* cannot be opened: the file is no SQLite database .* name another file"):
        SqlStore(path)
    assert path.read_text() == "dear diary, " * 100


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    store = SqlStore(path)
    assert store.append("c", [{}]) == 1
    store.close()


def test_a_damaged_database_is_said_to_be_so(path: Path) -> None:
    store = SqlStore(path)
    store.append("c", [{"text": "x" * 50_000}])
    store.close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    with path.open("r+b") as file:
        file.write(data)
    with pytest.raises(ConversationError, match=r"the database is damaged .* restore it from a copy"):
        store.read("c")
    store.close()


def test_a_folder_cannot_be_a_database(tmp_path: Path) -> None:
    with pytest.raises(ConversationError, match=r"store-failed: .* cannot be opened: it is no file that can be opened"):
        SqlStore(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(ConversationError, match=r"store-failed: .* cannot be opened: (Not a directory|File exists)"):
        SqlStore(tmp_path / "file" / "kept.sqlite")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anything")
def test_a_database_that_may_only_be_read_is_read(path: Path) -> None:
    store = SqlStore(path)
    store.append("c", [{}])
    store.close()
    path.chmod(0o400)
    with pytest.raises(ConversationError, match="give this account the right to write"):
        SqlStore(path).append("c", [{}])


def test_other_tables_of_a_database_are_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("create table records (mine text)")
    connection.close()
    store: Store = SqlStore(path)
    assert store.append("c", [{}]) == 1
    store.close()  # type: ignore[attr-defined]
    with sqlite3.connect(path) as connection:
        assert connection.execute("select count(*) from records").fetchall() == [(0,)]
    connection.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:secret-word@127.0.0.1:1/x",
        "postgres://user:secret-word@127.0.0.1:1/x?sslmode=disable",
        "postgresql+psycopg2://user:secret-word@127.0.0.1:1/x",
        "postgresql://user@127.0.0.1:1/x?password=secret-word",
    ],
)
def test_a_server_that_is_away_is_named_without_its_password(url: str) -> None:
    with pytest.raises(
        ConversationError, match=r"store-failed: postgresql\+psycopg://user.*@127\.0\.0\.1:1/x cannot be opened: .*refused.*server runs"
    ) as caught:
        SqlStore(url, busy_timeout=1)
    shown: BaseException | None = caught.value
    assert "secret-word" not in str(shown)


def test_a_repr_names_the_place_without_its_password(postgres_server: Postgres, path: Path) -> None:
    store = SqlStore(postgres_server.new_place())
    assert repr(store) == "SqlStore('postgresql+psycopg://tester:***@/postgres')"
    store.close()
    store = SqlStore(path)
    assert repr(store) == f"SqlStore({str(path)!r})"
    store.close()


@pytest.mark.parametrize(
    "url", ["mysql://user:secret-word@host/x", "sqlite://", "sqlite:///:memory:", "sqlite:///file?mode=ro", "://secret-word", "x://y:secret-word@"]
)
def test_a_url_of_anything_else_is_refused(url: str) -> None:
    with pytest.raises(SettingError, match="store-url: ") as caught:
        SqlStore(url)
    assert "secret-word" not in str(caught.value)


def test_without_the_driver_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConversationError, match=r"store-failed: .* cannot be opened: .*psycopg.*\(pip install 'agentnb-kit\[postgres\]'"):
        SqlStore("postgresql://user@host/x")


def test_a_transaction_that_fails_in_the_middle_leaves_nothing(path: Path) -> None:
    store = SqlStore(path)
    store.append("c", [{}])
    with store._database.writing() as connection:
        connection.execute(insert(tables.records), {"conversation": "c", "seq": 3, "record": "{}"})
    # Somebody wrote past the store: the place is taken, and the append must not stay half done.
    with pytest.raises(ConversationError, match="store-failed"):
        store.append("c", [{"text": "second"}, {"text": "third"}])
    assert store.lengths() == {"c": 1}
    assert [record["seq"] for record in store.read("c")] == [1, 3]
    store.close()
