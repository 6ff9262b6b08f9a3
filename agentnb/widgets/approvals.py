"""WHAT WAITS FOR A PERSON: every question of live turns, answered in the cell, by name; what others answer disappears by itself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from agentnb.conversations import Conversation
from agentnb.conversations.questions import Questions
from agentnb.conversations.stores import Store, open_store
from agentnb.errors import AgentnbError, ConversationError, OptionError
from agentnb.render import plain_questions, question_key, questions_heading, render_question, render_question_whole, render_questions
from agentnb.values import WaitingApproval
from agentnb.widgets._cell import STATIC, Answer, Cell, Request, css_height
from agentnb.widgets._following import Follower
from agentnb.widgets._targets import check_options
from agentnb.widgets._view import REPLY_BUDGET
from agentnb.workspace import Workspace

POLL_SECONDS: Final = 0.3
"""Between two looks at the store while the widget is in sight: what somebody else answered is gone within a second."""
BUDGET: Final = 25_000
"""Bytes of one question."""
RESUME_SECONDS: Final = 4.0
"""After which an answered turn that nobody goes on with is told of."""

SAID: Final = 3
"""Questions that were answered since, of which it is said what became of them."""

_GONE: Final = "This question does not wait any more: somebody has answered it, or its turn was given up."


class _Waits(NamedTuple):
    """A question, and the store that it waits in."""

    question: WaitingApproval
    questions: Questions


class Approvals(Cell):
    """Show every question that waits for a person, and answer it: approve, or deny with a reason.

    What waits is looked for again while the widget is in sight, and only where something was appended. Nothing is answered but by a person's click or key.

    Args:
        source: a workspace, with every database of live conversations that it shows; a store, or its path or URL; or a conversation, whose turns then go on
            in this process. Elsewhere they go on in the process that ran them.
        by: who answers; else `ws.rater`, and where nobody is named the widget asks once.
        page: how many questions are shown at once, the longest waiting first.
        height: how high it grows before it scrolls: pixels, a CSS length, or "none".

    Raises:
        OptionError: a keyword that is not one of these, or a source that holds no conversations.

    Example:
        view = anb.Approvals(ws)
        view.waiting               # the same as values
    """

    _esm = STATIC / "approvals.js"

    def __init__(self, source: Any, *, by: str | None = None, page: int = 50, height: int | str | None = None, **unknown: Any) -> None:
        layout = {"layout": unknown.pop("layout")} if "layout" in unknown else {}
        check_options("Approvals", ("by", "height", "layout", "page"), unknown)
        if not 1 <= page <= 500:
            raise ValueError(f"page is how many questions are shown at once, from 1 to 500, not {page}.")
        self._source, self._most, self._by = source, page, by
        self._stores: dict[int, Questions] = {}
        self._known: dict[str, _Waits] = {}
        self._answered: dict[str, tuple[_Waits, float]] = {}
        self._said: list[str] = []
        self._looked: list[tuple[WaitingApproval, ...]] = []
        self._look_lock = threading.RLock()
        self._trouble = ""
        self._follower = Follower(self._follow, POLL_SECONDS)
        self._questions_of(source)
        super().__init__(_height=css_height(height), **layout)
        self._look()
        self._html = self._live_html()
        self.on_msg(self._heard)

    @property
    def waiting(self) -> tuple[WaitingApproval, ...]:
        """What waits now, the longest first.

        Raises:
            ConversationError: a store cannot be read.
        """
        self._tell()
        return tuple(each.question for each in self._known.values())

    def __repr__(self) -> str:
        """Say in one line how many questions wait."""
        return plain_questions(len(self._known))

    def _static(self) -> str:
        return render_questions([each.question for each in self._known.values()][: self._most], total=len(self._known), by=self._person())

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        return {"answer": self._answer_answer, "here": self._answer_here, "gone": self._answer_gone, "more": self._answer_more, "whole": self._answer_whole}

    def _heard(self, widget: Any, content: Any, buffers: Any) -> None:
        """Answer a request of the browser; what writes to a store is done beside the kernel, which somebody else may keep waiting."""
        if isinstance(content, dict) and content.get("kind") == "answer":
            threading.Thread(target=super()._heard, args=(widget, content, buffers), name="agentnb-answer", daemon=True).start()
        else:
            super()._heard(widget, content, buffers)

    def _answer_answer(self, request: Request) -> Answer:
        """Keep what a person said; nobody answers without a name."""
        if request.get("by"):
            self._name(str(request["by"]).strip())
        by = self._person()
        if not by:
            return {"need": "name"}
        waits = self._known.get(str(request.get("question")))
        if waits is None:
            raise ConversationError("turn-state", _GONE)
        if request.get("verdict") not in ("yes", "no"):
            raise OptionError(f"An answer is yes or no, not {request.get('verdict')!r}.")
        reason = str(request.get("reason") or "").strip() or None
        try:
            waits.questions.answer(waits.question, is_yes=request["verdict"] == "yes", by=by, reason=reason)
        finally:
            self._tell()
        self._answered[question_key(waits.question)] = waits, time.monotonic()
        return {"by": by}

    def _answer_here(self, request: Request) -> Answer:
        """Note that a view is in sight, follow the stores while there is one, and return what waits."""
        self._follower.here(str(request.get("view")))
        return self._news()

    def _answer_gone(self, request: Request) -> Answer:
        self._follower.gone(str(request.get("view")))
        return {}

    def _answer_more(self, request: Request) -> Answer:
        """Show further questions."""
        self._most += 50
        return self._news()

    def _answer_whole(self, request: Request) -> Answer:
        """Return the arguments of a question as far as anything can be shown."""
        waits = self._known.get(str(request.get("question")))
        if waits is None:
            raise ConversationError("turn-state", _GONE)
        return {"html": render_question_whole(waits.question)}

    def _follow(self) -> bool:
        """Look for news; a store that does not answer is said once, and asked again."""
        try:
            self._tell()
            self._tell_resting()
            self._trouble = ""
        except AgentnbError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self.send({"event": "notice", "result": {"message": f"{error} What waits is looked for again."}})
        return True

    def _tell(self) -> None:
        """Tell every view what waits, when that has changed."""
        if self._look():
            self._html = self._live_html()
            self.send({"event": "questions", "result": self._news()})

    def _tell_resting(self) -> None:
        """Say of an answered turn that nobody goes on with what to do."""
        for key, (waits, since) in list(self._answered.items()):
            if time.monotonic() - since < RESUME_SECONDS:
                continue
            del self._answered[key]
            if waits.questions.rests(waits.question):
                question = waits.question
                advice = f"The answer about {question.name} is kept, and no process goes on with the turn yet: the one that ran it may be gone. "
                how = f"program.conversation({question.conversation_id!r}, store=…).turn({question.turn_id!r}).resume() goes on with it here."
                self.send({"event": "notice", "result": {"message": advice + how}})

    def _look(self) -> bool:
        """Look what waits; returns whether that has changed."""
        with self._look_lock:
            waiting = [(questions, questions.waiting()) for questions in self._questions_of(self._source)]
            if len(waiting) == len(self._looked) and all(now is before for (_, now), before in zip(waiting, self._looked, strict=True)):
                return False
            self._looked = [now for _, now in waiting]
            found = [_Waits(each, questions) for questions, now in waiting for each in now]
            found.sort(key=lambda each: (each.question.asked_at is None, each.question.asked_at, each.question.place))
            known = {question_key(each.question): each for each in found}
            gone = [each for key, each in self._known.items() if key not in known]
            changed = list(known) != list(self._known)
            self._said = [*self._said, *(line for each in gone if (line := _what_became(each)))][-SAID:]
            self._known = known
            return changed

    def _news(self) -> Answer:
        with self._look_lock:
            shown = list(self._known.items())[: self._most]
            budget = min(BUDGET, REPLY_BUDGET // max(len(shown), 1))
            questions = [{"key": key, "html": render_question(each.question, budget=budget)} for key, each in shown]
            head = questions_heading(len(self._known), self._person())
            return {"head": head, "questions": questions, "more": len(self._known) - len(shown), "said": list(self._said)}

    def _live_html(self) -> str:
        """Return what a new view starts with: the rest it is told when it is in sight, since a widget's state holds no transcript."""
        return questions_heading(len(self._known), self._person())

    def _person(self) -> str:
        rater = self._source.rater if isinstance(self._source, Workspace) else None
        return (self._by or rater or "").strip()

    def _name(self, person: str) -> None:
        self._by = person
        if isinstance(self._source, Workspace):
            self._source.rater = person

    def _questions_of(self, source: Any) -> Sequence[Questions]:
        """Return the questions of every store that the source names now: a workspace may have come to watch another database."""
        if isinstance(source, Conversation):
            return [self._kept(source.store, source)]
        if isinstance(source, Workspace):
            return [self._kept(store) for store in source.record_stores()]
        try:
            return [self._kept(open_store(source))]
        except OptionError as error:
            raise OptionError(f"Approvals takes a workspace, a conversation, or a store, its path or URL: {error}") from error

    def _kept(self, store: Store, conversation: Conversation | None = None) -> Questions:
        return self._stores.setdefault(id(store), Questions(store, conversation))


def _what_became(waits: _Waits) -> str | None:
    """Say who answered a question that waits no more, and how."""
    answered = waits.questions.answered(waits.question)
    if answered is None:
        return f"{waits.question.name}: its turn came to an end"
    word = f"{waits.question.name}: {'approved' if answered.is_yes else 'denied'}"
    return f"{word} by {answered.by or 'a person'}{f', {answered.reason}' if answered.reason else ''}"
