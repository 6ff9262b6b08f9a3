"""Fields as recorded -> values of our own: texts, counts, amounts, arguments; whatever stands in a field, nothing raises."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from agentnb.readers._json import parse_json, to_json

_MOST = 2**63


class Arguments(NamedTuple):
    """A tool's arguments as JSON, with the codes of what was odd about them."""

    text: str | None
    oddities: tuple[str, ...] = ()


def read_arguments(arguments: Any) -> Arguments:
    """Write a tool's arguments as JSON: JSON text stays as it is, other text becomes a JSON string, an object is written."""
    if arguments is None or not isinstance(arguments, str):
        return Arguments(None if arguments is None else to_json(arguments))
    if not arguments.strip():
        return Arguments(None)
    parsed = parse_json(arguments.encode())
    if not parsed.ok:
        return Arguments(to_json(arguments), ("arguments_not_json",))
    if "too_deep" in parsed.oddities:
        return Arguments(to_json(arguments), parsed.oddities)
    return Arguments(to_json(parsed.value) if parsed.oddities else arguments, parsed.oddities)


def count_in(value: Any) -> int | None:
    """Return a count that can be stored; None when the value is none."""
    return value if type(value) is int and 0 <= value < _MOST else None


def amount_in(value: Any) -> float | None:
    """Return an amount of money or time as recorded; None when the value is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST else None


def text_of(value: Any) -> str | None:
    """Return a text, or whatever stands in its place as JSON."""
    return value if isinstance(value, str) else None if value is None else to_json(value)


def dict_of(value: Any) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def dicts_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; none of anything else."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def object_in(record: Any, name: str) -> dict[str, Any]:
    """Return a field that is an object; an empty one when it is none."""
    return dict_of(dict_of(record).get(name))


def counts_in(record: Any, columns: Mapping[str, str]) -> dict[str, int]:
    """Return the counts that a record tells, by the columns of the names they have in it."""
    fields = dict_of(record)
    return {column: count for name, column in columns.items() if (count := count_in(fields.get(name))) is not None}


def extra_of(record: dict[str, Any], read: Collection[str]) -> str | None:
    """Write what is not read of a record as a JSON object; None when nothing is left."""
    return as_extra(rest_of(record, read))


def rest_of(record: dict[str, Any], read: Collection[str]) -> dict[str, Any]:
    """Return the fields of a record that are not read and hold something."""
    return {name: value for name, value in record.items() if name not in read and value is not None}


def as_extra(fields: dict[str, Any]) -> str | None:
    """Write fields as a JSON object; None when there are none."""
    return to_json(fields) if fields else None


def object_of(value: Any) -> str:
    """Write a value that is kept whole as a JSON object."""
    return to_json(value if isinstance(value, dict) else {"value": value})
