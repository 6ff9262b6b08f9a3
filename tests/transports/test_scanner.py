"""The scanner reads exactly what a strict JSON parser reads, says at which character anything else breaks, and takes each character once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentnb.transports.scanner as scanner_module
from agentnb.transports.scanner import JsonScanner, classify, parse_object

STRICT = settings(derandomize=True, max_examples=300, deadline=None)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)
TEXTS = st.builds(lambda value, indent, plain: json.dumps(value, indent=indent, ensure_ascii=plain), OBJECTS, st.sampled_from([None, 1]), st.booleans())


def refuse(name: str) -> Any:
    raise ValueError(name)


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=refuse), dict)
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("text", "state", "place"),
    [
        ("", "empty", None),
        (" \t\r\n\ufeff", "empty", None),
        ("{", "incomplete", None),
        ('{"a":tru', "incomplete", None),
        ('{"a":-', "incomplete", None),
        ('{"a":"\\ud8', "incomplete", None),
        ('{"a":[{"b":[1,', "incomplete", None),
        ("{}", "complete", None),
        ('\ufeff {"a":[1,-0.5e+3,true,null,"\\u00e4\\n"]} \ufeff', "complete", None),
        ('{"a":1 "b"', "invalid", 7),
        ('{"a":1}}', "trailing", 7),
        ('{"a":1} \ufeff x', "trailing", 10),
        ("{'a'", "invalid", 1),
        ('{"a"}', "invalid", 4),
        ('{"a":1,}', "invalid", 7),
        ('{"a":[1,]}', "invalid", 8),
        ('{"a":[}', "invalid", 6),
        ('{"a":01}', "invalid", 6),
        ('{"a":1.}', "invalid", 7),
        ('{"a":1e}', "invalid", 7),
        ('{"a":-}', "invalid", 6),
        ('{"a":+1}', "invalid", 5),
        ('{"a":.5}', "invalid", 5),
        ('{"a":nul}', "invalid", 8),
        ('{"a":NaN}', "invalid", 5),
        ('{"a":-Infinity}', "invalid", 6),
        ('{"a":1e999}', "invalid", 5),
        ('{"a":"\n"}', "invalid", 6),
        ('{"a":"\\x"}', "invalid", 7),
        ('{"a":"\\u12g4"}', "invalid", 10),
        ('{"a":1/*', "invalid", 6),
        ("{\ufeff}", "invalid", 1),
        ("null", "not_object", 0),
        (" [1]", "not_object", 1),
        ('{"a":' + "[" * 600, "invalid", 504),
        ('{"a":' + "9" * 5000 + "}", "invalid", 4305),
    ],
)
def test_what_a_text_is_and_where_it_breaks(text: str, state: str, place: int | None) -> None:
    assert classify(text)[:2] == (state, place)
    scanner = JsonScanner()
    for char in text:
        scanner.feed(char)
    assert scanner.reading() == classify(text)


@STRICT
@given(TEXTS)
def test_every_object_is_complete_and_every_beginning_of_it_is_not(text: str) -> None:
    assert classify(text).state == "complete"
    assert {classify(text[:at]).state for at in range(1, len(text))} <= {"incomplete"}
    assert parse_object(text).value == json.loads(text)


@STRICT
@given(TEXTS, st.integers(0, 200), st.sampled_from([*"{}[]:,\"\\ \n0179.eE+-tfnalsrux'/", "", "\x00", "é", '"a"']))
def test_a_text_with_one_character_changed_is_an_object_exactly_where_a_strict_parser_says_so(text: str, at: int, other: str) -> None:
    at %= len(text)
    changed = text[:at] + other + text[at + 1 :]
    reading = classify(changed)
    assert (reading.state == "complete") == is_object(changed)
    if reading.state == "invalid" and reading.place is not None and "too large" not in str(reading.reason):
        assert classify(changed[: reading.place]).state == "incomplete"


@STRICT
@given(TEXTS | st.text(alphabet='{}[]:,"\\ 01.e-tru', max_size=30), st.lists(st.integers(0, 200), max_size=6))
def test_how_a_text_is_split_changes_nothing(text: str, cuts: list[int]) -> None:
    scanner = JsonScanner()
    places = sorted({cut % (len(text) + 1) for cut in cuts})
    for begin, finish in zip([0, *places], [*places, len(text)], strict=True):
        scanner.feed(text[begin:finish])
    assert scanner.reading() == classify(text)


def test_a_long_integer_keeps_every_digit() -> None:
    assert parse_object('{"n":' + "9" * 4000 + "}").value["n"] == int("9" * 4000)


def test_keys_that_repeat_are_told() -> None:
    assert parse_object('{"a":1,"a":2}') == ({"a": 2}, True)
    assert parse_object('{"a":{"b":1},"b":2}') == ({"a": {"b": 1}, "b": 2}, False)


def test_the_work_grows_with_the_text_however_small_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    plain = scanner_module._end_of

    def counted(run: Any, piece: str, at: int) -> int:
        nonlocal looked
        found = plain(run, piece, at)
        looked += 1 + found - at
        return found

    monkeypatch.setattr(scanner_module, "_end_of", counted)

    def work(size: int) -> int:
        nonlocal looked
        looked, scanner = 0, JsonScanner()
        for char in '{"a":"' + "x" * size + '"}':
            scanner.feed(char)
        return looked

    assert work(2000) - work(1000) == work(3000) - work(2000)
