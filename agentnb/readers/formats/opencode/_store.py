"""The records of opencode, sorted: sessions, their messages, the parts of each message."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time

Kind = Literal["session", "message", "part"]

_ROLES = ("user", "assistant")


class Record(NamedTuple):
    """A session, a message or a part, its place in its file, and the account of the file."""

    value: dict[str, Any]
    place: int
    account: Account

    def time(self, name: str) -> int | None:
        """Return one of its times."""
        times = self.value.get("time")
        return read_time(times.get(name)).micros if isinstance(times, dict) else None


def kind_of(value: Any) -> Kind | None:
    """Tell what a record is; None of anything else."""
    if not isinstance(value, dict) or not isinstance(value.get("id"), str) or not value["id"]:
        return None
    if isinstance(value.get("sessionID"), str):
        if isinstance(value.get("messageID"), str) and isinstance(value.get("type"), str):
            return "part"
        return "message" if value.get("role") in _ROLES else None
    return "session" if isinstance(value.get("time"), dict) and isinstance(value.get("directory"), str) and "title" in value else None


def is_export(value: Any) -> bool:
    """Tell whether a document is an exported session."""
    return isinstance(value, dict) and isinstance(value.get("info"), dict) and isinstance(value.get("messages"), list) and kind_of(value["info"]) == "session"


class Store:
    """What the files of a group hold."""

    def __init__(self) -> None:
        """Start empty."""
        self.sessions: dict[str, Record] = {}
        self.messages: dict[str, list[Record]] = {}
        self.parts: dict[str, list[Record]] = {}
        self._met: dict[tuple[str, str], str] = {}

    def take(self, value: Any, place: int, account: Account) -> None:
        """Take what a file holds: a record, or an export with many."""
        if not is_export(value):
            self._take_record(value, place, account)
            return
        self._take_record(value["info"], place, account)
        for number, message in enumerate(value["messages"], 1):
            told = message if isinstance(message, dict) else {}
            self._take_record(told.get("info", message), number, account)
            for part in told["parts"] if isinstance(told.get("parts"), list) else ():
                self._take_record(part, number, account)

    def session_ids(self) -> list[str]:
        """Return the ids of the sessions, in the order in which they began, then as they were met."""
        met = dict.fromkeys((*self.sessions, *self.messages))
        return sorted(met, key=lambda name: (self.sessions[name].time("created") or 0) if name in self.sessions else 0)

    def messages_of(self, session_id: str) -> list[Record]:
        """Return the messages of a session in order."""
        return sorted(self.messages.get(session_id, []), key=lambda record: record.time("created") or 0)

    def _take_record(self, value: Any, place: int, account: Account) -> None:
        kind = kind_of(value)
        if kind is None:
            account.skip("no_record")
            account.diagnose("no_record", "It is no session, message or part; it was left out.", line=place, excerpt=value)
            return
        name, mark = (kind, value["id"]), to_json(value)
        if name in self._met:
            account.merge()
            if self._met[name] != mark:
                account.diagnose("reused_id", f"The {kind} {value['id']} was met before and was different; the first one is kept.", line=place, excerpt=value)
            return
        self._met[name] = mark
        record = Record(value, place, account)
        if kind == "session":
            self.sessions[value["id"]] = record
        elif kind == "message":
            self.messages.setdefault(value["sessionID"], []).append(record)
        else:
            self.parts.setdefault(value["messageID"], []).append(record)
