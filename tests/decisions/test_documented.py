"""Every field of every value of this room has its sentence, and every value says what it is."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import agentnb.decisions
from agentnb.values import Value

MODULES = [importlib.import_module(found.name) for found in pkgutil.walk_packages(agentnb.decisions.__path__, "agentnb.decisions.")]
KINDS = sorted(
    {kind for module in MODULES for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, Value) and kind.__module__ == module.__name__},
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.__name__.startswith("_")], ids=lambda kind: kind.__name__)
def test_a_value_is_documented_and_never_changes(kind: type[Value]) -> None:
    assert kind.__doc__
    assert [name for name, field in kind.model_fields.items() if not (field.description or "").endswith(".")] == []
    assert kind.model_config["frozen"]
    kind.model_json_schema()


def test_the_face_of_the_room_is_sorted_and_can_be_had() -> None:
    for room in (agentnb.decisions, importlib.import_module("agentnb.decisions.typed")):
        names = room.__all__
        assert len(set(names)) == len(names)
        assert [name for name in names if not hasattr(room, name)] == []
