"""Small facts that recordings tell only in text: that a result is an error, and with which exit code a program ended."""

from __future__ import annotations

import re

# A result that says so in its first words: tau-bench and most hand-written tools have no other way to report an error.
_ERROR = re.compile(
    r"\s*(?:\w*Error\b\s*[:\]]|Error\s|\[?error\]?:|Exception:|Traceback \(most recent call last\)|\{\s*\"error\"\s*:(?!\s*(?:null|\"\"|false)))", re.IGNORECASE
)
_EXIT_CODE = re.compile(r"\s*(?:Error: )?(?:Exit code|exit status|Process exited with code)[: ]\s*(-?\d{1,9})\b", re.IGNORECASE)


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
    """Return the exit code that the first line of a result states in words, else None."""
    match = _EXIT_CODE.match(text[:100]) if text else None
    return int(match.group(1)) if match else None
