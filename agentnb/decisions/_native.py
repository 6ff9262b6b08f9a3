"""Tool calls -> what they decide together: control tools first, then what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.decisions._envelope import Dropped
from agentnb.decisions._json import parse_json
from agentnb.decisions._text import BLANKS
from agentnb.values.decisions import ControlToolRole, DecisionKind, UnrecognizedRole

Role = ControlToolRole | UnrecognizedRole
Call = tuple[str, Any]
"""A call: its name on the wire and its arguments, whatever type these are."""

PLACEHOLDERS: Final = frozenset({"placeholder", "none", "n/a", "null", "nothing", "-"})
PLACEHOLDER_PHRASES: Final = ("none needed", "just checking")


class Decision(NamedTuple):
    """What the calls of a turn decide."""

    kind: DecisionKind
    actions: list[tuple[str, dict[str, Any]]]
    sub_agents: list[tuple[str, str | None]]
    message: str | None
    payload_change: dict[str, Any] | None
    dropped: list[Dropped]


class Sorted(NamedTuple):
    """The calls of a turn by the roles of their tools, each with its place."""

    chats: list[int]
    completions: list[int]
    writes: list[int]
    delegations: list[int]
    unknown: list[int]
    others: list[int]


class NativeRule(NamedTuple):
    """One row of the native classification: the first that holds gives the kind."""

    number: str
    condition: str
    holds: Callable[[Sorted], bool]
    kind: DecisionKind


NATIVE_RULES: Final = (
    NativeRule("1", "a called tool asks the user", lambda s: bool(s.chats), "chat"),
    NativeRule("2", "a called tool finishes the task", lambda s: bool(s.completions), "taskComplete"),
    NativeRule("3a", "a called tool hands over to a sub-agent", lambda s: bool(s.delegations), "subAgent"),
    NativeRule("3b", "a called tool is no control tool", lambda s: bool(s.others), "action"),
    NativeRule("3c", "only payload writes are left", lambda s: True, "payloadChange"),
)
"""MemberJunction's decision normalizer, in the order in which it asks."""


def sort_calls(calls: Sequence[Call], roles: Mapping[str, Role]) -> Sorted:
    """Sort calls by the roles of their tools."""
    result = Sorted([], [], [], [], [], [])
    if not roles:
        result.others.extend(range(len(calls)))
        return result
    lists = {"chat": result.chats, "taskComplete": result.completions, "payloadChange": result.writes, "subAgent": result.delegations}
    for place, (name, _) in enumerate(calls):
        role = roles.get(name)
        if role is None:
            result.others.append(place)
        else:
            (lists[role.kind] if isinstance(role, ControlToolRole) else result.unknown).append(place)
    return result


def native_rule(sorted_calls: Sorted) -> NativeRule:
    """Return the rule that gives a native turn its kind."""
    return next(rule for rule in NATIVE_RULES if rule.holds(sorted_calls))


def decide_calls(calls: Sequence[Call], text: str | None, names: Mapping[str, str], roles: Mapping[str, Role]) -> Decision:
    """Decide what the calls of a turn mean together.

    Args:
        calls: at least one.
        text: what was said beside them; null when blank.
        names: names on the wire to names of Actions.
        roles: names of control tools to their roles.
    """
    dropped: list[Dropped] = []
    if not roles:
        return Decision("action", [(names.get(name, name), _object(arguments, name, dropped)) for name, arguments in calls], [], text, None, dropped)
    by_role = sort_calls(calls, roles)
    rule = native_rule(by_role)
    if rule.kind in ("chat", "taskComplete"):
        return _alone(rule.kind, (by_role.chats or by_role.completions)[0], calls, text)
    dropped += [_dropped(calls[place], "its role is of no known kind") for place in by_role.unknown]
    dropped += [_dropped(calls[place], "only the first payload write of a turn counts") for place in by_role.writes[1:]]
    sub_agents: list[tuple[str, str | None]] = [(_agent(roles[calls[place][0]]), None) for place in by_role.delegations]
    dropped += _untold([calls[place] for place in by_role.delegations])
    actions = [(names.get(name, name), _object(arguments, name, dropped)) for name, arguments in (calls[place] for place in by_role.others)]
    write = calls[by_role.writes[0]] if by_role.writes else None
    payload = _object(write[1], write[0], dropped) if write is not None else None
    return Decision(rule.kind, actions, sub_agents, text, payload, dropped)


def is_placeholder(calls: Sequence[Call], text: str | None) -> bool:
    """Say whether every call beside a text says nothing: it has no arguments, or all of them are words for nothing.

    Args:
        calls: name and arguments of each; control tools are judged like the others.
        text: what was said beside them.
    """
    return bool(text and text.strip(BLANKS)) and bool(calls) and all(_says_nothing(arguments) for _, arguments in calls)


def _alone(kind: DecisionKind, place: int, calls: Sequence[Call], text: str | None) -> Decision:
    name, arguments = calls[place]
    dropped = [_dropped(call, f"the call of {name} decides the turn alone") for at, call in enumerate(calls) if at != place]
    told = _object(arguments, name, dropped)
    said = told.get("message")
    message = said if isinstance(said, str) else text
    if isinstance(said, str) and text is not None:
        dropped.append(Dropped("text", name, f"the call of {name} has a message of its own", text))
    payload = _payload(name, told.get("payloadChangeRequest"), dropped) if kind == "taskComplete" else None
    return Decision(kind, [], [], message, payload, dropped)


def _payload(name: str, value: Any, dropped: list[Dropped]) -> dict[str, Any] | None:
    """Read the payload of the call that finishes: an object, or an object written as a JSON string, because a forced call can only fill that."""
    read = parse_json(value).value if isinstance(value, str) else value
    if isinstance(read, dict):
        return read
    if value is not None:
        dropped.append(Dropped("argument", f"{name}.payloadChangeRequest", "it is no JSON object", value))
    return None


def _untold(delegations: list[Call]) -> list[Dropped]:
    told = [(name, arguments["message"]) for name, arguments in delegations if isinstance(arguments, dict) and isinstance(arguments.get("message"), str)]
    return [Dropped("argument", f"{name}.message", "what a sub-agent is told is not captured from a call", message) for name, message in told]


def _object(arguments: Any, name: str, dropped: list[Dropped]) -> dict[str, Any]:
    if isinstance(arguments, dict):
        return arguments
    if arguments is not None:
        dropped.append(Dropped("argument", name, "its arguments are not an object", arguments))
    return {}


def _dropped(call: Call, reason: str) -> Dropped:
    return Dropped("call", call[0], reason, call[1])


def _agent(role: Role) -> str:
    return (role.name or "") if isinstance(role, ControlToolRole) else ""


def _says_nothing(arguments: Any) -> bool:
    if not isinstance(arguments, dict):
        return arguments is None or arguments in ("", [])
    return all(isinstance(value, str) and _is_placeholder_text(value) for value in arguments.values())


def _is_placeholder_text(value: str) -> bool:
    lowered = value.lower()
    return lowered.strip(BLANKS) in PLACEHOLDERS or any(phrase in lowered for phrase in PLACEHOLDER_PHRASES)
