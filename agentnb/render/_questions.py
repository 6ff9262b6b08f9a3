"""QUESTIONS THAT WAIT FOR A PERSON: what would run, with which arguments, where, and since when."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from agentnb.render._calls import arguments_element, arguments_line
from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._markup import Html, join, tag
from agentnb.render._numbers import amount
from agentnb.render._prose import prose
from agentnb.render._room import BUDGET, DETAILS, FULL, Detail, Room, weight, within
from agentnb.render._text import one_line
from agentnb.values import Call, WaitingApproval

WHOLE: Final = FULL._replace(put=60_000)
"""How much is shown of arguments that a person wants to see whole."""

_FOLDED: Final = 900
"""Characters of arguments above which they are folded."""
_EFFECTS: Final = {"changes": ("⚠ changes things", "warn"), "reads": ("◌ only reads", "dim")}
_UNDECLARED: Final = ("? effects not declared", "warn")


def render_questions(questions: Sequence[WaitingApproval], *, total: int | None = None, by: str | None = None, budget: int = BUDGET) -> str:
    """Show questions where nobody can answer them here: on a page, or in a notebook without a kernel.

    Args:
        questions: what waits, the longest first.
        total: how many wait in all, when these are only the first of them.
        by: who would answer.
        budget: bytes of HTML.

    Returns:
        HTML, the same for the same questions: how long they have waited is not in it.
    """
    room = Room(room_inside(budget, standalone=True) - 1_200)
    shown: list[Html] = []
    for question in questions:
        element = next((each for detail in DETAILS if room.take(each := question_element(question, detail))), None)
        if element is None:
            break
        shown.append(element)
    left = (len(questions) if total is None else total) - len(shown)
    rest = tag("div", amount(left, "more question"), class_="more") if shown and left else too_large() if left else None
    how = tag("div", "Answer with the buttons of a running notebook, or in code: ", tag("code", "turn.approve(by='…')"), ", ", _deny(), class_="more")
    body = [tag("div", shown, class_="questions"), rest, how] if questions else [tag("div", "Nothing waits for a person.", class_="more")]
    return framed("approvals", "Approvals", [questions_heading(len(questions) if total is None else total, by), *body], standalone=True, budget=budget)


def render_question(question: WaitingApproval, *, budget: int = BUDGET) -> str:
    """Show one question where it can be answered, within a budget of bytes."""
    shown = [question_element(question, detail, live=True) for detail in DETAILS]
    return next((each for each in shown if weight(each) <= within(budget)), shown[-1])


def render_question_whole(question: WaitingApproval) -> str:
    """Show all arguments of a question, as far as anything can be shown."""
    return join(arguments_element(_call(question), WHOLE))


def questions_heading(total: int, by: str | None) -> Html:
    """Say how many questions wait, and who answers."""
    who = tag("span", f"answering as {one_line(by, 60)}", class_="dim") if by else None
    return heading(plain_total(total), "", who)


def question_element(question: WaitingApproval, detail: Detail = FULL, *, live: bool = False) -> Html:
    """Show one question.

    Args:
        question: what waits.
        detail: how much is shown of its arguments.
        live: whether it can be answered here.
    """
    word, level = _EFFECTS.get(question.effects or "", _UNDECLARED)
    since = question.asked_at.isoformat() if live and question.asked_at is not None else None
    line = join(
        tag("b", one_line(question.name, 80) or "unnamed", class_="name"),
        tag("span", word, class_=f"mark {level}"),
        tag("span", one_line(question.path, 120), class_="path dim") if question.path and question.path != question.name else None,
        tag("span", "waiting", class_="waits dim", data_since=since) if since else None,
        by=" ",
    )
    asked = tag("div", prose(question.question, limit=detail.aside), class_="ask-person") if question.question else None
    controls = _controls(question) if live else None
    body = tag("div", tag("div", line, class_="line"), asked, _arguments(question, detail, live=live), _about(question), class_="asked")
    key = question_key(question) if live else None
    roles: dict[str, Any] = {"role": "listitem", "tabindex": -1, "aria_label": one_line(f"{question.name}: {question.path}", 120)} if live else {}
    return tag("div", body, controls, class_="question", data_question=key, **roles)


def question_key(question: WaitingApproval) -> str:
    """Return a short name of a question, which no other one has, for the browser."""
    return hashlib.blake2b(repr(question.place).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def plain_questions(total: int) -> str:
    """Say in one line how many questions wait."""
    return f"Approvals · {plain_total(total)}"


def plain_total(total: int) -> str:
    """Say how many questions wait: `2 calls wait for a person`."""
    return "nothing waits for a person" if not total else f"{amount(total, 'call')} {'waits' if total == 1 else 'wait'} for a person"


def _arguments(question: WaitingApproval, detail: Detail, *, live: bool) -> Html | None:
    """Show what the tool would be given: laid out, as a difference where it replaces a text, and folded where it is long."""
    call = _call(question)
    shown = arguments_element(call, detail)
    if not shown:
        return tag("div", "no arguments", class_="dim")
    size = len(question.input or "")
    whole = tag("button", "show all", type="button", data_action="whole") if live and size > detail.put else None
    if size <= _FOLDED:
        return join(shown, whole)
    line = join(tag("code", arguments_line(call), class_="args"), tag("span", amount(size, "character"), class_="facts"), by=" ")
    summary = tag("summary", tag("span", line, class_="line"))
    return tag("details", summary, shown, whole, class_="arguments")


def _call(question: WaitingApproval) -> Call:
    return Call(call_id="", conversation_id="", turn_id="", call_index=0, kind="tool", name=question.name, input=question.input, source_id="")


def _about(question: WaitingApproval) -> Html:
    """Say which turn waits: what the person said, and in which conversation."""
    said = join("“", one_line(question.prompt, 100), "” · ") if question.prompt else None
    return tag("div", said, one_line(question.conversation_id, 60), class_="about dim")


def _controls(question: WaitingApproval) -> Html:
    """Show the buttons; an answer in words is asked for where the tool itself asks."""
    yes = ("✓ approve…", "say") if question.question else ("✓ approve", "approve")
    return tag(
        "div",
        tag("button", yes[0], " ", tag("kbd", "a"), type="button", class_="good", data_action=yes[1]),
        tag("button", "⊘ deny… ", tag("kbd", "d"), type="button", class_="bad", data_action="deny"),
        class_="answers",
    )


def _deny() -> Html:
    return tag("code", "turn.deny(reason='…', by='…')")
