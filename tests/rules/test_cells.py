"""The body of a cell as a rule: expressions, statements, and errors that show its own lines."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from agentnb.errors import RuleError
from agentnb.rules import backtest, evaluate_rules, rule_from_cell
from agentnb.values import RuleContext
from tests.rules.faults import Maker, read

FINAL = RuleContext(phase="final", final_text="I'll fix it.", tool_calls=3)


def nudge(body: str, ctx: RuleContext = FINAL, **fields: Any) -> str | None:
    found = evaluate_rules([rule_from_cell("mine", body, **fields)], ctx)
    return found.prompt if found else None


@pytest.mark.parametrize(
    ("body", "prompt"),
    [
        ("'go on' if ctx.tool_calls > 2 else None", "go on"),
        ("ctx.tool_calls > 5", None),
        ("if announces_work(ctx.final_text):\n    return 'do it'", "do it"),
        ("n = ctx.tool_calls\nf'{n} calls'", "3 calls"),
        ("def twice(n):\n    return 2 * n\n\nreturn f'{twice(3)}' if re.search('fix', ctx.final_text) else ''", "6"),
        ("# a comment\n'''two\nlines'''", "two\nlines"),
        ("''", None),
        ("import math\nreturn 'x' * math.floor(1.5)", "x"),
        ("for word in ctx.final_text.split():\n    if word == 'fix':\n        return word", "fix"),
    ],
)
def test_an_expression_or_a_function_body_is_a_check(body: str, prompt: str | None) -> None:
    assert nudge(body) == prompt


def test_true_asks_for_a_nudge_that_names_the_rule() -> None:
    assert "mine" in (nudge("ctx.tool_calls == 3") or "")


def test_phase_cap_and_names_of_the_notebook_are_given() -> None:
    rule = rule_from_cell("mine", "limit < ctx.read_streak", phase="tools", cap=2, names={"limit": 4})
    assert (rule.phase, rule.cap, rule.summary) == ("tools", 2, "limit < ctx.read_streak")
    assert evaluate_rules([rule], RuleContext(phase="tools", read_streak=5)) is not None


def test_a_body_that_raises_shows_the_line_of_the_cell() -> None:
    rule = rule_from_cell("mine", "x = 1\n\nreturn missing + x", first_line=2)
    with pytest.raises(RuleError, match=r"NameError in line 4 of its cell") as caught:
        evaluate_rules([rule], FINAL)
    assert (caught.value.code, caught.value.phase, caught.value.line) == ("mine", "final", 4)
    shown = "".join(traceback.format_exception(caught.value.__cause__))
    assert 'File "<rule mine>", line 4' in shown
    assert "return missing + x" in shown


@pytest.mark.parametrize(("body", "line"), [("x = = 1", 2), ("x = 1\n  y", 3), ("", 2), ("# nothing", 2), ("yield 1", 2), ("await ctx", 2), ("nonlocal x", 2)])
def test_a_body_that_is_no_check_is_a_syntax_error_at_its_line(body: str, line: int) -> None:
    with pytest.raises(SyntaxError) as caught:
        rule_from_cell("mine", body, first_line=2)
    assert caught.value.filename == "<rule mine>"
    assert caught.value.lineno == line


def test_a_value_that_is_no_nudge_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="'mine' returned a int"):
        nudge("ctx.tool_calls")


@pytest.mark.parametrize("fields", [{"cap": -1}, {"phase": "never"}])
def test_a_cap_or_phase_that_cannot_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"cap|phase"):
        rule_from_cell("mine", "None", **fields)


def test_an_error_in_a_backtest_stops_it() -> None:
    with pytest.raises(RuleError, match="line 1"):
        backtest(rule_from_cell("mine", "1 / 0"), [Maker("Hi").step(None, read("a.py")).say("Hello.").turn()])
