"""Rows -> Arrow tables with exactly the columns of schema.sql."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

import msgspec
import pyarrow as pa

from agentnb.readers import Rows, without_garbage_collection
from agentnb.workspace._contract import contract

Tables = dict[str, pa.Table]
"""Arrow tables by the name of the table."""

_LONG = frozenset({"text", "input", "output", "extra"})

ROW_TABLES = ("sources", "diagnostics", "conversations", "turns", "calls", "parts", "approvals")
"""The tables that readers fill; ratings come from people."""


def to_tables(rows: Rows) -> Tables:
    """Turn the rows of a group into Arrow tables; each list of rows is emptied as soon as it is no longer needed."""
    tables: Tables = {}
    with without_garbage_collection():
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
    structs = isinstance(rows[0], msgspec.Struct)
    columns = _columns_of(rows) if structs else {name: [getattr(row, name) for row in rows] for name in schema.names}
    return pa.table([_array(columns[field.name], field.name, field.type) for field in schema], schema=schema)


def columns_table(name: str, columns: Mapping[str, Sequence[Any]]) -> pa.Table:
    """Turn columns into an Arrow table; those that the table does not have are left out."""
    schema = contract().tables[name]
    return pa.table([_array(columns[field.name], field.name, field.type) for field in schema], schema=schema)


def _array(values: Sequence[Any], name: str, type_: pa.DataType) -> Any:
    return _long_texts(values) if name in _LONG else pa.array(values, type=type_)


def _long_texts(values: Sequence[str | bytes | None]) -> Any:
    """Put texts behind each other into one buffer of the right size.

    Arrow's own builder doubles its buffer as it grows, and half of it is memory that is touched for nothing: for the texts of a recording, which are nearly
    all of it, that takes longer than the copying. Bytes are UTF-8 that readers have checked.
    """
    ends = array("q", [0])
    ends.extend(accumulate(map(_bytes_in, values)))
    buffer = pa.allocate_buffer(ends[-1])
    target = memoryview(buffer).cast("B")
    for start, end, value in zip(ends, islice(ends, 1, None), values, strict=False):
        if end > start:
            target[start:end] = value if isinstance(value, bytes) else value.encode()  # type: ignore[union-attr]
    missing = sum(value is None for value in values)
    present = pa.array([value is not None for value in values]).buffers()[1] if missing else None
    return pa.LargeStringArray.from_buffers(len(values), pa.py_buffer(ends), buffer, present, missing)


def _bytes_in(value: str | bytes | None) -> int:
    if value is None:
        return 0
    return len(value) if isinstance(value, bytes) or value.isascii() else len(value.encode())


def _columns_of(rows: Sequence[msgspec.Struct]) -> Mapping[str, Sequence[Any]]:
    """Transpose structs, more than twice as fast as taking one attribute after the other."""
    return dict(zip(type(rows[0]).__struct_fields__, zip(*map(msgspec.structs.astuple, rows), strict=True), strict=True))
