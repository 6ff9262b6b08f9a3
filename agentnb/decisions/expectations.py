"""What should a turn decide? As a value, and in the form in which case files write it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, cast, get_args

from agentnb.decisions._regex import InvalidPattern, compile_pattern
from agentnb.decisions.matchers import Matcher, ParamExpectation, type_of
from agentnb.errors import CaseError
from agentnb.values import Value
from agentnb.values.decisions import CamelValue, DecisionKind, ObservedDecision

KINDS: Final = get_args(DecisionKind)
FILE_MATCHERS: Final = {
    "exact": "exact",
    "nonEmpty": "nonEmpty",
    "contains": "containsIgnoreCase",
    "oneOf": "oneOf",
    "regex": "regex",
    "numericTolerance": "numberRange",
    "typeOf": "typeOf",
    "absent": "absent",
}
"""Matchers by their names in a case file, with the kinds they become."""


class ExpectedAction(Value):
    """One Action that is expected."""

    name: str
    """Its real name."""
    params: tuple[ParamExpectation, ...] = ()
    """What is expected of its parameters."""


class DecisionExpectation(CamelValue):
    """What a turn should decide; what is not given is not judged."""

    kind: DecisionKind | Literal["anyOf"]
    """The kind of the decision, or anyOf when one of several will do."""
    actions: tuple[ExpectedAction, ...] = ()
    """Actions that are expected; none means that they are not judged."""
    sub_agents: tuple[str, ...] = ()
    """Names of sub-agents that are expected; none means that they are not judged."""
    message: Matcher | None = None
    """What is expected of the message."""
    forbidden_actions: tuple[str, ...] = ()
    """Names that must occur neither among the Actions nor among the sub-agents."""
    ordered: bool = False
    """Whether the order counts; ignored with allow_additional_actions."""
    allow_additional_actions: bool = False
    """Whether further Actions are right, too."""
    payload: tuple[ParamExpectation, ...] = ()
    """What is expected of the payload change, by paths with dots."""
    forbidden_payload_paths: tuple[str, ...] = ()
    """Paths that must not be written, not even with null."""
    any_of: tuple[DecisionExpectation, ...] = ()
    """With anyOf: the expectations of which one is to be met."""


def read_expectation(value: Any, *, where: str = "the expectation") -> DecisionExpectation:
    """Read an expectation as case files write it.

    Params and payload are mappings of names to matchers `{"matcher": …}`; the form of the values (lists of `{"param", "matcher"}`) is read, too.

    Args:
        value: the expectation; a `DecisionExpectation` is returned as it is.
        where: what stands at the beginning of a message, such as the case's id.

    Raises:
        CaseError: something in it cannot be judged; the message says where.
    """
    if isinstance(value, DecisionExpectation):
        return value
    if not isinstance(value, Mapping):
        raise CaseError(f"{where}: an expectation is an object, not {type_of(value)}")
    kind = value.get("kind")
    if kind == "anyOf":
        return _any_of(value, where)
    if not isinstance(kind, str) or kind not in KINDS:
        raise CaseError(f"{where}: {kind!r} is no kind of decision; kinds are {', '.join((*KINDS, 'anyOf'))}")
    actions = _actions(value.get("actions"), where)
    if kind == "action" and not actions:
        raise CaseError(f"{where}: the kind action needs the actions that are expected")
    message = value.get("message")
    return DecisionExpectation(
        kind=cast(DecisionKind, kind),
        actions=actions,
        sub_agents=_names(value, "subAgents", "sub_agents", where),
        message=None if message is None else read_matcher(message, where=f"{where}, message"),
        forbidden_actions=_names(value, "forbiddenActions", "forbidden_actions", where),
        ordered=_flag(value, "ordered", "ordered", where),
        allow_additional_actions=_flag(value, "allowAdditionalActions", "allow_additional_actions", where),
        payload=_params(value.get("payload"), f"{where}, payload"),
        forbidden_payload_paths=_names(value, "forbiddenPayloadPaths", "forbidden_payload_paths", where),
    )


def read_matcher(value: Any, *, where: str) -> Matcher:
    """Read a matcher as case files write it: `{"matcher": "oneOf", "values": […]}`.

    Raises:
        CaseError: it is no matcher, or lacks what its kind needs.
    """
    if isinstance(value, Matcher):
        return value
    if not isinstance(value, Mapping):
        raise CaseError(f"{where}: a matcher is an object, not {type_of(value)}")
    if "matcher" not in value and isinstance(value.get("kind"), str):
        return Matcher.model_validate(dict(value))
    name = value.get("matcher")
    if not isinstance(name, str) or name not in FILE_MATCHERS:
        raise CaseError(f"{where}: {name!r} is no matcher; matchers are {', '.join(FILE_MATCHERS)}")
    problem = _problem(name, value)
    if problem is not None:
        raise CaseError(f"{where}: the matcher {name} {problem}")
    return _matcher(name, value)


def write_expectation(expectation: DecisionExpectation) -> dict[str, Any]:
    """Return an expectation as case files write it, so that `read_expectation` gives the same again.

    Raises:
        CaseError: a matcher has no form in a file.
    """
    if expectation.kind == "anyOf":
        return {"kind": "anyOf", "anyOf": [write_expectation(branch) for branch in expectation.any_of]}
    written: dict[str, Any] = {
        "kind": expectation.kind,
        "actions": [{"name": action.name} | ({"params": _written_params(action.params)} if action.params else {}) for action in expectation.actions],
        "subAgents": list(expectation.sub_agents),
        "message": None if expectation.message is None else _written_matcher(expectation.message),
        "forbiddenActions": list(expectation.forbidden_actions),
        "ordered": expectation.ordered,
        "allowAdditionalActions": expectation.allow_additional_actions,
        "payload": _written_params(expectation.payload),
        "forbiddenPayloadPaths": list(expectation.forbidden_payload_paths),
    }
    return {key: part for key, part in written.items() if part not in (None, [], {}, False)}


def expect_decision(decision: ObservedDecision, *, params: bool = True) -> DecisionExpectation:
    """Expect what a turn decided, as the beginning of a case about a turn that a person found right.

    Args:
        decision: what it decided.
        params: whether the parameters of its first call of each Action are expected exactly.
    """
    seen: set[str] = set()
    actions = []
    for action in decision.actions:
        exact = [ParamExpectation(param=name, matcher=Matcher(kind="exact", value=value)) for name, value in action.params.items()]
        actions.append(ExpectedAction(name=action.name, params=tuple(exact) if params and action.name not in seen else ()))
        seen.add(action.name)
    return DecisionExpectation(kind=decision.kind, actions=tuple(actions), sub_agents=tuple(agent.name for agent in decision.sub_agents))


def _any_of(value: Mapping[str, Any], where: str) -> DecisionExpectation:
    branches = value.get("anyOf", value.get("any_of"))
    if not isinstance(branches, (list, tuple)) or not branches:
        raise CaseError(f"{where}: anyOf needs a list of at least one expectation")
    return DecisionExpectation(kind="anyOf", any_of=tuple(read_expectation(branch, where=f"{where}, branch {place}") for place, branch in enumerate(branches)))


def _actions(value: Any, where: str) -> tuple[ExpectedAction, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise CaseError(f"{where}: actions are a list, not {type_of(value)}")
    return tuple(_action(entry, f"{where}, action {place}") for place, entry in enumerate(value))


def _action(entry: Any, where: str) -> ExpectedAction:
    if isinstance(entry, ExpectedAction):
        return entry
    name = entry.get("name") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(name, str) or not name:
        raise CaseError(f"{where}: an expected action is an object with a name")
    return ExpectedAction(name=name, params=_params(entry.get("params"), f"{where} {name!r}"))


def _params(value: Any, where: str) -> tuple[ParamExpectation, ...]:
    if value is None:
        return ()
    if isinstance(value, Mapping):
        return tuple(_param(str(name), matcher, matcher, where) for name, matcher in value.items())
    if not isinstance(value, (list, tuple)) or not all(isinstance(entry, (Mapping, ParamExpectation)) for entry in value):
        raise CaseError(f"{where}: params are an object of names and matchers, not {type_of(value)}")
    return tuple(entry if isinstance(entry, ParamExpectation) else _param(str(entry.get("param")), entry.get("matcher"), entry, where) for entry in value)


def _param(name: str, matcher: Any, entry: Any, where: str) -> ParamExpectation:
    read = read_matcher(matcher, where=f"{where}, param {name!r}")
    return ParamExpectation(param=name, matcher=read, optional=isinstance(entry, Mapping) and entry.get("optional") is True)


def _problem(name: str, value: Mapping[str, Any]) -> str | None:
    if name == "contains" and not isinstance(value.get("value"), str):
        return "needs a string as its value"
    if name == "oneOf" and not (isinstance(value.get("values"), (list, tuple)) and value["values"]):
        return "needs a list of at least one value as its values"
    if name == "numericTolerance" and not all(type_of(value.get(key)) == "number" for key in ("value", "tolerance")):
        return "needs numbers as its value and tolerance"
    if name == "typeOf" and not (isinstance(value.get("type"), str) and value["type"]):
        return "needs a type"
    if name != "regex":
        return None
    if not isinstance(value.get("pattern"), str) or not isinstance(value.get("flags") or "", str):
        return "needs a string as its pattern"
    try:
        compile_pattern(value["pattern"], value.get("flags") or "")
    except InvalidPattern as error:
        return f"has a pattern that does not compile: {error}"
    return None


def _matcher(name: str, value: Mapping[str, Any]) -> Matcher:
    kind = FILE_MATCHERS[name]
    if kind == "numberRange":
        return Matcher(kind=kind, min=value["value"] - value["tolerance"], max=value["value"] + value["tolerance"])
    keys = {"exact": ("value",), "containsIgnoreCase": ("value",), "oneOf": ("values",), "regex": ("pattern", "flags"), "typeOf": ("type",)}.get(kind, ())
    return Matcher.model_validate({"kind": kind} | {key: value[key] for key in keys if key in value})


def _written_params(params: tuple[ParamExpectation, ...]) -> dict[str, Any]:
    return {param.param: _written_matcher(param.matcher) | ({"optional": True} if param.optional else {}) for param in params}


def _written_matcher(matcher: Matcher) -> dict[str, Any]:
    name = next((file_name for file_name, kind in FILE_MATCHERS.items() if kind == matcher.kind), None)
    if name is None or (name == "numericTolerance" and (matcher.min is None or matcher.max is None)):
        raise CaseError(f"a matcher of kind {matcher.kind} has no form in a case file; matchers there are {', '.join(FILE_MATCHERS)}")
    if matcher.min is not None and matcher.max is not None:
        return {"matcher": name, "value": (matcher.min + matcher.max) / 2, "tolerance": (matcher.max - matcher.min) / 2}
    given = matcher.model_dump(include=matcher.model_fields_set - {"kind"})
    return {"matcher": name} | {key: list(part) if key == "values" else part for key, part in given.items()}


def _names(value: Mapping[str, Any], key: str, other: str, where: str) -> tuple[str, ...]:
    names = value.get(key, value.get(other))
    if names is None:
        return ()
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise CaseError(f"{where}: {key} is a list of texts")
    return tuple(names)


def _flag(value: Mapping[str, Any], key: str, other: str, where: str) -> bool:
    flag = value.get(key, value.get(other))
    if flag is not None and not isinstance(flag, bool):
        raise CaseError(f"{where}: {key} is true or false")
    return flag is True
