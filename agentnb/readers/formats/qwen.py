"""Sessions of Qwen Code: lines like those of Claude Code, whose messages hold the parts of Gemini.

A record is a line. Entries name their parent, so a file is a tree: a rewound conversation goes on as another branch. Lines with one id are one reply,
written as it came. What the tool notes between messages is kept as it is; a title that it set is the conversation's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._fields import rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.branches import Branches
from agentnb.readers.builders.message_list import MessageList, Piece, Said, joined
from agentnb.readers.dialects.gemini import said_of_content, usage_in

_SPOKEN = ("user", "assistant", "tool_result")
_READ_LINE = frozenset({"uuid", "parentUuid", "sessionId", "timestamp", "type", "cwd", "version", "model", "usageMetadata", "message"})


def _matches(sample: Sample) -> bool:
    return sample.shape == "lines" and any(_is_own(value) and _content_of(value) is not None for value in sample.values)


def _is_own(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str) and isinstance(value.get("sessionId"), str) and "uuid" in value


def _content_of(value: dict[str, Any]) -> dict[str, Any] | None:
    message = value.get("message")
    return message if isinstance(message, dict) and isinstance(message.get("parts"), list) else None


def _keys(sample: Sample) -> set[str]:
    return {value["sessionId"] for value in (*sample.values, *sample.last_values) if _is_own(value)}


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    sessions: dict[str, _Session] = {}
    for file in files:
        for place, value in read_values(file, on_bytes):
            if not _is_own(value):
                file.account.leave_out("no_event", "The line is no event of a session; it was left out.", line=place, excerpt=value)
                continue
            session = sessions.get(value["sessionId"])
            if session is None:
                session = sessions[value["sessionId"]] = _Session(ConversationDraft(rows, file.account, value["sessionId"], READER.format), file)
            session.read(value, place, file)
    for session in sessions.values():
        session.messages.finish()
        session.draft.finish()


class _Session:
    """Reads one session."""

    def __init__(self, draft: ConversationDraft, file: OpenFile) -> None:
        self.draft = draft
        draft.row.agent_name = "qwen-code"
        self.messages = MessageList(draft.main, file.account)
        self.branches = Branches(self.messages)
        self._met: dict[str, str] = {}
        self._replied_in: str | None = None

    def read(self, value: dict[str, Any], place: int, file: OpenFile) -> None:
        """Read a line; a copy of one that was met before is merged."""
        self.messages.account = self.draft.main.account = file.account
        own, mark = text_of(value.get("uuid")) or "", to_json(value)
        if mark == self._met.get(own):
            file.account.merge()
            file.account.diagnose("duplicate_id", f"The event {own} was met before; it is kept once.", line=place, severity="info", excerpt=own)
            return
        continues = own in self._met and own == self._replied_in
        self._met[own] = mark
        self._describe(value)
        if not continues:
            self.branches.follow(value.get("parentUuid"))
        content = _content_of(value)
        if content is None or value["type"] not in _SPOKEN:
            self._note(value, place)
        else:
            self.messages.read(self._said(value, content, place, continues=continues))
        self._replied_in = own if value["type"] == "assistant" else None
        self.branches.remember(own, self.draft.main.turn)

    def _describe(self, value: dict[str, Any]) -> None:
        row, told = self.draft.row, value.get("systemPayload")
        row.agent_version = row.agent_version or text_of(value.get("version"))
        if isinstance(value.get("cwd"), str):
            self.draft.labels.setdefault("cwd", value["cwd"])
        if value.get("subtype") == "custom_title" and isinstance(told, dict):
            row.title = text_of(told.get("customTitle")) or row.title

    def _note(self, value: dict[str, Any], place: int) -> None:
        rest = {name: item for name, item in value.items() if name != "timestamp" and item is not None}
        piece = Piece("other", text_of(value.get("subtype") or value["type"]), extra=to_json(rest))
        self.messages.note(Said("system", place, (piece,), at=read_time(value.get("timestamp")).micros))

    def _said(self, value: dict[str, Any], content: dict[str, Any], place: int, *, continues: bool) -> list[Said]:
        time, own = read_time(value.get("timestamp")), text_of(value.get("uuid")) or None
        rest = rest_of(value, _READ_LINE)
        said = [item._replace(at=time.micros, zone_assumed=time.zone_assumed) for item in said_of_content(content, place)]
        first = said[0]
        if first.role == "assistant":
            usage = usage_in(value.get("usageMetadata"))
            said[0] = first._replace(id=own, model=text_of(value.get("model")), usage=usage, same_step=continues or first.same_step)
        elif first.role == "user":
            said[0] = first._replace(id=own or None)
        if rest:
            said[0] = said[0]._replace(extra=text_of(joined(said[0].extra, to_json(rest))))
        return said


READER = Reader(format="qwen", title="Qwen Code session", matches=_matches, keys=_keys, read=_read, places=("~/.qwen/projects", "~/.qwen/tmp"))
