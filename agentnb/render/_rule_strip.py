"""Which rules had something to say in a turn: where, why, and the nudge that was due."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agentnb.render._frame import framed, heading, room_inside
from agentnb.render._marks import Mark, marked
from agentnb.render._markup import Html, join, tag
from agentnb.render._numbers import amount, facts
from agentnb.render._prose import prose
from agentnb.render._room import BUDGET, Room, weight, within
from agentnb.render._text import one_line, visible
from agentnb.values import RuleCheck, RuleExplanation, RulePoint

RULE_MARKS: Final = {
    "fired": Mark("▲", "due", "warn"),
    "ready": Mark("△", "also due", "warn"),
    "cap_spent": Mark("■", "cap spent", "dim"),
    "unknown": Mark("?", "not told", "dim"),
    "condition_false": Mark("–", "not due", "dim"),
    "wrong_phase": Mark("·", "not asked", "dim"),
}
CLAIMS: Final = ("fired", "ready", "cap_spent")
LONGEST_REASON: Final = 300
RESERVE: Final = 200
"""Bytes kept for the line that says how much is left out."""


def render_rule_strip(explanation: RuleExplanation, *, budget: int = BUDGET) -> str:
    """Show the nudges that were due in a turn, one line each, without a frame: what stands below a turn in a transcript.

    Args:
        explanation: as `explain_rules` gives it.
        budget: bytes of UTF-8 that are not exceeded.

    Returns:
        HTML, the same for the same turn; empty when no rule fired.
    """
    return rule_strip(explanation, within(budget))


def render_rules(explanation: RuleExplanation, *, budget: int = BUDGET, standalone: bool = True) -> Html:
    """Show what the rules said in a turn: the nudges that were due, the points at which rules held, and every rule at the last point.

    Args:
        explanation: as `explain_rules` gives it.
        budget: bytes of UTF-8 that are not exceeded, style sheet included; 200 kB at most.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same turn.
    """
    head = heading("rules", _known(explanation))
    room = room_inside(budget, standalone=standalone) - weight(head) - RESERVE
    last = _last_point(explanation, room // 2)
    strip = rule_strip(explanation, room // 2)
    points = _points(explanation, room - weight(strip) - weight(last))
    return framed("rules", "Rules", join(head, tag("div", strip, points, last, class_="steps")), standalone=standalone, budget=budget)


def plain_rules(explanation: RuleExplanation) -> str:
    """Say in one line which nudges were due in a turn."""
    fired = [f"{check.code} after point {point.point_index}" for point, check in explanation.hits]
    return visible(f"Rules of turn {one_line(explanation.turn_id, 60)} · {facts(_known(explanation), '; '.join(fired[:6]) or None)}")


def rule_strip(explanation: RuleExplanation, room: int) -> Html:
    """Show the nudges that were due, as many as fit."""
    left, lines = Room(room - RESERVE), list[Html]()
    hits = explanation.hits
    for point, check in hits:
        line = _nudge(point, check)
        if not left.take(line):
            break
        lines.append(line)
    more = tag("div", f"{amount(len(hits) - len(lines), 'more nudge')}", class_="more") if len(lines) < len(hits) else None
    return join(lines, more)


def _nudge(point: RulePoint, check: RuleCheck) -> Html:
    name, place, why = tag("b", one_line(check.code, 64)), tag("span", _where(point), class_="dim"), one_line(check.reason, LONGEST_REASON)
    line = tag("span", join(marked(RULE_MARKS["fired"]), name, place, tag("span", why, class_="args"), by=" "), class_="line")
    calls = [str(call) for call in check.evidence.get("calls") or () if isinstance(call, str)]
    about = tag("div", f"calls {', '.join(one_line(call, 80) for call in calls[-5:])}", class_="dim") if calls else None
    body = tag("div", about, tag("div", "nudge", class_="who"), prose(check.nudge or "", limit=1_000, colour=False), class_="body")
    return tag("details", tag("summary", line), body, class_="aside", data_call=point.step_id)


def _points(explanation: RuleExplanation, room: int) -> Html:
    shown = [point for point in explanation.points if any(check.status in CLAIMS for check in point.checks)]
    if not shown:
        return join("")
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in ("point", "phase", "due", "also due", "cap spent")]))
    left, rows = Room(room - weight(head) - RESERVE), list[Html]()
    for point in shown:
        row = tag(
            "tr", tag("td", _where(point)), tag("td", point.phase), [tag("td", _codes(point.checks, status)) for status in CLAIMS], data_call=point.step_id
        )
        if not left.take(row):
            break
        rows.append(row)
    hidden = tag("div", amount(len(shown) - len(rows), "more point"), class_="more") if len(rows) < len(shown) else None
    return join(tag("div", tag("table", head, tag("tbody", rows), class_="grid"), class_="scroll"), hidden)


def _last_point(explanation: RuleExplanation, room: int) -> Html:
    if not explanation.points:
        return tag("div", "no point at which a rule is asked: no answer, and no complete batch of tool calls", class_="dim")
    point = explanation.points[-1]
    lines = [
        tag(
            "tr",
            tag("td", marked(RULE_MARKS[check.status])),
            tag("td", one_line(check.code, 64)),
            tag("td", one_line(check.reason, LONGEST_REASON), class_="long"),
        )
        for check in point.checks
    ]
    left, rows = Room(room - RESERVE), list[Html]()
    for line in lines:
        if not left.take(line):
            break
        rows.append(line)
    summary = tag("summary", f"every rule at the last point, {_where(point)}")
    return tag("details", summary, tag("table", tag("tbody", rows), class_="grid"), class_="aside")


def _known(explanation: RuleExplanation) -> str:
    covered = "the answer is in a language that the rules do not read" if explanation.language_covered is False else None
    assumed = f"tools not known: {', '.join(one_line(name, 40) for name in explanation.assumed_tools[:4])}" if explanation.assumed_tools else None
    hits = len(explanation.hits)
    return facts(
        amount(len(explanation.points), "point"),
        f"{amount(hits, 'nudge')} due" if hits else "no nudge due",
        f"{explanation.counting} counting",
        covered,
        assumed,
    )


def _where(point: RulePoint) -> str:
    place = f"point {point.point_index + 1}"
    return place if point.call_index is None else f"{place}, call {point.call_index}"


def _codes(checks: Iterable[RuleCheck], status: str) -> str:
    return ", ".join(one_line(check.code, 64) for check in checks if check.status == status)
