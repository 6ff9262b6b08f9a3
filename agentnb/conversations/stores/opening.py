"""Where conversations are kept, from what a person says about it; one store per place and process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from platformdirs import user_data_path

from agentnb.conversations.stores._forks import ForkLock
from agentnb.conversations.stores.folder import FolderStore
from agentnb.conversations.stores.memory import MemoryStore
from agentnb.conversations.stores.protocols import Store
from agentnb.errors import OptionError

Place: TypeAlias = "bool | str | os.PathLike[str] | Store | HasRecords | None"
"""What a store is opened from."""

_DATABASES = (".sqlite", ".sqlite3", ".db")


@runtime_checkable
class HasRecords(Protocol):
    """What keeps live conversations among other things, as a workspace does."""

    @property
    def records_place(self) -> bool | str | os.PathLike[str] | Store | None:
        """Where it keeps them."""


def open_store(place: Place = None) -> Store:
    """Open what keeps conversations.

    Args:
        place: None or False for the memory of this process; True for `records.sqlite` in this account's data folder; the path of a folder, for files in
            FunctAI's layout; the path of a file that ends with .sqlite, .sqlite3 or .db, or that is there; a URL of PostgreSQL or SQLite; a workspace, for
            the conversations that it shows beside what it has read; or a store, which is returned as it is.

    Returns:
        The store; the same one for the same place in this process.

    Raises:
        OptionError: it is nothing of these.
        ConversationError: the place cannot be opened.
    """
    if isinstance(place, HasRecords):
        place = place.records_place
    if place is None or place is False:
        return _opened.at("", MemoryStore)
    if place is True:
        return _open_database(str(user_data_path("agentnb", appauthor=False) / "records.sqlite"))
    if isinstance(place, str) and "://" in place:
        return _open_database(place)
    if isinstance(place, str | os.PathLike):
        path = Path(os.path.realpath(Path(place).expanduser()))
        if path.is_file() or (path.suffix in _DATABASES and not path.is_dir()):
            return _open_database(str(path))
        return _opened.at(f"folder {path}", lambda: FolderStore(path))
    if isinstance(place, Store):
        return place
    raise OptionError(f"{type(place).__name__} is no store: give a path, a URL, True, None, or an object with the methods append and read")


def _open_database(place: str) -> Store:
    # SQLAlchemy is loaded by those who use it.
    from agentnb.conversations.stores.sql import SqlStore, database_url

    return _opened.at(database_url(place).render_as_string(hide_password=False), lambda: SqlStore(place))


class _Opened:
    """The stores of this process."""

    def __init__(self) -> None:
        self._stores: dict[str, Store] = {}
        self._lock = ForkLock()

    def at(self, place: str, make: Callable[[], Store]) -> Store:
        with self._lock:
            store = self._stores.get(place)
            if store is None or getattr(store, "is_closed", False):
                store = self._stores[place] = make()
            return store


_opened = _Opened()
