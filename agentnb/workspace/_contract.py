"""schema.sql as Python reads it: the columns, types and comments of the tables, and the statements to run."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import NamedTuple

import pyarrow as pa

_TABLE = re.compile(r"^create table (\w+) \(\n(.*?)^\);$", re.MULTILINE | re.DOTALL)
_VIEW = re.compile(r"^create view (\w+) as$", re.MULTILINE)
_COMMENT = re.compile(r"^comment on (?:table|view|column) ([\w.]+) is '((?:[^']|'')*)';\n", re.MULTILINE)
_ARROW_TYPES: dict[str, pa.DataType] = {
    "varchar": pa.large_string(),
    "varchar[]": pa.list_(pa.large_string()),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamptz": pa.timestamp("us", tz="UTC"),
}


class Contract(NamedTuple):
    """What schema.sql promises."""

    tables: dict[str, pa.Schema]
    """Columns of each table, in order."""
    views: tuple[str, ...]
    """Names of the views, in order."""
    comments: dict[str, str]
    """Comments by `table`, `view` or `table.column`."""
    create_tables: str
    """Statements that make the tables, empty."""
    create_views: str
    """Statements that make the views."""

    def under(self, view: str) -> list[str]:
        """Return the tables and views that a view's statement names, in the order in which it does; of a table none."""
        statement = re.search(rf"^create view {view} as$.*?;$", self.create_views, re.MULTILINE | re.DOTALL)
        words = re.findall(r"\w+", statement.group()) if statement else []
        named = [word for word in dict.fromkeys(words[3:]) if word != view and (word in self.tables or word in self.views)]
        # A column that a view takes from another view is that of the table under it.
        return list(dict.fromkeys(table for name in named for table in (name, *self.under(name))))


@cache
def contract() -> Contract:
    """Read schema.sql, once per process."""
    text = resources.files("agentnb.workspace").joinpath("schema.sql").read_text(encoding="utf-8")
    tables = {name: _schema_of(columns) for name, columns in _TABLE.findall(text)}
    comments = {name: comment.replace("''", "'") for name, comment in _COMMENT.findall(text)}
    # Two hundred comments take DuckDB as long as everything else; `ws.columns` shows them from here.
    statements = _COMMENT.sub("", text)
    first_view = _VIEW.search(statements)
    cut = first_view.start() if first_view else len(statements)
    return Contract(tables, tuple(_VIEW.findall(text)), comments, statements[:cut], statements[cut:])


def _schema_of(columns: str) -> pa.Schema:
    fields = [line.strip().rstrip(",").split() for line in columns.splitlines() if line.strip()]
    return pa.schema([pa.field(name, _ARROW_TYPES[type_], nullable=rest != ["not", "null"]) for name, type_, *rest in fields])
