"""Which events a log takes: one set of rules, whatever keeps the log (specs of FunctAI: event store)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.conversations.canonical import canonical_json
from agentnb.conversations.stores._event_form import is_tree_id, malformed, position_of
from agentnb.conversations.stores._texts import event_text, json_of
from agentnb.conversations.stores.protocols import Claim, Outcome
from agentnb.errors import EventRefused

_ENDS: Final = ("done", "failed")


class LogState(NamedTuple):
    """What the rules have to know of a log of events."""

    writer: int = 1
    """The number of the writer whose turn it is."""
    last: tuple[int, int] | None = None
    """Writer and seq of the last event that is kept; None while there is none."""
    finished: bool = False
    """Whether the outermost call has ended."""

    @property
    def seq(self) -> int:
        """The seq of the last event, which no kept one exceeds; 0 while there is none."""
        return self.last[1] if self.last else 0

    def position(self) -> dict[str, int] | None:
        """Return where the last event is, as events say it."""
        return None if self.last is None else {"writer": self.last[0], "seq": self.last[1]}

    def with_event(self, event: Mapping[str, Any]) -> LogState:
        """Return the state after an event that was taken."""
        return self._replace(last=(event["writer"], event["seq"]), finished=self.finished or _is_end(event))


class Checked(NamedTuple):
    """What is to be kept of a batch of events."""

    new: list[Mapping[str, Any]]
    """The events that are not there yet, in order."""
    state: LogState
    """The log once they are kept."""

    @property
    def outcome(self) -> Outcome:
        """Whether anything is new."""
        return "kept" if self.new else "duplicate"


def check_events(tree: str, events: Sequence[Mapping[str, Any]], state: LogState, kept: Callable[[int], Mapping[str, Any] | None]) -> Checked:
    """Hold a batch of events against the log.

    Args:
        tree: the log: the id of its outermost call.
        events: the batch, in order.
        state: the log as it is.
        kept: returns the event with a seq; None when the log has none.

    Raises:
        EventRefused: the first that the log does not take, with its position; then nothing of the batch is to be kept.
    """
    new: list[Mapping[str, Any]] = []
    fresh: dict[int, Mapping[str, Any]] = {}
    for event in events:
        _check_form(tree, event)
        if state.last is not None and event["writer"] != state.writer:
            raise _refused("event-conflict", tree, event, f"writer {event['writer']} is fenced: writer {state.writer} has claimed the log")
        seq: int = event["seq"]
        there = fresh.get(seq) or (kept(seq) if seq <= state.seq else None)
        if there is not None:
            if _canonical(there) != _canonical(event):
                raise _refused("event-conflict", tree, event, "another event is kept in its place")
            continue
        _check_place(tree, event, state)
        new.append(event)
        fresh[seq] = event
        state = state.with_event(event)
    return Checked(new, state)


def check_tree_id(tree: str) -> None:
    """Refuse to begin a log under a text that can be no id.

    Raises:
        EventRefused: it cannot be one.
    """
    if not is_tree_id(tree):
        raise EventRefused("event-malformed", f"{tree!r:.80} cannot be the id of a call; nothing was written", turn=tree)


def next_claim(tree: str, state: LogState) -> Claim:
    """Return what the next writer of a log gets.

    Raises:
        EventRefused: there is no log, or it is finished.
    """
    if state.last is None:
        raise EventRefused("event-unknown", f"no events of {tree} are kept, so there is nothing to go on with", turn=tree)
    if state.finished:
        raise EventRefused("event-after-end", f"the events of {tree} end at {state.position()}; nothing follows an end", turn=tree, position=state.position())
    return Claim(state.writer + 1, state.position())


def unknown_position(tree: str, position: Mapping[str, int]) -> EventRefused:
    """Return the error for a position that no event of a log has."""
    return EventRefused("event-unknown", f"no event of {tree} has the position {dict(position)}; read from the first", turn=tree, position=position)


def _check_form(tree: str, event: Any) -> None:
    wrong = malformed(event)
    if wrong is None and event["tree"] != tree:
        wrong = f"it belongs to {event['tree']}"
    after = event["after"] if wrong is None else None
    if after is not None and event["seq"] <= after["seq"]:
        wrong = f"its seq {event['seq']} is not above that of the event before it, {after['seq']}"
    elif after is not None and after["writer"] > event["writer"]:
        wrong = f"the event before it is of a later writer, {after['writer']}"
    if wrong is not None:
        raise _refused("event-malformed", tree, event, wrong)


def _check_place(tree: str, event: Mapping[str, Any], state: LogState) -> None:
    if state.finished:
        raise _refused("event-after-end", tree, event, f"the log ended at {state.position()}")
    after = event["after"]
    if (None if after is None else (after["writer"], after["seq"])) != state.last:
        ahead = after is not None and after["seq"] > state.seq
        reason = f"it follows {after}, and the last event that is kept is {state.position()}"
        raise _refused("event-gap" if ahead else "event-conflict", tree, event, reason)
    if state.last is None and not (event["kind"] == "started" and event["call"] == tree and event["writer"] == 1):
        raise _refused("event-start", tree, event, "a log begins with the start of its outermost call, from writer 1")


def _canonical(event: Mapping[str, Any]) -> str:
    return canonical_json(json_of(event_text(event)))


def _is_end(event: Mapping[str, Any]) -> bool:
    return event["kind"] in _ENDS and event["call"] == event["tree"]


def _refused(code: str, tree: str, event: Any, reason: str) -> EventRefused:
    position = position_of(event)
    return EventRefused(code, f"the event {position or ''} of {tree} was not kept: {reason}. Nothing of its batch was", turn=tree, position=position)
