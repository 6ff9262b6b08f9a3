"""What follows from a check: report it, ask the model for one revision, or refuse the answer."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

from agentnb.errors import UnsupportedValues
from agentnb.scripts.evidence.check import MOST_REPORTED, EvidenceCheck
from agentnb.scripts.evidence.options import EvidenceOptions

Action = Literal["grounded", "revision-asked", "refused", "flagged"]
CORRECTION: Final = "[evidence check]"


class Judgment(NamedTuple):
    """What is done about an answer, and what is kept of it."""

    action: Action
    """grounded, revision-asked, refused or flagged."""
    committed: dict[str, Any] | None
    """The verdict that stays in the state: values, candidates, revised, refused, posture; None on a clean pass and while a revision is asked for."""
    event: dict[str, Any]
    """Payload of `agentfootprint.agent.evidence_checked`."""
    correction: str | None = None
    """What the model is told as the person's role when it is asked to revise."""
    error: UnsupportedValues | None = None
    """What the boundary raises when the answer is refused."""


def judge_answer(check: EvidenceCheck, options: EvidenceOptions, *, iteration: int = 1, revised: bool = False, limit_fired: bool = False) -> Judgment | None:
    """Decide what follows from a check, when the loop is about to finish.

    Args:
        check: the check of the answer.
        options: the posture is taken from here.
        iteration: number of the model call that answered.
        revised: whether the one revision of this turn is spent.
        limit_fired: whether a limit ended the loop, so that there is no further model call.

    Returns:
        The judgment; None for an empty answer, or one about to be nudged, which is not judged and makes no event.
    """
    if not check.answer.strip() or options.nudge:
        return None
    values = check.unsupported
    action = _action(check, options, revised=revised, limit_fired=limit_fired)
    event: dict[str, Any] = {
        "iteration": iteration,
        "posture": options.posture,
        "candidates": check.candidates,
        "unsupported": [value.shown for value in values[:MOST_REPORTED]],
        "action": action,
        "afterRevision": revised,
    } | ({"evidenceTruncated": True} if check.index_truncated else {})
    if action == "grounded":
        return Judgment(action, None, event)
    if action == "revision-asked":
        return Judgment(action, None, event, correction_for(check, options))
    shown = tuple(value.shown for value in values[:MOST_REPORTED])
    committed = {"values": list(shown), "candidates": check.candidates, "revised": revised, "refused": action == "refused", "posture": options.posture}
    if action == "flagged":
        return Judgment(action, committed, event)
    message = f"The answer names {len(values)} of {check.candidates} values that stand in nothing the agent was shown: {check.listed()}."
    return Judgment(action, committed, event, error=UnsupportedValues(message, values=shown, candidates=check.candidates, revised=revised))


def correction_for(check: EvidenceCheck, options: EvidenceOptions) -> str:
    """Write what the model is told when it is asked to revise: our words first, what it wrote itself last."""
    told = (
        f"{CORRECTION} Some names or numbers of your answer stand in no tool result that you were shown. Look them up, or take them out;"
        " saying that something was not collected is a good answer."
    )
    return "\n".join(filter(None, (told, options.recovery_instruction, f"Not found: {check.listed()}")))


def _action(check: EvidenceCheck, options: EvidenceOptions, *, revised: bool, limit_fired: bool) -> Action:
    if not check.unsupported:
        return "grounded"
    if check.index_truncated or options.posture == "assist":
        return "flagged"
    if not revised and not limit_fired:
        return "revision-asked"
    return "refused" if options.posture == "rails" else "flagged"
