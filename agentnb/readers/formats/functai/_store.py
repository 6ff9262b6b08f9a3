"""The lines of FunctAI's files, sorted by what they are about: conversations, calls, events of calls, ratings."""

from __future__ import annotations

from typing import Any

from agentnb.readers._account import Account
from agentnb.readers.formats.functai._turns import FileLog, Row, text_in

MARKS = {"functai_conversation": (1,), "functai_call": (1, 2), "functai_event": (2,), "functai_rating": (1,)}
"""The name that tells what a record is, and the versions of it that are read."""


class Store:
    """What the files of a group hold."""

    def __init__(self) -> None:
        """Start empty."""
        self.logs: list[FileLog] = []
        self.calls: dict[str, list[Row]] = {}
        self.events: dict[str, list[Row]] = {}
        self.ratings: dict[str, list[Row]] = {}
        self._turns: dict[str, FileLog] = {}
        self._versions: set[str] = set()

    def start_log(self, name: str | None = None) -> FileLog:
        """Start a file, which may hold the records of one conversation; `name` is its id where that is known."""
        log = FileLog(name)
        self.logs.append(log)
        return log

    def take(self, record: Any, place: int, account: Account, log: FileLog) -> None:
        """Take a record of a file."""
        mark = next((mark for mark in MARKS if isinstance(record, dict) and mark in record), None)
        if mark is None or record[mark] not in MARKS[mark]:
            code = "no_record" if mark is None else "unknown_version"
            account.skip(code)
            message = (
                "It is no record of a conversation, a call, an event or a rating." if mark is None else f"{mark} {record[mark]} is a version not known here."
            )
            account.diagnose(code, f"{message} It was left out.", line=place, excerpt=record)
            return
        row = Row(record, place, account)
        named = text_in(record, {"functai_conversation": "turn", "functai_call": "id", "functai_event": "call", "functai_rating": "call"}[mark])
        if mark == "functai_conversation":
            self._take_conversation(row, named, log)
        elif named is None:
            account.leave_out("no_id", "The record does not say which call it is about; it was left out.", line=place, excerpt=record)
        else:
            held = {"functai_call": self.calls, "functai_event": self.events, "functai_rating": self.ratings}[mark]
            held.setdefault(named, []).append(row)

    def _take_conversation(self, row: Row, turn: str | None, log: FileLog) -> None:
        """Give a record to its file's conversation; of a conversation that is there twice the first one counts."""
        version = text_in(row.value, "version") if row.value.get("kind") == "program" else None
        if version is not None and version in self._versions and version not in log.programs:
            log.programs[version] = row.value
            row.account.merge()
            return
        if version is not None:
            self._versions.add(version)
        if turn is not None and self._turns.get(turn, log) is not log:
            row.account.merge()
            return
        log.read(row)
        if turn is not None and turn in log.turns:
            self._turns[turn] = log

    def best_call(self, call_id: str) -> Row | None:
        """Return the record of the highest writer: a turn that was resumed is written again when it ends."""
        written = self.calls.get(call_id)
        return max(written, key=_writer) if written else None


def _writer(row: Row) -> int:
    writer = row.value.get("writer")
    return writer if type(writer) is int else 1
