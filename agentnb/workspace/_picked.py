"""Which calls are meant? A turn, a step, a call, an id, a row, a list of these, or what a query returned."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import duckdb

from agentnb.conversations import LiveTurn
from agentnb.errors import RatingError
from agentnb.values import Call, Rating, Step, Turn

IDS: Final = ("call_id", "call", "step_id", "decision_id", "turn_id")
"""Columns that say which call a row is about, the nearest first."""

_LISTS: Final = (list, set, frozenset, Generator)
_HINT: Final = " A row as a tuple does not say which value is the id: use ws.sql(…) itself, its .df(), or row[0]."


class Picked(NamedTuple):
    """The calls that were meant."""

    call_ids: list[str]
    """Their ids, each once, in the order in which they were given."""
    several: bool
    """Whether a list was given rather than one of them."""


def picked(target: Any) -> Picked:
    """Return which calls are meant.

    Raises:
        TypeError: when something in it is nothing that can be rated.
        RatingError: when a list or a result is empty, or a row of it has no id.
    """
    found = _ids_of_result(target)
    if found is None and _is_list(target):
        found = [target_id(item) for item in target]
    if found is None:
        return Picked([target_id(target)], several=False)
    if not found:
        raise RatingError("There is nothing to rate: the list or the result is empty.")
    missing = next((place for place, value in enumerate(found) if not isinstance(value, str)), None)
    if missing is not None:
        raise RatingError(f"Row {missing} of the result names no call, so nothing was rated. Leave such rows out: … where call_id is not null.")
    return Picked(list(dict.fromkeys(found)), several=True)


def target_id(target: Any) -> str:
    """Return the call id of what can be rated: a turn, step, call or rating, a row with a call_id, step_id, decision_id or turn_id, or the id itself.

    Raises:
        TypeError: when it is none of these.
    """
    if isinstance(target, str):
        return target
    if isinstance(target, Turn):
        return target.turn_id
    if isinstance(target, LiveTurn):
        return target.id
    if isinstance(target, Step):
        return target.call.call_id
    if isinstance(target, Call | Rating):
        return target.call_id
    found = next((value for name in IDS if isinstance(value := _field(target, name), str)), None)
    if found is None:
        hint = _HINT if isinstance(target, tuple | list) else ""
        raise TypeError(f"A {type(target).__name__} cannot be rated. Give a turn, a step, a call, its id as text, or a row that has a call_id.{hint}")
    return found


def id_column(columns: Iterable[str]) -> str:
    """Return the column of a result that says which call a row is about.

    Raises:
        RatingError: when there is none.
    """
    known = list(columns)
    found = next((name for name in IDS if name in known), None)
    if found is None:
        raise RatingError(f"The result says of no call what it is about: it has {', '.join(map(str, known[:8]))}, and needs one of {', '.join(IDS)}.")
    return found


def _ids_of_result(target: Any) -> list[Any] | None:
    """Return the ids of a relation, a frame or a column of ids; None of anything else."""
    if isinstance(target, duckdb.DuckDBPyRelation):
        # By place, since a name would have to be quoted.
        place = list(target.columns).index(id_column(target.columns))
        return [row[place] for row in target.fetchall()]
    if hasattr(target, "columns") and hasattr(target, "__getitem__"):
        return [*target[id_column(target.columns)]]
    is_column = hasattr(target, "to_list") and isinstance(getattr(target, "name", None), str) and target.name in IDS
    return [*target] if is_column else None


def _is_list(target: Any) -> bool:
    """Tell a list of things to rate from a row: a tuple is a row, unless it holds values, as `turn.steps` does."""
    if isinstance(target, tuple) and not hasattr(target, "_fields"):
        return bool(target) and all(isinstance(item, Turn | Step | Call | Rating | Mapping) for item in target)
    return isinstance(target, _LISTS) or (isinstance(target, Sequence) and not isinstance(target, str | bytes | bytearray | tuple))


def _field(row: Any, name: str) -> Any:
    """Return a field of a dict, of a row of a pandas frame, or of a named tuple; None when it has none of this name."""
    if isinstance(row, Mapping) or hasattr(row, "keys"):
        return row[name] if name in row.keys() else None  # noqa: SIM118 (`in` asks a Series for its index too, but not every row)
    return getattr(row, name, None) if isinstance(row, tuple) else None
