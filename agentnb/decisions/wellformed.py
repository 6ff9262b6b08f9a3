"""Could the framework use this turn at all? Apart from whether it is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from agentnb.decisions._text import trim
from agentnb.values import Value
from agentnb.values.decisions import ObservedDecision

STEP_TYPES: Final = ("Actions", "ClientTools", "Sub-Agent", "Chat", "Retry", "ForEach", "While", "Pipeline", "Skill", "Plan")
"""Step types that MemberJunction's loop agent dispatches (5.51.3), in exactly this spelling."""
UNACCEPTABLE_FINISH_REASONS: Final = ("malformed_function_call", "content_filter", "safety", "recitation", "length", "max_tokens")


class WellFormedness(Value):
    """Whether a turn can be used, and if not, the first reason why."""

    passed: bool
    """Whether it can be used."""
    score: float
    """1 when it can, else 0."""
    reason: str | None = None
    """execution_error, empty, unparseable, finish_reason, wrong_case, not_dispatchable, nothing_to_dispatch or no_envelope; null when it can be used."""
    message: str
    """What is wrong, in words; how it arrived when nothing is."""
    details: dict[str, Any]
    """Kind, encoding, envelopeParsed, stepType and finishReason."""


class Facts(NamedTuple):
    """What well-formedness is judged by."""

    kind: str
    encoding: str
    envelope_parsed: bool | None
    step_type: str | None
    diagnostic: str | None
    finish_reason: str | None
    execution_error: str | None


class Demands(NamedTuple):
    """What is demanded of a turn."""

    require_envelope: bool
    finish_reasons: frozenset[str]
    step_types: tuple[str, ...]


class Problem(NamedTuple):
    """The first reason why a turn cannot be used."""

    reason: str
    message: str


def demands(
    *, require_envelope: bool = False, unacceptable_finish_reasons: Iterable[str] = UNACCEPTABLE_FINISH_REASONS, step_types: Iterable[str] = STEP_TYPES
) -> Demands:
    """Prepare what is demanded, for many turns."""
    return Demands(require_envelope, frozenset(_plain(reason) for reason in unacceptable_finish_reasons), tuple(step_types))


def check_well_formed(
    decision: ObservedDecision,
    *,
    finish_reason: str | None = None,
    execution_error: str | None = None,
    require_envelope: bool = False,
    unacceptable_finish_reasons: Iterable[str] = UNACCEPTABLE_FINISH_REASONS,
    step_types: Iterable[str] = STEP_TYPES,
) -> WellFormedness:
    """Say whether the framework could use a turn: a right decision in a form that nothing dispatches is not usable.

    Args:
        decision: what the turn decided.
        finish_reason: why the model stopped, in the provider's word.
        execution_error: what went wrong with the model call itself.
        require_envelope: whether only an envelope will do.
        unacceptable_finish_reasons: compared lower-cased and trimmed.
        step_types: step types that are dispatched, in exact spelling.

    Returns:
        The verdict with the first reason against it, in the order of MemberJunction's response-well-formed oracle.
    """
    wanted = demands(require_envelope=require_envelope, unacceptable_finish_reasons=unacceptable_finish_reasons, step_types=step_types)
    facts = Facts(decision.kind, decision.encoding, decision.envelope_parsed, decision.step_type, decision.diagnostic, finish_reason, execution_error)
    problem = find_problem(facts, wanted)
    return WellFormedness(
        passed=problem is None,
        score=float(problem is None),
        reason=problem.reason if problem else None,
        message=problem.message if problem else f"a usable turn: {decision.kind}, encoding {decision.encoding}",
        details={
            "kind": decision.kind,
            "encoding": decision.encoding,
            "envelopeParsed": decision.envelope_parsed,
            "stepType": decision.step_type,
            "finishReason": finish_reason,
        },
    )


def find_problem(facts: Facts, wanted: Demands) -> Problem | None:
    """Return the first reason why a turn cannot be used; null when there is none."""
    if facts.kind == "action" and facts.encoding == "native" and not (facts.finish_reason or facts.execution_error or wanted.require_envelope):
        return None  # most steps of a recording; nothing of what follows can hold
    return next((problem for check in _CHECKS if (problem := check(facts, wanted)) is not None), None)


def _execution(facts: Facts, wanted: Demands) -> Problem | None:
    return None if not facts.execution_error else Problem("execution_error", f"the model call failed: {facts.execution_error}")


def _output(facts: Facts, wanted: Demands) -> Problem | None:
    if facts.kind == "empty":
        return Problem("empty", "the model put out nothing (no output)")
    return Problem("unparseable", facts.diagnostic or "the output could not be read") if facts.kind == "unparseable" else None


def _finish(facts: Facts, wanted: Demands) -> Problem | None:
    bad = facts.finish_reason is not None and _plain(facts.finish_reason) in wanted.finish_reasons
    return Problem("finish_reason", f"the model stopped because of {facts.finish_reason!r}") if bad else None


def _step(facts: Facts, wanted: Demands) -> Problem | None:
    if not facts.step_type or facts.step_type in wanted.step_types:
        return None
    canonical = next((known for known in wanted.step_types if known.lower() == trim(facts.step_type).lower()), None)
    if canonical is not None:
        return Problem("wrong_case", f"the step type {facts.step_type!r} is spelled wrongly: the canonical form is {canonical!r}")
    return Problem("not_dispatchable", f"the step type {facts.step_type!r} is not dispatchable; known are {', '.join(wanted.step_types)}")


def _something(facts: Facts, wanted: Demands) -> Problem | None:
    nothing = facts.kind == "other" and not facts.step_type
    return Problem("nothing_to_dispatch", "the output is valid JSON, but there is nothing to dispatch in it") if nothing else None


def _envelope(facts: Facts, wanted: Demands) -> Problem | None:
    if not wanted.require_envelope or facts.envelope_parsed is True:
        return None
    native = "an envelope is required, and the turn made native tool calls instead"
    return Problem("no_envelope", native if facts.encoding == "native" else "an envelope is required, and the output is none")


_CHECKS: Final[tuple[Callable[[Facts, Demands], Problem | None], ...]] = (_execution, _output, _finish, _step, _something, _envelope)


def _plain(reason: str) -> str:
    return trim(reason).lower()
