"""The numbered events of one call tree: where each stands, what a follower does with the next one, and what the calls have said so far.

After section 10 of FunctAI's conversations, format 2. An event of another format or without a position is told as unknown, never read and never an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

from agentnb.streams._lifted import text_in
from agentnb.streams.turn_log import count_in

EVENT_FORMAT: Final = 2
News = Literal["take", "rewind", "duplicate", "stale", "loss", "unknown"]
"""What a follower does with an event: takes it; goes back first; has it; passes it over; reads the log again; cannot read on."""


class Position(NamedTuple):
    """An event of a log; both parts are compared together, always."""

    writer: int
    """Which of the log's writers numbered it, from 1."""
    seq: int
    """Its number."""


def position_in(value: Any) -> Position | None:
    """Return the position that an object with `writer` and `seq` tells; None for anything else."""
    writer, seq = (count_in(value, name) for name in ("writer", "seq")) if isinstance(value, dict) else (None, None)
    return None if writer is None or seq is None else Position(writer, seq)


def position_of(event: Any) -> Position | None:
    """Return where an event stands; None when it is no event of the format that is read."""
    return position_in(event) if isinstance(event, dict) and event.get("functai_event") == EVENT_FORMAT else None


def is_end(event: Any) -> bool:
    """Tell whether it is the last event of its log: the end of the outermost call."""
    return text_in(event, "kind") in ("done", "failed") and text_in(event, "call") is not None and text_in(event, "call") == text_in(event, "tree")


class Follower:
    """Follows the events of one log, which may come twice, late, or from a writer that has taken the log over."""

    def __init__(self) -> None:
        """Start before the first event."""
        self._held: dict[Position, dict[str, Any]] = {}

    @property
    def last(self) -> Position | None:
        """The last event that is held."""
        return next(reversed(self._held), None)

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events that are held, in order."""
        return list(self._held.values())

    def read(self, event: Any) -> News:
        """Read an event, and say what became of it."""
        news, back_to = self._classify(event)
        if news == "rewind":
            while self._held and self.last != back_to:
                self._held.popitem()
        position = position_of(event)
        if position is not None and news in ("take", "rewind"):
            self._held[position] = event
        return news

    def _classify(self, event: Any) -> tuple[News, Position | None]:
        position, last = position_of(event), self.last
        if position is None:
            return "unknown", None
        after = position_in(event.get("after"))
        if last is not None and position.writer < last.writer:
            return "stale", None
        if last is not None and position.writer == last.writer and position.seq <= last.seq:
            return "duplicate", None
        if after == last and (after is not None or event.get("after") is None):
            return "take", None
        may_rewind = last is not None and position.writer > last.writer and (after in self._held or event.get("after") is None)
        return ("rewind", after) if may_rewind else ("loss", None)


class CallSaid:
    """What one call has said so far."""

    def __init__(self) -> None:
        """Start without a word."""
        self.ended: Literal["done", "failed"] | None = None
        self.fields: dict[str, str] = {}
        """The text of each field since the latest request."""


class ReplayState:
    """What the calls of a tree have said, by the events that were read so far."""

    def __init__(self) -> None:
        """Start without events."""
        self.calls: dict[str, CallSaid] = {}
        self.finished = False
        """Whether the outermost call ended."""

    def read_all(self, events: Iterable[Any]) -> ReplayState:
        """Read events in order; returns the state itself."""
        for event in events:
            self.read(event)
        return self

    def read(self, event: Any) -> None:
        """Read the next event; what is none, or of a kind that says nothing here, changes nothing."""
        call, kind = text_in(event, "call"), text_in(event, "kind")
        if call is None or kind is None:
            return
        said = self.calls.setdefault(call, CallSaid())
        if kind in ("request", "retry"):
            said.fields.clear()
        elif kind == "text" and (field := text_in(event, "field")) is not None:
            said.fields[field] = said.fields.get(field, "") + (text_in(event, "text") or "")
        elif kind in ("done", "failed") and said.ended is None:
            said.ended = "done" if kind == "done" else "failed"
        self.finished = self.finished or is_end(event)


class Links:
    """Links the events of a form: each says which one came before it in this form.

    Args:
        after: the event that the first one comes after, where a log is continued.
    """

    def __init__(self, after: Position | None = None) -> None:
        self._before = after

    def link(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event with its `after`, and take it as the one before the next."""
        linked = {**event, "after": None if self._before is None else self._before._asdict()}
        self._before = position_of(event) or self._before
        return linked
