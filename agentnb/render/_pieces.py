"""The smaller values by themselves: a step, a message, a rating, an approval."""

from __future__ import annotations

from collections.abc import Callable

from agentnb.render._calls import Scene, approval_line, rating_line
from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._index import Said, Taken, TurnIndex
from agentnb.render._markup import Html, tag
from agentnb.render._numbers import amount, facts
from agentnb.render._room import BUDGET, DETAILS, Detail, weight
from agentnb.render._steps import item_element
from agentnb.render._text import one_line
from agentnb.values import Approval, Message, Rating, Step


def render_step(step: Step, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show one step: what the model said and the calls it asked for."""
    taken = Taken(step.step_index, step.call, list(step.parts), list(step.tool_calls))
    return _fitting("step", lambda detail, room: item_element(Scene(TurnIndex(None), detail), taken, step.call.turn_id, room), budget, standalone=standalone)


def render_message(message: Message, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show one message: who said it, and its parts; calls and results are told by their place only."""
    parts = [part for part in message.parts if part.type not in ("tool_call", "tool_result")]
    calls = amount(len(message.parts) - len(parts), "call or result", "calls and results")
    note = tag("div", f"{message.role} · {calls}", class_="dim") if len(parts) < len(message.parts) or not parts else None

    def shown(detail: Detail, room: int) -> Html:
        said = item_element(Scene(TurnIndex(None), detail), Said(parts), "", room) if parts else None
        return tag("div", said, note)

    return _fitting("message", shown, budget, standalone=standalone)


def render_rating(rating: Rating, *, standalone: bool = True) -> str:
    """Show one rating: of what, by whom, and why."""
    line = rating_line(rating.call_id, [rating]) or tag("div", _without_verdict(rating), class_="dim")
    tags = ", ".join(one_line(each, 40) for each in (rating.tags or ())[:8])
    known = facts(one_line(rating.call_name, 60) if rating.call_name else None, f"tags: {tags}" if tags else None, f"{rating.rated_at:%Y-%m-%d %H:%M}")
    return framed("rating", "Rating", [heading("rating", known), tag("div", line, class_="steps")], standalone=standalone)


def _without_verdict(rating: Rating) -> str:
    if rating.kind == "tags":
        return "tags, without a verdict" if rating.tags else "tags taken back"
    return "withdrawn" if rating.verdict is None else "replaced by a later one"


def render_approval(approval: Approval, *, standalone: bool = True) -> str:
    """Show one question to a person, and what became of it."""
    return framed("approval", "Approval", [heading("approval", ""), tag("div", approval_line(approval), class_="steps")], standalone=standalone)


def _fitting(view: str, shown: Callable[[Detail, int], Html], budget: int, head: Html | None = None, *, standalone: bool) -> str:
    room = room_inside(budget, standalone=standalone) - weight(head or "") - 100
    for detail in DETAILS:
        element = tag("div", shown(detail, room), class_="steps")
        if weight(element) <= room:
            return framed(view, view.capitalize(), [head, element], standalone=standalone, budget=budget)
    return framed(view, view.capitalize(), [head, too_large()], standalone=standalone, budget=budget)
