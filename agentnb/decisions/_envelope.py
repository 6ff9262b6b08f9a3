"""JSON object -> what an envelope asks for, and which of the kinds that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from agentnb.decisions._json import parse_json
from agentnb.decisions._text import BLANKS, count_concatenated_objects, strip_fence
from agentnb.values.decisions import DecisionKind, DiagnosticCategory, DroppedPart

_NAMES: Final = {str: "a string", list: "an array", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
MOST_DROPPED: Final = 100
"""Entries of one envelope that are named when they are dropped."""
_BEGINNINGS: Final = frozenset('{["-0123456789tfn')
"""With what a JSON text can begin; anything else need not be parsed to be refused."""


class Reading(NamedTuple):
    """The JSON object that an output is, or why it is none."""

    value: dict[str, Any] | None = None
    category: DiagnosticCategory | None = None
    diagnostic: str | None = None
    objects: int | None = None


class Dropped(NamedTuple):
    """Something that has no part in the decision: what, which, why, and what it said."""

    what: DroppedPart
    name: str
    reason: str
    content: Any = None


class Envelope(NamedTuple):
    """What is looked at in an envelope; everything else in it is ignored."""

    task_complete: bool
    message: str | None
    payload_change: dict[str, Any] | None
    has_form: bool
    step_type: str | None
    word: str
    actions: list[tuple[str, dict[str, Any]]]
    sub_agents: list[tuple[str, str | None]]
    dropped: list[Dropped]


class ClassRule(NamedTuple):
    """One row of the classification: the first that holds gives the kind."""

    number: int
    condition: str
    holds: Callable[[Envelope], bool]
    kind: DecisionKind


CLASS_RULES: Final = (
    ClassRule(1, "the step type is chat", lambda e: e.word == "chat", "chat"),
    ClassRule(
        2, "the step type is actions, or it is missing and there is an action",
        lambda e: e.word == "actions" or (not e.word and bool(e.actions)), "action",
    ),
    ClassRule(
        3, "the step type is sub-agent, or it is missing and there is a sub-agent",
        lambda e: e.word == "sub-agent" or (not e.word and bool(e.sub_agents)), "subAgent",
    ),
    ClassRule(4, "taskComplete is true", lambda e: e.task_complete, "taskComplete"),
    ClassRule(5, "there is a responseForm", lambda e: e.has_form, "chat"),
    ClassRule(6, "there is a payloadChangeRequest", lambda e: e.payload_change is not None, "payloadChange"),
    ClassRule(7, "nothing else holds", lambda e: True, "other"),
)  # fmt: skip
"""MemberJunction's decision normalizer, in the order in which it asks."""


def read_object(text: str, *, why: bool = True) -> Reading:
    """Read an output as one JSON object, without its fence; nothing is searched for and nothing is repaired.

    Args:
        text: the output, not blank.
        why: whether to find out what it is when it is no object.
    """
    stripped = strip_fence(text)
    first = stripped[:1]
    if first != "{" and not why:
        return Reading()
    if first not in _BEGINNINGS:
        return _not_json(stripped, "Expecting value: line 1 column 1 (char 0)")
    value, error = parse_json(stripped)
    if error is not None:
        return _not_json(stripped, error) if why else Reading()
    if isinstance(value, dict):
        return Reading(value)
    return Reading(None, "not_object", f"the output is JSON but not an object: it is {_NAMES.get(type(value), 'something else')}")


def read_envelope(value: dict[str, Any]) -> Envelope:
    """Take from an envelope what counts; entries that are none are dropped with their reason."""
    step = value.get("nextStep")
    step = step if isinstance(step, dict) else {}
    dropped: list[Dropped] = []
    step_type = _text(step.get("type"))
    return Envelope(
        task_complete=value.get("taskComplete") is True,
        message=_text(value.get("message")),
        payload_change=_object(value.get("payloadChangeRequest")),
        has_form=isinstance(value.get("responseForm"), dict),
        step_type=step_type,
        word="" if step_type is None else step_type.lower().strip(BLANKS),
        actions=_actions(step.get("actions"), dropped),
        sub_agents=_sub_agents(step, dropped),
        dropped=dropped,
    )


def classify(envelope: Envelope) -> ClassRule:
    """Return the rule that gives an envelope its kind."""
    return next(rule for rule in CLASS_RULES if rule.holds(envelope))


def _not_json(text: str, error: str) -> Reading:
    objects = count_concatenated_objects(text)
    if objects:
        return Reading(None, "concatenated", f"the output is not JSON: {objects} concatenated objects", objects)
    return Reading(None, "parse_error", f"the output is not JSON: {error}")


def _actions(entries: Any, dropped: list[Dropped]) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    if not isinstance(entries, list):
        return found
    for place, entry in enumerate(entries):
        if not _is_named(entry):
            _drop(dropped, f"nextStep.actions[{place}]", "it is not an object with a name", entry)
            continue
        params = entry.get("params")
        if params is not None and not isinstance(params, dict):
            _drop(dropped, f"nextStep.actions[{place}].params", "it is not an object", params)
        found.append((entry["name"], params if isinstance(params, dict) else {}))
    return found


def _sub_agents(step: dict[str, Any], dropped: list[Dropped]) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    several = step.get("subAgents")
    listed = [("nextStep.subAgent", step["subAgent"])] if step.get("subAgent") is not None else []
    listed += [(f"nextStep.subAgents[{place}]", entry) for place, entry in enumerate(several)] if isinstance(several, list) else []
    for path, entry in listed:
        if _is_named(entry):
            found.append((entry["name"], _text(entry.get("message"))))
        else:
            _drop(dropped, path, "it is not an object with a name", entry)
    return found


def _drop(dropped: list[Dropped], path: str, reason: str, content: Any) -> None:
    if len(dropped) < MOST_DROPPED:
        dropped.append(Dropped("entry", path, reason, content))
    elif len(dropped) == MOST_DROPPED:
        dropped.append(Dropped("entry", "nextStep", "further entries are dropped, too"))


def _is_named(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("name"), str) and entry["name"] != ""


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _object(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None
