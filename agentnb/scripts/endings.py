"""How a program ended, as far as its execution record proves it: never better, and never from what the program printed."""

from __future__ import annotations

from typing import NamedTuple

from agentnb.values.scripts import Number, Published, ScriptOutcome


class RunnerRecord(Published):
    """What the runner of a program says about it; `ok` is its verdict, everything else it may leave out."""

    ok: bool
    """Whether the runner calls it a success."""
    exit_code: Number | None = None
    """Exit code as the runner gave it; a killed child has none."""
    service_error: bool = False
    """Whether the verdict is that of a service which failed."""
    stdout: str | None = None
    """What it printed."""
    stderr: str | None = None
    """What it complained about."""
    truncated: bool = False
    """Whether what it printed was cut."""
    artifacts: tuple[str, ...] | None = None
    """Files it made; null when the runner does not report files, which is not the same as none."""


class Ending(NamedTuple):
    """What is written on a row when its call settles."""

    outcome: ScriptOutcome
    """How it ended."""
    exit_code: int | None = None
    """Exit code as the runner gave it."""
    service_error: bool = False
    """Whether the service failed and there is no exit code."""
    withheld: bool = False
    """Whether the tool's own ceiling kept the result from the model."""


def ending_of(record: RunnerRecord | None = None, *, raised: bool = False, answered: bool = False, over_ceiling: bool = False) -> Ending:
    """Decide how a call ended. The words are our own design; the reference publishes only `submitted`.

    Args:
        record: what the runner said; None when the tool left no execution record, as a plain function does.
        raised: whether the tool raised before there was a verdict.
        answered: whether a person's value settled a pause that the tool raised.
        over_ceiling: whether the tool's own ceiling replaced the result; whether a program succeeded is another question.

    Returns:
        The ending; a timed-out or killed program has failed with neither an exit code nor a service error.

    Example:
        >>> ending_of(RunnerRecord(ok=False, exit_code=7))
        Ending(outcome='failed', exit_code=7, service_error=False, withheld=False)
    """
    if raised:
        return Ending("raised")
    if answered:
        return Ending("answered")
    if record is None:
        return Ending("unreported", withheld=over_ceiling)
    failed_service = not record.ok and record.service_error and record.exit_code is None
    return Ending("completed" if record.ok else "failed", record.exit_code, failed_service, over_ceiling)
