"""A turn, a call and a window of steps as views of their own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from agentnb.render._calls import Scene, rating_line
from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._index import TurnIndex
from agentnb.render._marks import TURN_MARKS, Mark, marked
from agentnb.render._markup import Html, join, tag
from agentnb.render._numbers import amount, facts, lasted, tokens
from agentnb.render._pages import TurnLine
from agentnb.render._prose import prose
from agentnb.render._room import BRIEF, BUDGET, DETAILS, SCANT, weight, within
from agentnb.render._rule_strip import rule_strip
from agentnb.render._steps import call_item, steps
from agentnb.render._text import one_line
from agentnb.values import Call, Rating, RuleExplanation, Turn

STRIP_SHARE: Final = 6
"""Of the room of a turn, one part in so many goes to what the rules said at most."""
LEAST_STEP: Final = 400
"""Bytes that a step takes at least: with more steps than that there is no need to try to show them in full."""


def render_turn(turn: Turn, *, first_step: int = 0, budget: int = BUDGET, live: bool = False, standalone: bool = True) -> str:
    """Show a turn: what the person said, each step, its calls, and what people said about it.

    Args:
        turn: the turn, with its messages and calls.
        first_step: the first step to show, from 0.
        budget: bytes of UTF-8 that are not exceeded, style sheet included; 200 kB at most.
        live: whether a kernel answers, so that there are controls.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same turn.
    """
    line = turn_line(turn)
    head = heading(f"turn {turn.turn_index + 1}", "", tag("span", turn_marks(line), class_="marks"), tag("span", line_facts(line), class_="facts"))
    room = room_inside(budget, standalone=standalone) - weight(head) - 60
    body = turn_body(turn, first_step=first_step, room=room, live=live)
    content = join(head, tag("div", body, class_="steps", data_turn=turn.turn_id))
    return framed("turn", f"Turn {turn.turn_index + 1}", content, standalone=standalone, budget=budget)


def render_turn_body(
    turn: Turn, *, first_step: int = 0, budget: int = BUDGET, live: bool = False, selected: str | None = None, told: RuleExplanation | None = None
) -> str:
    """Show what belongs inside an unfolded turn of a transcript."""
    return turn_body(turn, first_step=first_step, room=within(budget), live=live, selected=selected, told=told)


def render_steps(turn: Turn, *, first_step: int = 0, count: int | None = None, agent: str | None = None, budget: int = BUDGET, live: bool = False) -> str:
    """Show a window of steps: what takes the place of "N more steps".

    Args:
        turn: the turn.
        first_step: the first step, from 0.
        count: how many at most; without it as many as fit.
        agent: id of a sub-agent's call whose steps are meant; without it the turn's own.
        budget: bytes of UTF-8 that are not exceeded.
        live: whether a kernel answers.
    """
    index, agent_id = TurnIndex(turn), agent or turn.turn_id
    wanted = min(len(index.models[agent_id]) - first_step, count or len(turn.calls))
    for detail in DETAILS[:2] if wanted <= budget // LEAST_STEP else ():
        shown = steps(Scene(index, detail, live), agent_id, turn.turn_id, room=within(budget), first=first_step, most=count)
        if shown.whole:
            return shown.html
    return steps(Scene(index, BRIEF, live), agent_id, turn.turn_id, room=within(budget), first=first_step, most=count).html


def render_call(call: Call, *, turn: Turn | None = None, budget: int = BUDGET, live: bool = False, standalone: bool = True) -> str:
    """Show one call, unfolded; with its turn also its sub-agents, approvals and ratings."""
    index = TurnIndex(turn)
    room = room_inside(budget, standalone=standalone) - 100
    for detail in DETAILS:
        shown = call_item(Scene(index, detail, live), call, room)
        if weight(shown.html) <= room and (shown.whole or detail is SCANT):
            break
    element = shown.html if weight(shown.html) <= room else too_large()
    return framed("call", "Call", tag("div", element, class_="steps"), standalone=standalone, budget=budget)


def render_rating_line(call_id: str, ratings: Iterable[Rating] = (), *, live: bool = False) -> str:
    """Show the rating line of a call alone: what takes the place of the old one after a rating."""
    return rating_line(call_id, ratings, live=live) or ""


def turn_body(turn: Turn, *, room: int, first_step: int = 0, live: bool = False, selected: str | None = None, told: RuleExplanation | None = None) -> Html:
    """Show a turn's items within some room: in full if that fits, else a window of them and how it ended; below them what the rules said."""
    index = TurnIndex(turn)
    strip = "" if told is None else rule_strip(told, room // STRIP_SHARE)
    rate = join(strip, rating_line(turn.turn_id, index.ratings[turn.turn_id], live=live))
    left = room - weight(rate or "")
    for detail in DETAILS[:2] if len(index.models[turn.turn_id]) - first_step <= left // LEAST_STEP else ():
        shown = steps(Scene(index, detail, live, selected), turn.turn_id, turn.turn_id, room=left, first=first_step)
        if shown.whole:
            return join(shown.html, rate)
    end = tag("div", tag("div", "answer, at the end", class_="who"), prose(turn.answer, limit=600), class_="answer said") if turn.answer else join("")
    shown = steps(Scene(index, BRIEF, live, selected), turn.turn_id, turn.turn_id, room=left - weight(end), first=first_step)
    return join(shown.html, None if shown.whole else end, rate)


def turn_line(turn: Turn) -> TurnLine:
    """Return a turn as one line of a transcript."""
    tools = turn.tool_calls
    counted = [rating.verdict for rating in turn.ratings if rating.counts]
    return TurnLine(
        turn_id=turn.turn_id,
        turn_index=turn.turn_index,
        prompt=turn.prompt,
        state=turn.state,
        failed_calls=sum(call.failed for call in tools),
        unanswered_calls=sum(call.state == "unanswered" for call in tools),
        steps=sum(call.kind == "model" and call.parent_call_id == turn.turn_id for call in turn.calls),
        tool_calls=len(tools),
        seconds=turn.seconds,
        total_tokens=total_tokens(turn.calls),
        right=counted.count("right"),
        wrong=counted.count("wrong"),
    )


def total_tokens(calls: Iterable[Call]) -> int | None:
    """Add up input and output tokens of the model calls among some calls; null when none of them tells."""
    counts = [count for call in calls if call.kind == "model" for count in (call.input_tokens, call.output_tokens) if count is not None]
    return sum(counts) if counts else None


def turn_marks(line: TurnLine) -> Html:
    """Show a turn's state, with what failed or got no answer."""
    marks = [TURN_MARKS[line.state]] if line.state else []
    if line.failed_calls and line.state == "failed":
        marks = [Mark("✕", f"failed · {amount(line.failed_calls, 'failed call')}", "bad")]
    elif line.failed_calls:
        marks.append(Mark("✕", amount(line.failed_calls, "failed call"), "bad"))
    if line.unanswered_calls:
        marks.append(Mark("?", f"{line.unanswered_calls:,} no answer", "warn"))
    return join([marked(mark) for mark in marks], by=" ")


def line_facts(line: TurnLine) -> str:
    """Say how much a turn did: steps, tool calls, seconds, tokens, ratings."""
    return facts(
        amount(line.steps, "step"), amount(line.tool_calls, "tool call"), lasted(line.seconds), tokens(line.total_tokens),
        f"{line.right} right" if line.right else None, f"{line.wrong} wrong" if line.wrong else None,
    )  # fmt: skip


def prompt_line(line: TurnLine) -> str:
    """Return the first words of what the person said."""
    return one_line(line.prompt, 100) if line.prompt else "(the agent began)"
