"""A conversation as a list of turns, each a line that unfolds."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from agentnb.render._frame import framed, heading, room_inside
from agentnb.render._markup import Child, Html, join, tag
from agentnb.render._numbers import amount, facts
from agentnb.render._pages import TranscriptPage, TurnLine
from agentnb.render._room import BUDGET, Room, weight
from agentnb.render._text import one_line
from agentnb.render._turns import line_facts, prompt_line, turn_body, turn_line, turn_marks
from agentnb.values import Conversation, RuleExplanation, Turn

SMALLEST_BODY: Final = 1_600
"""Bytes under which an unfolded turn says too little to be worth it."""


def render_transcript(
    page: TranscriptPage,
    *,
    live: bool = False,
    standalone: bool = True,
    open_turns: Collection[str] = (),
    selected: str | None = None,
    budget: int = BUDGET,
) -> str:
    """Show a window of a conversation's turns.

    Args:
        page: the turns of the window as lines, and those that are loaded.
        live: whether a kernel answers, so that there are controls; turns that are not loaded then unfold on request.
        standalone: whether the style sheet and the section around it come along.
        open_turns: ids of the turns that start unfolded; only loaded ones can.
        selected: id of the selected call.
        budget: bytes of UTF-8 that are not exceeded, style sheet included; 200 kB at most.

    Returns:
        HTML, the same for the same page.
    """
    conversation = page.conversation
    title = one_line(conversation.title or conversation.conversation_id, 80) or "conversation"
    head = heading(title, _about(conversation), *(_controls() if live else ()))
    left = Room(room_inside(budget, standalone=standalone) - weight(head) - 700)
    kept = _lines_that_fit(page, left, live=live)
    bodies = _bodies(page, kept, left, open_turns, live=live, selected=selected)
    roles: dict[str, Any] = {"role": "tree", "aria_label": "Turns"} if live else {}
    turns = tag("div", [_turn(line, bodies.get(at), live=live, unfold=line.turn_id in open_turns) for at, line in enumerate(kept)], class_="turns", **roles)
    return framed("transcript", f"Transcript of {title}", join(head, turns, _more(page, len(kept), live=live)), standalone=standalone, budget=budget)


def render_conversation(conversation: Conversation, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show a conversation that is a value: a transcript without a kernel, unfolded where something failed."""
    lines = tuple(turn_line(turn) for turn in conversation.turns)
    failed = next((line for line in lines if line.failed_calls or line.state == "failed"), None)
    unfolded = failed or (lines[0] if len(lines) == 1 else None)
    page = TranscriptPage(
        conversation=conversation.model_copy(update={"turns": ()}), lines=lines, total=len(lines), turns={turn.turn_id: turn for turn in conversation.turns}
    )
    return render_transcript(page, standalone=standalone, budget=budget, open_turns=(unfolded.turn_id,) if unfolded else ())


def _about(conversation: Conversation) -> str:
    agent = " ".join(one_line(word, 60) for word in (conversation.agent_name, conversation.agent_version) if word)
    return facts(one_line(conversation.format, 40), agent or None, one_line(conversation.model, 60) if conversation.model else None)


def _controls() -> tuple[Child, ...]:
    return (
        tag("input", type="search", placeholder="find", data_action="find", aria_label="Find in this conversation"),
        tag("button", "errors", type="button", data_action="filter", data_filter="errors", aria_pressed="false"),
        tag("button", "unfold", type="button", data_action="unfold"),
    )


def _lines_that_fit(page: TranscriptPage, left: Room, *, live: bool) -> list[TurnLine]:
    reserve = SMALLEST_BODY * 2 if page.turns else 0
    left.left -= reserve
    kept = []
    for line in page.lines:
        if not left.take(_turn(line, None, live=live, unfold=False)):
            break
        kept.append(line)
    left.left += reserve
    return kept


def _bodies(page: TranscriptPage, kept: list[TurnLine], left: Room, open_turns: Collection[str], *, live: bool, selected: str | None) -> dict[int, Html]:
    loaded = [(at, line) for at, line in enumerate(kept) if line.turn_id in page.turns and (not live or line.turn_id in open_turns)]
    wanted = sorted(loaded, key=lambda place: (place[1].turn_id not in open_turns, not place[1].failed_calls, place[0]))
    bodies: dict[int, Html] = {}
    for done, (at, line) in enumerate(wanted, 1):
        share = left.left if done == len(wanted) else max(SMALLEST_BODY, int(left.left * (0.7 if line.turn_id in open_turns else 0.4)))
        if left.left < SMALLEST_BODY:
            break
        body = _steps(page.turns[line.turn_id], share - 120, live=live, selected=selected, told=page.told.get(line.turn_id))
        if left.take(body):
            bodies[at] = body
    return bodies


def _steps(turn: Turn, room: int, *, live: bool, selected: str | None, told: RuleExplanation | None) -> Html:
    return tag("div", turn_body(turn, room=room, live=live, selected=selected, told=told), class_="steps", data_turn=turn.turn_id)


def _turn(line: TurnLine, body: Html | None, *, live: bool, unfold: bool) -> Html:
    shown = tag(
        "span",
        join(
            tag("span", str(line.turn_index + 1), class_="no"), tag("b", prompt_line(line), class_="ask", dir="auto"), turn_marks(line),
            tag("span", line_facts(line), class_="facts"), by=" ",
        ),
        class_="line",
    )  # fmt: skip
    if body is None and not live:
        return tag("div", shown, class_="turn", data_turn=line.turn_id)
    roles: dict[str, Any] = {"role": "treeitem", "aria_level": 1, "aria_selected": "false"} if live else {}
    return tag("details", tag("summary", shown), body, class_="turn", data_turn=line.turn_id, open=unfold and body is not None, **roles)


def _more(page: TranscriptPage, shown: int, *, live: bool) -> Html | None:
    after = page.first + shown
    rest = page.total - after
    told = amount(rest, "more turn") if rest > 0 else "no turns" if not page.total else None
    keys = tag("span", join([_key(key, word) for key, word in (("j k", "move"), ("enter", "unfold"), ("/", "find"))], by=" "), class_="keys") if live else None
    if told is None and keys is None:
        return None
    button = tag("button", f"next {min(page.size, rest)}", type="button", data_action="more-turns", data_first=after) if live and rest > 0 else None
    return tag("div", join([piece for piece in (told, button, keys) if piece], by=" "), class_="more", data_more="turns")


def _key(keys: str, word: str) -> Html:
    return join([tag("kbd", key) for key in keys.split()], word, by=" ")
