"""CALL AFTER CALL, BY KEYBOARD: a queue of calls that a person judges; every verdict is on disk before the next call shows."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import ipywidgets
import traitlets

from agentnb.errors import OptionError, RatingError, UnknownId
from agentnb.render import RatingProgress, plain_progress, render_call_to_rate
from agentnb.values import Rating, Sample
from agentnb.widgets._answer_form import REASONS, AnswerForm
from agentnb.widgets._cell import STATIC, Answer, Cell, Request, css_height, display_twice
from agentnb.widgets._prepared import AHEAD, BUDGET, Ahead, Prepared
from agentnb.widgets._queue import Ids, queue_of, share_of
from agentnb.widgets._sitting import Sitting, words_of
from agentnb.widgets._targets import check_options
from agentnb.workspace import Workspace

_log = logging.getLogger("agentnb.widgets")
_OPTIONS: Final = ("blind", "by", "height", "overlap", "raters", "reasons", "sample", "seed")
_REASONS: Final = """
select reason, count(*) as times
from (select unnest(reasons) as reason from ratings)
group by reason
order by times desc, reason
limit 40
"""
_BUTTONS: Final = (
    ("right", "✓ right", "right: key 1"), ("wrong", "✕ wrong", "wrong, with the answer, reasons and note that stand below: key 2"),
    ("skip", "skip", "leave it for later: space"), ("back", "back", "the call before: backspace"), ("undo", "undo", "take back what was said last: u"),
)  # fmt: skip


class Rater:
    """Rate the calls of a query one after another: 1 right, 2 wrong, space skip, backspace back.

    What this person has rated already is behind: a Rater of the same query goes on where they stopped. Nothing is rated by running the cell.

    Args:
        ws: the workspace, which keeps the ratings.
        query: which calls, in this order: SQL with a column call_id, turn_id or id; a list of ids, calls, turns or rows; a relation or a data frame; or
            a random draw that `ws.sample` made, whose ratings then estimate how often a program is right.
        by: who rates; else `ws.rater`, and where nobody is named the widget asks first.
        blind: whether what others said of a call is hidden.
        raters: names of all who share this queue; each then gets a part of it.
        overlap: share of the queue that all of them get, from 0 to 1, so that their agreement can be told.
        seed: of the assignment; the same queue, raters and seed give the same.
        reasons: reasons to propose, after those used before in this workspace.
        sample: name of the random draw that the calls of the query come from.
        height: how high a call grows before it scrolls: pixels, a CSS length, or "none".

    Raises:
        RatingError: no column of the query says which calls are meant.
        UnknownId: an id is of no call.
        OptionError: a keyword that is not one of these, or one that does not fit the others.

    Example:
        rater = anb.Rater(ws, "from calls where name = 'refund'", by="ana")
        rater.progress             # how far one has come
    """

    def __init__(
        self,
        ws: Workspace,
        query: Any,
        *,
        by: str | None = None,
        blind: bool = True,
        raters: Sequence[str] = (),
        overlap: float = 0.0,
        seed: int = 0,
        reasons: Sequence[str] = (),
        sample: str | None = None,
        height: int | str | None = None,
        **unknown: Any,
    ) -> None:
        check_options("Rater", _OPTIONS, unknown)
        if not isinstance(ws, Workspace):
            raise TypeError(f"Rater takes a workspace and which calls to rate, Rater(ws, query), not a {type(ws).__name__}.")
        if isinstance(raters, str):
            raise OptionError(f"raters is a list of names, such as ['ana', 'ben'], not {raters!r}.")
        if overlap and not raters:
            raise OptionError("overlap is the share that several raters get together: name them with raters=['ana', 'ben'].")
        self.ws = ws
        """The workspace, which keeps the ratings."""
        self._queue = queue_of(ws, query)
        self._raters, self._overlap, self._seed = tuple(raters), overlap, seed
        self._blind, self._proposed = blind, tuple(reasons)
        self._sample = query.sample if isinstance(query, Sample) else sample
        self._used: Counter[str] = Counter(dict(ws.sql(_REASONS).fetchall()))
        self._sitting: Sitting | None = None
        self._ahead: Ahead | None = None
        self._shown: Prepared | None = None
        self._form, self._stage = AnswerForm(), Stage(self, height)
        self._buttons, self._asking = _buttons(_BUTTONS), _asking()
        self.box = ipywidgets.VBox(_dom_classes=("agentnb", "anb-rater"))
        """The controls, as an ipywidget: to stand in a layout of one's own."""
        self._begin((by or ws.rater or "").strip())

    @property
    def call_id(self) -> str | None:
        """Id of the call that is shown; None when nothing is left."""
        return self._sitting.call_id if self._sitting is not None else None

    @property
    def by(self) -> str | None:
        """Who rates; None while nobody is named."""
        return self._sitting.by if self._sitting is not None else None

    @property
    def progress(self) -> RatingProgress:
        """How far the person has come."""
        return self._sitting.progress() if self._sitting is not None else RatingProgress(total=len(self._queue))

    def __repr__(self) -> str:
        """Say in one line how far one has come."""
        return plain_progress(self.progress)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live controls, and the call as plain HTML for wherever no kernel answers."""
        bundle = self.box._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        html = render_call_to_rate(self._shown.page if self._shown else self._first(), self.progress, blind=self._blind)
        return {**data, "text/plain": repr(self), "text/html": html}, metadata

    def _ipython_display_(self) -> None:
        display_twice(*self._repr_mimebundle_())

    def _first(self) -> Any:
        """Return the call that would be shown first, while nobody is named who could have rated it."""
        if self._sitting is not None or not len(self._queue):
            return None
        return Ahead(self.ws, self._queue, by=None, blind=True).get(0).page

    def _begin(self, by: str) -> None:
        """Let a person begin, or ask who it is."""
        if not by:
            self._render()
            return
        ids: Ids = share_of(self._queue, by, self._raters, self._overlap, self._seed) if self._raters else self._queue
        self._sitting = Sitting(self.ws, ids, by)
        self._ahead = Ahead(self.ws, ids, by=by, blind=self._blind)
        self._show({})

    def _show(self, touched: Mapping[str, Any]) -> None:
        """Show the call at which the person is, and let the next ones be made."""
        sitting, ahead = self._at()
        self._shown = self._loaded(sitting, ahead)
        if self._shown is not None:
            self._form.show(self._shown.shape, self._reasons(), self._said_before(self._shown), touched)
        self._render()
        ahead.want(sitting.ahead(AHEAD))

    def _loaded(self, sitting: Sitting, ahead: Ahead) -> Prepared | None:
        """Return the call at which the person is; one that is gone since the queue was made is left for later."""
        while sitting.place is not None:
            try:
                return ahead.get(sitting.place)
            except UnknownId:
                _log.warning("the call %r is not there any more, and was skipped", sitting.call_id)
                sitting.skip()
        return None

    def _render(self) -> None:
        shown, progress = self._shown, self.progress
        page, body = (shown.page, shown.body) if shown is not None else (None, None)
        if self._sitting is None:
            html, children = "", [self._stage, self._asking]
        else:
            html = render_call_to_rate(page, progress, body=body, blind=self._blind, live=True, standalone=False, budget=BUDGET)
            children = [self._stage, self._buttons, self._form.box] if shown is not None else [self._stage, _buttons(_at_end(progress, self._sitting))]
        with self._stage.hold_sync():
            self._stage._call = self.call_id or ""
            self._stage._fields = self._form.fields if shown is not None else [["name", self._asking.children[0].model_id, "value"]]
            self._stage._html = html or render_call_to_rate(self._first(), progress, blind=True, standalone=False, budget=BUDGET)
        if list(self.box.children) != children:
            self.box.children = children

    def _reasons(self) -> tuple[str, ...]:
        """Return the reasons to propose: those of this workspace, the most frequent first, then further ones."""
        used = sorted(self._used, key=lambda reason: (-self._used[reason], reason))
        return tuple(dict.fromkeys([*used, *(self._proposed or REASONS)]))

    def _said_before(self, shown: Prepared) -> dict[str, Any] | None:
        """Return what the person said of the call before, as the form shows it."""
        sitting, _ = self._at()
        said = sitting.latest(shown.page.call.call_id) if any(rating.rated_by == sitting.by for rating in shown.page.ratings) else None
        if said is None:
            return None
        words = words_of(said)
        return {**words, "answers": shown.shape.written(words["answer"]) if "answer" in words else None}

    def _at(self) -> tuple[Sitting, Ahead]:
        if self._sitting is None or self._ahead is None:
            raise OptionError("Nobody is named yet: write a name into the widget, or give it with by='ana'.")
        return self._sitting, self._ahead

    def _rate(self, verdict: str, raw: Mapping[str, Any]) -> Rating:
        """Keep what the person says of the call that is shown, and show the next."""
        sitting, ahead = self._at()
        place, shown = sitting.place, self._shown
        if place is None or shown is None:
            raise RatingError("There is no call left to rate in this queue.")
        written = self._form.read(raw)
        has_answer, answer = shown.shape.answer(written.answers) if verdict == "wrong" else (False, None)
        words: dict[str, Any] = {"reasons": written.reasons, "note": written.note} | ({"answer": answer} if has_answer else {})
        rating = sitting.rate(verdict, **words, **({"sample": self._sample} if self._sample else {}))
        self._used.update(written.reasons)
        ahead.forget(place)
        self._show(raw)
        return rating


class Stage(Cell):
    """The part of a Rater that shows the call and hears the keys."""

    _esm = STATIC / "rater.js"

    _call = traitlets.Unicode("").tag(sync=True)
    _fields: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, rater: Rater, height: int | str | None) -> None:
        self._rater = rater
        super().__init__(_height=css_height(height))
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        """Say in one line how far one has come."""
        return repr(self._rater)

    def _static(self) -> str:
        return str(self._rater._repr_mimebundle_()[0]["text/html"])

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        return {"right": self._answer_rate, "wrong": self._answer_rate, "skip": self._answer_skip, "back": self._answer_back, "undo": self._answer_undo} | {
            "again": self._answer_again, "name": self._answer_name,
        }  # fmt: skip

    def _answer_rate(self, request: Request) -> Answer:
        if request.get("call_id") != self._rater.call_id:
            return {"said": "That call is no longer shown; nothing was rated."}
        rating = self._rater._rate(str(request["kind"]), request.get("fields") or {})
        return {"said": f"kept: {rating.verdict}", "rating_id": rating.rating_id}

    def _answer_skip(self, request: Request) -> Answer:
        sitting, _ = self._rater._at()
        if request.get("call_id") == sitting.call_id:
            sitting.skip()
            self._rater._show(request.get("fields") or {})
        return {"said": "skipped"}

    def _answer_back(self, request: Request) -> Answer:
        sitting, _ = self._rater._at()
        if not sitting.back():
            return {"said": "There is no call before this one in this sitting."}
        self._rater._show(request.get("fields") or {})
        return {"said": "the call before"}

    def _answer_undo(self, request: Request) -> Answer:
        sitting, ahead = self._rater._at()
        taken = sitting.undo()
        if taken is None:
            return {"said": "Nothing was said in this sitting that could be taken back."}
        ahead.forget(sitting.place or 0)
        self._rater._show(request.get("fields") or {})
        return {"said": "taken back" if taken.verdict is None else f"taken back; {taken.verdict} holds again"}

    def _answer_again(self, request: Request) -> Answer:
        sitting, _ = self._rater._at()
        sitting.bring_back()
        self._rater._show(request.get("fields") or {})
        return {"said": "what was skipped is back"}

    def _answer_name(self, request: Request) -> Answer:
        name = str((request.get("fields") or {}).get("name") or "").strip()
        if not name:
            return {"said": "Write your name first."}
        self._rater.ws.rater = name
        self._rater._begin(name)
        return {"said": f"rating as {name}"}


def _buttons(listed: Sequence[tuple[str, str, str]]) -> Any:
    made = []
    for action, label, about in listed:
        button = ipywidgets.Button(description=label, tooltip=about)
        button.add_class(f"anb-do-{action}")
        made.append(button)
    box = ipywidgets.HBox(made)
    box.add_class("anb-buttons")
    return box


def _at_end(progress: RatingProgress, sitting: Sitting) -> list[tuple[str, str, str]]:
    again = [("again", "bring back what was skipped", "show the skipped calls again")] if progress.done < progress.total else []
    undo = [("undo", "undo", "take back what was said last: u")] if sitting.can_undo else []
    return [*again, ("back", "back", "the call before: backspace"), *undo]


def _asking() -> Any:
    name = ipywidgets.Text(description="your name", placeholder="once, so that you can change what you say", continuous_update=True)
    box = ipywidgets.HBox([name, *_buttons((("name", "begin", "rate under this name"),)).children])
    box.add_class("anb-name")
    return box
