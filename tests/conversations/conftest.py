"""One place of each kind to keep conversations in, for tests that hold whatever the kind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentnb.conversations.stores import Store
from tests.conversations.stores.places import KINDS, Place, make_place
from tests.conversations.stores.postgres import NO_POSTGRESQL, PROGRAMS, Postgres, running_postgres


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a PostgreSQL server; without one it is skipped, with the reason, and never in CI."""
    for item in items:
        if isinstance(item, pytest.Function) and _needs_postgres(item):
            item.add_marker(pytest.mark.postgres)
            if PROGRAMS is None and os.environ.get("CI") != "true":
                item.add_marker(pytest.mark.skip(reason=NO_POSTGRESQL))


def _needs_postgres(item: pytest.Function) -> bool:
    kinds = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return Path(__file__).parent in item.path.parents and ("postgres" in kinds or bool({"postgres_server", "own_server"} & set(item.fixturenames)))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    if PROGRAMS is None:
        pytest.fail(NO_POSTGRESQL)
    with running_postgres() as server:
        yield server


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty place of the kind that the test names, or of every kind."""
    kind: str = request.param
    url = request.getfixturevalue("postgres_server").new_place() if kind == "postgres" else ""
    place = make_place(kind, tmp_path, url)
    yield place
    place.close()


@pytest.fixture
def store(place: Place) -> Store:
    """A store over an empty place."""
    return place.open()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test in every kind of place, or in those that its mark `kinds` names."""
    if "place" in metafunc.fixturenames:
        mark = metafunc.definition.get_closest_marker("kinds")
        metafunc.parametrize("place", mark.args if mark else KINDS, indirect=True)
