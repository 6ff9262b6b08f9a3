"""THE NEXT CALLS, MADE AHEAD: while a person reads one call, the ones after it are loaded and written, several for the price of one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NamedTuple

from agentnb.render import CallToRate, Html, answer_of, render_call_body
from agentnb.widgets._answer_shapes import Shape, choices_of, outputs_of, shape_of
from agentnb.widgets._queue import Ids
from agentnb.widgets._recorded import told_in
from agentnb.workspace import calls_to_rate

if TYPE_CHECKING:
    from agentnb.workspace import Workspace

AHEAD: Final = 16
"""Calls that are made ahead."""
TOO_FEW: Final = 8
"""Calls ahead under which more are made."""
MOST_KEPT: Final = 64
BUDGET: Final = 60_000
"""Bytes of one call in a live cell."""


class Prepared(NamedTuple):
    """A call that can be shown at once."""

    page: CallToRate
    """The call and what is around it."""
    body: Html
    """Its HTML."""
    shape: Shape
    """The form for its right answer."""


class Ahead:
    """Makes calls ready to be shown, in a thread of its own."""

    def __init__(self, workspace: Workspace, ids: Ids, *, by: str | None, blind: bool) -> None:
        """Make nothing yet.

        Args:
            workspace: where the calls are.
            ids: the queue.
            by: who is to rate them.
            blind: whether what others said is hidden.
        """
        self._workspace, self._ids, self._by, self._blind = workspace, ids, by, blind
        self._lock = threading.Lock()
        self._made: dict[int, Future[Prepared]] = {}
        self._choices: dict[tuple[str, str], tuple[str, ...]] = {}
        self._worker: ThreadPoolExecutor | None = None

    def get(self, place: int) -> Prepared:
        """Return a call, made now if it was not made ahead."""
        with self._lock:
            future = self._made.get(place)
        if future is not None and (not future.done() or future.exception() is None):
            return future.result()
        return self._make([place])[0]

    def want(self, places: Sequence[int]) -> None:
        """Make calls ready meanwhile, the nearest first; nothing happens while there are enough."""
        with self._lock:
            missing = [place for place in places if place not in self._made]
            if len(places) - len(missing) >= min(TOO_FEW, len(places)):
                return
            futures = {place: Future[Prepared]() for place in missing}
            self._made |= futures
            for old in list(self._made)[: max(0, len(self._made) - MOST_KEPT)]:
                del self._made[old]
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, "agentnb-rater")
        self._worker.submit(self._fill, futures)

    def forget(self, place: int) -> None:
        """Make a call anew when it is shown again: it was rated since."""
        with self._lock:
            self._made.pop(place, None)

    def _fill(self, futures: dict[int, Future[Prepared]]) -> None:
        try:
            for future, made in zip(futures.values(), self._make(list(futures)), strict=True):
                future.set_result(made)
        except Exception as error:
            # Whoever shows one of them makes it again, and tells what is wrong.
            for future in futures.values():
                if not future.done():
                    future.set_exception(error)

    def _make(self, places: Sequence[int]) -> list[Prepared]:
        pages = calls_to_rate(self._workspace, [str(self._ids[place]) for place in places], by=self._by)
        return [self._prepared(page.model_copy(update={"told": told_in(self._workspace, page.turn)})) for page in pages]

    def _prepared(self, page: CallToRate) -> Prepared:
        return Prepared(page, render_call_body(page, blind=self._blind, budget=BUDGET), shape_of(answer_of(page), self._choices_of(page)))

    def _choices_of(self, page: CallToRate) -> tuple[str, ...]:
        """Return what calls of this name give; asked once for each name."""
        name = (page.call.name, page.call.kind)
        if page.call.kind not in ("tool", "program"):
            return ()
        if name not in self._choices:
            self._choices[name] = choices_of(outputs_of(self._workspace, *name))
        return self._choices[name]
