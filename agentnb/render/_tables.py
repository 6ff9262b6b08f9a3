"""The result of a query as a table: numbers at the right, null said, long cells cut."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

from agentnb.render._frame import framed, heading, room_inside
from agentnb.render._markup import Html, join, tag
from agentnb.render._numbers import amount, count
from agentnb.render._pages import ResultTable
from agentnb.render._room import BUDGET, Room, weight
from agentnb.render._text import one_line

LONGEST_CELL: Final = 160
LONGEST_TITLE: Final = 400
MOST_COLUMNS: Final = 40
_WHOLE: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS: Final = (*_WHOLE, *(f"U{name}" for name in _WHOLE), "FLOAT", "DOUBLE", "DECIMAL")
"""How the names of SQL types begin whose values are numbers."""


def render_table(table: ResultTable, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show a query's result: as many rows as fit, and how many more there are.

    Args:
        table: columns and rows.
        budget: bytes of UTF-8 that are not exceeded, style sheet included; 200 kB at most.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same rows.
    """
    columns = table.columns[:MOST_COLUMNS]
    right = [is_number(table, at) for at in range(len(columns))]
    head = heading(one_line(table.title, 120), "") if table.title else join("")
    names = tag("thead", tag("tr", [tag("th", one_line(name, 60), scope="col", align="right" if right[at] else None) for at, name in enumerate(columns)]))
    left = Room(room_inside(budget, standalone=standalone) - weight(head) - weight(names) - 400)
    places = [decimals(table, at) for at in range(len(columns))]
    rows: list[Html] = []
    for values in table.rows:
        row = tag("tr", [_cell(value, right=right[at], places=places[at]) for at, value in enumerate(values[:MOST_COLUMNS])])
        if not left.take(row):
            break
        rows.append(row)
    grid = tag("div", tag("table", names, tag("tbody", rows), class_="grid"), class_="scroll")
    return framed("table", table.title or "Table", join(head, grid, _foot(table, len(rows))), standalone=standalone, budget=budget)


def is_number(table: ResultTable, at: int) -> bool:
    """Say whether a column holds numbers: by its SQL type, else by its first value."""
    if at < len(table.types):
        return table.types[at].upper().startswith(NUMBERS) and not table.types[at].endswith("]")
    value = next((row[at] for row in table.rows[:50] if at < len(row) and row[at] is not None), None)
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def decimals(table: ResultTable, at: int) -> int:
    """Return how many decimals the numbers of a column are shown with, the same for all of them: one to four, as the first rows need."""
    values = [value for row in table.rows[:200] if at < len(row) and isinstance(value := row[at], float) and math.isfinite(value)]
    return max((len(f"{value:.4f}".rstrip("0").partition(".")[2]) for value in values), default=1) or 1


def written(value: Any, places: int = 4) -> str:
    """Write one cell's value as text, the same on every machine; a float with some decimals."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value, places)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, (date, time, timedelta, Decimal, int)):
        return str(value)
    if isinstance(value, bytes):
        return f"{amount(len(value), 'byte')}"
    if isinstance(value, (dict, list, tuple)):
        return _json(value)
    return str(value)


def total_line(table: ResultTable, shown: int) -> str:
    """Say how many rows there are and how many of them are not shown."""
    if table.total is None:
        return f"{amount(shown, 'row')} shown, there are more" if shown < len(table.rows) else amount(shown, "row")
    hidden = table.total - shown
    return amount(table.total, "row") if hidden <= 0 else f"{amount(hidden, 'more row')} of {count(table.total)}"


def _foot(table: ResultTable, shown: int) -> Html:
    columns = len(table.columns) - MOST_COLUMNS
    more = f" · {amount(columns, 'more column')}" if columns > 0 else ""
    return tag("div", total_line(table, shown), more, class_="more", data_more="rows")


def _cell(value: Any, *, right: bool, places: int) -> Html:
    align = "right" if right else None
    if value is None:
        return tag("td", tag("span", "null", class_="dim"), align=align)
    text = written(value, places)
    if len(text) <= LONGEST_CELL and "\n" not in text:
        return tag("td", text, align=align, class_="long" if len(text) > 40 else None)
    title = text if len(text) <= LONGEST_TITLE else None
    return tag("td", one_line(text, LONGEST_CELL), align=align, title=title, class_="long")


def _float(value: float, places: int) -> str:
    if value == 0 or 1e-3 <= abs(value) < 1e15:
        return f"{value:.{places}f}"
    return f"{value:.4g}"


def _moment(value: datetime) -> str:
    """Write a time in UTC where its zone is known: the same on every machine."""
    plain = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return plain.isoformat(sep=" ", timespec="seconds" if value.microsecond == 0 else "milliseconds") + ("Z" if value.tzinfo else "")


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        return "nested too deep to show"
