"""What a person says about where conversations are kept, and what that opens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agentnb.conversations.stores import FolderStore, MemoryStore, SqlStore, open_store
from agentnb.errors import OptionError
from tests.conversations.stores.postgres import Postgres


def test_without_a_place_it_is_the_memory_of_this_process() -> None:
    assert isinstance(open_store(), MemoryStore)
    assert open_store() is open_store(None) is open_store(False)


def test_true_is_a_database_in_the_data_folder_of_the_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store = open_store(True)
    assert isinstance(store, SqlStore)
    assert (tmp_path / "agentnb" / "records.sqlite").exists()
    store.close()


@pytest.mark.parametrize(
    ("given", "kind"), [("a.sqlite", SqlStore), ("a.db", SqlStore), ("deep/a.sqlite3", SqlStore), ("folder", FolderStore), ("my.project", FolderStore)]
)
def test_a_path_is_a_database_or_a_folder_by_its_name(tmp_path: Path, given: str, kind: type) -> None:
    store = open_store(tmp_path / given)
    assert type(store) is kind
    assert open_store(str(tmp_path / "x" / ".." / given)) is store
    store.append("c", [{}])
    store.close()  # type: ignore[attr-defined]


def test_a_path_is_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder.db").mkdir()
    (tmp_path / "file").touch()
    assert isinstance(open_store(tmp_path / "folder.db"), FolderStore)
    store = open_store(tmp_path / "file")
    assert isinstance(store, SqlStore)
    monkeypatch.chdir(tmp_path)
    assert open_store("file") is store
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert open_store("link") is store
    assert open_store(f"sqlite:///{tmp_path / 'file'}") is store
    store.close()


def test_a_url_is_a_database(postgres_server: Postgres) -> None:
    url = postgres_server.new_place()
    store = open_store(url)
    assert isinstance(store, SqlStore)
    assert open_store(url) is store
    store.close()


def test_a_store_is_itself() -> None:
    store = MemoryStore()
    assert open_store(store) is store


def test_a_place_whose_file_vanished_is_opened_anew(tmp_path: Path) -> None:
    store = open_store(tmp_path / "a.sqlite")
    store.append("c", [{}])
    (tmp_path / "a.sqlite").rename(tmp_path / "b.sqlite")
    with pytest.raises(RuntimeError, match="open_store"):
        store.read("c")
    anew = open_store(tmp_path / "a.sqlite")
    assert anew is not store
    assert anew.read("c") == []
    anew.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("given", [7, [], b"path", object()])
def test_what_is_no_store_is_refused(given: object) -> None:
    with pytest.raises(OptionError, match="is no store: give a path, a URL, True, None, or an object with the methods append and read"):
        open_store(given)  # type: ignore[arg-type]


def test_a_folder_needs_no_sqlalchemy(root: Path) -> None:
    code = "import sys; from agentnb.conversations.stores import open_store; open_store(); open_store('folder'); print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
