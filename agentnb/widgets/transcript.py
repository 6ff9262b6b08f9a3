"""WHAT HAPPENED, TURN BY TURN: a conversation that unfolds, is searched, and is rated in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from agentnb.render import TranscriptPage, plain_transcript, render_steps, render_transcript, render_turn_body
from agentnb.values import Call, RuleExplanation, Turn
from agentnb.widgets._cell import STATIC, Answer, Request
from agentnb.widgets._shown import EVERY, Question, Shown
from agentnb.widgets._targets import Target, resolve
from agentnb.widgets._view import REPLY_BUDGET, View, whole_number

WINDOW_BUDGET = 24_000
"""Bytes of the window that is part of the widget's state."""


STATIC_TURNS = 6
"""Turns that are loaded for the plain HTML; more would rarely fit."""


class Transcript(View):
    """Show a conversation as turns: each a line that unfolds into what was said and called.

    Args:
        source: a workspace; or a conversation or turn alone, which is then read-only.
        target: with a workspace, a conversation or turn, or the id of one; a call, or its id, shows its turn with the call selected.
        page: how many turns are fetched at once.
        height: how high it grows before it scrolls: pixels, a CSS length, or "none".
        by: who rates here; without it `ws.rater`, and where nobody is named the widget asks once.
        selected: id of the call that is selected at first.

    Raises:
        UnknownId: there is no such conversation, turn or call.
        OptionError: a keyword that is not one of these.

    Example:
        view = anb.Transcript(ws, "support-refund-01")
        view.selected              # id of the call that was clicked last
    """

    _esm = STATIC / "transcript.js"

    def __init__(
        self,
        source: Any,
        target: Target | None = None,
        *,
        page: int = 50,
        height: int | str | None = None,
        by: str | None = None,
        selected: str = "",
        **unknown: Any,
    ) -> None:
        super().__init__(resolve("Transcript", source, target), page=page, height=height, by=by, selected=selected, unknown=unknown)

    def __repr__(self) -> str:
        """Say in one line what is shown."""
        return plain_transcript(self._window(EVERY, 0, 0))

    def _first_window(self) -> str:
        page = self._window(EVERY, 0, self._page, unfold=self._unfolded())
        return render_transcript(page, live=True, standalone=False, open_turns=tuple(page.turns), selected=self.selected or None, budget=WINDOW_BUDGET)

    def _static(self) -> str:
        """Show the page of the selected call, with as many turns loaded as are likely to fit: those that failed first."""
        shown = self._wanted.shown
        unfold = shown.turn_of(self.selected) if self.selected else self._unfolded()
        page = self._window(EVERY, 0 if unfold is None else _page_of(shown.place(unfold), self._page), self._page)
        worst = sorted(page.lines, key=lambda line: (line.turn_id != unfold, not line.failed_calls, line.turn_index))[:STATIC_TURNS]
        loaded = {line.turn_id: shown.turn(line.turn_id) for line in worst}
        told = _told(shown, loaded.values())
        opened = [line.turn_id for line in worst[:1] if line.turn_id == unfold or line.failed_calls]
        return render_transcript(page.model_copy(update={"turns": loaded, "told": told}), open_turns=opened, selected=self.selected or None)

    def _unfolded(self) -> str | None:
        """Return the turn that starts unfolded: the only one there is, else the first of the first page in which a call failed."""
        if self._wanted.turn_id is not None:
            return self._wanted.turn_id
        lines = self._wanted.shown.lines(EVERY, first=0, count=self._page)
        return lines[0].turn_id if len(lines) == 1 else next((line.turn_id for line in lines if line.failed_calls), None)

    def _window(self, question: Question, first: int, count: int, unfold: str | None = None) -> TranscriptPage:
        shown = self._wanted.shown
        turns = {} if unfold is None else {unfold: shown.turn(unfold)}
        return TranscriptPage(
            conversation=shown.conversation,
            lines=shown.lines(question, first=first, count=count),
            first=first,
            total=shown.count(question),
            size=self._page,
            turns=turns,
            told=_told(shown, turns.values()),
        )

    def _renew(self, turn_id: str) -> None:
        page = self._window(EVERY, self._wanted.shown.place(turn_id), 1)
        self.send({"event": "line", "result": {"html": render_transcript(page, live=True, standalone=False)}})

    def _grow(self, turn_ids: tuple[str, ...]) -> None:
        shown = self._wanted.shown
        lines = [line for turn_id in turn_ids[-self._page :] for line in shown.lines(EVERY, first=shown.place(turn_id), count=1)]
        page = self._window(EVERY, 0, 0).model_copy(update={"lines": tuple(lines), "total": len(lines)})
        html = render_transcript(page, live=True, standalone=False, budget=REPLY_BUDGET)
        self.send({"event": "grew", "result": {"html": html, "turns": [line.turn_id for line in lines]}})

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        return {**super()._answers(), "page": self._answer_page, "turn": self._answer_turn, "reveal": self._answer_reveal}

    def _answer_page(self, request: Request) -> Answer:
        question = Question(find=str(request.get("find") or "").strip(), errors=request.get("filter") == "errors")
        first, count = whole_number(request, "first", 0, 1 << 40), whole_number(request, "count", self._page, 500)
        return {**self._page_answer(question, first, count), "first": first}

    def _answer_turn(self, request: Request) -> Answer:
        turn = self._wanted.shown.turn(str(request["turn_id"]))
        first, count = whole_number(request, "first", 0, 1 << 40), whole_number(request, "count", 20, 200)
        if first == 0 and not request.get("agent"):
            return {"html": render_turn_body(turn, budget=REPLY_BUDGET // 2, live=True, selected=self.selected or None, told=self._wanted.shown.told(turn))}
        return {"html": render_steps(turn, first_step=first, count=count, agent=request.get("agent") or None, budget=REPLY_BUDGET, live=True)}

    def _answer_reveal(self, request: Request) -> Answer:
        """Return the page and the steps that a call stands in, from the turn down to the agent that made it."""
        call_id, shown = str(request["call_id"]), self._wanted.shown
        turn_id = shown.turn_of(call_id)
        count = whole_number(request, "count", self._page, 500)
        first = _page_of(shown.place(turn_id), max(count, 1))
        turn = shown.turn(turn_id)
        levels = [self._level(turn, place) for place in _path(turn, call_id)]
        return {**self._page_answer(EVERY, first, count), "first": first, "turn_id": turn_id, "levels": levels}

    def _level(self, turn: Turn, place: _Place) -> Answer:
        html = render_steps(turn, first_step=place.step, count=20, agent=place.agent or None, budget=REPLY_BUDGET // 2, live=True)
        return {"agent": place.agent, "first": place.step, "html": html}

    def _page_answer(self, question: Question, first: int, count: int) -> Answer:
        page = self._window(question, first, count)
        html = render_transcript(page, live=True, standalone=False, budget=REPLY_BUDGET)
        return {"html": html, "matching": page.total, "all": self._wanted.shown.count()}


class _Place(NamedTuple):
    """Where a call stands in one agent's conversation with its model."""

    agent: str
    """Id of the sub-agent's call; empty for the turn itself."""
    step: int
    """Place of the step among that agent's."""


def _told(shown: Shown, turns: Iterable[Turn]) -> dict[str, RuleExplanation]:
    """Return what the rules said in the turns that are shown unfolded."""
    return {turn.turn_id: told for turn in turns if (told := shown.told(turn)) is not None}


def _page_of(place: int, page: int) -> int:
    return place // page * page


def _path(turn: Turn, call_id: str) -> list[_Place]:
    """Return the steps that lead to a call, outermost first."""
    calls = {call.call_id: call for call in turn.calls}
    path: list[_Place] = []
    at: Call | None = calls.get(call_id)
    while at is not None and at.call_id != turn.turn_id and len(path) <= len(calls):
        step = at if at.kind == "model" else calls.get(at.step_id or "")
        agent = (step or at).parent_call_id or turn.turn_id
        if at.kind != "agent":
            path.insert(0, _Place("" if agent == turn.turn_id else agent, _index_of(turn, agent, step)))
        at = calls.get(agent if at.kind != "agent" else at.parent_call_id or "")
    return path


def _index_of(turn: Turn, agent: str, step: Call | None) -> int:
    models = [call.call_id for call in turn.calls if call.kind == "model" and call.parent_call_id == agent]
    return models.index(step.call_id) if step is not None and step.call_id in models else 0
