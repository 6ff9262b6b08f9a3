"""The tables promise what the values are: the same fields, the same types, the same words."""

from __future__ import annotations

import types
import typing
from datetime import datetime

import pyarrow as pa
import pytest

from agentnb.values import (
    Approval,
    Call,
    Conversation,
    Decision,
    Diagnostic,
    Part,
    Rating,
    RuleHit,
    Sample,
    SampledCall,
    ScriptProgram,
    ScriptRow,
    Source,
    Turn,
    Value,
)
from agentnb.values.model_parts import ModelPartRow
from agentnb.values.model_selections import ModelSelectionRow
from agentnb.workspace._contract import contract

TABLES: dict[str, type[Value]] = {
    "sources": Source,
    "diagnostics": Diagnostic,
    "conversations": Conversation,
    "turns": Turn,
    "calls": Call,
    "parts": Part,
    "approvals": Approval,
    "ratings": Rating,
    "samples": Sample,
    "sampled_calls": SampledCall,
    "decisions": Decision,
    "rule_hits": RuleHit,
    "script_rows": ScriptRow,
    "script_programs": ScriptProgram,
    "model_parts": ModelPartRow,
    "model_selections": ModelSelectionRow,
}
NESTED = {"turns": {"messages", "calls", "approvals", "ratings", "protocol"}, "conversations": {"turns"}}
ARROW_TYPES: dict[object, pa.DataType] = {
    str: pa.large_string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", tz="UTC"),
    tuple[str, ...]: pa.list_(pa.large_string()),
}


def fields_of(table: str) -> list[str]:
    return [name for name in TABLES[table].model_fields if name not in NESTED.get(table, set())]


def type_of(annotation: object) -> tuple[object, bool]:
    """Return the plain type of a field, a literal as the type of its words, and whether it may be null."""
    options = typing.get_args(annotation) if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union else (annotation,)
    (plain,) = {type(typing.get_args(option)[0]) if typing.get_origin(option) is typing.Literal else option for option in options if option is not type(None)}
    return plain, type(None) in options


def test_there_is_a_table_for_every_flat_value_and_none_besides() -> None:
    assert set(contract().tables) == set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_the_fields_of_its_value_in_their_order(table: str) -> None:
    assert contract().tables[table].names == fields_of(table)


@pytest.mark.parametrize("table", TABLES)
def test_a_column_has_the_type_of_its_field(table: str) -> None:
    columns = {field.name: field.type for field in contract().tables[table]}
    expected = {name: ARROW_TYPES[type_of(TABLES[table].model_fields[name].annotation)[0]] for name in fields_of(table)}
    assert columns == expected


@pytest.mark.parametrize("table", TABLES)
def test_a_column_that_can_not_be_null_is_of_a_field_that_can_not_either(table: str) -> None:
    surely_there = {field.name for field in contract().tables[table] if not field.nullable}
    assert {name for name in surely_there if type_of(TABLES[table].model_fields[name].annotation)[1]} == set()


@pytest.mark.parametrize("table", TABLES)
def test_the_comment_on_a_column_is_the_sentence_under_its_field(table: str) -> None:
    comments = {name: contract().comments[f"{table}.{name}"] for name in contract().tables[table].names}
    assert comments == {name: TABLES[table].model_fields[name].description for name in fields_of(table)}


def test_every_table_and_view_has_a_comment() -> None:
    assert [name for name in (*contract().tables, *contract().views) if not contract().comments.get(name)] == []
