"""The one way to write a JSON value, and the keys of replies, which other languages compute too."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.conversations.canonical import canonical_json, sha256_of, size_of, text_of
from agentnb.conversations.reply_keys import reply_key
from tests.conformance import cases_in, read_case

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e15, 1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1e-7, "1e-7"),
        (0.00001, "0.00001"),
        (1e21, "1e+21"),
        (123456789012345680000.0, "123456789012345680000"),
        (5e-324, "5e-324"),
        (2**60, "1152921504606846976"),
        (0.1 + 0.2, "0.30000000000000004"),
        (True, "true"),
        ([], "[]"),
        ({}, "{}"),
        ((1, None), "[1,null]"),
        ('"\\/\b\n\u0001\u007fé😀\u2028', '"\\"\\\\/\\b\\n\\u0001\u007fé😀\u2028"'),
        ("\ud83d", '"\\ud83d"'),
    ],
    ids=repr,
)
def test_a_value_is_written_as_ecmascript_does(value: Any, text: str) -> None:
    assert canonical_json(value) == text


def test_keys_are_sorted_by_code_point_and_not_by_utf_16_unit() -> None:
    assert canonical_json({"\U0001f600": 1, "\uff5e": 2, "b": 3, "B": 4}) == '{"B":4,"b":3,"\uff5e":2,"\U0001f600":1}'


@given(JSON)
def test_what_is_written_reads_back_as_the_same_value(value: Any) -> None:
    assert json.loads(canonical_json(value)) == value
    assert size_of(value) == len(canonical_json(value))


def test_a_value_of_any_depth_is_written() -> None:
    deep: Any = {}
    for _ in range(50_000):
        deep = [deep]
    assert canonical_json(deep) == f"{'[' * 50_000}{{}}{']' * 50_000}"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_of_any_size_reads_back_exactly(value: float) -> None:
    assert float(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers()))
def test_the_order_of_keys_does_not_matter(value: dict[str, int]) -> None:
    assert sha256_of(dict(reversed(value.items()))) == sha256_of(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf]], ids=repr)
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="no number of JSON"):
        canonical_json(value)


@pytest.mark.parametrize(("value", "message"), [({1: 2}, "the key 1 is no text"), ({"a": {3}}, "is a set, which is not JSON"), (b"x", "is a bytes")], ids=repr)
def test_what_is_not_json_is_refused(value: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        canonical_json(value)


@pytest.mark.parametrize(("value", "text"), [("as it is", "as it is"), ({"b": 1.0, "a": None}, '{"a":null,"b":1}'), (None, "null")])
def test_a_result_that_a_person_gives_is_a_text(value: Any, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("replies", "key"), ids=lambda path: path.stem)
def test_the_key_of_a_reply_is_the_published_one(path: Path) -> None:
    case = read_case(path)
    assert {"key": reply_key(case["request"], replicate=case["replicate"])} == case["expect"]


def test_another_request_or_another_try_has_another_key() -> None:
    keys = {reply_key({"model": "m"}), reply_key({"model": "n"}), reply_key({"model": "m"}, replicate=1), reply_key({"model": "m", "seed": 1.0})}
    assert len(keys) == 4
    assert reply_key({"model": "m", "seed": 1}) in keys
