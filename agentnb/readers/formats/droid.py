"""Sessions of Factory's Droid: a header, then messages of Anthropic Messages that name the one they follow; what the tool notes stands between them.

A record is a line. The recorded file at hand is small; what it does not hold follows the documentation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.branches import Branches
from agentnb.readers.builders.message_list import MessageList, Piece, Said
from agentnb.readers.dialects.anthropic import is_message
from agentnb.readers.dialects.anthropic_lines import said_of_line

_READ_LINE = frozenset({"type", "id", "parentId", "timestamp"})
_READ_HEADER = frozenset({"type", "id", "title", "sessionTitle", "cwd", "version"})


def _matches(sample: Sample) -> bool:
    return sample.shape == "lines" and any(_is_header(value) or (_is_own_message(value) and "parentId" in value) for value in sample.values)


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session_start" and isinstance(value.get("id"), str)


def _is_own_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "message" and "sessionId" not in value and is_message(value.get("message"))


def _keys(sample: Sample) -> set[str]:
    return {_conversation_id(sample)}


def _conversation_id(sample: Sample) -> str:
    header = next((value for value in sample.values if _is_header(value)), None)
    if header is not None and header["id"]:
        return str(header["id"])
    first = next((value for value in sample.values if _is_own_message(value)), None)
    return f"droid-{hashlib.blake2b(to_json(['droid', first]).encode(), digest_size=6).hexdigest()}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        session = _Session(apart.start(_conversation_id(file.sample), file.account), file)
        for place, value in read_values(file, on_bytes):
            if isinstance(value, dict):
                session.read(value, place)
            else:
                file.account.skip("not_an_object")
                file.account.diagnose("not_an_object", "The line is no object; it was left out.", line=place, excerpt=value)
        session.messages.finish()
        session.draft.finish()


class _Session:
    """Reads one session."""

    def __init__(self, draft: ConversationDraft, file: OpenFile) -> None:
        self.draft = draft
        self.account = file.account
        draft.row.agent_name = "droid"
        self.messages = MessageList(draft.main, file.account)
        self.branches = Branches(self.messages)
        self._headed = False

    def read(self, value: dict[str, Any], place: int) -> None:
        """Read a line."""
        if _is_header(value) and not self._headed:
            self._read_header(value)
            return
        if "parentId" in value:
            self.branches.follow(value["parentId"])
        own = text_of(value.get("id")) or None
        if _is_own_message(value):
            self.messages.read(said_of_line(value, place, _READ_LINE, own_id=own, at=value.get("timestamp")))
        else:
            time = read_time(value.get("timestamp"))
            self.messages.note(Said("system", place, (Piece("other", text_of(value.get("type")), extra=to_json(value)),), at=time.micros))
        self.branches.remember(own, self.draft.main.turn)

    def _read_header(self, value: dict[str, Any]) -> None:
        row, title = self.draft.row, value.get("sessionTitle") or value.get("title")
        self._headed = True
        row.title, row.agent_version = text_of(title), text_of(value.get("version"))
        if isinstance(value.get("cwd"), str):
            self.draft.labels["cwd"] = value["cwd"]
        self.draft.extra |= {name: item for name, item in value.items() if name not in _READ_HEADER and item is not None}
        self.branches.root(value["id"])
        self.account.keep()


READER = Reader(format="droid", title="Droid session (Factory)", matches=_matches, keys=_keys, read=_read, places=("~/.factory/sessions",))
