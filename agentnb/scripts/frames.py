"""What agents write around a program's output: exit codes, timeouts, programs that go on. Only these frames are read, never what a program printed.

A frame stands at the very beginning or the very end of a result. Those that an agent writes only when a program failed count only on a call that
failed, since a program that prints such a line itself would otherwise be believed.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

import msgspec

Verdict = Literal["exit", "completed", "running", "timeout", "interrupted"]


class Frame(NamedTuple):
    """What the words around an output prove."""

    verdict: Verdict
    """How it ended, or that it goes on."""
    exit_code: int | None = None
    """The exit code that they state."""


NEAR: Final = 600
"""Characters at the beginning and at the end of a result in which a frame is looked for."""
_HEAD = re.compile(
    r"""\s*(?:
    <returncode>(?P<mini>-?\d{1,9})</returncode>
    |exit[ ]?code:[ ]?(?P<autogen>-?\d{1,9})[ ]\(execution
    |(?P<codex>(?:(?:Command|Chunk[ ]ID|Wall[ ]time|Original[ ]token[ ]count):[^\n]{0,400}\n){1,4}
        Process[ ](?:exited[ ]with[ ]code[ ](?P<code>-?\d{1,9})|running[ ]with[ ]session[ ]ID)\b)
    |Process[ ]exited[ ]with[ ]code[ ](?P<process>-?\d{1,9})\b
    |(?P<running>Script[ ]running[ ]with[ ]cell[ ]ID|Process[ ]running[ ]with[ ]session[ ]ID|Command[ ]running[ ]in[ ]background[ ]with[ ]ID:)
    |(?P<completed>Script[ ]completed\nWall[ ]time)
    |(?P<timeout>EXECUTION[ ]TIMED[ ]OUT\b)
    )""",
    re.VERBOSE,
)
_HEAD_OF_FAILED = re.compile(
    r"""\s*(?:Error:[ ])?(?:
    (?:Exit[ ]code|exit[ ]status|Process[ ]exited[ ]with[ ]code)[: ]\s?(?P<code>-?\d{1,9})\b
    |(?P<timeout>(?:Command|Execution|Process|Script|Tool|Cell|Code[ ]execution)?[ ]?
        (?:timed[ ]out|timeout[ ](?:expired|exceeded|reached)|execution[ ]timed[ ]out))\b
    |(?P<interrupted>Command[ ](?:was[ ])?aborted|aborted[ ]by[ ]user|\[Request[ ]interrupted|Interrupted[ ]by[ ]user
        |The[ ]command[ ]was[ ]cancelled|Operation[ ]cancelled)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_TAIL = re.compile(
    r"""(?:
    \[(?:The[ ]command[ ]completed|Command[ ]finished|The[ ]command[ ]exited)[ ]with[ ]exit[ ]code[ ](?P<hands>-?\d{1,9})\.?\]
    |<exited[ ]with[ ]exit[ ]code[ ](?P<copilot>-?\d{1,9})>
    |(?:^|\n)Exit[ ]Code:[ ](?P<gemini>-?\d{1,9})(?:\n(?:Error|Signal|Background[ ]PIDs|Process[ ]Group[ ]PGID):[^\n]{0,200})*
    |(?P<running>\[The[ ]command[ ]has[ ]no[ ]new[ ]output[ ]after[ ][^\]]{0,400}\])
    |(?P<timeout>\[The[ ]command[ ]timed[ ]out[^\]]{0,300}\])
    )\s*\Z""",
    re.VERBOSE,
)
_TAIL_OF_FAILED = re.compile(
    r"""(?:^|\n)(?:
    (?:Command|Process)[ ](?:failed|exited)[ ]with[ ](?:exit[ ])?code:?[ ](?P<code>-?\d{1,9})\.?
    |(?P<timeout>(?:\[?Command|Execution)[ ]timed[ ]out[^\n]{0,200})
    |(?P<interrupted>Command[ ]aborted|\[?Request[ ]interrupted[ ]by[ ]user[^\n]{0,40})
    )\s*\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_FIELD = re.compile(r'"(?:exit_?code|return_?code)"\s*:\s*-?\d', re.IGNORECASE)
_FIELDS: Final = frozenset({"exitcode", "returncode"})
_PRINTED: Final = frozenset({"stdout", "stderr", "output", "outputs", "logs", "content"})
"""A runner's record says what was printed; an object without is what a program printed."""
_LONGEST_OBJECT: Final = 1 << 20
_TIMED_OUT = re.compile(r"\btim(?:ed|e)[ -]?out\b|time limit|deadline exceeded|execution_time_exceeded", re.IGNORECASE)
_INTERRUPTED = re.compile(r"\babort(?:ed)?\b|\binterrupted\b|\bcancell?ed\b", re.IGNORECASE)


def frame_in(output: str | None, error: str | None, *, failed: bool) -> Frame | None:
    """Read what an agent wrote around the output of a program.

    Args:
        output: the result as the agent was shown it.
        error: what went wrong, in the recording's words.
        failed: whether the recording says that the call failed.

    Returns:
        What the frame proves; None when there is none.
    """
    if output:
        frame = _head(output) or _tail(output) or (_failed_frame(output) if failed else None) or _object(output)
        if frame is not None:
            return frame
    return cause_in(error) if failed and error else None


def cause_in(error: str) -> Frame | None:
    """Say whether the words of an error, which are the recording's own, tell of a timeout or of an interruption."""
    words = error[:NEAR]
    return Frame("timeout") if _TIMED_OUT.search(words) else Frame("interrupted") if _INTERRUPTED.search(words) else None


def _head(output: str) -> Frame | None:
    # The first letters tell whether it is worth looking: results are many, frames are few.
    return _told(_HEAD.match(output[:NEAR])) if output[:40].lstrip()[:1] in ("<", "e", "E", "C", "W", "P", "S", "O") else None


def _tail(output: str) -> Frame | None:
    end = output[-NEAR:].rstrip()
    frame = _told(_TAIL.search(end)) if end[-1:] in ("]", ">") or "Exit Code: " in end else None
    # OpenHands writes the folder and the interpreter after the exit code.
    return frame or (_told(_TAIL.search(end[: end.find("]", end.find("with exit code")) + 1])) if "\n[Current working directory:" in end else None)


def _failed_frame(output: str) -> Frame | None:
    return _told(_HEAD_OF_FAILED.match(output[:NEAR])) or _told(_TAIL_OF_FAILED.search(output[-NEAR:]))


def _told(match: re.Match[str] | None) -> Frame | None:
    if match is None:
        return None
    found = {name: value for name, value in match.groupdict().items() if value is not None}
    for verdict in ("running", "completed", "timeout", "interrupted"):
        if verdict in found:
            return Frame(verdict)
    codes = [value for name, value in found.items() if name != "codex"]
    return Frame("exit", int(codes[0])) if codes else Frame("running")


def _object(output: str) -> Frame | None:
    """Read the exit code off a result that is one JSON object, where it stands in a field of its own or in its metadata."""
    if output[0] != "{" or len(output) > _LONGEST_OBJECT or not _FIELD.search(output):
        return None
    try:
        result = msgspec.json.decode(output)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    if not isinstance(result, dict) or not _PRINTED & result.keys():
        return None
    places = [result, *(result[name] for name in ("metadata", "result", "output") if isinstance(result.get(name), dict))]
    code = next((code for place in places if (code := _exit_field(place)) is not None), None)
    return None if code is None else Frame("exit", code)


def _exit_field(result: dict[str, Any]) -> int | None:
    named = (value for name, value in result.items() if name.replace("_", "").lower() in _FIELDS)
    return next((value for value in named if type(value) is int and abs(value) < 2**32), None)
