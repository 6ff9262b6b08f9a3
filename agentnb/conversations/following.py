"""Follow a turn, event by event: from what its store keeps, as far as a view may show it, until the turn ends or waits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from agentnb.conversations.runs import Run
from agentnb.conversations.stores import events_of
from agentnb.errors import ConversationError, OptionError
from agentnb.streams.call_events import Position, is_end, position_in, position_of
from agentnb.streams.event_forms import OutsideForm

if TYPE_CHECKING:
    from agentnb.conversations.conversation import Conversation

VIEWS: Final = ("kept", "outside", "full")
_POLL_SECONDS: Final = 0.05
_QUIET_POLLS: Final = 2


def follow_events(conversation: Conversation, turn_id: str, after: Mapping[str, int] | None, view: str, timeout: float | None) -> Iterator[dict[str, Any]]:
    """Yield the events of a turn; `Turn.events` says how.

    A view is always made from the first event on, and what comes up to `after` is passed over.
    """
    if view not in VIEWS:
        raise OptionError(f"view is one of {', '.join(VIEWS)}, not {view!r}")
    position = position_in(after)
    if after is not None and position is None:
        raise _unknown(after, turn_id)
    if view == "full":
        events = _full(conversation, turn_id, timeout)
    else:
        kept = _kept(conversation, turn_id, timeout)
        events = kept if view == "kept" else _outside(conversation, kept)
    yield from _after(events, position, turn_id)


def _after(events: Iterable[dict[str, Any]], position: Position | None, turn_id: str) -> Iterator[dict[str, Any]]:
    met = position is None
    for event in events:
        if met:
            yield event
        met = met or position_of(event) == position
    if not met:
        raise _unknown(position, turn_id)


def _kept(conversation: Conversation, turn_id: str, timeout: float | None) -> Iterator[dict[str, Any]]:
    """Yield what the store keeps, until the end of the outermost call, or until the turn rests and nothing comes any more."""
    last: dict[str, int] | None = None
    news_at, quiet = time.monotonic(), 0
    while True:
        store = events_of(conversation.store)
        fresh = store.read(turn_id, after=last) if store is not None else []
        yield from fresh
        if fresh:
            last, news_at, quiet = {"writer": fresh[-1]["writer"], "seq": fresh[-1]["seq"]}, time.monotonic(), 0
            if is_end(fresh[-1]):
                return
            continue
        turn = conversation.ledger.refresh().turns.get(turn_id)
        quiet = quiet + 1 if turn is None or turn.state(Run.now()) != "running" else 0
        if store is None or quiet >= _QUIET_POLLS or (timeout is not None and time.monotonic() - news_at >= timeout):
            return
        time.sleep(_POLL_SECONDS)


def _full(conversation: Conversation, turn_id: str, timeout: float | None) -> Iterator[dict[str, Any]]:
    attempt = conversation.attempt_of(turn_id)
    if attempt is None:
        raise ConversationError(
            "turn-state", f"turn {turn_id[:8]} does not run in this process, and only there is everything told; use view='kept'", turn=turn_id
        )
    yield from attempt.run.events.follow(timeout)


def _outside(conversation: Conversation, events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    form = OutsideForm(getattr(conversation.program, "answer_from", None))
    for event in events:
        shown = form.show(event)
        if shown is not None:
            yield shown


def _unknown(position: Any, turn_id: str) -> ConversationError:
    return ConversationError(
        "event-unknown", f"turn {turn_id[:8]} has no event at {position!r} in this view; leave after= out to begin at the first", turn=turn_id
    )
