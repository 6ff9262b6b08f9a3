"""WHO CALLED WHAT: one turn's calls as a tree with times, and the selected call below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from agentnb.errors import UnknownId
from agentnb.render import plain_turn, render_call, render_call_tree, render_rating_line, tree_order
from agentnb.values import Call, Turn
from agentnb.widgets._cell import STATIC, Answer, Request
from agentnb.widgets._shown import EVERY
from agentnb.widgets._targets import Target, Wanted, resolve
from agentnb.widgets._view import REPLY_BUDGET, View, whole_number

WINDOW_BUDGET = 24_000
"""Bytes of the window that is part of the widget's state."""


class CallTree(View):
    """Show a turn's calls as a tree: agents, models and tools, how long each took, what failed.

    Args:
        source: a workspace; or a turn alone, which is then read-only.
        target: with a workspace, a turn or its id; a call, or its id, shows its turn with the call selected.
        page: how many rows are fetched at once.
        height: how high it grows before it scrolls: pixels, a CSS length, or "none".
        by: who rates here; without it `ws.rater`, and where nobody is named the widget asks once.
        selected: id of the call that is selected at first.

    Raises:
        UnknownId: there is no such turn or call, or a conversation was named that has several turns.
        OptionError: a keyword that is not one of these.

    Example:
        view = anb.CallTree(ws, turn)
        view.selected              # id of the call that was clicked last
    """

    _esm = STATIC / "calltree.js"

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
        wanted = _of_one_turn(resolve("CallTree", source, target))
        self._turn = wanted.shown.turn(wanted.turn_id or "")
        super().__init__(wanted, page=page, height=height, by=by, selected=selected, unknown=unknown)

    def __repr__(self) -> str:
        """Say in one line what is shown."""
        return f"Calls of {plain_turn(self._turn)}"

    def _first_window(self) -> str:
        return render_call_tree(self._turn, selected=self.selected or None, most=self._page, budget=WINDOW_BUDGET, live=True, standalone=False)

    def _static(self) -> str:
        return render_call_tree(self._turn, selected=self.selected or None)

    def _grow(self, turn_ids: tuple[str, ...]) -> None:
        self._turn = self._turn_now()
        self.send({"event": "grew", "result": {}})

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        return {**super()._answers(), "rows": self._answer_rows, "reveal": self._answer_reveal, "call": self._answer_call}

    def _answer_rows(self, request: Request) -> Answer:
        return self._rows(_Order.of(request), whole_number(request, "first", 0, 1 << 40), whole_number(request, "count", self._page, 500))

    def _answer_reveal(self, request: Request) -> Answer:
        """Return the rows around a call, with what hides it unfolded."""
        call_id, order = str(request["call_id"]), _Order.of(request)
        order = order._replace(collapsed=order.collapsed - self._around(call_id))
        if call_id not in (rows := order.rows(self._turn)):
            order = order._replace(only_failed=False)
            rows = order.rows(self._turn)
        if call_id not in rows:
            raise UnknownId(f"The turn shown here has no call with the id {call_id!r}.")
        count = max(1, whole_number(request, "count", self._page, 500))
        return self._rows(order, rows.index(call_id) // count * count, count)

    def _answer_call(self, request: Request) -> Answer:
        call = self._call(str(request["call_id"]))
        if call.kind == "tool":
            return {"html": render_call(call, turn=self._turn_now(), budget=REPLY_BUDGET // 4, live=True, standalone=False)}
        ratings = [rating for rating in self._turn_now().ratings if rating.call_id == call.call_id]
        return {"html": render_rating_line(call.call_id, ratings, live=True)}

    def _rows(self, order: _Order, first: int, count: int) -> Answer:
        html = render_call_tree(
            self._turn, **order._asdict(), selected=self.selected or None, first_row=first, most=count, budget=REPLY_BUDGET, live=True, standalone=False
        )
        return {"html": html, "first": first, "only_failed": order.only_failed, "collapsed": sorted(order.collapsed)}

    def _call(self, call_id: str) -> Call:
        found = next((call for call in self._turn.calls if call.call_id == call_id), None)
        if found is None:
            raise UnknownId(f"The turn shown here has no call with the id {call_id!r}.")
        return found

    def _turn_now(self) -> Turn:
        """Return the turn with the ratings of this moment: another cell may have rated since."""
        return self._wanted.shown.turn(self._turn.turn_id)

    def _around(self, call_id: str) -> frozenset[str]:
        """Return the ids of the calls that a call ran inside."""
        parents = {call.call_id: call.parent_call_id for call in self._turn.calls}
        around: set[str] = set()
        parent = parents.get(call_id)
        while parent is not None and parent not in around:
            around.add(parent)
            parent = parents.get(parent)
        return frozenset(around)


class _Order(NamedTuple):
    """Which rows are wanted, and in which order."""

    only_failed: bool = False
    """Whether only calls that failed are wanted, with the calls around them."""
    by_time: bool = False
    """Whether the longest come first."""
    collapsed: frozenset[str] = frozenset()
    """Ids of the calls whose inner calls are folded away."""

    @classmethod
    def of(cls, request: Request) -> _Order:
        """Read what the browser asked for."""
        return cls(bool(request.get("only_failed")), bool(request.get("by_time")), frozenset(str(each) for each in request.get("collapsed") or ()))

    def rows(self, turn: Turn) -> tuple[str, ...]:
        """Return the ids of the calls in the order of their rows."""
        return tree_order(turn, **self._asdict())


def _of_one_turn(wanted: Wanted) -> Wanted:
    if wanted.turn_id is not None:
        return wanted
    lines = wanted.shown.lines(EVERY, first=0, count=2)
    if len(lines) == 1:
        return wanted._replace(turn_id=lines[0].turn_id)
    name, count = repr(wanted.shown.conversation.conversation_id), wanted.shown.count()
    if not lines:
        raise UnknownId(f"The conversation {name} has no turns to show.")
    raise UnknownId(f"CallTree shows one turn, and the conversation {name} has {count:,}. Name one, such as {lines[0].turn_id!r}; Transcript shows them all.")
