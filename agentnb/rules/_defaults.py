"""Which rules are there by default? The eleven continuation rules of Navin, with nudges in our own words.

Their order, phases and fields follow its public description; the thresholds are defaults to be settled on one's own recordings, not truths.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from agentnb.rules._sentences import ends_with_user_question
from agentnb.rules.predicates import Said, asks_of_user, is_acknowledgement, is_go_ahead, listed_work, offers_work, unkept_work
from agentnb.values.rules import Finding, Rule, RuleContext, RulePhase

NO_PROGRESS_NUDGE: Final = 5
NO_PROGRESS_THRESHOLD: Final = NO_PROGRESS_NUDGE
NO_PROGRESS_STOP: Final = 8
"""The streak at which a runner stops the turn; a hard stop is the runner's, so no rule has it."""
EXPLORATION_THRESHOLD: Final = 10
WRAP_UP_THRESHOLD: Final = 0.8

PROMPTS: Final[Mapping[str, str]] = {
    "length_recovery": "The output limit cut your answer. Continue after the last whole word, repeat nothing, and split what is left if it is long.",
    "empty_final_response": "Your last answer was empty. Say how things stand, from what this conversation already holds.",
    "go_ahead": "The user agreed. Begin the agreed work with a tool call, or name the one thing in the way.",
    "no_action": "You announced a step and called no tool. Do that step now.",
    "remaining_work": "Something that was asked for is still open in your answer. Do it, or say exactly what is in the way.",
    "delivery": "This task needs a result made with tools before it is answered. Make it, then answer.",
    "verify_before_done": "Files were changed after the last check. Run the check that fits, and report what it says.",
    "verify_failed": "The last check is red. Mend the cause, run it again, and leave the tests as strict as they are.",
    "no_progress": "The latest calls brought back what was known already. Use that, or call something else.",
    "wrap_up": "A limit is close. Finish what matters most, and report what is done and what is not.",
    "exploration": "Much was read and nothing done with it. Act on it, answer from it, or name the one fact that is missing.",
}
"""What each rule asks for."""
LENGTH_RECOVERY_PROMPT: Final = PROMPTS["length_recovery"]

CAPS: Final[Mapping[str, int]] = {
    "length_recovery": 3, "empty_final_response": 2, "go_ahead": 1, "no_action": 1, "remaining_work": 2, "delivery": 1,
    "verify_before_done": 1, "verify_failed": 2, "no_progress": 1, "wrap_up": 1, "exploration": 4,
}  # fmt: skip
READING_PATIENCE: Final = CAPS["exploration"]
"""Thresholds that `exploration` waits for where reading is the task: until an ordinary turn would have had all of its nudges, after 40 reads."""
AUDIT_CAP: Final = 8
"""Nudges of `exploration` where reading is the task."""

_NO_ANSWER: Final = frozenset(("error", "content_filter", "refusal", "cancelled"))
_REASONS: Final = {
    **dict.fromkeys(("max_tokens", "max_output_tokens", "max_length", "model_length", "length_limit"), "length"),
    **dict.fromkeys(("end_turn", "stop_sequence", "completed", "complete", "eos", "finish", "finished"), "stop"),
    **dict.fromkeys(("tool_use", "tooluse", "tool-calls", "tool_call", "function_call", "tool-use"), "tool_calls"),
    **dict.fromkeys(("safety", "content-filter", "recitation", "blocklist", "prohibited_content", "spii"), "content_filter"),
    **dict.fromkeys(("aborted", "abort", "canceled", "interrupted"), "cancelled"),
}


class Condition(NamedTuple):
    """One part of a rule's condition."""

    holds: Callable[[RuleContext], Any]
    """Whether it holds; what it found, where there is something to show."""
    reason: Callable[[RuleContext], str]
    """Field, value and threshold, whether it holds or not."""


def default_rules(
    *,
    prompts: Mapping[str, str] | None = None,
    caps: Mapping[str, int] | None = None,
    no_progress_nudge: int = NO_PROGRESS_NUDGE,
    wrap_up_threshold: float = WRAP_UP_THRESHOLD,
    exploration_threshold: int = EXPLORATION_THRESHOLD,
    spacing: str = "spaced",
) -> list[Rule]:
    """Return the eleven rules in the order in which they are asked, as a new list.

    Args:
        prompts: nudges of your own, by code.
        caps: how many nudges a turn may get, by code; `exploration` doubles its own in audit mode.
        no_progress_nudge: repeated calls in a row at which `no_progress` fires.
        wrap_up_threshold: share of the closest limit at which `wrap_up` fires.
        exploration_threshold: reads in a row at which `exploration` fires.
        spacing: spaced asks for that many more reads before each further nudge of `exploration`; every fires at each point above it.

    Raises:
        ValueError: a code that none of them has, or a spacing that there is not.
    """
    for name, given in (("prompts", prompts), ("caps", caps)):
        unknown = sorted(set(given or ()) - set(PROMPTS))
        if unknown:
            raise ValueError(f"{name} names {unknown[0]!r}, which is none of the eleven rules: {', '.join(PROMPTS)}")
    if spacing not in ("spaced", "every"):
        raise ValueError(f"spacing is {spacing!r}; expected spaced or every")
    said, allowed = {**PROMPTS, **(prompts or {})}, {**CAPS, **(caps or {})}
    streaks: Mapping[str, tuple[Condition, Mapping[str, float]]] = {
        "no_progress": (_at_least("no_progress_streak", no_progress_nudge), {"no_progress_streak": no_progress_nudge}),
        "wrap_up": (_at_least("limit_usage", wrap_up_threshold), {"limit_usage": wrap_up_threshold}),
        "exploration": (_reads(exploration_threshold, spaced=spacing == "spaced"), {"read_streak": exploration_threshold}),
    }
    final = [_rule(code, "final", allowed[code], said[code], conditions, {}) for code, conditions in _FINAL.items()]
    return final + [_rule(code, "tools", allowed[code], said[code], (test,), needs) for code, (test, needs) in streaks.items()]


def finish_reason(recorded: str | None) -> str | None:
    """Bring a provider's word for why a model stopped into the words that rules compare.

    These are length, stop, tool_calls, content_filter, refusal, error and cancelled; another word stays as it is, in lower case.
    """
    if recorded is None or not recorded.strip():
        return None
    word = recorded.strip().casefold()
    return _REASONS.get(word, word)


def answered(ctx: RuleContext) -> bool:
    """Say whether there is an answer to judge: text, and no error or refusal in its place."""
    return finish_reason(ctx.finish_reason) not in _NO_ANSWER and not _blank(ctx)


def _blank(ctx: RuleContext) -> bool:
    return not ctx.final_text.strip()


def _ending(ctx: RuleContext) -> str:
    return f"finish_reason is {finish_reason(ctx.finish_reason) or 'not recorded'}"


def _is(field: str, wanted: bool = True) -> Condition:
    return Condition(lambda ctx: getattr(ctx, field) is wanted, lambda ctx: f"{field} is {str(getattr(ctx, field)).lower()}")


def _compared(field: str, threshold: float, value: float) -> str:
    return f"{field} {value:.4g} {'>=' if value >= threshold else '<'} {threshold:.4g}"


def _at_least(field: str, threshold: float) -> Condition:
    return Condition(lambda ctx: getattr(ctx, field) >= threshold, lambda ctx: _compared(field, threshold, getattr(ctx, field)))


def _reads(threshold: int, *, spaced: bool) -> Condition:
    def due(ctx: RuleContext) -> int:
        first = READING_PATIENCE if ctx.reading_is_task else 1
        return threshold * (ctx.nudges.get("exploration", 0) + first) if spaced else threshold * first

    return Condition(lambda ctx: ctx.read_streak >= due(ctx), lambda ctx: _compared("read_streak", due(ctx), ctx.read_streak))


_CUT = Condition(lambda ctx: finish_reason(ctx.finish_reason) == "length", _ending)
_TEXT = Condition(lambda ctx: not _blank(ctx), lambda ctx: "final_text is blank" if _blank(ctx) else "final_text is not blank")
_NO_TEXT = Condition(_blank, _TEXT.reason)
_NO_ERROR = Condition(lambda ctx: finish_reason(ctx.finish_reason) not in _NO_ANSWER, _ending)
_ANSWERED = Condition(answered, lambda ctx: "final_text is blank" if _blank(ctx) else _ending(ctx))
_NO_CALLS = Condition(lambda ctx: ctx.tool_calls == 0, lambda ctx: f"tool_calls is {ctx.tool_calls}")
_CALLS = Condition(lambda ctx: ctx.tool_calls > 0, _NO_CALLS.reason)
_AGREED = Condition(
    lambda ctx: is_go_ahead(ctx.last_user_text),
    lambda ctx: f"last_user_text {'is' if is_go_ahead(ctx.last_user_text) else 'is not'} a bare yes",
)


def _agreed_to_nothing(ctx: RuleContext) -> bool:
    return ctx.previous_text is not None and is_acknowledgement(ctx.last_user_text) and not offers_work(ctx.previous_text)


# "Ok" behind a finished report agrees to nothing; "go" and "continue" ask for something wherever they stand.
_SOMETHING_AGREED = Condition(
    lambda ctx: not _agreed_to_nothing(ctx), lambda ctx: "last_user_text acknowledges an answer that offers nothing" if _agreed_to_nothing(ctx) else ""
)
_TOOLS = Condition(lambda ctx: not ctx.no_tools, lambda ctx: "the agent was offered no tools" if ctx.no_tools else "")
_NOT_SAID = Condition(lambda ctx: not ctx.handed_over, lambda ctx: "the step before gave the answer or asked the user" if ctx.handed_over else "")
_UNPROVED = Condition(
    lambda ctx: not ctx.write_proof,
    lambda ctx: {"run": "what was written ran well since", "output": "a check whose exit code is hidden showed no failure", "": ""}[ctx.write_proof],
)
_WANTED = Condition(lambda ctx: not ctx.check_waived, lambda ctx: "the user said that nothing needs to be run" if ctx.check_waived else "")
_STILL_RED = Condition(lambda ctx: ctx.write_proof != "output", _UNPROVED.reason)
_NO_QUESTION = Condition(
    lambda ctx: not ends_with_user_question(ctx.final_text),
    lambda ctx: "final_text ends in a question" if ends_with_user_question(ctx.final_text) else "final_text does not end in a question",
)

# "I will cancel it. Please confirm." waits for the user as much as a question does.
_NO_REQUEST = Condition(
    lambda ctx: not asks_of_user(ctx.final_text),
    lambda ctx: "final_text asks something of the user" if asks_of_user(ctx.final_text) else "",
)


# Agents that have no tools, or whose model has no calls, write their edits and calls into the answer.
_WRITTEN_CALL: Final = re.compile(r"^[ \t]*(?:<{5,9} ?SEARCH|@@@ (?:SEARCH|SHELL)|\*\*\* Begin Patch|<function=|<tool_call>|<invoke )", re.MULTILINE)
_NO_WRITTEN_CALL = Condition(
    lambda ctx: _WRITTEN_CALL.search(ctx.final_text) is None,
    lambda ctx: "final_text holds an edit or a call" if _WRITTEN_CALL.search(ctx.final_text) else "",
)


def _sentence(found: Callable[[str], Said | None], none: str) -> Condition:
    def reason(ctx: RuleContext) -> str:
        said = found(ctx.final_text)
        return none if said is None else f"final_text says {said.sentence[:200]!r}"

    return Condition(lambda ctx: found(ctx.final_text), reason)


_FINAL: Final[Mapping[str, tuple[Condition, ...]]] = {
    "length_recovery": (_TEXT, _CUT),
    "empty_final_response": (_NO_ERROR, _NO_TEXT, _NOT_SAID),
    "go_ahead": (_ANSWERED, _NO_CALLS, _AGREED, _SOMETHING_AGREED, _TOOLS, _NO_WRITTEN_CALL),
    "no_action": (_ANSWERED, _NO_CALLS, _NO_QUESTION, _sentence(unkept_work, "final_text announces no work"), _NO_REQUEST, _TOOLS, _NO_WRITTEN_CALL),
    "remaining_work": (_ANSWERED, _CALLS, _NO_QUESTION, _sentence(listed_work, "final_text lists no open work"), _NO_REQUEST),
    "delivery": (_is("delivery_required"), _ANSWERED, _NO_CALLS),
    "verify_before_done": (_is("unverified_write"), _UNPROVED, _WANTED, _ANSWERED),
    "verify_failed": (_is("verify_failed"), _STILL_RED, _ANSWERED),
}
_SUMMARIES: Final = {
    "length_recovery": "the answer was cut by the output limit",
    "empty_final_response": "the answer has no text",
    "go_ahead": "the user said yes, and no tool was called",
    "no_action": "an action was announced, and no tool was called",
    "remaining_work": "the answer leaves part of the work open",
    "delivery": "the task needs a result made with tools, and none was called",
    "verify_before_done": "files were changed after the last check",
    "verify_failed": "the last check is red",
    "no_progress": "calls were repeated, with the same results",
    "wrap_up": "a limit is close",
    "exploration": "much was read, and nothing done with it",
}


def _rule(code: str, phase: RulePhase, cap: int, prompt: str, conditions: tuple[Condition, ...], needs: Mapping[str, float]) -> Rule:
    def check(ctx: RuleContext) -> str | None:
        return _worded(code, prompt, ctx) if all(condition.holds(ctx) for condition in conditions) else None

    def explain(ctx: RuleContext) -> Finding:
        return _finding(code, conditions, ctx)

    def audited(ctx: RuleContext) -> int:
        return cap * AUDIT_CAP // CAPS["exploration"] if ctx.audit_mode else cap

    return Rule(
        code=code, phase=phase, cap=audited if code == "exploration" else cap, check=check, explain=explain, needs=needs, summary=_SUMMARIES[code],
    )  # fmt: skip


def _worded(code: str, prompt: str, ctx: RuleContext) -> str:
    return f"{prompt}\n\n{ctx.check_output}" if code == "verify_failed" and ctx.check_output else prompt


def _finding(code: str, conditions: tuple[Condition, ...], ctx: RuleContext) -> Finding:
    evidence: dict[str, Any] = {}
    for condition in conditions:
        found = condition.holds(ctx)
        if not found:
            unknown = code == "length_recovery" and condition is _CUT and ctx.finish_reason is None
            return Finding(holds=False, reason="no finish reason was recorded" if unknown else condition.reason(ctx), unknown=unknown)
        if isinstance(found, Said):
            evidence |= {"sentence": found.sentence[:1_000], "start": found.start, "end": found.end, "near_end": found.near_end}
    reasons = (condition.reason(ctx) for condition in conditions if condition is not _ANSWERED)
    return Finding(holds=True, reason=" · ".join(filter(None, reasons)), evidence=evidence)
