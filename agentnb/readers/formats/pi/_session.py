"""The entries of pi sessions -> conversations: branches inside a file, and files that branched off another."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_objects
from agentnb.readers._reader import OnBytes, OpenFile
from agentnb.readers._rows import Rows, TurnRow
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.branches import Branches
from agentnb.readers.builders.message_list import MessageList, Piece, Said
from agentnb.readers.formats.pi._messages import ROLES, command_in, said_in

_READ_HEADER = frozenset({"type", "id", "timestamp", "branchedFrom", "parentSession"})
_READ_ENTRY = frozenset({"type", "id", "parentId", "timestamp", "message"})
# Events that are printed as a run goes on, and that tell no more than the end of each message does.
_REPEATED = frozenset(
    {
        "message_start",
        "message_update",
        "tool_execution_start",
        "tool_execution_update",
        "tool_execution_end",
        "turn_start",
        "turn_end",
        "agent_start",
        "agent_end",
    }
)
# A session that was branched off names the file of the other, which ends in that session's id.
_SESSION_IN_PATH = re.compile(r"_([^_/\\]+)\.jsonl$")
# Words that the tool puts into what the model is sent, and the name of the field that holds them.
_INJECTED = {"compaction": "summary", "branch_summary": "summary", "custom_message": "content"}


class Entry(NamedTuple):
    """A line of a file."""

    place: int
    value: dict[str, Any]


def id_of(value: dict[str, Any]) -> str | None:
    """Return the recording's own id of a header or an entry."""
    own = value.get("id")
    return own if isinstance(own, str) and own else None


def parent_of(header: dict[str, Any]) -> str | None:
    """Return the id of the session that another was branched off."""
    named = header.get("parentSession") or header.get("branchedFrom")
    if not isinstance(named, str):
        return None
    found = _SESSION_IN_PATH.search(named)
    return found.group(1) if found else named


def read_sessions(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes, format: str) -> None:
    """Read the sessions of a group, each after the one it was branched off."""
    reading = _Reading(Apart(rows, format), format)
    for file in _parents_first(files):
        for place, value in read_objects(file, on_bytes):
            reading.take(Entry(place, value), file.account)
        reading.end_file()


def _parents_first(files: Sequence[OpenFile]) -> list[OpenFile]:
    """Put files after the file of the session that theirs was branched off; two that name each other stay in the order of the files."""
    headers = [next((value for value in file.sample.values if isinstance(value, dict) and value.get("type") == "session"), {}) for file in files]
    places = {id_of(header): place for place, header in enumerate(headers)}
    ordered: dict[int, None] = {}
    for place in range(len(files)):
        above: dict[int, None] = {}
        step: int | None = place
        while step is not None and step not in above and step not in ordered:
            above[step] = None
            step = places.get(parent_of(headers[step]))
        ordered |= dict.fromkeys(reversed(above))
    return [files[place] for place in ordered]


class _Reading:
    """Sorts the lines of files into sessions."""

    def __init__(self, apart: Apart, format: str) -> None:
        self.apart = apart
        self.format = format
        self.known: dict[str, Session] = {}
        self._session: Session | None = None
        self._without_header: list[tuple[Entry, Account]] = []

    def take(self, entry: Entry, account: Account) -> None:
        """Take the next line of a file; a header starts a session."""
        value = entry.value
        if value.get("type") == "session" and not (self._session is not None and self._session.draft.row.conversation_id == id_of(value)):
            self.end_file()
            self._start(Session(id_of(value) or _digest([value]), self, account, entry))
        elif self._session is not None:
            self._session.read_entry(entry)
        else:
            self._without_header.append((entry, account))
            if _role_of(value) == "assistant" and not _repeats_a_message(value):
                self._start_without_header()

    def end_file(self) -> None:
        """Finish the session that is open."""
        if self._without_header:
            self._start_without_header()
        if self._session is not None:
            self._session.finish()
        self._session = None

    def _start(self, session: Session) -> None:
        self.known.setdefault(session.draft.row.conversation_id, session)
        self._session = session

    def _start_without_header(self) -> None:
        waiting, self._without_header = self._without_header, []
        session = Session(_digest([entry.value for entry, _ in waiting]), self, waiting[0][1], None)
        self._start(session)
        for entry, _ in waiting:
            session.read_entry(entry)


class Session:
    """Reads one session."""

    def __init__(self, session_id: str, reading: _Reading, account: Account, header: Entry | None) -> None:
        """Start a conversation; what a session that was branched off repeats of its parent is merged."""
        self.account = account
        self.parent = reading.known.get(parent_of(header.value) or "") if header is not None else None
        self.draft: ConversationDraft = reading.apart.start(session_id, account, line=header.place if header is not None else None)
        self.draft.row.agent_name = reading.format
        self.messages = MessageList(self.draft.main, account)
        self.branches = Branches(self.messages)
        self.marks: dict[bytes, TurnRow | None] = {}
        self._repeats = self.parent is not None
        if header is not None:
            self._read_header(header)

    def finish(self) -> None:
        """Move the session into the tables."""
        self.messages.finish()
        self.draft.finish()

    def _read_header(self, header: Entry) -> None:
        value, row = header.value, self.draft.row
        row.parent_conversation_id = parent_of(value)
        row.started_at = read_time(value.get("timestamp")).micros
        if isinstance(value.get("cwd"), str):
            self.draft.labels["cwd"] = value["cwd"]
        self.draft.extra |= {name: item for name, item in value.items() if name not in _READ_HEADER | {"cwd"} and item is not None}
        if own := id_of(value):
            self.branches.root(own)
        self.account.keep()

    def read_entry(self, entry: Entry) -> None:
        """Read a line after the header."""
        place, value = entry
        if _repeats_a_message(value):
            self.account.skip("streamed_piece")
            return
        if value.get("type") == "message_end" and isinstance(value.get("message"), dict):
            self._say(Entry(place, value | {"type": "message", "timestamp": value["message"].get("timestamp")}), None)
            return
        own, mark = id_of(value), hashlib.blake2b(to_json(value).encode(), digest_size=12).digest()
        if self._repeats_parent(mark, own):
            return
        if own is not None and mark in self.marks:
            self.account.merge()
            self.account.diagnose("duplicate_id", f"The entry {own} was met before; it is kept once.", line=place, severity="info", excerpt=own)
            return
        if "parentId" in value:
            self.branches.follow(value["parentId"])
        self._say(entry, own)
        turn = self.draft.main.turn
        self.marks[mark] = turn
        self.branches.remember(own, turn)

    def _repeats_parent(self, mark: bytes, own: str | None) -> bool:
        """Merge an entry that was copied from the session this one was branched off; the first that was not is where they part."""
        if not self._repeats or self.parent is None:
            return False
        if mark in self.parent.marks:
            turn = self.marks[mark] = self.parent.marks[mark]
            self.branches.remember(own, turn)
            self.account.merge()
            return True
        self._repeats = False
        self.messages.go_back_to(next(reversed(self.marks.values()), None))
        return False

    def _say(self, entry: Entry, own: str | None) -> None:
        place, value = entry
        kind, message = value.get("type"), value.get("message")
        time = read_time(value.get("timestamp"))
        role = message.get("role") if isinstance(message, dict) else None
        rest = rest_of(value, _READ_ENTRY)
        self.draft.row.time_zone_assumed |= time.zone_assumed
        if kind == "message" and isinstance(message, dict) and isinstance(role, str) and role in ROLES:
            said = said_in(message, place, time.micros, own, rest)
            self.messages.read([said])
            self._note_end(said)
        elif kind == "message" and isinstance(message, dict) and role == "bashExecution":
            self.messages.run(*command_in(message, place, time.micros, rest))
        else:
            self.messages.note(_said_of_tool(value, place, time.micros))
            if kind == "session_info":
                self.draft.row.title = text_of(value.get("name")) or self.draft.row.title

    def _note_end(self, said: Said) -> None:
        """A call that the person aborted stops the turn, unless the agent goes on."""
        turn = self.draft.main.turn
        if said.role == "assistant" and turn is not None:
            turn.state = "stopped" if said.finish_reason == "aborted" else None


def _said_of_tool(value: dict[str, Any], place: int, at: int | None) -> Said:
    """Say an entry that no person and no model said: a summary, another model, what an extension keeps."""
    message = value.get("message")
    held = message if value.get("type") == "message" and isinstance(message, dict) else value
    kind = text_of(value.get("type"))
    name = _INJECTED.get(kind or "", "content")
    text = held.get(name)
    texts = [text] if isinstance(text, str) else [item.get("text") for item in text if isinstance(item, dict)] if isinstance(text, list) else []
    if kind in _INJECTED and texts and all(isinstance(item, str) for item in texts):
        rest = {key: item for key, item in value.items() if key not in ("timestamp", name)}
        return Said("system", place, tuple(Piece("text", item) for item in texts), at=at, extra=to_json(rest))
    return Said("system", place, (Piece("other", kind, extra=to_json(value)),), at=at)


def _repeats_a_message(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _REPEATED


def _role_of(value: dict[str, Any]) -> Any:
    message = value.get("message")
    return message.get("role") if isinstance(message, dict) else None


def _digest(values: list[dict[str, Any]]) -> str:
    """Name a session without an id by its lines up to the first reply."""
    said = [value.get("message") or value for value in values if _role_of(value) != "assistant"]
    return f"pi-{digest_of(['pi', said])}"
