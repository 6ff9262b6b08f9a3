"""Did the right sub-agents run, over a whole run?"""

from __future__ import annotations

from collections.abc import Iterable

from agentnb.decisions._text import trim
from agentnb.values import Value


class SubAgentCheck(Value):
    """Whether the sub-agents of a run are those that it should have."""

    passed: bool
    """Whether nothing is missing, forbidden or too little."""
    score: float
    """1 when it passed, else the share of what was asked that is right."""
    missing: tuple[str, ...] = ()
    """Required agents that did not run."""
    forbidden: tuple[str, ...] = ()
    """Forbidden agents that ran."""
    messages: tuple[str, ...] = ()
    """What is not right, in words."""


def check_sub_agents(
    dispatched: Iterable[str],
    *,
    iterations: int = 0,
    required_agents: Iterable[str] = (),
    forbidden_agents: Iterable[str] = (),
    min_iterations: int | None = None,
) -> SubAgentCheck:
    """Check which sub-agents ran; names are compared without case and blanks at the ends.

    Args:
        dispatched: names of the agents that were handed over to, in any order.
        iterations: how many steps the run took.
        required_agents: names that must be among them.
        forbidden_agents: names that must not.
        min_iterations: fewest steps.

    Returns:
        The verdict; its score is the share of the checks that were asked for and are clean.
    """
    ran, required, forbidden = {_plain(name) for name in dispatched}, tuple(required_agents), tuple(forbidden_agents)
    missing = tuple(name for name in required if _plain(name) not in ran)
    wrong = tuple(name for name in forbidden if _plain(name) in ran)
    few = min_iterations is not None and iterations < min_iterations
    asked = [(bool(required), not missing), (bool(forbidden), not wrong), (min_iterations is not None, not few)]
    clean = [right for configured, right in asked if configured]
    messages = [f"these agents did not run: {', '.join(missing)}"] if missing else []
    messages += [f"these agents must not run and did: {', '.join(wrong)}"] if wrong else []
    messages += [f"{iterations} iterations, at least {min_iterations} expected"] if few else []
    return SubAgentCheck(passed=all(clean), score=sum(clean) / len(clean) if clean else 1.0, missing=missing, forbidden=wrong, messages=tuple(messages))


def _plain(name: str) -> str:
    return trim(name).lower()
