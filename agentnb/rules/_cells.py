"""How does the body of a cell become a rule? An expression, or a function body over `ctx`, compiled so that errors show its own lines."""

from __future__ import annotations

import ast
import inspect
import json
import linecache
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from agentnb.errors import RuleError
from agentnb.rules import predicates
from agentnb.rules._defaults import answered, finish_reason
from agentnb.rules._sentences import ends_with_user_question
from agentnb.values.rules import Cap, Finding, Rule, RuleContext, RulePhase

LONGEST: Final = 1_000
"""Characters of a text that are kept as evidence."""
_NAMES: Final = {
    "is_go_ahead": predicates.is_go_ahead,
    "announces_work": predicates.announces_work,
    "lists_remaining_work": predicates.lists_remaining_work,
    "ends_with_user_question": ends_with_user_question,
    "answered": answered,
    "finish_reason": finish_reason,
    "re": re,
}
"""What a cell can call without importing it."""


def rule_from_cell(
    code: str,
    body: str,
    *,
    phase: RulePhase = "final",
    cap: Cap = 1,
    names: Mapping[str, Any] | None = None,
    filename: str | None = None,
    first_line: int = 1,
) -> Rule:
    """Make a rule from the body of a cell.

    The body is an expression over `ctx`, or statements that return or end in one. A text is the nudge; True asks for one that only names the rule;
    None, False and a blank text mean that the rule does not fire.

    Args:
        code: its name.
        body: Python; the text predicates, `answered`, `finish_reason` and `re` can be used in it.
        phase: at which points it is looked at.
        cap: how many of its nudges one turn may get.
        names: further names for the body, such as those of the notebook.
        filename: what tracebacks call the cell; without it `<rule CODE>`.
        first_line: line of the cell at which the body begins, so that errors show the line that a person sees; 2 below a line of magic.

    Returns:
        The rule; nothing is kept anywhere else.

    Raises:
        SyntaxError: the body is no Python, is empty, or would return a generator; it has the line of the cell.
        ValueError: the code, phase or cap cannot be one of a rule.
    """
    name = filename or f"<rule {code}>"
    function = _function(body, name, first_line, {**_NAMES, **(names or {})})

    def check(ctx: RuleContext) -> str | None:
        try:
            found = function(ctx)
        except Exception as error:
            raise RuleError(code, ctx.phase, error, _line_in(error, name)) from error
        if isinstance(found, bool) or found is None:
            return f"The rule {code} holds here. See to it before you go on." if found else None
        return found  # type: ignore[no-any-return]  # what is neither a text nor None is refused where rules are evaluated

    def explain(ctx: RuleContext) -> Finding:
        watched = _Watched(ctx)
        prompt = check(cast(RuleContext, watched))
        return Finding(holds=prompt is not None, reason=watched.said() or "its check gave a nudge", evidence={"fields": dict(watched.seen)})

    return Rule(code=code, phase=phase, cap=cap, check=check, explain=explain, summary=_first_line(body), body=body)


class _Watched:
    """A context that remembers which of its fields were looked at: they are the evidence."""

    def __init__(self, ctx: RuleContext) -> None:
        self._ctx = ctx
        self.seen: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._ctx, name)
        if name in RuleContext.model_fields and name != "phase":
            self.seen[name] = value[:LONGEST] if isinstance(value, str) else dict(value) if isinstance(value, Mapping) else value
        return value

    def said(self) -> str:
        return " · ".join(f"{name} is {_short(value)}" for name, value in self.seen.items())


def _short(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:100]}…"


def _function(body: str, name: str, first_line: int, names: dict[str, Any]) -> Callable[[RuleContext], Any]:
    lines = body.splitlines(keepends=True)
    padded = ["\n"] * (first_line - 1) + lines
    # Tracebacks read the source from here, as they do for the cells of a notebook.
    linecache.cache[name] = (len(body), None, padded, name)
    tree = ast.parse("".join(padded), name)
    if not tree.body:
        raise SyntaxError("the cell holds no check; expected an expression over ctx, or statements that return a nudge", (name, first_line, 1, ""))
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Return(value=last.value), last)
    shell = ast.parse("def check(ctx):\n    pass")
    definition = shell.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.body = tree.body
    space = dict(names)
    exec(compile(ast.fix_missing_locations(shell), name, "exec"), space)
    check: Callable[[RuleContext], Any] = space["check"]
    if inspect.isgeneratorfunction(check) or inspect.iscoroutinefunction(check) or inspect.isasyncgenfunction(check):
        raise SyntaxError("a check returns its nudge; it can neither yield nor await", (name, first_line, 1, ""))
    return check


def _line_in(error: BaseException, name: str) -> int | None:
    """Return the line of the cell at which something was raised."""
    found, trace = None, error.__traceback__
    while trace is not None:
        found = trace.tb_lineno if trace.tb_frame.f_code.co_filename == name else found
        trace = trace.tb_next
    return found


def _first_line(body: str) -> str:
    return next((line.strip().lstrip("# ") for line in body.splitlines() if line.strip()), "")[:200]
