"""One call as a person judges it: what went in, what came out, and folded below it what it was shown, its calls, its decision and the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from agentnb.decisions import normalize_decision
from agentnb.render._calls import Scene, rating_line
from agentnb.render._code import parsed, pretty_json
from agentnb.render._decisions import render_decision
from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._index import TurnIndex
from agentnb.render._marks import TURN_MARKS, mark_of, marked
from agentnb.render._markup import Html, bar, join, tag
from agentnb.render._numbers import amount, count, facts, lasted, tokens
from agentnb.render._pages import CallToRate, EarlierTurn, RatingProgress
from agentnb.render._prose import prose
from agentnb.render._room import BUDGET, DETAILS, SCANT, Detail, weight
from agentnb.render._rule_strip import render_rules
from agentnb.render._steps import call_item, item_element, steps
from agentnb.render._text import one_line, visible
from agentnb.render._trees import render_call_tree
from agentnb.values import Call, Step, Turn

STEPS_BEFORE: Final = 3
"""Steps before the one that asked for the call that are shown with it."""
MAIN_SHARE: Final = 0.5
"""Of the room, what input and output may take; the folds share the rest."""
HEAD: Final = 1_200
"""Bytes kept for the line above."""
LEAST_FOLD: Final = 600
"""Bytes under which it is not worth trying to show what is folded."""


def render_call_to_rate(
    page: CallToRate | None,
    progress: RatingProgress,
    *,
    body: Html | None = None,
    blind: bool = True,
    live: bool = False,
    standalone: bool = True,
    budget: int = BUDGET,
) -> str:
    """Show a call that waits for a verdict, with everything that helps to give one.

    Args:
        page: the call and what is known around it; None where there is nothing (more) to rate.
        progress: how far the person has come.
        body: what `render_call_body` made of the page before; without it, it is made now.
        blind: whether what others said of it is hidden.
        live: whether a kernel answers: then the pace is told.
        standalone: whether the style sheet and the section around it come along.
        budget: bytes of UTF-8 that are not exceeded, style sheet included; 200 kB at most.

    Returns:
        HTML, the same for the same call and progress.
    """
    head = _head(page, progress, live=live)
    room = room_inside(budget, standalone=standalone) - weight(head) - 200
    if page is None:
        return framed("rater", "Rater", join(head, tag("div", _finished(progress), class_="steps")), standalone=standalone, budget=budget)
    shown = body if body is not None else _body(page, room, blind=blind)
    return framed("rater", "Rater", join(head, shown), standalone=standalone, budget=budget)


def render_call_body(page: CallToRate, *, blind: bool = True, budget: int = BUDGET) -> Html:
    """Show a call that waits for a verdict without the line above it, which tells how far the person has come: what can be made ahead."""
    return _body(page, room_inside(budget, standalone=False) - HEAD, blind=blind)


def plain_progress(progress: RatingProgress) -> str:
    """Say in one line how far a person has come."""
    by = f" by {one_line(progress.rated_by, 60)}" if progress.rated_by else ""
    return visible(f"Rater: {amount(progress.total, 'call')}, {count(progress.done)} rated{by}")


def answer_of(page: CallToRate) -> str | None:
    """Return what a call gave, as text: its output, what its model said, or the answer of its agent; None where it failed."""
    call = page.call
    if call.failed and call.kind == "tool":
        return None
    if call.output is not None:
        return call.output
    if call.kind == "model":
        return step.text if (step := _step(page.turn, call.call_id)) is not None else None
    if call.call_id == page.turn.turn_id:
        return page.turn.answer
    return _said_last(page.turn, call.call_id) if call.kind == "agent" else None


def _head(page: CallToRate | None, progress: RatingProgress, *, live: bool) -> Html:
    place = f"call {count(progress.place)} of {count(progress.total)}" if progress.place else _title(page, progress)
    pace = _pace(progress) if live else None
    told = facts(f"{count(progress.done)} of {count(progress.total)} rated" if page is None or progress.done else None, pace, _who(progress))
    title = join(heading(place, _about(page) if page is not None else "", tag("span", told, class_="facts")))
    return join(title, tag("div", bar(0, progress.done / progress.total if progress.total else 0), class_="meter") if progress.done else None)


def _title(page: CallToRate | None, progress: RatingProgress) -> str:
    if page is not None:
        return f"{amount(progress.total, 'call')} to rate"
    return "rated" if progress.total else "nothing to rate"


def _who(progress: RatingProgress) -> str | None:
    return f"by {one_line(progress.rated_by, 60)}" if progress.rated_by else None


def _pace(progress: RatingProgress) -> str | None:
    if progress.per_minute is None:
        return None
    left = progress.minutes_left
    return facts(f"{progress.per_minute:,.1f} a minute", None if left is None else f"{left:,.0f} min left" if left >= 1 else "under a minute left")


def _about(page: CallToRate) -> str:
    turn = page.turn
    return facts(f"turn {turn.turn_index + 1} of {one_line(page.title or turn.conversation_id, 60)}", one_line(page.format or "", 40) or None)


def _body(page: CallToRate, room: int, *, blind: bool) -> Html:
    turn = page.turn.model_copy(update={"ratings": ()})
    said = _said_of_it(page, blind=blind)
    asked = _asked(page)
    left = room - weight(join(said, asked))
    main = _main(page, turn, int(left * MAIN_SHARE))
    left -= weight(main)
    folds: list[Html | None] = []
    pieces = [piece for piece in _folds(page, turn) if piece is not None]
    for at, (name, known, shown) in enumerate(pieces):
        share = left // (len(pieces) - at) - 300
        fold = tag("details", tag("summary", tag("b", name), f" {known}"), shown(share), class_="aside fold", data_fold=name) if share > LEAST_FOLD else None
        left -= weight(fold or "")
        folds.append(fold)
    return tag("div", said, asked, main, folds, class_="steps")


def _said_of_it(page: CallToRate, *, blind: bool) -> Html | None:
    """Show what the person said before, and unless this is hidden what others said."""
    shown = [rating for rating in page.ratings if not blind or (rating.rated_by is not None and rating.rated_by == page.rated_by)]
    return rating_line(page.call.call_id, shown)


def _asked(page: CallToRate) -> Html | None:
    """Show what the person wanted of the agent, in few words: without it hardly a call can be judged."""
    if not page.turn.prompt or page.call.call_id == page.turn.turn_id:
        return None
    return tag("div", tag("div", "person", class_="who"), tag("div", one_line(page.turn.prompt, 400), class_="prose", dir="auto"), class_="said person")


def _main(page: CallToRate, turn: Turn, room: int) -> Html:
    for detail in DETAILS:
        shown = _given(page, turn, Scene(TurnIndex(turn), detail), room)
        if weight(shown) <= room or detail is SCANT:
            break
    return shown if weight(shown) <= room * 1.5 else too_large()


def _given(page: CallToRate, turn: Turn, scene: Scene, room: int) -> Html:
    call = page.call
    if call.kind == "model":
        taken = next((item for item in scene.index.items(call.parent_call_id or "") if getattr(item, "call", None) == call), None)
        return item_element(scene, taken, turn.turn_id, room) if taken is not None else call_item(scene, call, room).html
    if call.kind == "agent":
        return _agent(page, turn, scene.detail)
    return call_item(scene, call, room).html


def _agent(page: CallToRate, turn: Turn, detail: Detail) -> Html:
    """Show what an agent was asked and what it answered; what it did between stands below."""
    call = page.call
    own = call.call_id == turn.turn_id
    asked = turn.prompt if own else _said_first(turn, call.call_id)
    answer = answer_of(page)
    mark = marked(TURN_MARKS[turn.state]) if own and turn.state else marked(mark_of(call)) if not own else None
    known = facts(one_line(call.name, 80) or None, lasted(call.seconds), tokens(_tokens(turn, call)))
    return join(
        tag("div", join(mark, known, by=" "), class_="who"),
        tag("div", tag("div", "person" if own else "task", class_="who"), prose(asked, limit=detail.said), class_="said person") if asked else None,
        _value(call.input, detail) if call.input else None,
        tag("div", tag("div", "answer", class_="who"), _answer(answer, detail), class_="said answer"),
    )


def _answer(answer: str | None, detail: Detail) -> Html:
    if not answer:
        return tag("div", "no answer", class_="dim")
    return _value(answer, detail) if answer.lstrip()[:1] in ("{", "[") else prose(answer, limit=detail.said, colour=detail.colour)


def _value(text: str, detail: Detail) -> Html:
    value: Any = parsed(text)
    return pretty_json(value, limit=detail.got, colour=detail.colour) if isinstance(value, dict | list) else prose(text, limit=detail.said)


def _folds(page: CallToRate, turn: Turn) -> Iterable[tuple[str, str, Callable[[int], Html]] | None]:
    """Yield what is folded below: a name, what is known about it, and how it is shown within a room."""
    yield ("earlier turns", amount(page.earlier_total, "turn"), lambda room: _earlier(page, room)) if page.earlier_total else None
    yield _steps_fold(page, turn)
    calls = len(turn.calls)
    selected = page.call.call_id
    if calls > 1:
        around = turn.model_copy(update={"ratings": ()})
        yield "calls", f"of this turn: {amount(calls, 'call')}", lambda room: render_call_tree(around, selected=selected, budget=room, standalone=False)
    step = _step(turn, page.call.step_id or page.call.call_id)
    if step is not None and (step.text or step.tool_calls):
        decision = normalize_decision(step.raw)
        yield "decision", f"{decision.kind}, of step {step.step_index + 1}", lambda room: render_decision(decision, budget=room, standalone=False)
    told = page.told
    if told is not None and told.points:
        due = amount(len(told.hits), "nudge") + " due" if told.hits else "no nudge due"
        yield "rules", due, lambda room: render_rules(told, budget=room, standalone=False)


def _steps_fold(page: CallToRate, turn: Turn) -> tuple[str, str, Callable[[int], Html]] | None:
    """Return the steps that led to a call; of an agent those that it took."""
    call = page.call
    agent, index = (call.call_id, TurnIndex(turn)) if call.kind == "agent" else (call.parent_call_id or turn.turn_id, TurnIndex(turn))
    models = [model.call_id for model in index.models[agent]]
    if call.kind == "agent":
        return ("steps", amount(len(models), "step"), lambda room: _window(index, agent, turn, room, 0, None)) if models else None
    own = call.step_id or call.call_id
    if own not in models:
        return None
    at = models.index(own)
    first = max(0, at - STEPS_BEFORE)
    known = f"step {at + 1} of {count(len(models))}, and what it was shown"
    return "steps", known, lambda room: _window(index, agent, turn, room, first, at - first + 1)


def _window(index: TurnIndex, agent: str, turn: Turn, room: int, first: int, most: int | None) -> Html:
    for detail in DETAILS:
        shown = steps(Scene(index, detail), agent, turn.turn_id, room=room, first=first, most=most)
        if weight(shown.html) <= room:
            break
    return shown.html if weight(shown.html) <= room else too_large()


def _earlier(page: CallToRate, room: int) -> Html:
    """Show the turns before, the last ones in more words."""
    limit = max(60, min(1_500, room // (3 * max(1, len(page.earlier)))))
    hidden = page.earlier_total - len(page.earlier)
    more = tag("div", f"{amount(hidden, 'turn')} before these", class_="dim") if hidden else None
    shown = join(more, [_exchange(turn, limit) for turn in page.earlier])
    return shown if weight(shown) <= room else too_large()


def _exchange(turn: EarlierTurn, limit: int) -> Html:
    asked = tag(
        "div", tag("div", f"person, turn {turn.turn_index + 1}", class_="who"), prose(turn.prompt or "(the agent began)", limit=limit), class_="said person"
    )
    return join(asked, tag("div", prose(turn.answer, limit=limit), class_="said") if turn.answer else None)


def _finished(progress: RatingProgress) -> Html:
    if not progress.total:
        return tag("p", "The query yields no call. ws.sql('from calls') lists what there is.")
    said = facts(f"{count(progress.right)} right", f"{count(progress.wrong)} wrong")
    open_ = progress.total - progress.done
    skipped = tag("p", f"{amount(open_, 'call')} skipped: the button brings them back.") if open_ else None
    bare = progress.without_answer
    missing = tag("p", f"{count(bare)} wrong without the right answer: they teach a program nothing yet.") if bare else None
    return join(tag("p", tag("b", "That is all." if not open_ else "That is all for now."), f" {said}."), skipped, missing)


def _step(turn: Turn, call_id: str) -> Step | None:
    """Return the step that a model call is."""
    model = next((call for call in turn.calls if call.call_id == call_id and call.kind == "model"), None)
    if model is None:
        return None
    return next((step for step in turn.steps_of(model.parent_call_id or turn.turn_id) if step.step_id == call_id), None)


def _said_first(turn: Turn, agent_id: str) -> str | None:
    texts = (part.text for message in turn.messages for part in message.parts if part.agent_call_id == agent_id and part.role == "user" and part.text)
    return next(texts, None)


def _said_last(turn: Turn, agent_id: str) -> str | None:
    parts = [part for message in turn.messages for part in message.parts if part.agent_call_id == agent_id]
    said = [part.text for part in parts if part.role == "assistant" and part.type == "text" and part.text]
    return said[-1] if said else None


def _tokens(turn: Turn, call: Call) -> int | None:
    models = [each for each in turn.calls if each.kind == "model" and each.parent_call_id == call.call_id]
    known = [each.usage.total_tokens for each in models if each.usage.total_tokens is not None]
    return sum(known) if known else None
