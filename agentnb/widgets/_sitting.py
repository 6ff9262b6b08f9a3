"""ONE PERSON AT ONE QUEUE: where they are, what they said, what they may take back. Whatever they say is on disk before they are anywhere else."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from agentnb.errors import RatingError
from agentnb.render import RatingProgress
from agentnb.values import Rating
from agentnb.widgets._queue import Ids

if TYPE_CHECKING:
    from agentnb.workspace import Workspace

OPEN, RATED, SKIPPED = b"\0", b"\1", b"\2"
LONGEST_PAUSE: Final = 120.0
"""Seconds: what is longer between two ratings was a break, and counts as this much."""

_OWN: Final = """
select call_id, verdict, answer is not null or outputs is not null as answered
from ratings
where rated_by = $1 and counts
order by call_id
"""
_HISTORY: Final = """
select rating_id, verdict, answer, outputs, reasons, note
from ratings
where rated_by = $1 and call_id = $2 and kind = 'verdict'
order by rated_at, rating_id
"""


def words_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words of a rating as `ws.rate` takes them."""
    words = {name: json.loads(said[name]) for name in ("answer", "outputs") if said[name] is not None}
    return words | {"note": said["note"], "reasons": said["reasons"] or ()}


class Said(NamedTuple):
    """What counts of what a person said of a call."""

    verdict: str
    """right or wrong."""
    answered: bool
    """Whether the right answer is known."""


class Done(NamedTuple):
    """One thing that can be taken back."""

    place: int
    """Place of the call in the queue."""
    rating_id: str
    """The rating."""


class Sitting:
    """A person's way through a queue of calls."""

    def __init__(self, workspace: Workspace, ids: Ids, by: str, *, now: Callable[[], float] = time.monotonic) -> None:
        """Begin where the person stopped: what they rated before is behind.

        Args:
            workspace: where ratings are kept.
            ids: the calls, by id.
            by: the person.
            now: a clock, in seconds.
        """
        self.workspace, self.ids, self.by = workspace, ids, by
        self._now, self._spent, self._since, self._said_here = now, 0.0, None, 0
        self._states = bytearray(len(ids))
        self._said: dict[int, Said] = {}
        self._tally: Counter[Said] = Counter()
        self._undo: list[Done] = []
        self._back: list[int] = []
        self._resume()
        self.place: int | None = None
        self._go(self._next(0))

    _since: float | None

    @property
    def call_id(self) -> str | None:
        """Id of the call that waits for a verdict; None when there is none left."""
        return None if self.place is None else str(self.ids[self.place])

    @property
    def can_undo(self) -> bool:
        """Whether something was said in this sitting."""
        return bool(self._undo)

    def ahead(self, count: int) -> list[int]:
        """Return the places that are likely to be shown next, the nearest first, this one included."""
        places: list[int] = []
        at = self.place
        while at is not None and len(places) < count:
            places.append(at)
            at = self._next(at + 1, around=False)
        return places

    def progress(self) -> RatingProgress:
        """Return how far the person has come."""
        done, total = len(self._said), len(self.ids)
        pace = self._said_here / self._spent * 60 if self._said_here and self._spent > 0 else None
        return RatingProgress(
            total=total,
            done=done,
            place=0 if self.place is None else self.place + 1,
            right=sum(times for said, times in self._tally.items() if said.verdict == "right"),
            wrong=sum(times for said, times in self._tally.items() if said.verdict == "wrong"),
            without_answer=self._tally[Said("wrong", False)],
            rated_by=self.by,
            per_minute=pace,
            minutes_left=None if not pace else (total - done) / pace,
        )

    def rate(self, verdict: str, **words: Any) -> Rating:
        """Keep a verdict of the call that is shown, and go on to the next one; when it cannot be kept, stay.

        Args:
            verdict: right or wrong.
            words: answer, note, reasons and sample, as `ws.rate` takes them.

        Raises:
            RatingError: it makes no sense.
            WorkspaceError: it could not be written.
        """
        place, call_id = self._here()
        rating: Rating = self.workspace.rate(call_id, verdict, by=self.by, **words)
        self._count(place, _said(rating))
        self._undo.append(Done(place, rating.rating_id))
        self._take_time()
        self._back.append(place)
        self._go(self._next(place + 1))
        return rating

    def skip(self) -> None:
        """Leave the call for later and go on."""
        place, _ = self._here()
        if self._states[place : place + 1] == OPEN:
            self._states[place] = SKIPPED[0]
        self._back.append(place)
        self._go(self._next(place + 1))

    def back(self) -> bool:
        """Show the call before; False when there is none."""
        if not self._back:
            return False
        self._go(self._back.pop())
        return True

    def bring_back(self) -> None:
        """Bring back what was skipped."""
        self._states[:] = self._states.replace(SKIPPED, OPEN)
        self._go(self._next(0))

    def undo(self) -> Rating | None:
        """Take back what was said last: what the person said before holds again, else nothing. Nothing is deleted: it is one more rating.

        Returns:
            The rating that takes it back; None when nothing was said in this sitting.

        Raises:
            WorkspaceError: it could not be written; then what was said holds.
        """
        if not self._undo:
            return None
        place, rating_id = self._undo[-1]
        call_id = str(self.ids[place])
        verdict, words = self._before(call_id, rating_id)
        rating: Rating = self.workspace.rate(call_id, verdict, by=self.by, **words)
        self._undo.pop()
        self._count(place, _said(rating))
        if self._back and self._back[-1] == place:
            self._back.pop()
        self._go(place)
        return rating

    def latest(self, call_id: str) -> dict[str, Any] | None:
        """Return what counts of what the person said of a call: verdict, answer, outputs, reasons, note."""
        rows = self._history(call_id)
        return rows[-1] if rows and rows[-1]["verdict"] is not None else None

    def _here(self) -> tuple[int, str]:
        if self.place is None:
            raise RatingError("There is no call left to rate in this queue.")
        return self.place, str(self.ids[self.place])

    def _resume(self) -> None:
        own = self.workspace.sql(_OWN, [self.by]).fetchall()
        if not own:
            return
        places = pc.index_in(pa.array([row[0] for row in own], pa.string()), value_set=self.ids).to_pylist()
        for place, (_, verdict, answered) in zip(places, own, strict=True):
            if place is not None:
                self._count(place, Said(verdict, answered))

    def _count(self, place: int, said: Said | None) -> None:
        """Know what counts of a call now."""
        if place in self._said:
            self._tally[self._said.pop(place)] -= 1
        self._states[place] = OPEN[0] if said is None else RATED[0]
        if said is not None:
            self._said[place] = said
            self._tally[said] += 1

    def _next(self, first: int, *, around: bool = True) -> int | None:
        found = self._states.find(OPEN, first)
        if found < 0 and around:
            found = self._states.find(OPEN)
        return None if found < 0 else found

    def _go(self, place: int | None) -> None:
        self.place = place
        self._since = self._now() if self._since is None else self._since

    def _take_time(self) -> None:
        now = self._now()
        self._spent += min(now - (now if self._since is None else self._since), LONGEST_PAUSE)
        self._since = now
        self._said_here += 1

    def _before(self, call_id: str, rating_id: str) -> tuple[str | None, dict[str, Any]]:
        """Return what the person had said of a call before a rating, as `ws.rate` takes it."""
        rows = self._history(call_id)
        place = next((at for at, row in enumerate(rows) if row["rating_id"] == rating_id), 0)
        if place == 0 or rows[place - 1]["verdict"] is None:
            return None, {}
        return rows[place - 1]["verdict"], words_of(rows[place - 1])

    def _history(self, call_id: str) -> list[dict[str, Any]]:
        found = self.workspace.sql(_HISTORY, [self.by, call_id])
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def _said(rating: Rating) -> Said | None:
    return None if rating.verdict is None else Said(rating.verdict, rating.answer is not None or rating.outputs is not None)
