"""A LIVE CONVERSATION -> ROWS: what a store keeps of it, read as FunctAI's files are, since these are the same records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from agentnb.garbage import without_garbage_collection
from agentnb.readers._account import Account
from agentnb.readers._groups import SourceFile
from agentnb.readers._read import source_row
from agentnb.readers._rows import Rows
from agentnb.readers.formats.functai._emit import emit
from agentnb.readers.formats.functai._store import Store
from agentnb.streams.conversation_log import ConversationLog
from agentnb.values.times import micros_of

LIVE: Final = "agentnb"
"""The format of live conversations, as in the column `format`."""


class LiveRecords(NamedTuple):
    """What a store keeps of one conversation: parsed JSON, in the order in which it was written; None stands for a text that is no JSON."""

    conversation_id: str
    """Its id."""
    records: Sequence[Any]
    """Its records."""
    events: Sequence[Any] = ()
    """The events of its turns."""
    calls: Sequence[Any] = ()
    """The records of the calls that its turns made."""
    size: int = 0
    """Bytes of all of it."""


class LiveState(NamedTuple):
    """What may still change in a conversation though nothing is appended to it."""

    running: tuple[str, ...]
    """Turns whose lease has not run out."""
    until: int | None
    """When the first of these leases runs out, in microseconds since 1970."""
    last_at: int | None
    """When something was appended last, in microseconds since 1970."""


def read_live(live: LiveRecords, file: SourceFile, now: int) -> Rows:
    """Read a conversation into rows.

    Args:
        live: what is kept of it.
        file: the place of the conversation, as the tables name it; its size is the number of records, by which a change is noticed.
        now: the moment at which leases are looked at, in microseconds since 1970.

    Returns:
        The rows with their account. What is odd is a diagnostic; nothing recorded raises.
    """
    rows = Rows()
    account = Account(source_row(file._replace(size=live.size), LIVE))
    with without_garbage_collection():
        store = Store()
        log = store.start_log(live.conversation_id)
        for place, record in enumerate((*live.records, *live.events, *live.calls), 1):
            if isinstance(record, dict) and not record.get("unreadable"):
                store.take(record, place, account, log)
            else:
                account.leave_out("no_record", "The record is damaged: it is no JSON object. It was left out.", line=place, severity="error", excerpt=record)
        emit(store, rows, now, LIVE)
    rows.diagnostics.extend(account.close())
    rows.sources.append(account.row)
    return rows


def trees_of(records: Sequence[Any]) -> list[str]:
    """Return the ids of the outermost calls that records name: of turns, and of what merged turns."""
    found: dict[str, None] = {}
    for record in records:
        if isinstance(record, dict) and record.get("kind") == "turn":
            found |= dict.fromkeys(_ids_of(record))
    return list(found)


def live_state(records: Sequence[Any], now: int) -> LiveState:
    """Tell whether turns of a conversation run at a moment, in microseconds since 1970."""
    log = ConversationLog().read_all(records)
    running = [turn for turn in log.turns.values() if turn.ended is None and turn.state(now) == "running"]
    ends = [until for turn in running if turn.lease is not None and (until := micros_of(turn.lease.get("until"))) is not None]
    last = next((record for record in reversed(records) if isinstance(record, dict)), {})
    return LiveState(tuple(turn.id for turn in running), min(ends, default=None), micros_of(last.get("at")))


def _ids_of(record: dict[str, Any]) -> Iterator[str]:
    made_by = record.get("made_by")
    for named in (record.get("turn"), made_by.get("call") if isinstance(made_by, dict) else None):
        if isinstance(named, str):
            yield named
