"""JSON is read whatever state it is in; each liberty that was taken has a code."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.readers._json import Parsed, parse_document, parse_json, to_json

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SURROGATES = st.text(st.characters(categories=["Cs", "Ll", "Nd"]), max_size=6)


@given(JSON)
def test_strict_json_is_read_as_python_reads_it_and_nothing_is_odd(value: Any) -> None:
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == Parsed(value)
    assert parse_document(json.dumps(value).encode()) == Parsed(value)


@given(JSON)
def test_what_is_written_reads_back(value: Any) -> None:
    assert parse_json(to_json(value).encode()).value == value


@given(st.binary(max_size=60))
def test_any_bytes_give_a_value_or_a_code_and_never_an_error(data: bytes) -> None:
    for parsed in (parse_json(data), parse_json(data, keep_original=True), parse_document(data)):
        assert parsed.ok or (parsed.value is None and parsed.oddities[-1] == "not_json")
        assert to_json(parsed.value).encode()


@given(st.lists(SURROGATES | st.dictionaries(SURROGATES, SURROGATES, max_size=2), max_size=4))
def test_lone_surrogates_never_come_through_and_what_they_were_in_is_kept(values: list[Any]) -> None:
    parsed = parse_json(json.dumps(values).encode(), keep_original=True)
    json.dumps(parsed.value, ensure_ascii=False).encode()
    for value, cleaned in zip(values, parsed.value, strict=True):
        if isinstance(value, dict) and isinstance(cleaned, dict) and "as_recorded" in cleaned:
            assert json.loads(cleaned["as_recorded"]) == json.loads(json.dumps(value))


CASES: list[tuple[bytes, Any, tuple[str, ...]]] = [
    (b'{"a": NaN}', {"a": "NaN"}, ("not_a_number",)),
    (b"[Infinity, -Infinity]", ["Infinity", "-Infinity"], ("not_a_number",)),
    (b'"\\ud83c"', "\\ud83c", ("lone_surrogate",)),
    (b'{"\\udc00": 1}', {"\\udc00": 1}, ("lone_surrogate",)),
    (b'"\\ud83c\\udf3b"', "🌻", ()),
    (b'"caf\xe9"', "caf\\xe9", ("invalid_utf8",)),
    (b'"a\x01b"', "a\x01b", ("loose_json",)),
    (b'"a\nb"', "a\nb", ("loose_json",)),
    (b'{"a": 1e999}', {"a": float("inf")}, ("loose_json",)),
    (b"12345678901234567890123456789012345678901234567890", 12345678901234567890123456789012345678901234567890, ()),
    (b" [1] ", [1], ()),
]


@pytest.mark.parametrize(("data", "value", "oddities"), CASES, ids=[repr(data) for data, _, _ in CASES])
def test_a_liberty_that_was_taken_has_its_code(data: bytes, value: Any, oddities: tuple[str, ...]) -> None:
    parsed = parse_json(data)
    assert parsed.ok
    assert (parsed.value, parsed.oddities) == (value, oddities)


@pytest.mark.parametrize("data", [b"", b" ", b"{", b"[1,", b'"a', b"{'a': 1}", b"[1] [2]", b"\xff", b"nul", b"\x00"], ids=repr)
def test_what_is_no_json_has_no_value(data: bytes) -> None:
    assert parse_json(data) == Parsed(None, parse_json(data).oddities, ok=False)
    assert parse_json(data).oddities[-1] == "not_json"


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'[{"a": 1}, {"b": "tex', [{"a": 1}, {"b": "tex"}]),
        (b'[{"a": 1}, {"b', [{"a": 1}, {}]),
        (b'[{"a": 1}, oops, {"b": 2}]', [{"a": 1}]),
        (b'{"a": [1, 2', {"a": [1, 2]}),
        (b'{"a": [1, 2, ', {"a": [1, 2]}),
        (b"[1] [2]", [1]),
    ],
    ids=repr,
)
def test_of_a_damaged_document_what_stands_before_the_damage_is_kept(data: bytes, value: Any) -> None:
    assert parse_document(data) == Parsed(value, ("cut_document",))


def test_only_the_innermost_record_of_a_list_keeps_what_it_was() -> None:
    parsed = parse_json(b'{"runs": [{"id": 1, "messages": [{"content": "a"}, {"content": "\\ud83c"}]}]}', keep_original=True)
    assert parsed.value == {"runs": [{"id": 1, "messages": [{"content": "a"}, {"content": "\\ud83c", "as_recorded": '{"content": "\\ud83c"}'}]}]}


def test_a_value_nested_too_deeply_to_be_written_leaves_a_note() -> None:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    assert to_json(value) == '"(nested too deeply)"'
    assert to_json({"a": value}) == '{"too_deep":true}'
    while value:
        value = value[0]
