"""Values of attributes -> what they stand for: messages of any dialect, a tool's arguments and result, counts that exporters wrote as text."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import amount_in, count_in, read_arguments, text_of
from agentnb.readers._json import to_json
from agentnb.readers._reprs import parse_repr
from agentnb.readers.builders.message_list import Said
from agentnb.readers.dialects.any import parsed, said_in_any

_EXIT_CODES = ("exit_code", "exitCode", "returncode", "return_code")


def said_as(value: Any, role: str, place: int) -> tuple[Said, ...] | None:
    """Say messages that an attribute holds; one without a role has this one. None when the value holds no message."""
    value = parsed(value)
    if isinstance(value, dict) and "role" not in value and isinstance(value.get("parts"), list):
        value = {"role": role, **value}
    if isinstance(value, list) and value and all(isinstance(item, dict) and "role" not in item and isinstance(item.get("parts"), list) for item in value):
        value = [{"role": role, **item} for item in value]
    return said_in_any(value, place)


def arguments_in(value: Any) -> str | None:
    """Return a tool's arguments as JSON: from JSON, which stays as it is, from JSON in JSON, or from what Python's `repr` wrote."""
    held = parsed(value)
    if isinstance(held, str) and (found := parse_repr(held)) is not None:
        held = found
    if isinstance(held, dict) and isinstance(held.get("inputs"), dict) and "input_str" in held:
        held = held["inputs"]
    elif isinstance(held, dict) and held.keys() == {"args", "kwargs", "sanitize_inputs_outputs"} and not held["args"]:
        # A tool of smolagents, called with names.
        held = held["kwargs"]
    elif isinstance(value, str) and value.lstrip()[:1] in ("{", "[") and parsed(value, 1) is not value:
        held = value
    return read_arguments(held).text


def exit_code_in(value: Any) -> int | None:
    """Return the exit code that a tool's result tells in a field of its own."""
    held = parsed(value)
    if not isinstance(held, dict):
        return None
    return next((held[name] for name in _EXIT_CODES if type(held.get(name)) is int and abs(held[name]) < 2**31), None)


def count_of(value: Any) -> int | None:
    """Return a count, also of text or of a number with a point, as some exporters write it."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 19:
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() and 0 <= value < 2**53 else count_in(value)


def amount_of(value: Any) -> float | None:
    """Return an amount of money, also of text."""
    if isinstance(value, str):
        try:
            return amount_in(float(value))
        except ValueError:
            return None
    return amount_in(value)


def words_of(value: Any) -> str | None:
    """Return a text; JSON of a text is that text."""
    held = parsed(value) if isinstance(value, str) and value.startswith('"') else value
    return held if isinstance(held, str) else text_of(value) if value is None or isinstance(value, str) else to_json(value)
