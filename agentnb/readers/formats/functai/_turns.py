"""The records of one FunctAI conversation as lines of a file: each with its place and the account of its file, sorted by the turn it is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import dict_of, dicts_of
from agentnb.readers._times import read_time
from agentnb.streams.conversation_log import NOT_COUNTED, ConversationLog
from agentnb.streams.turn_log import TurnLog

# What an overtaken attempt did has no say in the turn, but it was done, and a person wants to see it.
_SHOWN = frozenset({"call", "reply", "tool"})


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
    """One turn: its log, and the lines that tell it."""

    def __init__(self, row: Row, log: TurnLog) -> None:
        """Start with the line that was written when it was sent."""
        self.row, self.log = row, log
        self.id, self.parent = log.id, log.parent
        self.ended: Row | None = None
        self.records: dict[str, list[Row]] = {}

    @property
    def attempt(self) -> int:
        """How often it was started."""
        return self.log.attempt

    def state(self, now: int) -> str | None:
        """Return the state of the turn at a moment."""
        return self.log.state(now)

    @property
    def made_by(self) -> dict[str, Any]:
        """The call that merged other turns into this one; an empty object of a turn that was sent."""
        return dict_of(self.row.value.get("made_by"))

    def keep(self, row: Row) -> None:
        """Keep a line that is about this turn."""
        kind = str(row.value.get("kind"))
        self.records.setdefault(kind, []).append(row)
        if kind == "ended":
            self.ended = row

    def of(self, kind: str) -> list[Row]:
        """Return the lines of a kind."""
        return self.records.get(kind, [])

    def replayed(self) -> set[int]:
        """Return the places of replies that only repeat what was recorded before."""
        first = {id(reply) for queue in self.log.reply_queues().values() for reply in queue}
        counted = {id(reply) for reply in self.log.replies}
        return {row.place for row in self.of("reply") if id(row.value) in counted and id(row.value) not in first}


class FileLog:
    """The lines of one file that are about a conversation."""

    def __init__(self, name: str | None = None) -> None:
        """Start without lines.

        Args:
            name: id of the conversation, where the place that keeps it tells; None where only the call log does.
        """
        self.name = name
        self._log = ConversationLog()
        self.turns: dict[str, Turn] = {}
        self.others: list[dict[str, Any]] = []

    @property
    def programs(self) -> dict[str, dict[str, Any]]:
        """The programs by version."""
        return self._log.programs

    @property
    def head(self) -> str | None:
        """The turn that the next one continues."""
        return self._log.head

    def read(self, row: Row) -> None:
        """Read the next line and account for it."""
        value, kind, turn_id = row.value, row.value.get("kind"), text_in(row.value, "turn")
        reason = self._log.read(value)
        if reason is not None and not (reason == "overtaken_attempt" and kind in _SHOWN):
            row.account.leave_out(reason, f"{NOT_COUNTED[reason]} It was left out.", line=row.place, excerpt=value)
            return
        row.account.keep()
        if kind == "entry" or (turn_id is None and kind != "program"):
            self.others.append(value)
        elif kind == "turn" and turn_id is not None:
            self.turns[turn_id] = Turn(row, self._log.turns[turn_id])
        elif turn_id is not None and kind not in ("head", "program"):
            self.turns[turn_id].keep(row)

    def names(self) -> Iterator[str]:
        """Yield the names of the programs."""
        yield from (name for program in self.programs.values() if (name := text_in(program, "name")))
