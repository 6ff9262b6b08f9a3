"""A matcher passes exactly when JavaScript's would, and says what it expected when it does not."""

from __future__ import annotations

import math
from typing import Any

import pytest

from agentnb.decisions import ABSENT, Matcher, ParamExpectation, apply_matcher
from agentnb.decisions._regex import InvalidPattern, compile_pattern
from agentnb.decisions.matchers import deep_equal, match_params, shortened


@pytest.mark.parametrize(
    ("kind", "fields", "value", "passed"),
    [
        ("exact", {"value": {"a": 1, "b": 2}}, {"b": 2, "a": 1}, True),
        ("exact", {"value": 5}, "5", False),
        ("exact", {"value": 5}, 5.0, True),
        ("exact", {"value": True}, 1, False),
        ("exact", {"value": 0}, False, False),
        ("exact", {"value": [1, 2]}, [2, 1], False),
        ("exact", {"value": None}, None, True),
        ("exact", {"value": None}, ABSENT, False),
        ("exact", {"value": {"a": None}}, {}, False),
        ("nonEmptyString", {}, "   ", False),
        ("nonEmptyString", {}, "\ufeff", False),
        ("nonEmptyString", {}, {}, False),
        ("nonEmptyString", {}, "x", True),
        ("nonEmpty", {}, [], False),
        ("nonEmpty", {}, {}, False),
        ("nonEmpty", {}, " ", False),
        ("nonEmpty", {}, None, False),
        ("nonEmpty", {}, ABSENT, False),
        ("nonEmpty", {}, 0, True),
        ("nonEmpty", {}, False, True),
        ("nonEmpty", {}, [0], True),
        ("containsIgnoreCase", {"value": "paris"}, "Paris, FR", True),
        ("containsIgnoreCase", {"value": "paris"}, 7, False),
        ("oneOf", {"values": ("csv", "json")}, "json", True),
        ("oneOf", {"values": ("csv", "json")}, "CSV", False),
        ("oneOf", {"values": ({"a": [1]}, 2)}, {"a": [1]}, True),
        ("regex", {"pattern": "select.+from", "flags": "is"}, "x SELECT a\nFROM t", True),
        ("regex", {"pattern": "select.+from"}, "select a\nfrom t", False),
        ("regex", {"pattern": "a"}, 7, False),
        ("numberRange", {"min": 1, "max": 100}, 1, True),
        ("numberRange", {"min": 1, "max": 100}, 100.0, True),
        ("numberRange", {"min": 1, "max": 100}, 101, False),
        ("numberRange", {"min": 1, "max": 100}, True, False),
        ("numberRange", {"min": 1, "max": 100}, "50", False),
        ("numberRange", {}, math.nan, False),
        ("numberRange", {"max": 3}, -1e300, True),
        ("typeOf", {"type": "array"}, [1], True),
        ("typeOf", {"type": "object"}, [1], False),
        ("typeOf", {"type": "object"}, None, True),
        ("typeOf", {"type": "object"}, ABSENT, False),
        ("typeOf", {"type": "boolean"}, 1, False),
        ("typeOf", {"type": "number"}, False, False),
        ("absent", {}, ABSENT, True),
        ("absent", {}, None, True),
        ("absent", {}, 0, False),
        ("nope", {}, "x", False),
    ],
)
def test_a_value_passes_or_not(kind: str, fields: dict[str, Any], value: Any, passed: bool) -> None:
    assert (apply_matcher(Matcher(kind=kind, **fields), value) is None) is passed


def test_an_invalid_pattern_fails_and_says_that_it_is_the_expectations() -> None:
    detail = apply_matcher(Matcher(kind="regex", pattern="(["), "anything")
    assert "invalid regex" in (detail or "")


def test_a_detail_says_both_sides_and_is_short() -> None:
    detail = apply_matcher(Matcher(kind="exact", value="x" * 500), "y" * 10_000_000)
    assert detail is not None
    assert len(detail) < 250
    assert detail.count("…") == 2
    assert shortened(ABSENT) == "absent"
    assert apply_matcher(Matcher(kind="exact", value=1), ABSENT) == "expected 1, found absent"


def test_an_optional_parameter_may_be_missing_or_null_but_not_wrong() -> None:
    expected = (ParamExpectation(param="f", matcher=Matcher(kind="exact", value="json"), optional=True),)
    found = [match_params(expected, {"f": value}.get if value is not ABSENT else lambda name: ABSENT)[0].passed for value in (ABSENT, None, "json", "csv")]
    assert found == [True, True, True, False]


def test_values_that_are_nested_deeply_are_compared() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    other = [deep]
    assert deep_equal(deep, deep)
    assert not deep_equal(deep, other)
    assert apply_matcher(Matcher(kind="exact", value=1), deep) is not None


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        (r"^a$", "", "a\n", False),
        (r"^b$", "m", "a\nb\nc", True),
        (r"a$", "m", "a\u2028b", True),
        (r"a.b", "", "a\u2028b", False),
        (r"a.b", "s", "a\u2028b", True),
        (r"\d", "", "٣", False),
        (r"\w", "", "é", False),
        (r"\bé", "", "aé", True),
        (r"\s", "", "\ufeff", True),
        (r"\s", "", "\x1c", False),
        (r"[\s]", "", "\u00a0", True),
        (r"[^\s]", "", "\x85", True),
        (r"[\S]", "", " \n", False),
        (r"[\D]", "", "123", False),
        (r"[\W]", "", "a_1", False),
        (r"[^]", "", "\n", True),
        (r"[]", "", "x", False),
        (r"\u0041\x42\cA\0", "", "AB\x01\x00", True),
        (r"\u{1f600}", "u", "😀", True),
        (r"(?<year>\d{4})-\k<year>", "", "2024-2024", True),
        (r"(a)\1", "", "aa", True),
        (r"(?<!x)y", "", "xy", False),
        (r"\/path\-x", "", "/path-x", True),
        (r"\Z", "", "Z", True),
        (r"a{,2}", "", "a{,2}", True),
        (r"{}", "", "{}", True),
        (r"]", "", "]", True),
        (r"[a-c&&b]", "", "&", True),
        (r"[[]", "", "[", True),
        (r"b", "y", "ab", False),
        (r"a|b", "y", "b", True),
        (r"a", "g", "ba", True),
        (r"[\b]", "", "\x08", True),
        (r"a+?b", "", "aab", True),
    ],
)
def test_a_pattern_finds_what_it_finds_in_javascript(pattern: str, flags: str, text: str, found: bool) -> None:
    assert (compile_pattern(pattern, flags).search(text) is not None) is found


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        ("([", ""),
        ("a", "x"),
        ("a", "ii"),
        ("a", "uv"),
        ("a++", ""),
        ("*a", ""),
        ("(?P<n>a)", ""),
        ("(?#c)", ""),
        ("\\", ""),
        ("[a", ""),
        ("(?>a)", ""),
        (")", ""),
    ],
)
def test_what_is_no_pattern_in_javascript_is_refused(pattern: str, flags: str) -> None:
    with pytest.raises(InvalidPattern):
        compile_pattern(pattern, flags)
