"""Nothing that a model puts out raises, and no text takes more than its length."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.decisions import explain_decision, normalize_decision
from agentnb.decisions._json import MOST_DEEP, parse_json, whole, write_json

BIG = 10_000_000
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)
FIELDS = ["taskComplete", "message", "payloadChangeRequest", "responseForm", "nextStep", "type", "actions", "subAgent", "subAgents", "name", "params"]
ENVELOPES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["Chat", "actions", " Sub-Agent ", "", "x", "{", "```"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=6),
    max_leaves=25,
)
PIECES = st.lists(st.sampled_from(['{"a":1}', "{", "}", '"', "\\", "```json\n", "```", "[", "]", "NaN", ",", "\ufeff", "\ud800", " ", "text", "-1e9"]))


@pytest.mark.parametrize("levels", [MOST_DEEP + 1, 5_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_what_is_nested_too_deeply_is_unparseable_wherever_the_caller_stands(levels: int, opening: str, closing: str) -> None:
    text = f'{{"payloadChangeRequest": {opening * levels}1{closing * levels}}}'
    decision = normalize_decision({"text": text})
    assert (decision.kind, decision.diagnostic_category) == ("unparseable", "parse_error")
    assert normalize_decision({"text": opening * levels}).kind == "unparseable"


def test_what_is_nested_less_deeply_is_read() -> None:
    levels = MOST_DEEP - 2
    text = f'{{"taskComplete": true, "x": {"[" * levels}{"]" * levels}}}'
    assert normalize_decision({"text": text}).kind == "taskComplete"
    assert normalize_decision({"text": json.dumps({"taskComplete": True, "x": "[{" * 5000})}).kind == "taskComplete"


@pytest.mark.parametrize(
    "text",
    [
        "a" * BIG,
        " " * BIG,
        "{" * BIG,
        "[" * BIG,
        "{}" * (BIG // 2),
        '"' * BIG,
        '{"a":"' + "\\" * BIG,
        "```" + "a" * BIG,
        "`" * BIG,
        "```json" + "\n" * BIG + "{}",
        '{"a":' + "9" * BIG + "}",
        '{"a":"' + "\ud800" * BIG + '"}',
        '{"nextStep":{"actions":[' + "1," * (BIG // 2) + "1]}}",
        "}" * BIG,
    ],
    ids=range(14),
)
def test_ten_megabytes_are_read_in_time_that_grows_with_their_length(text: str) -> None:
    assert normalize_decision({"text": text}).kind in ("unparseable", "empty", "other", "action")
    assert normalize_decision({"text": text, "protocol": "implicit"}).kind in ("taskComplete", "empty", "other", "action")
    assert normalize_decision({"text": text, "toolCalls": [{"name": "x"}]}).kind == "action"


def test_lone_surrogates_are_kept() -> None:
    decision = normalize_decision(
        {"text": '{"message": "\\ud800", "nextStep": {"type": "\\udfff", "actions": [{"name": "\ud83d", "params": {"\\udc00": "\\ud801"}}]}}'}
    )
    assert decision.message == "\ud800"
    assert decision.step_type == "\udfff"
    assert [(action.name, action.params) for action in decision.actions] == [("\ud83d", {"\udc00": "\ud801"})]
    assert normalize_decision({"toolCalls": [{"name": "\ud800"}], "toolNameMap": {"\ud800": "\udfff"}}).actions[0].name == "\udfff"


def test_ten_thousand_malformed_entries_are_said_once() -> None:
    decision = normalize_decision({"text": json.dumps({"nextStep": {"actions": [None] * 10_000}})})
    assert len(decision.discarded) == 101


def test_an_integer_of_thousands_of_digits_is_read_whatever_python_allows() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(700)
    try:
        assert normalize_decision({"text": f'{{"taskComplete": true, "n": {"9" * 1000}}}'}).kind == "taskComplete"
    finally:
        sys.set_int_max_str_digits(before)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(envelope=ENVELOPES, protocol=st.sampled_from([None, "envelope", "implicit", "x"]), calls=st.booleans())
def test_wrong_types_in_every_field_raise_nothing(envelope: Any, protocol: str | None, calls: bool) -> None:
    raw = {"text": json.dumps(envelope), "protocol": protocol, "toolCalls": [{"name": "x", "arguments": envelope}] if calls else None}
    decision = normalize_decision(raw)
    assert explain_decision(raw).decision == decision
    assert (decision.encoding == "native") == calls
    assert len([rule for rule in explain_decision(raw).rules if rule.outcome == "fired"]) == 1


@settings(derandomize=True, max_examples=300, deadline=None)
@given(pieces=PIECES, protocol=st.sampled_from([None, "implicit"]), calls=st.booleans())
def test_broken_texts_raise_nothing(pieces: list[str], protocol: str | None, calls: bool) -> None:
    raw = {"text": "".join(pieces), "protocol": protocol, "toolCalls": [{"name": "x"}] if calls else []}
    assert explain_decision(raw).decision == normalize_decision(raw)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(arguments=JSON_VALUES, role=st.sampled_from([None, "chat", "taskComplete", "payloadChange", "teleport"]), text=st.text())
def test_arguments_of_any_type_raise_nothing(arguments: Any, role: str | None, text: str) -> None:
    raw = {"text": text, "toolCalls": [{"name": "x", "arguments": arguments}], "controlToolMap": {} if role is None else {"x": {"kind": role}}}
    assert normalize_decision(raw).encoding == "native"


@settings(derandomize=True, max_examples=400, deadline=None)
@given(text=st.one_of(JSON_VALUES.map(json.dumps), PIECES.map("".join)))
def test_the_quick_parser_agrees_with_the_strict_one(text: str) -> None:
    def refuse(name: str) -> Any:
        raise ValueError(name)

    parsed = parse_json(text)
    try:
        expected = json.loads(text, parse_constant=refuse)
    except ValueError:
        assert parsed.error is not None
    else:
        assert (parsed.error, repr(parsed.value)) == (None, repr(expected))


@settings(derandomize=True, max_examples=200, deadline=None)
@given(value=JSON_VALUES)
def test_what_is_written_is_text_that_every_table_takes(value: Any) -> None:
    write_json({"value": value, "odd": "\ud800", "big": 2**200}).encode("utf-8")
    (whole(json.dumps(value, ensure_ascii=False)) or "").encode("utf-8")
