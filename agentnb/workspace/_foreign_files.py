"""What a person gives as ratings of another tool -> rows: a file of any of the usual kinds, a frame, or objects."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from agentnb.errors import RatingError

_LISTS: Final = ("data", "annotations", "evaluations", "assessments", "scores", "feedback", "items", "results", "traces", "ratings")
"""Names under which exports hold their rows."""


def foreign_rows(what: Any) -> list[Any]:
    """Return the rows of a file or an object; a line that is no JSON among lines that are comes as the text it is.

    Args:
        what: path of a file (JSON, JSON lines, CSV, TSV or Parquet, told by content), a frame, an object, or a list of objects.

    Raises:
        FileNotFoundError: when there is no such file.
        RatingError: when it holds no rows.
    """
    if isinstance(what, str | os.PathLike):
        rows = _rows_of_bytes(Path(what).expanduser().read_bytes(), os.fspath(what))
    elif hasattr(what, "to_dict") and hasattr(what, "reset_index"):
        rows = what.reset_index().to_dict("records")
    elif isinstance(what, Mapping):
        rows = _rows_in(what)
    else:
        rows = list(what)
    if not rows:
        raise RatingError(f"There are no rows in {what!r:.200}: give a file or a frame with a row per rating.")
    return rows


def _rows_of_bytes(data: bytes, name: str) -> list[Any]:
    if data.startswith(b"PAR1"):
        import pyarrow.parquet as pq

        rows: list[Any] = pq.read_table(io.BytesIO(data)).to_pylist()
        return rows
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RatingError(f"{name} is no text in UTF-8 and no Parquet file: {error}. Export it as JSON, CSV or Parquet.") from error
    return _rows_of_json(text) if text.lstrip()[:1] in ("{", "[") else _rows_of_csv(text)


def _rows_of_json(text: str) -> list[Any]:
    try:
        return _rows_in(json.loads(text))
    except ValueError:
        return [_line(line) for line in text.splitlines() if line.strip()]


def _line(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _rows_in(value: Any) -> list[Any]:
    """Return the list that an export holds, or the export itself where it is one row."""
    if not isinstance(value, Mapping):
        return value if isinstance(value, list) else [value]
    # A trace that holds judgements is a row, with its own id beside them.
    is_trace = any(name in value for name in ("info", "trace", "trace_id", "id", "traceId"))
    listed = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
    return [value] if listed is None or is_trace else listed


def _rows_of_csv(text: str) -> list[dict[str, Any]]:
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    rows: Iterable[dict[str, Any]] = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [{name: value for name, value in row.items() if name is not None and value != ""} for row in rows]
