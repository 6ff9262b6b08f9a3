"""A LIVE TURN AND A LIVE CONVERSATION BY THEMSELVES: how they stand, what they wait for, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from agentnb.render._code import terminal
from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._marks import TURN_MARKS, UNKNOWN, marked
from agentnb.render._markup import Child, Html, join, tag
from agentnb.render._numbers import amount, facts
from agentnb.render._prose import prose
from agentnb.render._questions import question_element
from agentnb.render._room import BUDGET, DETAILS, weight
from agentnb.render._text import one_line, visible
from agentnb.values import WaitingApproval
from agentnb.values._base import Value

MOST = 30
"""Turns of a conversation that are listed; the last ones."""


class LiveTurnCard(Value):
    """What a live turn shows of itself."""

    asked: str
    """What it was given, as a text."""
    state: str | None
    """Its state."""
    answer: str | None = None
    """What it answered, as a text."""
    error: str | None = None
    """Why it has no answer."""
    waiting: tuple[WaitingApproval, ...] = ()
    """What people are asked."""
    tree: str = ""
    """Its calls as a tree of text; empty of a turn that made none."""
    advice: str | None = None
    """What to do next."""
    code: tuple[str, ...] = ()
    """How to do it."""


class LiveConversationCard(Value):
    """What a live conversation shows of itself."""

    conversation_id: str
    """Its id."""
    program: str | None
    """The program that it calls."""
    turns: tuple[LiveTurnCard, ...] = ()
    """Its last turns, in order."""
    total: int = 0
    """How many turns it has."""


def render_live_turn(card: LiveTurnCard, *, budget: int = BUDGET) -> str:
    """Show a live turn: what it was asked, how it stands, what it waits for or answered, and the next step."""
    head = heading("turn", "", _mark(card))
    for detail in DETAILS:
        waits = [question_element(question, detail) for question in card.waiting]
        body: list[Child] = [
            tag("div", prose(card.asked, limit=detail.said), class_="said person") if card.asked else None,
            tag("div", waits, class_="questions") if waits else None,
            tag("div", prose(card.answer, limit=detail.said), class_="said answer") if card.answer is not None else None,
            terminal(card.error, limit=detail.failed, class_="out bad") if card.error else None,
            terminal(card.tree, limit=detail.got) if "\n" in card.tree else None,
            _next(card),
        ]
        inside = tag("div", body, class_="steps")
        if weight(inside) <= room_inside(budget, standalone=True) - weight(head):
            return framed("live-turn", "Turn", [head, inside], standalone=True, budget=budget)
    return framed("live-turn", "Turn", [head, too_large()], standalone=True, budget=budget)


def render_live_conversation(card: LiveConversationCard, *, budget: int = BUDGET) -> str:
    """Show a live conversation: its turns, each with its state, and what the last one needs."""
    known = facts(one_line(card.program, 80) if card.program else None, amount(card.total, "turn"))
    before = card.total - len(card.turns)
    lines = [_line(before + number, turn) for number, turn in enumerate(card.turns, 1)]
    body: list[Child] = [
        tag("div", amount(before, "earlier turn"), class_="more") if before else None,
        tag("div", lines, class_="turns") if lines else tag("div", "no turns yet: chat.send(…) sends the first one", class_="more"),
        tag("div", _next(card.turns[-1]), class_="steps") if card.turns and card.turns[-1].advice else None,
    ]
    return framed("live-conversation", "Conversation", [heading(one_line(card.conversation_id, 80), known), *body], standalone=True, budget=budget)


def plain_live_turn(card: LiveTurnCard) -> str:
    """Say in one line what a live turn was asked and how it stands."""
    waits = f"{amount(len(card.waiting), 'call')} {'waits' if len(card.waiting) == 1 else 'wait'} for a person" if card.waiting else None
    told = one_line(card.answer, 80) if card.answer is not None else None
    return visible(f"Live turn “{one_line(card.asked, 60)}” · " + facts(one_line(card.state or UNKNOWN.word, 40), waits, told))


def plain_live_conversation(card: LiveConversationCard) -> str:
    """Say in one line which live conversation this is, and how its last turn stands."""
    last = card.turns[-1].state if card.turns else None
    return visible(
        f"Live conversation {one_line(card.conversation_id, 80)} · " + facts(one_line(card.program or "", 80) or None, amount(card.total, "turn"), last)
    )


def _line(number: int, turn: LiveTurnCard) -> Html:
    said: Sequence[Child] = [
        tag("span", str(number), class_="no"),
        tag("b", one_line(turn.asked, 100), class_="ask", dir="auto"),
        _mark(turn),
        tag("span", one_line(turn.answer, 100), class_="args") if turn.answer else None,
    ]
    return tag("div", tag("span", join(said, by=" "), class_="line"), class_="turn")


def _mark(turn: LiveTurnCard) -> Html:
    return marked(TURN_MARKS.get(turn.state or "", UNKNOWN))


def _next(card: LiveTurnCard) -> Html | None:
    if card.advice is None:
        return None
    return tag("p", one_line(card.advice, 300), " ", join([tag("code", one_line(each, 120)) for each in card.code[:4]], by=" · "), class_="dim next")
