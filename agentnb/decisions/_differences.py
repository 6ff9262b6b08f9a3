"""Where MemberJunction's runtime does something else with a turn than its normalizer reads in it: why a loop may spin although the decision looks right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from agentnb.decisions._envelope import Envelope
from agentnb.decisions._text import is_blank
from agentnb.decisions.wellformed import STEP_TYPES
from agentnb.values.decisions import ObservedDecision


class Read(NamedTuple):
    """A turn as both sides see it."""

    value: dict[str, Any] | None
    envelope: Envelope | None
    decision: ObservedDecision
    """What the normalizer says."""


class Difference(NamedTuple):
    """One situation in which the two differ."""

    name: str
    situation: str
    runtime: str
    applies: Callable[[dict[str, Any], Envelope, ObservedDecision], bool]


def differences(read: Read) -> list[Difference]:
    """Return the situations that a turn is in."""
    if read.decision.encoding == "text" or read.decision.kind == "unparseable":
        return [_NOT_JSON]
    if read.value is None or read.envelope is None or read.decision.encoding != "envelope":
        return []
    return [difference for difference in DIFFERENCES if difference.applies(read.value, read.envelope, read.decision)]


def _step(value: dict[str, Any]) -> dict[str, Any]:
    step = value.get("nextStep")
    return step if isinstance(step, dict) else {}


def _is_misspelt(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    known = {step_type.lower() for step_type in STEP_TYPES}
    return bool(envelope.word) and envelope.step_type not in STEP_TYPES and envelope.word in known and not envelope.task_complete


def _is_ambiguous(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    return not envelope.word and bool(envelope.actions) and bool(envelope.sub_agents)


def _is_repaired(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    return decision.kind in ("other", "payloadChange") and not envelope.task_complete and not _step(value) and _says_something(value)


def _is_complete_write(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    change = envelope.payload_change or {}
    writes = any(change.get(section) for section in ("newElements", "updateElements", "removeElements"))
    return decision.kind == "payloadChange" and not envelope.task_complete and not _step(value) and not _says_something(value) and writes


def _is_complete_step(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    return envelope.task_complete and envelope.word in ("actions", "sub-agent") and not _step(value).get("clientTools")


def _is_complete_chat(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    return envelope.task_complete and envelope.word == "chat" and envelope.step_type != "Chat"


def _has_both_agents(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    several = _step(value).get("subAgents")
    return isinstance(_step(value).get("subAgent"), dict) and isinstance(several, list) and bool(several)


def _has_no_actions(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    return envelope.step_type == "Actions" and not envelope.actions and not envelope.task_complete


def _asks_nothing(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    return envelope.step_type == "Chat" and is_blank(envelope.message)


def _reads_on(value: dict[str, Any], envelope: Envelope, decision: ObservedDecision) -> bool:
    terminal = envelope.step_type == "Chat" or (envelope.task_complete and not _step(value).get("clientTools"))
    return terminal and any(isinstance(value.get(key), list) and bool(value[key]) for key in ("artifactToolCalls", "conversationToolCalls"))


def _says_something(value: dict[str, Any]) -> bool:
    return any(isinstance(value.get(key), str) and not is_blank(value[key]) for key in ("message", "reasoning"))


_NOT_JSON: Final = Difference(
    "not_json", "the output does not parse as an envelope", "asks the model again with a corrective message (Retry)", lambda v, e, d: True
)
DIFFERENCES: Final = (
    Difference("spelling", "the step type is spelled with other case or blanks", "its dispatcher compares the exact spelling and forces a Retry", _is_misspelt),
    Difference("inference", "the step type is missing, and both actions and a sub-agent are given", "infers the sub-agent first", _is_ambiguous),
    Difference("repair", "not complete, no next step, but a message or reasoning", "makes it a Chat, with the reasoning for an empty message", _is_repaired),
    Difference("write_completes", "not complete, no next step, no text, but a payload write", "takes the task as complete", _is_complete_write),
    Difference(
        "completion_wins", "taskComplete is true beside an explicit Actions or Sub-Agent step", "lets completion win over the step", _is_complete_step
    ),
    Difference("chat_spelling", "taskComplete is true beside a chat step not spelled Chat", "completes: only the exact Chat asks", _is_complete_chat),
    Difference("both_agents", "both subAgent and subAgents are given", "uses subAgents alone where it is not empty", _has_both_agents),
    Difference("no_actions", "the step type is Actions, and there is no action", "forces a Retry", _has_no_actions),
    Difference("no_message", "the step type is Chat, and there is no message", "asks with the reasoning as the message, else forces a Retry", _asks_nothing),
    Difference("reading", "the turn ends the run and also reads artifacts or conversations", "forces one more turn, at most 3 in a row", _reads_on),
)  # fmt: skip
"""MemberJunction's runtime 5.51.3."""
