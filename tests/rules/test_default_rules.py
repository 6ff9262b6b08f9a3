"""The eleven rules: their order, caps and phases, and what goes wrong with rules of one's own."""

from __future__ import annotations

import logging
import math
from typing import Any

import pytest

from agentnb.errors import RuleError
from agentnb.rules import (
    LENGTH_RECOVERY_PROMPT,
    NO_PROGRESS_NUDGE,
    NO_PROGRESS_THRESHOLD,
    PROMPTS,
    check_rules,
    default_rules,
    evaluate_rules,
    finish_reason,
)
from agentnb.values import Rule, RuleContext

CODES = (
    "length_recovery", "empty_final_response", "go_ahead", "no_action", "remaining_work", "delivery", "verify_before_done", "verify_failed", "no_progress",
    "wrap_up", "exploration",
)  # fmt: skip


def final(**fields: Any) -> RuleContext:
    return RuleContext(**{"phase": "final", "finish_reason": "stop", "final_text": "Done.", "last_user_text": "fix the bug"} | fields)


def rule(code: str = "mine", check: Any = lambda ctx: "look again", **fields: Any) -> Rule:
    return Rule(**{"code": code, "phase": "final", "cap": 1, "check": check} | fields)


def fired(rules: list[Rule], ctx: RuleContext) -> str | None:
    nudge = evaluate_rules(rules, ctx)
    return nudge.code if nudge else None


def test_there_are_eleven_in_order_and_each_list_is_new() -> None:
    first, second = default_rules(), default_rules()
    first.append(rule())
    assert tuple(item.code for item in second) == CODES
    assert [item.phase for item in second] == ["final"] * 8 + ["tools"] * 3


def test_exploration_may_nudge_twice_as_often_where_reading_is_the_task() -> None:
    cap = default_rules()[-1].cap
    assert callable(cap)
    assert (cap(RuleContext(phase="tools")), cap(RuleContext(phase="tools", audit_mode=True))) == (4, 8)


def test_a_rule_of_ones_own_put_first_wins_and_with_a_cap_of_zero_never_fires() -> None:
    cut = final(finish_reason="length")
    assert fired([rule(), *default_rules()], cut) == "mine"
    assert fired([rule(cap=0), *default_rules()], cut) == "length_recovery"


def test_a_spent_rule_is_passed_over() -> None:
    assert fired([rule("a"), rule("b")], final(nudges={"a": 1})) == "b"


def test_a_check_that_raises_names_its_rule() -> None:
    broken = rule("broken", lambda ctx: 1 / 0)
    with pytest.raises(RuleError, match=r"broken.*ZeroDivisionError") as caught:
        evaluate_rules([broken], final())
    assert (caught.value.code, caught.value.phase) == ("broken", "final")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_broken_check_can_be_passed_over_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "agentnb.rules"):
        nudge = evaluate_rules([rule("broken", lambda ctx: 1 / 0), rule("next")], final(), on_error="skip")
    assert nudge is not None
    assert nudge.code == "next"
    assert "broken" in nudge.evidence["errors"][0]
    assert "broken" in caplog.text


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_a_blank_nudge_does_not_fire(blank: str | None) -> None:
    assert fired([rule(check=lambda ctx: blank)], final()) is None


def test_a_check_that_returns_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="'mine' returned a int"):
        evaluate_rules([rule(check=lambda ctx: 1)], final())


@pytest.mark.parametrize("wrong", [{"cap": -1}, {"cap": True}, {"cap": 1.5}, {"code": ""}, {"code": " "}, {"code": "x" * 65}, {"phase": "Final"}])
def test_a_rule_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        rule(**wrong)


def test_two_rules_of_one_code_are_refused() -> None:
    with pytest.raises(ValueError, match="2 rules of this list have the code 'mine'"):
        evaluate_rules([rule(), rule()], final())


def test_a_cap_that_is_no_number_is_refused_when_it_is_asked() -> None:
    with pytest.raises(ValueError, match="cap of rule 'mine' returned -1"):
        evaluate_rules([rule(cap=lambda ctx: -1)], final())


@pytest.mark.parametrize(
    "wrong", [{"phase": "Final"}, {"tool_calls": -1}, {"limit_usage": math.nan}, {"nudges": {"x": -1}}, {"toolCalls": 1, "tool_calls": 1}, {"tools": 1}]
)
def test_a_context_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"phase|tool|limit_usage|nudges"):
        RuleContext(**{"phase": "final"} | wrong)


def test_limit_usage_is_kept_within_one() -> None:
    assert (final(limit_usage=1.7).limit_usage, final(limit_usage=-0.2).limit_usage) == (1.0, 0.0)


def test_a_context_reads_and_writes_the_names_of_the_public_description() -> None:
    ctx = RuleContext.model_validate({"phase": "tools", "toolCalls": 3, "readStreak": 12, "finalText": "x"})
    assert (ctx.tool_calls, ctx.read_streak, ctx.final_text) == (3, 12, "x")
    assert ctx.model_dump(by_alias=True)["noProgressStreak"] == 0


def test_no_rules_no_nudge_and_nothing_changes() -> None:
    ctx = final(nudges={"no_action": 1})
    before = ctx.model_dump()
    assert evaluate_rules([], ctx) is None
    evaluate_rules(default_rules(), ctx)
    assert ctx.model_dump() == before


def test_thresholds_caps_and_prompts_are_parameters() -> None:
    reads = RuleContext(phase="tools", read_streak=6)
    assert fired(default_rules(), reads) is None
    assert fired(default_rules(exploration_threshold=5), reads) == "exploration"
    assert fired(default_rules(exploration_threshold=5, caps={"exploration": 0}), reads) is None
    nudge = evaluate_rules(default_rules(prompts={"delivery": "Make it."}), final(delivery_required=True))
    assert nudge is not None
    assert nudge.prompt == "Make it."
    twice = RuleContext(phase="tools", read_streak=12, nudges={"exploration": 1})
    assert (fired(default_rules(), twice), fired(default_rules(spacing="every"), twice)) == (None, "exploration")


@pytest.mark.parametrize("wrong", [{"prompts": {"nothing": "x"}}, {"caps": {"nothing": 1}}, {"spacing": "wide"}])
def test_a_parameter_that_no_rule_has_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"nothing|wide"):
        default_rules(**wrong)


def test_the_constants_are_public() -> None:
    assert PROMPTS["length_recovery"] == LENGTH_RECOVERY_PROMPT
    assert NO_PROGRESS_THRESHOLD == NO_PROGRESS_NUDGE == 5
    assert set(PROMPTS) == set(CODES)


def test_the_words_of_providers_mean_the_same() -> None:
    said = {word: finish_reason(word) for word in ("MAX_TOKENS", "max_output_tokens", "end_turn", "STOP", "toolUse", "SAFETY", "aborted", "odd", " ", None)}
    assert said == {
        "MAX_TOKENS": "length", "max_output_tokens": "length", "end_turn": "stop", "STOP": "stop", "toolUse": "tool_calls", "SAFETY": "content_filter",
        "aborted": "cancelled", "odd": "odd", " ": None, None: None,
    }  # fmt: skip


@pytest.mark.parametrize("reason", ["error", "content_filter", "refusal", "Safety", "cancelled"])
def test_what_is_no_answer_is_not_judged(reason: str) -> None:
    blank = final(finish_reason=reason, final_text="")
    told = final(finish_reason=reason, final_text="I'll fix it.", last_user_text="go", delivery_required=True, unverified_write=True, verify_failed=True)
    assert (fired(default_rules(), blank), fired(default_rules(), told)) == (None, None)


def test_the_nudge_of_a_red_check_quotes_what_it_said() -> None:
    nudge = evaluate_rules(default_rules(), final(verify_failed=True, tool_calls=2, check_output="2 failed"))
    assert nudge is not None
    assert nudge.prompt.endswith("\n\n2 failed")


def test_every_rule_says_why_it_does_not_fire() -> None:
    ctx = final(finish_reason=None, final_text="I'll fix it now.", last_user_text="go", unverified_write=True, nudges={"go_ahead": 1}, read_streak=7)
    checks = {check.code: check for check in check_rules(default_rules(), ctx)}
    assert {code: check.status for code, check in checks.items()} == {
        "length_recovery": "unknown", "empty_final_response": "condition_false", "go_ahead": "cap_spent", "no_action": "fired",
        "remaining_work": "condition_false", "delivery": "condition_false", "verify_before_done": "ready", "verify_failed": "condition_false",
        "no_progress": "wrong_phase", "wrap_up": "wrong_phase", "exploration": "wrong_phase",
    }  # fmt: skip
    assert checks["go_ahead"].reason.startswith("cap_spent (1/1)")
    assert checks["no_action"].evidence["sentence"] == "I'll fix it now."
    tools = {check.code: check.reason for check in check_rules(default_rules(), RuleContext(phase="tools", read_streak=7))}
    assert tools["exploration"] == "read_streak 7 < 10"


@pytest.mark.parametrize(
    "text",
    [
        "I will cancel the flight. Please confirm if you would like me to proceed.",
        "I'll proceed with the upgrade.\n\nPlease confirm with a yes.",
        "Let's proceed with the upgrade. Could you please confirm the class? Once confirmed, I'll proceed.",
        "Let's continue with the booking. Which class?\n\nOnce I have this information, I can proceed.",
        "I need to check your reservation first. If you can provide your user ID, I can look it up.",
        "Je vais annuler le vol. Merci de confirmer.",
        "Je lance la migration. Confirmez que la sauvegarde existe.",
    ],
)
def test_who_asks_for_a_confirmation_waits_for_the_user(text: str) -> None:
    assert fired(default_rules(), final(final_text=text)) is None
    assert fired(default_rules(), final(final_text=text, tool_calls=2)) is None


def test_that_it_was_excused_is_said() -> None:
    checks = {check.code: check.reason for check in check_rules(default_rules(), final(final_text="I'll run it. Please confirm."))}
    assert checks["no_action"] == "final_text asks something of the user"


def test_a_confirmation_that_was_asked_for_long_ago_excuses_nothing() -> None:
    assert fired(default_rules(), final(final_text="Please confirm the date. It is in the file. All is there. I'll fix it now.")) == "no_action"


LONG = "The first of them holds, and so does the second, as each of the values above shows. " * 6


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Let's analyze this step by step:\n\n" + LONG, None),
        ("I'll change the function:\n\n```python\n" + "total += 1\n" * 60 + "```\n", None),
        ("Je vais comparer les deux textes.\n\n" + LONG, None),
        ("Let's analyze this step by step.", "no_action"),
        ("I'll change the function.\n\n" + LONG, "no_action"),
        ("Let's analyze this step by step:\n\n" + LONG + "\nI'll run the tests now.", "no_action"),
    ],
)
def test_what_an_answer_announces_and_then_does_itself_is_no_fault(text: str, code: str | None) -> None:
    nudge = evaluate_rules(default_rules(), RuleContext(phase="final", final_text=text, last_user_text="Which is it?"))
    assert (nudge and nudge.code) == code


@pytest.mark.parametrize("text", ["I'll cancel order 7. Is that right? (yes/no)", "I'll send it.\n\nShall I? [y/N]", "Je vais l'annuler. D'accord ? (oui/non)"])
def test_a_question_with_its_choices_is_a_question(text: str) -> None:
    assert evaluate_rules(default_rules(), RuleContext(phase="final", final_text=text)) is None


@pytest.mark.parametrize(
    "written", ["@@@ SEARCH: a.py @@@\nx\n@@@ REPLACE @@@", "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE", "<function=run>\n</function>"]
)
def test_an_edit_or_a_call_written_into_the_answer_is_an_action(written: str) -> None:
    ctx = RuleContext(phase="final", final_text=f"I'll do it now.\n{written}", last_user_text="yes")
    assert evaluate_rules(default_rules(), ctx) is None
    assert evaluate_rules(default_rules(), ctx.model_copy(update={"final_text": "I'll do it now."})) is not None
