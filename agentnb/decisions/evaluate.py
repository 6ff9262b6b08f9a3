"""Did a turn decide what was expected, and if not, what came closest?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.decisions.expectations import DecisionExpectation, ExpectedAction, read_expectation
from agentnb.decisions.matchers import ABSENT, ParamResult, apply_matcher, match_params
from agentnb.values.decisions import CamelValue, ObservedDecision

OWN: Final = frozenset({"expected_kind", "observed_kind", "branch"})
"""Fields that MemberJunction's result does not have."""

_INDEX = re.compile(r"0|[1-9]\d{0,8}", re.ASCII)


class Evaluation(CamelValue):
    """How a decision meets an expectation; use `passed` for rates, because a plainly wrong kind still has a score of a half."""

    decision_kind_match: bool
    """Whether the kind is the expected one."""
    action_accuracy: float | None = None
    """1 when the Actions are those expected, else 0; null when none are expected."""
    param_fidelity: float | None = None
    """Share of parameters and payload paths that passed; null when none are expected."""
    param_results: tuple[ParamResult, ...] = ()
    """Each parameter and payload path that was judged."""
    forbidden_violations: tuple[str, ...] = ()
    """Forbidden names that occur, then forbidden paths that are written."""
    passed: bool
    """Whether everything is as expected."""
    score: float
    """Mean of what was judged, from 0 to 1."""
    messages: tuple[str, ...] = ()
    """What is not as expected, in the order in which it was judged."""
    expected_kind: str
    """The kind that was expected."""
    observed_kind: str
    """The kind that was observed."""
    branch: tuple[int, ...] = ()
    """With anyOf: the place of the expectation that was met, else of the closest miss; several places where they nest."""

    def record(self) -> dict[str, Any]:
        """Return the fields of MemberJunction's result in camelCase."""
        return self.model_dump(by_alias=True, exclude=set(OWN), exclude_none=False)


class Judged(NamedTuple):
    """One component of an evaluation: its share from 0 to 1, null when it does not apply, and what is wrong."""

    share: float | None
    messages: tuple[str, ...] = ()


def evaluate_decision(expectation: DecisionExpectation | Mapping[str, Any], observed: ObservedDecision) -> Evaluation:
    """Judge a decision; with anyOf the first expectation that is met counts, else the closest miss.

    Args:
        expectation: what was expected, as a value or in the form of a case file.
        observed: what the turn decided.

    Returns:
        What matched and what did not, with messages.

    Raises:
        CaseError: the expectation cannot be judged.
    """
    wanted = read_expectation(expectation)
    if wanted.kind != "anyOf":
        return _evaluate(wanted, observed)
    evaluations = [
        found.model_copy(update={"branch": (place, *found.branch)})
        for place, branch in enumerate(wanted.any_of)
        if (found := evaluate_decision(branch, observed)) is not None
    ]
    passed = next((found for found in evaluations if found.passed), None)
    return passed or max(evaluations, key=lambda found: found.score)


def compare_names(expected: Sequence[str], found: Sequence[str], *, ordered: bool = False, allow_additional: bool = False) -> bool:
    """Compare names: case counts, duplicates count; with `allow_additional` the order does not."""
    if allow_additional:
        return not Counter(expected) - Counter(found)
    return list(expected) == list(found) if ordered else Counter(expected) == Counter(found)


def value_at(payload: Any, path: str) -> Any:
    """Return what stands at a path with dots, `ABSENT` when nothing does; numbers lead into arrays."""
    value = payload
    for key in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(key, ABSENT)
        elif isinstance(value, (list, tuple)) and _INDEX.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return ABSENT
    return value


def _evaluate(wanted: DecisionExpectation, observed: ObservedDecision) -> Evaluation:
    kind, actions = _kind(wanted, observed), _actions(wanted, observed)
    results = (*_action_params(wanted, observed), *match_params(wanted.payload, lambda path: value_at(observed.payload_change, path), "payload "))
    fidelity = sum(result.passed for result in results) / len(results) if results else None
    agents = _sub_agents(wanted, observed)
    violations = _violations(wanted, observed)
    message = _message(wanted, observed)
    shares = [share for share in (kind.share, actions.share, fidelity, agents.share, message.share, float(not violations)) if share is not None]
    told = tuple(f"{result.param}: {result.detail}" for result in results if not result.passed)
    forbidden = (f"forbidden, but found: {', '.join(violations)}",) if violations else ()
    return Evaluation(
        decision_kind_match=kind.share == 1,
        action_accuracy=actions.share,
        param_fidelity=fidelity,
        param_results=results,
        forbidden_violations=violations,
        passed=all(share == 1 for share in shares),
        score=sum(shares) / len(shares),
        messages=(*kind.messages, *actions.messages, *told, *agents.messages, *forbidden, *message.messages),
        expected_kind=wanted.kind,
        observed_kind=observed.kind,
    )


def _kind(wanted: DecisionExpectation, observed: ObservedDecision) -> Judged:
    if wanted.kind == observed.kind or (wanted.kind == "payloadChange" and observed.payload_change is not None):
        return Judged(1.0)
    why = f" ({observed.diagnostic})" if observed.diagnostic else ""
    return Judged(0.0, (f"expected the kind {wanted.kind}, observed {observed.kind}{why}",))


def _actions(wanted: DecisionExpectation, observed: ObservedDecision) -> Judged:
    if not wanted.actions:
        return Judged(None)
    expected, found = [action.name for action in wanted.actions], [action.name for action in observed.actions]
    if compare_names(expected, found, ordered=wanted.ordered, allow_additional=wanted.allow_additional_actions):
        return Judged(1.0)
    how = " at least" if wanted.allow_additional_actions else " in this order" if wanted.ordered else ""
    return Judged(0.0, (f"expected the actions{how} {_listed(expected)}, observed {_listed(found)}",))


def _action_params(wanted: DecisionExpectation, observed: ObservedDecision) -> list[ParamResult]:
    return [result for action in wanted.actions for result in _params_of(action, observed)]


def _params_of(action: ExpectedAction, observed: ObservedDecision) -> tuple[ParamResult, ...]:
    called = next((found for found in observed.actions if found.name == action.name), None)
    if called is not None:
        return match_params(action.params, lambda name: called.params.get(name, ABSENT), f"{action.name}.")
    never = f"{action.name} was never called"
    return tuple(ParamResult(param=f"{action.name}.{param.param}", matcher_kind=param.matcher.kind, passed=False, detail=never) for param in action.params)


def _sub_agents(wanted: DecisionExpectation, observed: ObservedDecision) -> Judged:
    if not wanted.sub_agents:
        return Judged(None)
    found = [agent.name for agent in observed.sub_agents]
    if compare_names(wanted.sub_agents, found, ordered=wanted.ordered):
        return Judged(1.0)
    return Judged(0.0, (f"expected the sub-agents {_listed(wanted.sub_agents)}, observed {_listed(found)}",))


def _violations(wanted: DecisionExpectation, observed: ObservedDecision) -> tuple[str, ...]:
    called = {action.name for action in observed.actions} | {agent.name for agent in observed.sub_agents}
    names = [name for name in wanted.forbidden_actions if name in called]
    written = [path for path in wanted.forbidden_payload_paths if value_at(observed.payload_change, path) is not ABSENT]
    return (*names, *(f"payload:{path}" for path in written))


def _message(wanted: DecisionExpectation, observed: ObservedDecision) -> Judged:
    if wanted.message is None:
        return Judged(None)
    detail = apply_matcher(wanted.message, ABSENT if observed.message is None else observed.message)
    return Judged(1.0) if detail is None else Judged(0.0, (f"message: {detail}",))


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(names[:20])}{', …' if len(names) > 20 else ''}]"
