"""Is a person asked before this tool runs, and what is the model shown when it does not? After section 6 of FunctAI's conversations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple, cast

from agentnb.errors import ApprovalAnswerError, SettingError
from agentnb.values.tools import ToolEffects

ProgramKind = Literal["ai", "module", "remote"]
ApproveRule = Callable[[Any], Any] | Literal["changes", "all"] | tuple[str, ...] | None
"""Who is asked about what: nobody; a function; a person about what changes things, about everything, or about the tools that are named."""
DENIED: Final = "The person did not allow this call."
_ORDINAL: Final = re.compile(r"#\d+(?:@\d+)?(?=/|$)")


class ApprovalAnswer(NamedTuple):
    """What was answered to the question whether a tool may run."""

    verdict: Literal["yes", "no"]
    """Whether it may."""
    reason: str | None = None
    """Why not."""


def check_approve(rule: Any) -> ApproveRule:
    """Return a rule as it is kept: a list of names as a tuple.

    Args:
        rule: None, a function, "changes", "all", or the names of tools or ends of approval paths.

    Raises:
        SettingError: with the code approve-rule; it is none of these.
    """
    if rule is None or callable(rule) or rule in ("changes", "all"):
        return cast(ApproveRule, rule)
    if isinstance(rule, list | tuple | set | frozenset) and all(isinstance(name, str) and name for name in rule):
        return tuple(sorted(rule)) if isinstance(rule, set | frozenset) else tuple(rule)
    allowed = 'None, "changes", "all", a function, or a list of names of tools or ends of paths such as "answer/refund"'
    raise SettingError("approve-rule", f"approve={rule!r:.120} is no rule; use {allowed}")


def asks(rule: ApproveRule | Sequence[str], *, name: str, path: str, effects: ToolEffects | None) -> bool:
    """Tell whether a rule asks about a tool call; a function is asked what "changes" selects.

    Args:
        rule: as `check_approve` returns it.
        name: the tool.
        path: the calls that lead to it and its name: support/answer/refund.
        effects: what the tool declares; one that declares nothing may change things.
    """
    if rule is None or rule == "all":
        return rule == "all"
    if callable(rule) or rule == "changes":
        return effects != "reads"
    return any(entry in (name, path) or path.endswith(f"/{entry}") for entry in rule)


def read_answer(answer: Any) -> ApprovalAnswer:
    """Read what a rule that is a function returned: True allows the call, False and None do not, a text is the reason why not.

    Raises:
        ApprovalAnswerError: it is none of these.
    """
    if answer is True:
        return ApprovalAnswer("yes")
    if answer is False or answer is None:
        return ApprovalAnswer("no")
    if isinstance(answer, str):
        return ApprovalAnswer("no", answer)
    raise ApprovalAnswerError(f"the approve function returned {answer!r:.120}; it must return True, False, None, or a text that says why not")


def denied_text(reason: str | None = None) -> str:
    """Return what the model is shown instead of the result of a tool that a person did not allow."""
    return f"{DENIED} Reason: {reason}" if reason else DENIED


def blocked_text(plugin: str, reason: str) -> str:
    """Return what the model is shown instead of the result of a tool that a plugin blocked."""
    return f"This call was blocked ({plugin}): {reason}"


def unknown_tool_text(name: str) -> str:
    """Return what the model is shown when it calls a tool that there is not."""
    return f"error: there is no tool named '{name}'"


def failed_tool_text(error: BaseException) -> str:
    """Return what the model is shown when a tool raised."""
    return f"error: {type(error).__name__}: {error}"


def program_effects(kind: ProgramKind, tools: Iterable[ToolEffects | None] = (), *, declared: ToolEffects | None = None) -> ToolEffects | None:
    """Return the effects of a tool that is itself a program.

    Args:
        kind: of the program.
        tools: the effects of the tools that it owns.
        declared: what its author says; that holds.

    Returns:
        For an AI function, reads when every tool of its own does. None, which is treated as changes, for what may change things.
    """
    if declared is not None:
        return declared
    return "reads" if kind == "ai" and all(effects == "reads" for effects in tools) else None


def approval_path(site: str, tool: str) -> str:
    """Return the path by which a rule names a tool call: the calls that lead to it without their ordinals, then the tool.

    Args:
        site: the call that asks, by its place in the tree: support#1/answer#2; `@3` says inside which tool call of that call the next one was made.
        tool: the tool.
    """
    return f"{_ORDINAL.sub('', site)}/{tool}" if site else tool
