"""A span as an exporter wrote it, whatever the container: its place in the tree, times, status, and attributes that know which of them were read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from agentnb.readers._fields import rest_of, text_of
from agentnb.readers._rows import Micros


class SpanEvent(NamedTuple):
    """An event of a span, or a log record that belongs to it."""

    name: str
    held: dict[str, Any]
    """Its attributes, and the fields of its body."""


class Record:
    """One span; `take` reads an attribute, and what was never taken is what was not read."""

    def __init__(self, span_id: str, parent_id: str | None, trace_id: str, name: str, place: int) -> None:
        """Start a span without attributes."""
        self.span_id = span_id
        self.parent_id = parent_id
        self.trace_id = trace_id
        self.name = name
        self.place = place
        self.started: Micros | None = None
        self.ended: Micros | None = None
        self.zone_assumed = False
        self.attributes: dict[str, Any] = {}
        self.resource: dict[str, Any] = {}
        self.events: list[SpanEvent] = []
        self.scope = ""
        self.failed = False
        self.status_message: str | None = None
        self.extra: dict[str, Any] = {}
        self._taken: set[str] = set()
        self._events_taken = False

    def take(self, *names: str) -> Any:
        """Return the first of some attributes that is there; all of them count as read, since they are names of one thing."""
        self._taken.update(names)
        return next((self.attributes[name] for name in names if self.attributes.get(name) not in (None, "")), None)

    def take_text(self, *names: str) -> str | None:
        """Return the first of some attributes that is there, as text."""
        return text_of(self.take(*names))

    def take_below(self, prefix: str) -> dict[str, Any]:
        """Return the attributes whose names begin with a prefix and a number."""
        end = len(prefix)
        found = {name: value for name, value in self.attributes.items() if name.startswith(prefix) and name[end:].partition(".")[0].isdecimal()}
        self._taken.update(found)
        return found

    def take_events(self) -> list[SpanEvent]:
        """Return the events; those that hold messages, or why the span failed, count as read."""
        self._events_taken = True
        return self.events

    def has(self, *prefixes: str) -> bool:
        """Tell whether the name of an attribute begins with one of some prefixes."""
        return any(name.startswith(prefixes) for name in self.attributes)

    def unread(self, read_events: Iterable[str]) -> dict[str, Any]:
        """Return what was not read: the rest of the attributes, and events of other names than those."""
        known = set(read_events) if self._events_taken else set()
        rest = rest_of(self.attributes, self._taken)
        events = [{"name": event.name, **event.held} for event in self.events if event.name not in known]
        return self.extra | ({"attributes": rest} if rest else {}) | ({"events": events} if events else {})
