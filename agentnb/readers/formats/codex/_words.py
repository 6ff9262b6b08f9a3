"""The same words in two streams: Codex writes what was said as an event for its screen and as an item for the model; they are said once."""

from __future__ import annotations

from typing import NamedTuple

from agentnb.readers.builders.message_list import Said

_LONG_ENOUGH = 12
_BEGINNING = 400


class Words(NamedTuple):
    """Words of an event that may be an item too."""

    kind: str
    """user, assistant or reasoning."""
    text: str
    said: Said


class TwoStreams:
    """Words of the turn that were met in one stream only."""

    def __init__(self) -> None:
        """Start with none."""
        self.held: list[Words] = []
        """Events whose item may come next."""
        self._items: list[tuple[str, str]] = []
        self._events: list[tuple[str, str]] = []

    def event_repeats(self, kind: str, text: str) -> bool:
        """Tell whether an event repeats an item that was said before; an item of reasoning stands for several events."""
        place = next((place for place, met in enumerate(self._items) if met[0] == kind and _is_in(text, met[1])), None)
        if place is not None and kind != "reasoning":
            del self._items[place]
        return place is not None

    def item_repeats(self, kind: str, text: str) -> bool:
        """Tell whether an item repeats an event that was said before."""
        place = next((place for place, met in enumerate(self._events) if met[0] == kind and _is_in(met[1], text)), None)
        if place is not None:
            del self._events[place]
        return place is not None

    def take_held(self, kind: str, text: str) -> list[Words]:
        """Give up the events that wait for this item."""
        matching = [words for words in self.held if words.kind == kind and _is_in(words.text, text)]
        self.held = [words for words in self.held if words not in matching]
        return matching

    def met_item(self, kind: str, text: str) -> None:
        """Note an item that was said without an event."""
        self._items.append((kind, text))

    def met_event(self, words: Words) -> None:
        """Note an event that was said without an item."""
        self._events.append((words.kind, words.text))

    def forget(self) -> None:
        """Begin a new turn."""
        self._items.clear()
        self._events.clear()


def _is_in(event: str, item: str) -> bool:
    """Tell whether an item says what an event says: it may say more, such as the marks around a plan, and either may have been cut."""
    event = event.strip()
    return event == item.strip() or (len(event) >= _LONG_ENOUGH and event[:_BEGINNING] in item)
