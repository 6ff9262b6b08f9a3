"""Small facts that recordings tell only in text: that a result is an error, and with which exit code a program ended."""

from __future__ import annotations

import re
from typing import Any

from agentnb.readers._json import parse_json

# A result that says so in its first words: tau-bench and most hand-written tools have no other way to report an error.
_ERROR = re.compile(
    r"\s*(?:\w*Error\b\s*[:\]]|Error\s|\[?error\]?:|Exception:|Traceback \(most recent call last\)|\{\s*\"error\"\s*:(?!\s*(?:null|\"\"|false)))", re.IGNORECASE
)
_EXIT_CODE = re.compile(r"\s*(?:Error: )?(?:Exit code|exit status|Process exited with code)[: ]\s*(-?\d{1,9})\b", re.IGNORECASE)
# Most results begin with none of these, and a pattern costs ten times as much as a look at one character.
_FIRST_OF_EXIT_CODE = frozenset("EePp")

_EXIT_FIELDS = ("exit_code", "exitCode", "return_code", "returncode", "returnCode")
_EXIT_FIELD = re.compile('"(?:' + "|".join(_EXIT_FIELDS) + ')"')
_LONGEST_OBJECT = 1 << 20


def error_in(text: str | None) -> str | None:
    """Return the first line of a tool result that announces itself as an error, else None.

    Args:
        text: the result as the agent was shown it.
    """
    if not text or not _ERROR.match(text[:200]):
        return None
    return first_line(text)


def first_line(text: str) -> str:
    """Return the first line with something on it, at most 500 characters."""
    return next((line.strip() for line in text[:4000].splitlines() if line.strip()), "")[:500]


def exit_code_in(text: str | None) -> int | None:
    """Return the exit code that a result states: in words in its first line, or as a field of the JSON object that it is; else None."""
    if not text:
        return None
    if (text[0] in _FIRST_OF_EXIT_CODE or text[0].isspace()) and (match := _EXIT_CODE.match(text[:100])) is not None:
        return int(match.group(1))
    if text[0] != "{" or len(text) > _LONGEST_OBJECT or not _EXIT_FIELD.search(text):
        return None
    return exit_code_of(parse_json(text.encode()).value)


def exit_code_of(result: Any) -> int | None:
    """Return the exit code that a structured result states in a field of its own, or in its metadata, else None."""
    if not isinstance(result, dict):
        return None
    for name in _EXIT_FIELDS:
        if type(result.get(name)) is int and abs(result[name]) < 2**32:
            return int(result[name])
    return exit_code_of({name: value for name, value in result["metadata"].items() if name != "metadata"}) if isinstance(result.get("metadata"), dict) else None
