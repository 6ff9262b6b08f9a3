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
    records: int = 1
    """How many records it stands for: 0 for a message of which only parts were printed."""

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


def printed_session(value: Any) -> str | None:
    """Return the session of an event that is printed as a run goes on; None of anything else."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str) or not isinstance(value.get("sessionID"), str) or "id" in value:
        return None
    return value["sessionID"] if kind_of(value.get("part")) == "part" or (value["type"] == "error" and "error" in value) else None


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
        if (session_id := printed_session(value)) is not None:
            self._take_printed(value, session_id, place, account)
            return
        if not is_export(value):
            self._take_record(value, place, account)
            return
        self._take_record(value["info"], place, account)
        for number, message in enumerate(value["messages"], 1):
            told = message if isinstance(message, dict) else {}
            self._take_record(told.get("info", message), number, account)
            for part in told["parts"] if isinstance(told.get("parts"), list) else ():
                self._take_record(part, number, account)

    def _take_printed(self, event: dict[str, Any], session_id: str, place: int, account: Account) -> None:
        """Take a part that was printed when it was complete; of its message no more is told than that it is the model's."""
        part = event.get("part")
        if not isinstance(part, dict):
            told = {"id": f"error-{place}", "sessionID": session_id, "role": "assistant", "error": event["error"], "time": {"created": event.get("timestamp")}}
            self._take_record(told, place, account)
            return
        if ("message", part["messageID"]) not in self._met:
            message = {"id": part["messageID"], "sessionID": session_id, "role": "assistant", "time": {"created": event.get("timestamp")}}
            self._met["message", part["messageID"]] = to_json(message)
            self.messages.setdefault(session_id, []).append(Record(message, place, account, records=0))
        self._take_record(part, place, account)

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
            account.leave_out("no_record", "It is no session, message or part; it was left out.", line=place, excerpt=value)
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
