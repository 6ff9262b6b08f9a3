"""What aider's own lines tell: its version, its model, what a reply cost, what a person was asked, what it changed."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from agentnb.readers._fields import as_extra
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import Asked

_VERSION = re.compile(r"Aider v(\S+)")
_MODEL = re.compile(r"(?:Main )?[Mm]odels?: (\S+?)⚡? with ")
_USAGE = re.compile(r"Tokens: (.*?received)\.?(?: Cost: \$([\d.,]+) (?:message|request|send))?")
_COUNTS = re.compile(r"([\d.,]+)([kM]?) (sent|cache write|cache hit|received)")
_COLUMNS = {"sent": "input_tokens", "received": "output_tokens", "cache hit": "cached_tokens", "cache write": "cache_write_tokens"}
_SCALES = {"": 1, "k": 1000, "M": 1_000_000}
_ASKED = re.compile(r"(.+?\?)(?: \(Y\).*?)?(?: \[[^\]]*\])?:? (yes|no|all|skip|don't|[ynasd])", re.IGNORECASE)
_EDIT = re.compile(r"Applied edit to (.+)")
_COMMIT = re.compile(r"Commit ([0-9a-f]{6,40}) (.*)")
_FAILED = re.compile(r"(?:Unexpected error: )?litellm\.(?:\w+\.)*\w*(?:Error|Exception)\b|Unexpected error: ")
# What is asked about, and the tool that stands for it.
_TOOLS = (
    ("run shell command", "shell"),
    ("run test", "shell"),
    ("create new file", "create_file"),
    ("allow creation of new file", "create_file"),
    ("allow edits to", "edit_file"),
    ("add ", "add_to_chat"),
)


class Told(NamedTuple):
    """What the lines of one block tell."""

    usage: dict[str, Any]
    """Columns of the model call before it."""
    error: str | None
    """Why there is no reply."""
    asked: tuple[Asked, ...]
    """What a person was asked to allow."""
    extra: dict[str, Any]
    """Files that were changed, and commits."""
    version: str | None
    model: str | None


def told_in(text: str, line: int) -> Told:
    """Return what a block of the tool's lines tells.

    Args:
        text: the block, without the marks of its lines.
        line: number of its first line.
    """
    lines = text.split("\n")
    costs = [match for item in lines if (match := _USAGE.match(item)) is not None]
    edits = [match[1] for item in lines if (match := _EDIT.match(item)) is not None]
    commits = [{"commit": match[1], "message": match[2]} for item in lines if (match := _COMMIT.match(item)) is not None]
    return Told(
        _usage(costs[-1]) if costs else {},
        next((item.strip()[:500] for item in lines if _FAILED.match(item)), None),
        tuple(_asked(lines, place, line + place) for place, item in enumerate(lines) if _ASKED.fullmatch(item.strip()) and _tool_of(item)),
        {name: value for name, value in (("edits", edits), ("commits", commits)) if value},
        next((match[1] for item in lines if (match := _VERSION.match(item)) is not None), None),
        next((match[1] for item in lines if (match := _MODEL.match(item)) is not None), None),
    )


def _usage(match: re.Match[str]) -> dict[str, Any]:
    """Return tokens and cost; a count with a k is as exact as it was written."""
    found: dict[str, Any] = {}
    for number, scale, name in _COUNTS.findall(match[1]):
        amount = _number(number)
        if amount is not None and amount < 1e12:
            found[_COLUMNS[name]] = round(amount * _SCALES[scale])
    cost = _number(match[2]) if match[2] else None
    return found | ({"cost": cost} if cost is not None else {})


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip(".,").replace(",", ""))
    except ValueError:
        return None


def _tool_of(line: str) -> str | None:
    asked = line.strip().lower()
    return next((tool for begins, tool in _TOOLS if asked.startswith(begins)), None)


def _asked(lines: list[str], place: int, line: int) -> Asked:
    """Return what a person was asked to allow; what it is about stands in the question, or on the lines before it."""
    match = _ASKED.fullmatch(lines[place].strip())
    assert match is not None
    answer: Literal["yes", "no"] = "yes" if match[2].lower() in ("y", "yes", "a", "all") else "no"
    about: list[str] = []
    for before in reversed(lines[:place]):
        if not before.strip() or _ASKED.fullmatch(before.strip()) or any(pattern.match(before) for pattern in (_USAGE, _EDIT, _COMMIT)):
            break
        about.append(before.strip())
    tool = _tool_of(lines[place]) or ""
    subject = {"command" if tool == "shell" else "about": "\n".join(reversed(about))} if about else {}
    return Asked(None, tool, as_extra(subject), state="done", question=Question(match[1], answer, line=line))
