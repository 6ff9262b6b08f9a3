"""A tool's result as Codex shows it to the model -> exit code, whether it failed, was refused, or still runs.

The exit code stands in three places: in words above the output ("Process exited with code 1", "Exit code: 1"), in JSON around the output, and in an
event of its own (`_calls`). In code mode there is none: a script is completed, failed or running.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentnb.readers._fields import amount_in, rest_of, text_of
from agentnb.readers._json import parse_json
from agentnb.readers._verdicts import first_line

_BEGINS = ("Chunk ID", "Command:", "Wall time", "Exit code", "Process ", "Script ")
_ENDED = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:) (-?\d{1,9})\b")
_GOES_ON = re.compile(r"(?:^|\n)(?:Process|Script) running with (session|cell) ID (\S+)")
_REFUSED = re.compile(
    r"\b(?:rejected by (?:the )?(?:user|reviewer|guardian)|user (?:rejected|denied|declined)|(?:denied|declined) by (?:the )?user|reject command)\b", re.I
)
_BY_PERSON = re.compile(r"\buser\b", re.I)
_FAILED = re.compile(
    r"\s*(?:aborted by user|Script failed|apply_patch verification failed|exec_command failed|failed to parse|unsupported call|execution error"
    r"|tool call error|write_stdin failed|unable to locate image|\w+ is unavailable in\b|collab \w+ failed)",
    re.I,
)
_LONGEST_REFUSAL = 1000
_BEGINNING = 200


class Outcome(NamedTuple):
    """What a result tells."""

    text: str
    """The output as the agent was shown it."""
    exit_code: int | None = None
    failed: bool | None = None
    """None leaves it to the first words of the text."""
    error: str | None = None
    goes_on: str | None = None
    """Under what a program that was started still runs: its session or its cell."""
    ended: bool = False
    """Whether a program is said to have ended."""
    refused: bool = False
    refused_by_person: bool = False
    extra: dict[str, Any] | None = None


def outcome_in(text: str) -> Outcome:
    """Read what a result tells in its words."""
    if text.startswith('{"output":'):
        return _in_json(text)
    if text.startswith(_BEGINS):
        return _in_header(text)
    if len(text) <= _LONGEST_REFUSAL and (refused := _REFUSED.search(text[:_BEGINNING])):
        return Outcome(text, error=first_line(text), refused=True, refused_by_person=_BY_PERSON.search(refused.group()) is not None)
    return Outcome(text, failed=True, error=first_line(text)) if _FAILED.match(text) else Outcome(text)


def _in_header(text: str) -> Outcome:
    head, _, output = text.partition("\nOutput:\n")
    if (goes_on := _GOES_ON.search(head)) is not None:
        return Outcome(text, failed=False, goes_on=" ".join(goes_on.groups()))
    if (ended := _ENDED.search(head)) is not None:
        return _ended(text, int(ended.group(1)), output)
    if head.startswith("Script completed"):
        return Outcome(text, failed=False, ended=True)
    failed = _FAILED.match(head) is not None
    words = first_line(output.strip().removeprefix("Script error:")) or first_line(text)
    return Outcome(text, failed=True, error=words, ended=True) if failed else Outcome(text)


def _in_json(text: str) -> Outcome:
    parsed = parse_json(text.encode("utf-8", "replace")).value
    metadata = parsed.get("metadata") if isinstance(parsed, dict) else None
    output = text_of(parsed.get("output")) if isinstance(parsed, dict) else None
    if not isinstance(metadata, dict) or output is None:
        return Outcome(text)
    rest = rest_of(parsed | metadata, ("output", "metadata", "exit_code"))
    code = metadata.get("exit_code")
    if type(code) is not int or abs(code) > 2**31:
        return Outcome(output, extra=rest)
    return _ended(output, code, output)._replace(extra=rest)


def _ended(text: str, code: int, output: str) -> Outcome:
    return Outcome(text, code, failed=code != 0, error=(first_line(output) or f"Exit code {code}") if code else None, ended=True)


def seconds_in(duration: Any) -> float | None:
    """Read a length of time: seconds, or an object of seconds and nanoseconds."""
    if isinstance(duration, dict):
        seconds, nanos = amount_in(duration.get("secs")), amount_in(duration.get("nanos"))
        return None if seconds is None else seconds + (nanos or 0) / 1e9
    return amount_in(duration)
