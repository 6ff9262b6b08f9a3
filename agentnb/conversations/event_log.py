"""What happens inside a running call, event by event: for whoever follows it here, and kept in a store for everybody else.

A turn that is resumed repeats what was recorded before it comes to something new; until then its events are withheld, since they were told already.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from agentnb.conversations.stores import EventStore
from agentnb.conversations.told_events import ToldEvents
from agentnb.streams.call_events import position_in
from agentnb.streams.event_forms import KeptForm
from agentnb.values.times import time_text

if TYPE_CHECKING:
    from agentnb.conversations.frames import Frame

_log = logging.getLogger("agentnb")
Event = dict[str, Any]
BATCH_SECONDS: Final = 0.05
"""How long events are gathered before they are written together."""
FLUSH_SECONDS: Final = 5.0
"""How long the end of a call waits for its events to be written."""

_OF_A_REQUEST: Final = frozenset({"request", "text", "thinking", "retry"})


class EventLog:
    """The events of one tree of calls, as one writer tells them."""

    def __init__(
        self,
        tree: str,
        *,
        now: Callable[[], int],
        store: EventStore | None = None,
        writer: int = 1,
        after: Event | None = None,
        told: ToldEvents | None = None,
    ) -> None:
        """Begin to tell.

        Args:
            tree: id of the outermost call.
            now: the time, in microseconds.
            store: where events are kept; None for nowhere.
            writer: number of this writer.
            after: position of the last event that an earlier writer kept.
            told: what earlier writers told, which comes first again and is not told twice; None for a tree that begins.
        """
        self.tree, self.writer = tree, writer
        self.events: list[Event] = []
        """Every event of this writer, in full, as long as the process lives."""
        self.closed = False
        self._store, self._now = store, now
        self._form = KeptForm(lambda event: self._open[event["call"]].content, after=position_in(after))
        self._told = told
        self._withheld = told is not None
        self._live: set[str] = set()
        self._open: dict[str, Frame] = {}
        self._seq = after["seq"] if after else 0
        self._last_full: Event | None = after
        self._last_at = 0
        self._unwritten: list[Event] = []
        self._changed = threading.Condition(threading.RLock())
        self._flusher: threading.Thread | None = None
        self._hurried = 0

    def start(self, frame: Frame) -> None:
        """Tell that a call begins; one that begins again is told again with the first new thing, so that it is known to go on."""
        with self._changed:
            self._open[frame.id] = frame
            if not self._withheld:
                self._announce(frame)
            elif self._told is not None and self._told.rest(frame.id, "started", {}) is not None:
                self.frontier()

    def end(self, frame: Frame, kind: str, **fields: Any) -> None:
        """Tell that a call ends."""
        with self._changed:
            self.tell(frame, kind, **fields)
            self._open.pop(frame.id, None)

    def tell(self, frame: Frame, kind: str, **fields: Any) -> None:
        """Tell an event of a call, unless it repeats what was told."""
        with self._changed:
            left: Mapping[str, Any] | None = fields
            if self._told is not None and not (frame.id in self._live and kind in _OF_A_REQUEST):
                left = self._told.rest(frame.id, kind, fields)
            if left is not None:
                self.frontier()
                self._tell(frame, kind, left)

    def frontier(self, asking: Frame | None = None) -> None:
        """Something new comes: from here on everything is told that was not told before, first the calls that are under way.

        Args:
            asking: the call that makes a request, of which everything is new from here on.
        """
        with self._changed:
            if asking is not None:
                self._live.add(asking.id)
            if not self._withheld:
                return
            self._withheld = False
            for frame in self._open.values():
                if frame.parent is not None or self._told is None or self._told.rest(frame.id, "started", {}) is not None:
                    self._announce(frame)
                else:
                    # Its start was told by the first writer; the form has to know it to tell what of its end may be kept.
                    self._form.know(self._event(frame, "started", self._start_of(frame)))

    def open_frames(self) -> list[Frame]:
        """Return the calls that have begun and not ended, the outermost first."""
        with self._changed:
            return list(self._open.values())

    def follow(self, timeout: float | None = None) -> Iterator[Event]:
        """Yield events as they are told, from the first on, until the log is closed.

        Args:
            timeout: seconds to wait for the next one; None for as long as it takes.
        """
        place = 0
        while fresh := self._after(place, timeout):
            place += len(fresh)
            yield from fresh

    def flush(self, timeout: float = FLUSH_SECONDS) -> bool:
        """Wait until what was told is written, at most for a time in seconds; returns whether it is."""
        with self._changed:
            self._hurried += 1
            self._changed.notify_all()
            written = self._changed.wait_for(lambda: not self._unwritten or self._store is None, timeout)
            self._hurried -= 1
            return written

    def close(self) -> None:
        """Tell nothing more."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def _after(self, place: int, timeout: float | None) -> list[Event]:
        """Return the events after a place, once there are some; none when there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.events) > place or self.closed, timeout)
            return self.events[place:]

    def _announce(self, frame: Frame) -> None:
        if self._told is None or not self._told.has_ended(frame.id):
            self._tell(frame, "started", self._start_of(frame))

    def _start_of(self, frame: Frame) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "parent": frame.parent.id if frame.parent is not None else None,
            "root": self.tree,
            "program": frame.program.described(),
            "inputs": frame.inputs,
            "content": True,
            "saw": frame.saw,
        }
        return fields | ({"invocation": frame.invocation} if frame.invocation is not None else {})

    def _tell(self, frame: Frame, kind: str, fields: Mapping[str, Any]) -> None:
        if self.closed:
            return
        self._seq += 1
        self._last_at = max(self._last_at, self._now())
        event = self._event(frame, kind, fields)
        self.events.append(event)
        self._last_full = {"writer": self.writer, "seq": self._seq}
        kept = self._form.keep(event) if self._store is not None else None
        if kept is not None:
            # Names and numbers of calls only: by them a call that is made again is known to be the same.
            self._unwritten.append({**kept, "site": frame.site} if kind == "started" else kept)
            self._start_flusher()
        self._changed.notify_all()

    def _event(self, frame: Frame, kind: str, fields: Mapping[str, Any]) -> Event:
        place = {"tree": self.tree, "writer": self.writer, "seq": self._seq, "after": self._last_full, "at": time_text(self._last_at)}
        return {"functai_event": 2, "kind": kind, **place, "call": frame.id, "function": frame.program.name, **fields}

    def _start_flusher(self) -> None:
        if self._flusher is None:
            self._flusher = threading.Thread(target=self._write_on, name="agentnb-events", daemon=True)
            self._flusher.start()

    def _write_on(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._unwritten or self.closed)
                if not self._unwritten:
                    return
                batch = list(self._unwritten)
            self._write(batch)
            with self._changed:
                del self._unwritten[: len(batch)]
                self._changed.notify_all()
                if self._store is None:
                    return
                self._changed.wait_for(lambda: self.closed or self._hurried > 0, BATCH_SECONDS)

    def _write(self, batch: list[Event]) -> None:
        try:
            if self._store is not None:
                self._store.append(self.tree, batch)
        except Exception as error:
            # What a call does never depends on whether somebody can follow it.
            _log.warning("The events of call %s cannot be kept any more; the call itself goes on: %s", self.tree, error)
            self._store = None
