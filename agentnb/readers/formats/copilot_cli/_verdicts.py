"""What Copilot's tools say only in words: the exit code at the end of a command's output, and that a call was not allowed."""

from __future__ import annotations

import re

NOT_ALLOWED = re.compile(
    r"\s*(?:Denied by (?:\w+ )?hook\b|(?:The )?user (?:rejected|denied)\b|Permission (?:to \w+ )?denied and\b|The execution of this tool .{0,80}denied)", re.I
)
"""How the result of a call begins that a hook, a rule or a person did not let run."""

_ENDED = re.compile(r"<(?:[^<>]*\b)?exited with (?:exit )?code (-?\d{1,9})>\s*$")


def exit_code_at_end(text: str | None) -> int | None:
    """Return the exit code that stands at the end of what a command printed."""
    ended = _ENDED.search(text[-200:]) if text else None
    return int(ended.group(1)) if ended is not None else None
