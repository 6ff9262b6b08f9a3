"""Rows -> Arrow tables with exactly the columns of schema.sql."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pyarrow as pa

from agentnb.readers import Rows
from agentnb.workspace._contract import contract

Tables = dict[str, pa.Table]
"""Arrow tables by the name of the table."""

ROW_TABLES = ("sources", "diagnostics", "conversations", "turns", "calls", "parts", "approvals")
"""The tables that readers fill; ratings come from people."""


def to_tables(rows: Rows) -> Tables:
    """Turn the rows of a group into Arrow tables."""
    return {name: to_table(name, getattr(rows, name)) for name in ROW_TABLES}


def to_table(name: str, rows: Sequence[Any]) -> pa.Table:
    """Turn rows into an Arrow table.

    Args:
        name: the table whose columns to make.
        rows: objects with these columns as attributes; times are microseconds since 1970.
    """
    schema = contract().tables[name]
    return pa.table([_column(field, rows) for field in schema], schema=schema)


def _column(field: pa.Field, rows: Sequence[Any]) -> pa.Array:
    return pa.array(list(map(attrgetter(field.name), rows)), type=field.type)
