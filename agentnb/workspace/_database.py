"""DuckDB over the tables of a store: it holds no lock on any file, and every thread has a cursor of its own."""

from __future__ import annotations

import glob
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from agentnb.errors import QueryError
from agentnb.workspace._batches import Batch
from agentnb.workspace._contract import contract

Params = Sequence[Any] | Mapping[str, Any] | None


class Database:
    """The tables and views of schema.sql over what a store keeps.

    A table is a view of what was read (`held.<table>`) and of what people said (`said.<table>`): only these two are made anew when something changes.
    """

    def __init__(self) -> None:
        """Make the tables and views; they are empty until `show` is called."""
        # No replacement scans: a misspelt table would otherwise find a variable of the caller.
        self._connection = duckdb.connect(":memory:", config={"python_enable_replacements": "false"})
        self._connection.execute("set timezone = 'UTC'")
        self._connection.execute("create schema held; create schema said; create schema contract; set schema = 'contract'")
        self._connection.execute(contract().create_tables)
        self._connection.execute("set schema = 'main'")
        self._cursors = threading.local()
        self._lock = threading.Lock()
        self._filled: set[tuple[str, str]] = set()
        for table in contract().tables:
            pieces = " union all by name ".join(f"select * from {schema}.{table}" for schema in ("contract", "held", "said"))
            self._connection.execute(f"create view held.{table} as select * from contract.{table}")
            self._connection.execute(f"create view said.{table} as select * from contract.{table}")
            self._connection.execute(f"create view {table} as {pieces}")
        self._connection.execute(contract().create_views)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return this thread's cursor."""
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._cursors, "value", None)
        if cursor is None:
            cursor = self._cursors.value = self._connection.cursor()
            cursor.execute("set timezone = 'UTC'")
        return cursor

    def query(self, query: str, params: Params = None) -> duckdb.DuckDBPyRelation:
        """Return the relation of a query; of statements that have no result, one that says that they are done.

        Raises:
            QueryError: when DuckDB refuses it, or there is none.
        """
        try:
            relation = self.cursor().sql(query, params=params)
            if relation is None and not duckdb.extract_statements(query):
                raise QueryError("There is no query. ws.sql('from tool_errors') asks for the tool calls that failed; ws.tables() lists what there is.")
        except duckdb.Error as error:
            raise QueryError(f"{error}\n\n{_hint(error)}") from error
        return self.cursor().sql("select 'done' as result") if relation is None else relation

    def rows(self, query: str, params: Params = None) -> list[dict[str, Any]]:
        """Return the rows of a query as dicts."""
        cursor = self.cursor().execute(query, params)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def show(self, batches: Sequence[Batch]) -> None:
        """Let the tables show what these batches hold."""
        with self._lock:
            cursor = self._connection.cursor()
            # At once, so that no query of another thread sees the old rows of one table beside the new ones of another.
            cursor.execute("set schema = 'held'; begin")
            for table in contract().tables:
                own = [batch for batch in batches if table in batch.tables]
                if self._is_news("held", table, bool(own)):
                    self._show_held(cursor, table, own)
            cursor.execute("commit")

    def say(self, table: str, rows: pa.Table) -> None:
        """Let a table show further rows, that no batch holds, in the place of those shown so before."""
        with self._lock:
            if self._is_news("said", table, bool(rows.num_rows)):
                cursor = self._connection.cursor()
                cursor.execute("set schema = 'said'")
                cursor.from_arrow(rows).create_view(table, replace=True)

    def _is_news(self, schema: str, table: str, has_rows: bool) -> bool:
        """Tell whether a view must be made anew: not one that was empty and stays so."""
        before = (schema, table) in self._filled
        if has_rows:
            self._filled.add((schema, table))
        return has_rows or before

    def _show_held(self, cursor: duckdb.DuckDBPyConnection, table: str, batches: Sequence[Batch]) -> None:
        pieces = []
        if arrow := [batch.tables[table] for batch in batches if isinstance(batch.tables[table], pa.Table)]:
            pieces.append(cursor.from_arrow(pa.concat_tables(arrow)))
        files = [(_escaped(batch.tables[table]), sorted(batch.hidden)) for batch in batches if isinstance(batch.tables[table], Path)]
        if whole := [path for path, hidden in files if not hidden]:
            pieces.append(cursor.read_parquet(whole))
        source_id = duckdb.ColumnExpression("source_id")
        for path, hidden in files:
            if hidden:
                pieces.append(cursor.read_parquet(path).filter(source_id.isnotin(*map(duckdb.ConstantExpression, hidden))))
        for place, piece in enumerate(pieces):
            piece.create_view(f"{table}_{place}", replace=True)
        union = " union all by name ".join(f"select * from held.{table}_{place}" for place in range(len(pieces)))
        cursor.execute(f"create or replace view held.{table} as {union or f'select * from contract.{table}'}")

    def close(self) -> None:
        """Close the database; relations made from it are of no use after that."""
        self._connection.close()


def _escaped(path: Path) -> str:
    """Return a path as DuckDB takes it: it would read * and [ as a pattern."""
    return glob.escape(str(path))


def _hint(error: duckdb.Error) -> str:
    if isinstance(error, duckdb.CatalogException | duckdb.BinderException):
        return "ws.tables() lists the tables and views, ws.columns('calls') the columns of one."
    if isinstance(error, duckdb.ParserException):
        return "The query is DuckDB's SQL; `by` and `at` are reserved words in it."
    return "Values go in by parameter: ws.sql('from calls where name = $1', ['refund'])."
