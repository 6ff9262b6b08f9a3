"""One program that ran: what was submitted, what its record proves, what it printed, and what changed since the attempt before."""

from __future__ import annotations

from typing import Final

from agentnb.render._code import code, terminal
from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._marks import Mark, marked
from agentnb.render._markup import Child, Html, join, tag
from agentnb.render._numbers import amount, count, facts
from agentnb.render._room import BUDGET, DETAILS, Detail, weight
from agentnb.render._text import one_line
from agentnb.values import ScriptRow

OUTCOME_MARKS: Final = {
    "submitted": Mark("…", "never settled", "warn"),
    "completed": Mark("✓", "completed", "good"),
    "failed": Mark("✕", "failed", "bad"),
    "raised": Mark("✕", "never got to run", "bad"),
    "unreported": Mark("–", "no verdict recorded", "dim"),
    "answered": Mark("◔", "answered by a person", "dim"),
}
LIMIT: Final = "ran is not right"
"""What stands beside the badges: they say nothing about any value that came out."""


def render_script(
    row: ScriptRow,
    *,
    program: str | None = None,
    output: str | None = None,
    error: str | None = None,
    change: str | None = None,
    budget: int = BUDGET,
    standalone: bool = True,
) -> str:
    """Show one program that a tool was asked to run, and what its execution record proves.

    Args:
        row: the script row.
        program: its text, where the row no longer holds it, as of a recorded turn.
        output: what it printed, as the agent was shown it; folded, cut to a window, terminal colours as classes.
        error: what went wrong, in the recording's words.
        change: what changed since the program before it, as `diff_programs` writes it.
        budget: bytes of the HTML.
        standalone: whether the style sheet and the section around it come along.
    """
    known = facts(row.language, amount(row.lines, "line"), f"{count(row.bytes)} bytes", _exit(row))
    head = heading(f"script {row.dispatch} · {one_line(row.tool, 60) or 'unnamed'}", one_line(known, 200))
    text = row.text if row.text is not None else program
    room = room_inside(budget, standalone=standalone) - weight(head) - 100
    for detail in DETAILS:
        shown = [_badges(row), _notes(row), _program(row, text, detail), script_change(change, detail), _printed(row, output, error, detail)]
        element = tag("div", shown, class_="steps")
        if weight(element) <= room:
            return framed("script", "Script", [head, element], standalone=standalone, budget=budget)
    return framed("script", "Script", [head, too_large()], standalone=standalone, budget=budget)


def script_facts(row: ScriptRow) -> list[Html]:
    """Show the two facts beside a call, with their limit, in as few bytes as that takes; the flags of the row below them."""
    return [tag("div", "F1 submitted · F2 ", marked(OUTCOME_MARKS[row.outcome]), f" · {LIMIT}", class_="dim"), *_notes(row)]


def script_change(change: str | None, detail: Detail) -> Html | None:
    """Fold what changed since the program before."""
    if change is None:
        return None
    if not change:
        return tag("div", "the same program as before", class_="dim")
    lines = change.split("\n")
    new, gone = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    told = f"{amount(new, 'line')} new, {count(gone)} gone since the program before"
    return tag("details", tag("summary", told, class_="label"), code(change, "diff", limit=detail.put, colour=detail.colour), class_="aside")


def _badges(row: ScriptRow) -> Html:
    """Show the two facts, and the limit of both."""
    submitted = tag("span", "F1 submitted", class_="mark dim", title="F1: this program was submitted")
    record = tag("span", "F2 ", marked(OUTCOME_MARKS[row.outcome]), class_="mark", title="F2: what its execution record proves")
    return tag("div", join(submitted, record, tag("span", LIMIT, class_="dim"), by=" · "), class_="rate")


def _notes(row: ScriptRow) -> list[Html]:
    """Show the flags, each with its meaning in words."""
    notes = [
        ("the service that runs the code failed; there is no exit code" if row.service_error else None, "bad"),
        ("its result was withheld: over the tool's ceiling, so the model never saw the output" if row.result_withheld else None, "warn"),
        ("a rule rewrote the program before it ran; what the model wrote is not here" if row.rewritten else None, "warn"),
    ]
    return [tag("div", f"! {note}", class_=level) for note, level in notes if note]


def _program(row: ScriptRow, text: str | None, detail: Detail) -> Html:
    if text is None:
        reason = "its turn has ended" if row.bytes <= 65_536 else f"it is too long to be kept: {count(row.bytes)} bytes"
        return tag("div", f"the program is not here: {reason}", class_="dim")
    if not text:
        return tag("div", "the empty program", class_="dim")
    return code(text, row.language, limit=detail.put * 2, colour=detail.colour)


def _printed(row: ScriptRow, output: str | None, error: str | None, detail: Detail) -> list[Child]:
    failed = OUTCOME_MARKS[row.outcome].level == "bad"
    limit = detail.failed if failed else detail.got
    shown: list[Child] = []
    if output:
        told = facts(amount(output.count("\n") + 1, "line"), f"{count(len(output))} characters")
        body = terminal(output, limit=limit, tail=limit * 3 // 5 if failed else limit // 3, class_="out failed" if failed else "out")
        shown.append(tag("details", tag("summary", "output · ", told, class_="label"), body, class_="aside", open=failed and detail.unfold))
    elif output == "":
        shown.append(tag("div", "no output", class_="dim"))
    if error and error not in (output or ""):
        shown.append(terminal(error, limit=limit, class_="out bad"))
    return shown


def _exit(row: ScriptRow) -> str | None:
    return f"exit {row.exit_code}" if row.exit_code is not None else None
