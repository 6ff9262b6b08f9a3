"""Does a value meet what is expected of it?"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import ConfigDict

from agentnb.decisions._json import write_json
from agentnb.decisions._regex import InvalidPattern, compile_pattern
from agentnb.decisions._text import is_blank
from agentnb.values import Value
from agentnb.values.decisions import CamelValue

SHORTENED: Final = 80
"""Characters of a value that a detail shows."""


class Absent:
    """The one value that stands for a value that is missing, which is not null."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = Absent()


class Matcher(Value):
    """What is expected of one value: a kind, and the fields that this kind needs."""

    model_config = ConfigDict(extra="ignore")

    kind: str
    """exact, nonEmptyString, nonEmpty, containsIgnoreCase, oneOf, regex, numberRange, typeOf or absent; any other never passes."""
    value: Any = None
    """exact: the value; containsIgnoreCase: the text."""
    values: tuple[Any, ...] | None = None
    """oneOf: the values of which it is one."""
    pattern: str | None = None
    """regex: a pattern in JavaScript's form, searched for."""
    flags: str | None = None
    """regex: JavaScript's flags."""
    min: float | None = None
    """numberRange: the least number."""
    max: float | None = None
    """numberRange: the greatest number."""
    type: str | None = None
    """typeOf: string, number, boolean, object or array."""


class ParamExpectation(Value):
    """What is expected of one parameter."""

    param: str
    """Its name; in a payload a path with dots."""
    matcher: Matcher
    """What is expected of its value."""
    optional: bool = False
    """Whether it may be missing or null."""


class ParamResult(CamelValue):
    """How one parameter met its expectation."""

    param: str
    """The parameter, with the Action before it, or with `payload ` before its path."""
    matcher_kind: str
    """Kind of the matcher."""
    passed: bool
    """Whether it passed."""
    detail: str | None = None
    """What was expected and what was found; null when it passed."""


def apply_matcher(matcher: Matcher, value: Any) -> str | None:
    """Match one value.

    Args:
        matcher: what is expected.
        value: the value, as JSON gives it; `ABSENT` when it is missing.

    Returns:
        Null when it passes, else what was expected and what was found.
    """
    match = _MATCHERS.get(matcher.kind)
    if match is None:
        return f"there is no matcher of kind {matcher.kind!r}"
    return match(matcher, value)


def match_params(expected: tuple[ParamExpectation, ...], find: Callable[[str], Any], prefix: str = "") -> tuple[ParamResult, ...]:
    """Match several parameters.

    Args:
        expected: what is expected.
        find: returns a parameter's value by its name, `ABSENT` when it is missing.
        prefix: what stands before each name in the results.
    """
    return tuple(_match_param(expectation, find(expectation.param), prefix) for expectation in expected)


def shortened(value: Any) -> str:
    """Write a value for a person: JSON, at most 80 characters and an ellipsis; `absent` when it is missing."""
    if value is ABSENT:
        return "absent"
    text = json.dumps(value[: SHORTENED + 1], ensure_ascii=False)[:-1] if isinstance(value, str) and len(value) > SHORTENED else write_json(value)
    return text if len(text) <= SHORTENED else f"{text[:SHORTENED]}…"


def deep_equal(left: Any, right: Any) -> bool:
    """Compare JSON values: of objects the order of keys does not matter, of arrays it does; 1 is neither true nor "1"."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if one.keys() != other.keys():
                return False
            pairs.extend((one[key], other[key]) for key in one)
        elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif type_of(one) != type_of(other) or one != other:
            return False
    return True


def type_of(value: Any) -> str:
    """Return the JSON type of a value; null counts as an object, as in JavaScript."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (list, tuple)):
        return "array"
    return "undefined" if value is ABSENT else "object"


def _match_param(expectation: ParamExpectation, value: Any, prefix: str) -> ParamResult:
    skipped = expectation.optional and (value is ABSENT or value is None)
    detail = None if skipped else apply_matcher(expectation.matcher, value)
    return ParamResult(param=f"{prefix}{expectation.param}", matcher_kind=expectation.matcher.kind, passed=detail is None, detail=detail)


def _exact(matcher: Matcher, value: Any) -> str | None:
    wanted = matcher.value if "value" in matcher.model_fields_set else ABSENT
    return None if deep_equal(wanted, value) else _expected(shortened(wanted), value)


def _non_empty_string(matcher: Matcher, value: Any) -> str | None:
    return None if isinstance(value, str) and not is_blank(value) else _expected("a string that is not blank", value)


def _non_empty(matcher: Matcher, value: Any) -> str | None:
    if isinstance(value, str):
        filled = not is_blank(value)
    else:
        filled = len(value) > 0 if isinstance(value, (list, tuple, Mapping)) else value is not None and value is not ABSENT
    return None if filled else _expected("something that is not empty", value)


def _contains(matcher: Matcher, value: Any) -> str | None:
    wanted = matcher.value if isinstance(matcher.value, str) else None
    found = wanted is not None and isinstance(value, str) and wanted.lower() in value.lower()
    return None if found else _expected(f"a string that contains {shortened(matcher.value)} in any case", value)


def _one_of(matcher: Matcher, value: Any) -> str | None:
    values = matcher.values or ()
    return None if any(deep_equal(wanted, value) for wanted in values) else _expected(f"one of {shortened(list(values))}", value)


def _regex(matcher: Matcher, value: Any) -> str | None:
    try:
        pattern = compile_pattern(matcher.pattern or "", matcher.flags or "")
    except InvalidPattern as error:
        return f"the expectation's regex {shortened(matcher.pattern)} is an invalid regex: {error}"
    found = isinstance(value, str) and pattern.search(value) is not None
    return None if found else _expected(f"a string in which /{matcher.pattern}/{matcher.flags or ''} is found", value)


def _number_range(matcher: Matcher, value: Any) -> str | None:
    low, high = (-math.inf if matcher.min is None else matcher.min), (math.inf if matcher.max is None else matcher.max)
    inside = type_of(value) == "number" and low <= value <= high
    return None if inside else _expected(f"a number from {shortened(matcher.min)} to {shortened(matcher.max)}", value)


def _type(matcher: Matcher, value: Any) -> str | None:
    return None if matcher.type is not None and type_of(value) == matcher.type else _expected(f"a value of type {matcher.type}", value)


def _absent(matcher: Matcher, value: Any) -> str | None:
    return None if value is ABSENT or value is None else _expected("nothing", value)


_MATCHERS: Final[dict[str, Callable[[Matcher, Any], str | None]]] = {
    "exact": _exact,
    "nonEmptyString": _non_empty_string,
    "nonEmpty": _non_empty,
    "containsIgnoreCase": _contains,
    "oneOf": _one_of,
    "regex": _regex,
    "numberRange": _number_range,
    "typeOf": _type,
    "absent": _absent,
}


def _expected(what: str, value: Any) -> str:
    return f"expected {what}, found {shortened(value)}"
