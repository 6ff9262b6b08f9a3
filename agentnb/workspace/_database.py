"""DuckDB over the tables of a store: it holds no lock on any file, and every thread has a cursor of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from agentnb.errors import QueryError
from agentnb.workspace._contract import contract
from agentnb.workspace._stores import Kept

Params = Sequence[Any] | Mapping[str, Any] | None


class Database:
    """The tables and views of schema.sql over what a store keeps."""

    def __init__(self) -> None:
        """Make the views, over empty tables until `show` is called."""
        # No replacement scans: a misspelt table would otherwise find a variable of the caller.
        self._connection = duckdb.connect(":memory:", config={"python_enable_replacements": "false"})
        self._connection.execute("set timezone = 'UTC'")
        self._connection.execute("create schema contract; set schema = 'contract'")
        self._connection.execute(contract().create_tables)
        self._connection.execute("set schema = 'main'")
        self._cursors = threading.local()
        self._lock = threading.Lock()
        self._shown: dict[str, Any] = {}
        for table in contract().tables:
            self._connection.execute(f"create view {table} as select * from contract.{table}")
        self._connection.execute(contract().create_views)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return this thread's cursor."""
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._cursors, "value", None)
        if cursor is None:
            cursor = self._cursors.value = self._connection.cursor()
            cursor.execute("set timezone = 'UTC'")
        return cursor

    def query(self, query: str, params: Params = None) -> duckdb.DuckDBPyRelation | None:
        """Return the relation of a query; None of a statement that has no result.

        Raises:
            QueryError: when DuckDB refuses it.
        """
        try:
            return self.cursor().sql(query, params=params)
        except duckdb.Error as error:
            raise QueryError(f"{error}\n\n{_hint(error)}") from error

    def rows(self, query: str, params: Params = None) -> list[dict[str, Any]]:
        """Return the rows of a query as dicts."""
        cursor = self.cursor().execute(query, params)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def show(self, groups: Sequence[Kept], extra: Mapping[str, pa.Table]) -> None:
        """Let the tables show these groups, and further rows that no group holds."""
        with self._lock:
            for table in contract().tables:
                pieces = [group.tables[table] for group in groups if table in group.tables]
                if table in extra:
                    pieces.append(extra[table])
                self._show_table(table, pieces)

    def _show_table(self, table: str, pieces: list[pa.Table | Path]) -> None:
        cursor = self._connection.cursor()
        names = [f"contract.{table}"]
        arrow = [piece for piece in pieces if isinstance(piece, pa.Table)]
        files = [str(piece) for piece in pieces if isinstance(piece, Path)]
        if arrow:
            whole = pa.concat_tables(arrow)
            self._shown[table] = whole
            cursor.from_arrow(whole).create_view(f"memory_{table}", replace=True)
            names.append(f"memory_{table}")
        if files:
            cursor.read_parquet(files).create_view(f"files_{table}", replace=True)
            names.append(f"files_{table}")
        union = " union all by name ".join(f"select * from {name}" for name in names)
        cursor.execute(f"create or replace view {table} as {union}")

    def close(self) -> None:
        """Close the database; relations made from it are of no use after that."""
        self._connection.close()


def _hint(error: duckdb.Error) -> str:
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        return "ws.tables() lists the tables and views, ws.columns('calls') the columns of one."
    if isinstance(error, duckdb.ParserException):
        return "The query is DuckDB's SQL; `by` and `at` are reserved words in it."
    return "Values go in by parameter: ws.sql('from calls where name = $1', ['refund'])."
