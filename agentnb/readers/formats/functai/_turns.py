"""The records of one FunctAI conversation -> its turns and their states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import dict_of, dicts_of
from agentnb.readers._times import read_time

_ENDS = frozenset({"done", "failed", "stopped", "abandoned"})
# Of these an attempt that was overtaken by another writes nothing that counts.
_FENCED = frozenset({"ended", "waiting", "lease"})


class Row(NamedTuple):
    """A record, its place in its file, and the account of the file."""

    value: dict[str, Any]
    place: int
    account: Account

    @property
    def at(self) -> int | None:
        """When it was written."""
        return read_time(self.value.get("at")).micros


def text_in(record: dict[str, Any], name: str) -> str | None:
    """Return a field that is a text with something in it."""
    value = record.get(name)
    return value if isinstance(value, str) and value else None


def objects_in(record: Any, name: str) -> list[dict[str, Any]]:
    """Return the objects of a field that is a list."""
    return dicts_of(dict_of(record).get(name))


class Turn:
    """One turn, as its records tell it."""

    def __init__(self, row: Row) -> None:
        """Start with the record that was written when it was sent."""
        self.row = row
        self.id = str(row.value["turn"])
        self.parent = text_in(row.value, "parent")
        self.ended: Row | None = None
        self.attempt = 1
        self.records: dict[str, list[Row]] = {}
        self._lease: Row | None = None
        self._lease_position = 0
        self._waits_since = 0

    def read(self, row: Row, position: int) -> str | None:
        """Read a record about this turn; returns why it does not count, if so."""
        kind = str(row.value.get("kind"))
        attempt = row.value.get("attempt")
        attempt = attempt if type(attempt) is int else self.attempt
        if kind in _FENCED and attempt < self.attempt:
            return "overtaken_attempt"
        if kind == "ended":
            if self.ended is not None:
                return "second_end"
            self.ended = row
        elif kind == "lease":
            self._lease, self._lease_position, self.attempt = row, position, attempt
        elif kind == "waiting":
            self._waits_since = position
        self.records.setdefault(kind, []).append(row)
        return None

    def of(self, kind: str) -> list[Row]:
        """Return the records of a kind."""
        return self.records.get(kind, [])

    def state(self, now: int) -> str | None:
        """Return the state of the turn at a moment."""
        if self.ended is not None:
            state = self.ended.value.get("state")
            return state if isinstance(state, str) and state in _ENDS else None
        if self._waits_since > self._lease_position:
            return "waiting"
        until = read_time(self._lease.value.get("until")).micros if self._lease is not None else None
        return "running" if until is not None and until >= now else "interrupted"


class ConversationLog:
    """The records of one file that are about a conversation."""

    def __init__(self) -> None:
        """Start without records."""
        self.programs: dict[str, dict[str, Any]] = {}
        self.turns: dict[str, Turn] = {}
        self.head: str | None = None
        self.others: list[dict[str, Any]] = []
        self._position = 0

    def read(self, row: Row) -> None:
        """Read the next record."""
        value, kind = row.value, row.value.get("kind")
        seq = value.get("seq")
        self._position = max(self._position, seq if type(seq) is int and seq < 2**62 else self._position + 1)
        turn_id = text_in(value, "turn")
        reason: str | None = None
        if kind == "program":
            self.programs.setdefault(text_in(value, "version") or "", value)
        elif kind == "turn" and turn_id is not None:
            reason = self._start_turn(row, turn_id)
        elif kind == "entry" or turn_id is None:
            self.others.append(value)
        elif turn_id not in self.turns:
            reason = "unknown_turn"
        elif kind == "head":
            self.head = turn_id
        else:
            reason = self.turns[turn_id].read(row, self._position)
        if reason is None:
            row.account.keep()
            return
        row.account.leave_out(reason, f"{_REASONS[reason]} It was left out.", line=row.place, excerpt=value)

    def _start_turn(self, row: Row, turn_id: str) -> str | None:
        if turn_id in self.turns:
            return "second_turn"
        self.turns[turn_id] = Turn(row)
        self.head = turn_id
        return None

    def names(self) -> Iterator[str]:
        """Yield the names of the programs."""
        yield from (name for program in self.programs.values() if (name := text_in(program, "name")))


_REASONS = {
    "unknown_turn": "The record is about a turn that was never started.",
    "second_turn": "A turn with this id was started before.",
    "second_end": "The turn had ended before.",
    "overtaken_attempt": "Another attempt had taken the turn over before.",
}
