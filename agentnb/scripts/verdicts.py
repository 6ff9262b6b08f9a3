"""How a recorded call of a code-running tool ended: the same closed words as live, from whatever the recording holds, and nothing that it does not."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

import msgspec

from agentnb.scripts.frames import Frame, cause_in, frame_in
from agentnb.values.scripts import ScriptOutcome

Cause = Literal["timeout", "interrupted", "running"]
Blocked = Literal["denied", "invalid_arguments", "unknown_tool"]


class Verdict(NamedTuple):
    """What a recording proves about a program that was asked for."""

    outcome: ScriptOutcome | None
    """How it ended; None when it was never submitted."""
    exit_code: int | None = None
    """Exit code as the recording has it."""
    service_error: bool = False
    """Whether a service failed and there is no exit code."""
    cause: Cause | None = None
    """Why there is no exit code, where the recording tells: a timeout, an interruption, or that it was still running."""
    blocked: Blocked | None = None
    """What stopped it before it ran."""


_TOLD_WELL = re.compile(r'"is_?[eE]rror"\s*:\s*false')
_OPEN: Final = ("unanswered", "running")
_UNKNOWN_TOOL = re.compile(
    r"\s*(?:<tool_use_error>)?(?:Error: )?(?:No such tool available|Unknown tool|unsupported call:"
    r"|(?:Tool|Function) \S{1,100} (?:not found|does not exist|is not available))",
    re.IGNORECASE,
)
_INVALID = re.compile(
    r"\s*(?:<tool_use_error>)?\s*(?:Error: )?(?:InputValidationError|Invalid (?:tool )?(?:arguments|parameters|input)\b|Validation failed for tool"
    r"|failed to parse function arguments)",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\s*(?:<tool_use_error>)?\s*(?:The user doesn't want to (?:proceed|take this action)|(?:exec_command |command )?rejected by user"
    r"|Permission to use \S{1,80} has been denied|Claude requested permissions to use|Tool call (?:was )?(?:rejected|denied)"
    r"|User (?:rejected|denied|declined|refused))",
    re.IGNORECASE,
)
_NOT_STARTED = re.compile(
    r"\b(?:failed to (?:start|spawn|create process|launch)|spawn \S{1,80} E[A-Z]{4,8}|OCI runtime exec failed|Cannot connect to the Docker daemon"
    r"|container \S{0,80} ?is not running|CreateProcess \{|ConnectionError|Connection (?:refused|reset)|tool must be restarted"
    r"|(?:session|sandbox|kernel|container|shell) (?:was |has |is )?(?:been )?(?:closed|stopped|dead|died|lost|expired|not (?:found|running|started)))",
    re.IGNORECASE,
)


def verdict_of(
    *,
    state: str | None = None,
    failed: bool = False,
    exit_code: int | None = None,
    output: str | None = None,
    error: str | None = None,
    extra: str | None = None,
    hosted: bool = False,
) -> Verdict:
    """Decide how a recorded call ended.

    Args:
        state: done, failed, denied, unanswered or running; None when the recording does not tell.
        failed: whether the recording says that it failed.
        exit_code: the exit code that the reader found.
        output: the result as the agent was shown it.
        error: what went wrong, in the recording's words.
        extra: JSON of what the reader did not understand, where some agents keep what their runner said.
        hosted: whether a service runs the tool's programs.

    Returns:
        The verdict. A result without any verdict is `unreported`: what was printed is never taken for one.
    """
    if state == "denied":
        return Verdict(None, blocked="denied")
    code = exit_code if type(exit_code) is int else None
    if code is None and state in _OPEN:
        return Verdict("submitted", cause="running" if state == "running" else None)
    failed = bool(failed) or state == "failed"
    if failed and code is None and (blocked := _blocked(output or error or "")):
        return Verdict(None, blocked=blocked)
    frame = frame_in(output, error, failed=failed) if code is None else None
    if frame is not None and frame.verdict == "exit":
        code = frame.exit_code
    if code is not None:
        cause = cause_in(error) if failed and error and code else None
        return Verdict("failed" if failed or code else "completed", code, cause=_cause(cause))
    if frame is None and extra:
        frame = _kept(extra)
    return _without_code(frame, failed=failed, words=error or output or "", hosted=hosted)


def _without_code(frame: Frame | None, *, failed: bool, words: str, hosted: bool) -> Verdict:
    if frame is not None and frame.verdict == "running" and not failed:
        return Verdict("submitted", cause="running")
    if frame is not None and frame.verdict in ("timeout", "interrupted"):
        return Verdict("failed", cause=_cause(frame))
    if not failed:
        return Verdict("completed" if frame is not None and frame.verdict == "completed" else "unreported")
    if hosted:
        return Verdict("failed", service_error=True)
    return Verdict("raised" if _NOT_STARTED.search(words[:600]) else "failed")


def _blocked(words: str) -> Blocked | None:
    head = words[:300]
    return "unknown_tool" if _UNKNOWN_TOOL.match(head) else "invalid_arguments" if _INVALID.match(head) else "denied" if _REFUSED.match(head) else None


def _kept(extra: str) -> Frame | None:
    """Read what stands beside the result: Claude Code's `interrupted` with the streams, OpenHands' word that nothing came, a flag that it was no error."""
    if '"interrupted":true' in extra:
        return Frame("interrupted")
    if '"backgroundTaskId":"' in extra or ('"exit_code":-1' in extra and "has no new output after" in extra):
        return Frame("running")
    if '"exit_code":-1' in extra and "The command timed out" in extra:
        return Frame("timeout")
    if '"interrupted":false' in extra and '"stderr":' in extra:
        return Frame("completed")
    return Frame("completed") if _TOLD_WELL.search(extra) and _ends_well(extra) else None


def _ends_well(extra: str) -> bool:
    """Say whether the recording itself tells that a call was no error, of the call or of its structured result."""
    try:
        told = msgspec.json.decode(extra)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    places = [told, told.get("toolUseResult")] if isinstance(told, dict) else []
    return any(place.get(name) is False for place in places if isinstance(place, dict) for name in ("is_error", "isError"))


def _cause(frame: Frame | None) -> Cause | None:
    if frame is None or frame.verdict in ("exit", "completed"):
        return None
    return "timeout" if frame.verdict == "timeout" else "interrupted" if frame.verdict == "interrupted" else "running"
