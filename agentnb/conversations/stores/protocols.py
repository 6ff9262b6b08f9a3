"""What a store of conversations has to be able to do, and what it may be able to do besides.

Two methods are a store. Everything else is optional: what is missing is done without, as `optional.py` says for each member.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

Record: TypeAlias = dict[str, Any]
"""A record of a conversation, an event or a record of a call: a JSON object."""

Outcome: TypeAlias = Literal["kept", "duplicate"]
"""What became of a batch of events: something of it is new, or all of it was there already."""


@runtime_checkable
class Store(Protocol):
    """Keeps the records of conversations: numbered, in order, for good. Any object with these two methods is one.

    What must hold, whoever calls, from however many threads, processes and computers at once:

    - The records of a conversation have the places 1, 2, 3, … without a gap. A place never holds another record later: nothing is edited or removed.
    - An append is whole or nothing, also when the process is killed in the middle of it, and also for a reader who reads in the middle of it.
    - When `append` returns, the records are kept for as long as the store promises to keep anything (`durability`), and the next `read` of anybody
      returns them. When it raises, none of them is there.
    - Of two appends with the same `expect` one succeeds and the other raises `StoreConflict`. All ordering of turns rests on that.
    - A record comes back equal as JSON: the same keys and values, texts with any character (also NUL and lone surrogates), numbers as they were.

    A store may also have any of these members:

    - `wait(conversation, *, after, timeout) -> bool`: returns True as soon as the conversation has more than `after` records, False after `timeout` seconds.
      Without it the caller polls.
    - `conversations() -> list[str]`: the ids of all conversations, sorted.
    - `lengths() -> dict[str, int]`: how many records each conversation has, in one look, so that who watches a thousand of them finds what changed.
    - `persistent: bool`: whether records outlive the process; unknown counts as True. A persistent store refuses programs whose content may not be kept.
    - `durability: str`: how long records are kept, as a word: `memory`, `disk` or your own.
    - `events: EventStore | None`: keeps the events of turns. Without it a turn has no calls, tree and events once its process is gone.
    - `calls: CallStore | None`: keeps the records of calls.
    - `close()`: gives back what the store holds open; a closed store may open it again when it is used.
    """

    def append(self, conversation: str, records: Sequence[Mapping[str, Any]], *, expect: int | None = None) -> int:
        """Append records to a conversation, all or none.

        Args:
            conversation: its id; a conversation begins with its first record.
            records: JSON objects without `seq`, which the store gives each when it is read.
            expect: how many records the conversation must have for these to be appended; None appends whatever is there.

        Returns:
            How many records the conversation has now.

        Raises:
            StoreConflict: it has another number of records than expected; nothing was written.
            ConversationError: they could not be kept (code `store-failed`), or a record has no JSON form (`conversation-opaque`); nothing was written.
        """
        ...

    def read(self, conversation: str, *, after: int = 0) -> list[Record]:
        """Return the records of a conversation after a place, in order; none of a conversation that has not begun.

        Args:
            conversation: its id.
            after: the place after which to begin; 0 reads all.

        Returns:
            New dicts, each with its place as `seq`. What cannot be read any more keeps its place as `{"unreadable": True, "seq": …}`.
        """
        ...


class Claim(NamedTuple):
    """A log of events that somebody goes on with; writers before this one are fenced."""

    writer: int
    """The number that the new writer puts on its events."""
    last: dict[str, int] | None
    """Position `{writer, seq}` of the last event that is kept; the first new event names it as `after`."""


class EventStore(Protocol):
    """Keeps the events of turns: per tree one log, in which one writer at a time goes on where the last event is.

    `event_rules.check_events` holds the rules; a store keeps what it lets through, in one step with the check.
    """

    def claim(self, tree: str) -> Claim:
        """Become the writer of a log that another process began.

        Raises:
            EventRefused: there is no log (`event-unknown`), or it is finished (`event-after-end`).
        """
        ...

    def append(self, tree: str, events: Sequence[Mapping[str, Any]]) -> Outcome:
        """Keep events of a tree, all or none; those that are kept already are passed over.

        Raises:
            EventRefused: the first that cannot be kept, with its position; codes `event-malformed`, `event-conflict`, `event-after-end`, `event-gap`,
                `event-start`.
        """
        ...

    def read(self, tree: str, *, after: Mapping[str, int] | None = None) -> list[Record]:
        """Return the events of a tree after a position, in order; none of an unknown tree. Reading is never fenced.

        Raises:
            EventRefused: no event has this position (`event-unknown`).
        """
        ...


class CallStore(Protocol):
    """Keeps the records of calls, in the order in which they ended.

    A call that was resumed is written again with a higher `writer`; the highest counts. `write` raises when it cannot keep a record: whoever logs a call
    says so once and lets the call go on.
    """

    def write(self, record: Mapping[str, Any]) -> None:
        """Keep the record of a call.

        Raises:
            ConversationError: it could not be kept (`store-failed`), or has no JSON form (`conversation-opaque`).
        """
        ...

    def read(self, tree: str | None = None) -> list[Record]:
        """Return the records of the calls of a tree, named by its outermost call, or of all."""
        ...
