"""Scenes in which processes die."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentnb.conversations.stores import FolderStore, SqlStore
from tests.conversations.stores.postgres import Postgres
from tests.conversations.torture.nursery import Nursery
from tests.conversations.torture.scene import Scene, Truth

DATABASES = ("sqlite", "postgres")
KINDS = ("folder", *DATABASES)


@pytest.fixture
def nursery(root: Path, tmp_path: Path) -> Iterator[Nursery]:
    """Where workers come from."""
    with Nursery(root, tmp_path / "said") as nursery:
        yield nursery


@pytest.fixture
def new_scene(request: pytest.FixtureRequest, tmp_path: Path, nursery: Nursery) -> Iterator[Callable[[Truth | None], Scene]]:
    """Make scenes, each in an empty place of the kind that the test is run with."""
    kind: str = request.param
    server: Postgres | None = request.getfixturevalue("postgres_server") if kind == "postgres" else None
    numbers = itertools.count(1)
    opened: list[SqlStore | FolderStore] = []

    def make(truth: Truth | None = None) -> Scene:
        folder = tmp_path / f"scene{next(numbers)}"
        folder.mkdir()
        place = server.new_place() if server is not None else str(folder / ("kept.sqlite" if kind == "sqlite" else "kept"))
        opened.append(FolderStore(Path(place)) if kind == "folder" else SqlStore(place))
        return Scene(place, opened[-1], folder, nursery, truth)

    yield make
    for store in opened:
        store.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test over scenes in every kind of place; a sample of one in databases only."""
    if "new_scene" in metafunc.fixturenames:
        is_whole = metafunc.definition.get_closest_marker("torture") is not None
        metafunc.parametrize("new_scene", KINDS if is_whole else DATABASES, indirect=True)
