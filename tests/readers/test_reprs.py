"""Python values as text: literals and objects are read, nothing is evaluated, and what is something else is nothing."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.readers._reprs import parse_fields, parse_repr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'a': 1, 'b': [None, True, -2.5]}", {"a": 1, "b": [None, True, -2.5]}),
        ("('x', 'y')", ["x", "y"]),
        ("Point(1, y=2)", {"lc": 1, "type": "constructor", "id": ["Point"], "kwargs": {"0": 1, "y": 2}}),
        ("{'at': datetime.date(2026, 4, 1)}", {"at": {"lc": 1, "type": "constructor", "id": ["datetime", "date"], "kwargs": {"0": 2026, "1": 4, "2": 1}}}),
        ("{'is': name}", {"is": "name"}),
    ],
    ids=["dictionary", "tuple", "object", "object inside", "name"],
)
def test_what_repr_wrote_is_read(text: str, expected: Any) -> None:
    assert parse_repr(text) == expected


@pytest.mark.parametrize("text", ["", "hello", "{", "{'a': <object at 0x7f>}", "[" * 5000, "f(" * 3000, "{'a':\0}", "1 + 1"], ids=lambda text: repr(text[:12]))
def test_what_is_no_value_is_nothing(text: str) -> None:
    assert parse_repr(text) is None


def test_nothing_is_ever_run() -> None:
    assert parse_repr("[__import__('os').getcwd()]") == [{"lc": 1, "type": "constructor", "id": ["__import__('os')", "getcwd"], "kwargs": {}}]


def test_fields_of_a_model_are_read_and_what_is_no_literal_keeps_its_text() -> None:
    text = "role='user' content='a b=c\\nd' name=None at=<Clock 3> tools=[{'x': 1}]"
    assert parse_fields(text) == {"role": "user", "content": "a b=c\nd", "name": None, "at": "<Clock 3>", "tools": [{"x": 1}]}


@pytest.mark.parametrize("text", ["", "a word", "role = 'user'", "=x"])
def test_a_text_that_is_no_list_of_fields_is_nothing(text: str) -> None:
    assert parse_fields(text) is None
