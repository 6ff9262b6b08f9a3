"""What became of the events of a stream: the reply they make, whether it is whole, and what of them was not understood."""

from __future__ import annotations

from typing import Any, NamedTuple


class Assembled(NamedTuple):
    """One reply that came in pieces."""

    value: dict[str, Any]
    """The reply in the form that the service sends when nothing is streamed. A field that is not JSON yet, such as cut arguments, stays the text it is."""
    whole: bool
    """Whether the stream ran to its end; false of one that is cut."""
    first: int
    """Index of its first event among those that were given, from 0."""
    events: int
    """How many of the events are part of it; those of all replies add up to the events that were given."""
    unread: tuple[Any, ...] = ()
    """Events that are not understood, as they came."""

    @property
    def oddities(self) -> tuple[str, ...]:
        """Codes of what is odd about the stream."""
        return () if self.whole else ("cut_stream",)


def put(fields: dict[str, Any], key: str, value: Any) -> None:
    """Set a field unless there is nothing to set: what a later event leaves empty does not take back what an earlier one said."""
    if value is not None or key not in fields:
        fields[key] = value


def append(fields: dict[str, Any], key: str, text: Any) -> None:
    """Add a fragment to the end of a text field."""
    if isinstance(text, str):
        before = fields.get(key)
        fields[key] = before + text if isinstance(before, str) else text


def index_of(value: Any, otherwise: int) -> int:
    """Return a place in a list as an event tells it; where it tells none, another one."""
    return value if type(value) is int and 0 <= value < 1_000_000 else otherwise
