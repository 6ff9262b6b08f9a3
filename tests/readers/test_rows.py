"""Rows that are being read have the fields of the values they stand for, and nothing else."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest

from agentnb.readers import _rows
from agentnb.readers._rows import Rows
from tests.readers.reading import VALUES

ROWS: dict[str, type[msgspec.Struct]] = {
    "sources": _rows.SourceRow,
    "diagnostics": _rows.DiagnosticRow,
    "conversations": _rows.ConversationRow,
    "turns": _rows.TurnRow,
    "calls": _rows.CallRow,
    "parts": _rows.PartRow,
    "approvals": _rows.ApprovalRow,
}
NESTED = {"turns": {"messages", "calls", "approvals", "ratings", "protocol"}, "conversations": {"turns"}}


@pytest.mark.parametrize("table", ROWS)
def test_a_row_has_the_fields_of_its_value_except_the_values_nested_in_it(table: str) -> None:
    assert set(ROWS[table].__struct_fields__) == set(VALUES[table].model_fields) - NESTED.get(table, set())


@pytest.mark.parametrize("table", ROWS)
def test_a_field_without_a_default_in_the_row_needs_none_in_the_value_unless_the_reader_always_sets_it(table: str) -> None:
    fields = VALUES[table].model_fields
    needed = {field.name for field in msgspec.structs.fields(ROWS[table]) if field.required}
    assert {name for name, field in fields.items() if field.is_required() and name not in needed} <= {"bytes", "state"}


@pytest.mark.parametrize("table", ROWS)
def test_a_default_of_a_row_is_the_default_of_its_value(table: str) -> None:
    fields = VALUES[table].model_fields
    given = {field.name: field.default for field in msgspec.structs.fields(ROWS[table]) if not field.required}
    assert {name: fields[name].default for name in given if not fields[name].is_required()} == {
        name: value for name, value in given.items() if not fields[name].is_required()
    }


def test_the_rows_of_a_group_are_one_list_for_each_table() -> None:
    assert {field.name for field in dataclasses.fields(Rows)} == set(ROWS) == set(VALUES)
