"""Rows -> Arrow tables with exactly the columns of schema.sql."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pyarrow as pa

from agentnb.readers import Rows
from agentnb.workspace._contract import contract

Tables = dict[str, pa.Table]
"""Arrow tables by the name of the table."""

ROW_TABLES = ("sources", "diagnostics", "conversations", "turns", "calls", "parts", "approvals")
"""The tables that readers fill; ratings come from people."""


def to_tables(rows: Rows) -> Tables:
    """Turn the rows of a group into Arrow tables; each list of rows is emptied as soon as it is no longer needed."""
    tables: Tables = {}
    for name in ROW_TABLES:
        tables[name] = to_table(name, getattr(rows, name))
        getattr(rows, name).clear()
    return tables


def to_table(name: str, rows: Sequence[Any]) -> pa.Table:
    """Turn rows into an Arrow table.

    Args:
        name: the table whose columns to make.
        rows: objects of one kind with these columns as attributes, in any order; times are microseconds since 1970, or datetimes.
    """
    schema = contract().tables[name]
    if not rows:
        return schema.empty_table()
    columns = _columns_of(rows) if isinstance(rows[0], msgspec.Struct) else {field.name: [getattr(row, field.name) for row in rows] for field in schema}
    return pa.table([pa.array(columns[field.name], type=field.type) for field in schema], schema=schema)


def _columns_of(rows: Sequence[msgspec.Struct]) -> dict[str, Sequence[Any]]:
    """Transpose structs, more than twice as fast as taking one attribute after the other."""
    return dict(zip(type(rows[0]).__struct_fields__, zip(*map(msgspec.structs.astuple, rows), strict=True), strict=True))
