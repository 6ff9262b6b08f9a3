"""Which rule fires here, and why not the others? The first whose check gives a text, under its cap, in this phase."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from agentnb.errors import RuleError
from agentnb.values.rules import Finding, Nudge, Rule, RuleCheck, RuleContext

_log = logging.getLogger("agentnb.rules")


def evaluate_rules(rules: Sequence[Rule], ctx: RuleContext, *, on_error: Literal["raise", "skip"] = "raise") -> Nudge | None:
    """Return the first rule that fires at a point, with the nudge it asks for.

    Args:
        rules: asked in this order; a rule of another phase, or whose cap is spent, is passed over.
        ctx: what is known at this point. Nothing is counted here: whoever sends the nudge adds one to `nudges`.
        on_error: raise what a check raises, or skip that rule, log it, and say so in the evidence of the nudge.

    Returns:
        None when the turn may end (phase final) or go on unprompted (phase tools).

    Raises:
        ValueError: two rules have one code.
        TypeError: a check returned something that is neither a text nor None.
        RuleError: a check or cap raised; it holds the code, the phase and, as its cause, what was raised.
    """
    assert_one_code_each(rules)
    errors: list[str] = []
    for rule in rules:
        if rule.phase != ctx.phase:
            continue
        try:
            prompt = None if ctx.nudges.get(rule.code, 0) >= cap_of(rule, ctx) else prompt_of(rule, ctx)
        except RuleError as error:
            if on_error == "raise":
                raise
            _log.warning("%s; the rule was passed over", error)
            errors.append(str(error))
            continue
        if prompt is not None:
            finding = finding_of(rule, ctx, prompt)
            return Nudge(
                rule=rule, code=rule.code, prompt=prompt, evidence={**finding.evidence, "reason": finding.reason, **({"errors": errors} if errors else {})}
            )
    return None


def check_rules(rules: Sequence[Rule], ctx: RuleContext) -> tuple[RuleCheck, ...]:
    """Say for every rule what it came to at a point, also for those that do not fire.

    Args:
        rules: asked in this order.
        ctx: what is known at this point.

    Raises:
        ValueError, TypeError, RuleError: as `evaluate_rules`.
    """
    assert_one_code_each(rules)
    checks: list[RuleCheck] = []
    for rule in rules:
        checks.append(_checked(rule, ctx, taken=any(check.status == "fired" for check in checks)))
    return tuple(checks)


def assert_one_code_each(rules: Sequence[Rule]) -> None:
    """Refuse a list in which two rules have one code, since nudges are counted by code.

    Raises:
        ValueError: there are such rules.
    """
    if len({rule.code for rule in rules}) < len(rules):
        code, times = Counter(rule.code for rule in rules).most_common(1)[0]
        raise ValueError(f"{times} rules of this list have the code {code!r}; nudges are counted by code, so give each one of its own")


def cap_of(rule: Rule, ctx: RuleContext) -> int:
    """Return how many nudges of a rule a turn may get."""
    if not callable(rule.cap):
        return rule.cap
    cap = _asked(rule, rule.cap, ctx)
    if isinstance(cap, bool) or not isinstance(cap, int) or cap < 0:
        raise ValueError(f"the cap of rule {rule.code!r} returned {cap!r}; expected a whole number of 0 or more")
    return cap


def prompt_of(rule: Rule, ctx: RuleContext) -> str | None:
    """Return what a rule's check asks for; None when it does not fire."""
    prompt = _asked(rule, rule.check, ctx)
    if prompt is None:
        return None
    if not isinstance(prompt, str):
        raise TypeError(f"the check of rule {rule.code!r} returned a {type(prompt).__name__}; expected the nudge as a text, or None")
    return prompt if prompt.strip() else None


def finding_of(rule: Rule, ctx: RuleContext, prompt: str | None) -> Finding:
    """Return why a rule's check came out as it did; a rule that cannot tell says only that it did."""
    if rule.explain is not None:
        found = _asked(rule, rule.explain, ctx)
        return found if isinstance(found, Finding) else Finding(holds=prompt is not None, reason=str(found))
    return Finding(holds=prompt is not None, reason="its check gave a nudge" if prompt else "its check gave None")


def _checked(rule: Rule, ctx: RuleContext, *, taken: bool) -> RuleCheck:
    sent = ctx.nudges.get(rule.code, 0)
    if rule.phase != ctx.phase:
        return RuleCheck(code=rule.code, phase=rule.phase, status="wrong_phase", reason=f"looked at in phase {rule.phase}", sent=sent)
    cap, prompt = cap_of(rule, ctx), prompt_of(rule, ctx)
    finding = finding_of(rule, ctx, prompt)
    known: dict[str, Any] = {"code": rule.code, "phase": rule.phase, "sent": sent, "cap": cap, "nudge": prompt, "evidence": dict(finding.evidence)}
    if prompt is None:
        return RuleCheck(**known, status="unknown" if finding.unknown else "condition_false", reason=finding.reason)
    if sent >= cap:
        return RuleCheck(**known, status="cap_spent", reason=f"cap_spent ({sent}/{cap}) · {finding.reason}")
    return RuleCheck(**known, status="ready" if taken else "fired", reason=finding.reason)


def _asked(rule: Rule, question: Any, ctx: RuleContext) -> Any:
    try:
        return question(ctx)
    except RuleError:
        raise
    except Exception as error:
        raise RuleError(rule.code, rule.phase, error) from error
