"""Sessions of Factory's Droid: a header, then messages of Anthropic Messages that name the one they follow; what the tool notes stands between them.

When it runs without a screen it prints events instead: words, thoughts, tool calls and results each by themselves (`_Run`), and usage once, which stands
with the last model call. A record is a line. The recorded files at hand are small; what they do not hold follows the documentation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agentnb.readers._fields import count_in, counts_in, extra_of, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_objects
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.branches import Branches
from agentnb.readers.builders.item_stream import ItemStream
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.anthropic import is_message
from agentnb.readers.dialects.anthropic_lines import said_of_line

_READ_LINE = frozenset({"type", "id", "parentId", "timestamp"})
_READ_HEADER = frozenset({"type", "id", "title", "sessionTitle", "cwd", "version"})
_READ_EVENT = frozenset({"type", "id", "role", "text", "timestamp", "session_id", "sessionId", "messageId"})
_READ_CALL = _READ_EVENT | {"toolId", "toolName", "parameters", "isError", "value"}
_REMINDER = re.compile(r"\s*(?:<system-reminder>.*?</system-reminder>\s*)+", re.DOTALL)
_USAGE = {"output_tokens": "output_tokens", "cache_read_input_tokens": "cached_tokens", "cache_creation_input_tokens": "cache_write_tokens"}
_SENT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def _matches(sample: Sample) -> bool:
    if sample.shape != "lines":
        return False
    return any(_is_header(value) or (_is_own_message(value) and "parentId" in value) for value in sample.values) or _is_run(sample)


def _is_run(sample: Sample) -> bool:
    return sample.shape == "lines" and any(map(_is_event, sample.values))


def _is_event(value: Any) -> bool:
    """Tell an event that no other tool prints."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    if kind in ("tool_call", "tool_result"):
        return isinstance(value.get("toolId"), str) and ("parameters" in value or "isError" in value)
    if kind == "completion":
        return isinstance(value.get("finalText"), str)
    return kind == "message" and value.get("role") in ("user", "assistant") and isinstance(value.get("text"), str) and "session_id" in value


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session_start" and isinstance(value.get("id"), str)


def _is_own_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "message" and "sessionId" not in value and is_message(value.get("message"))


def _keys(sample: Sample) -> set[str]:
    return {_conversation_id(sample)}


def _conversation_id(sample: Sample) -> str:
    if _is_run(sample):
        named = (value.get("session_id") or value.get("sessionId") for value in sample.values if isinstance(value, dict))
        if (session := next((name for name in named if isinstance(name, str)), None)) is not None:
            return session
    header = next((value for value in sample.values if _is_header(value)), None)
    if header is not None and header["id"]:
        return str(header["id"])
    first = next((value for value in sample.values if _is_own_message(value) or _is_event(value)), None)
    return f"droid-{digest_of(['droid', first])}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        draft = apart.start(_conversation_id(file.sample), file.account)
        session: _Session | _Run = _Run(draft, file) if _is_run(file.sample) else _Session(draft, file)
        for place, value in read_objects(file, on_bytes):
            session.read(value, place)
        session.messages.finish()
        draft.finish()


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
            self.messages.read(_apart_from_reminders(said_of_line(value, place, _READ_LINE, own_id=own, at=value.get("timestamp"))))
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
        self.draft.extra |= rest_of(value, _READ_HEADER)
        self.branches.root(value["id"])
        self.account.keep()


def _apart_from_reminders(messages: list[Said]) -> list[Said]:
    """Tell what the tool put in front of a person's words from the words themselves."""
    found: list[Said] = []
    for said in messages:
        reminders: list[Piece] = []
        words: list[Piece] = []
        for piece in said.pieces:
            begins = _REMINDER.match(piece.text or "") if said.role == "user" and piece.type == "text" else None
            reminders += [piece._replace(text=begins[0].strip())] if begins is not None else []
            rest = (piece.text or "")[begins.end() :] if begins is not None else ""
            words += [piece if begins is None else piece._replace(text=rest)] if begins is None or rest else []
        beside = said._replace(pieces=tuple(reminders), injected=True)
        if not reminders:
            found.append(said)
        elif not words:
            found.append(beside)
        else:
            found += [said._replace(pieces=tuple(words)), beside._replace(records=0, extra=None, id=None)]
    return found


class _Run:
    """Reads the events that one run printed."""

    def __init__(self, draft: ConversationDraft, file: OpenFile) -> None:
        self.draft = draft
        self.account = file.account
        draft.row.agent_name = "droid"
        self.messages = ItemStream(draft.main, file.account)
        self._met: set[tuple[str, str]] = set()
        self._model: str | None = None

    def read(self, value: dict[str, Any], place: int) -> None:
        """Read an event; one that is printed again is the same."""
        kind, own_id, time = text_of(value.get("type")) or "", value.get("id"), read_time(value.get("timestamp"))
        if isinstance(own_id, str) and (kind, own_id) in self._met:
            self.account.merge()
            return
        if isinstance(own_id, str):
            self._met.add((kind, own_id))
        base = Said("assistant", place, at=time.micros, zone_assumed=time.zone_assumed, model=self._model, extra=extra_of(value, _READ_EVENT))
        text = text_of(value.get("text"))
        if kind == "message" and value.get("role") == "user":
            said = base._replace(role="user", pieces=(Piece("text", text),), id=text_of(own_id))
            for part in _apart_from_reminders([said]):
                self.messages.say(part)
        elif kind in ("message", "reasoning"):
            self.messages.say(base._replace(pieces=(Piece("text" if kind == "message" else "reasoning", text),)))
        elif kind == "tool_call":
            arguments = read_arguments(value.get("parameters"))
            name = text_of(value.get("toolName") or value.get("toolId")) or ""
            asked = Asked(text_of(own_id), name, arguments.text, extra_of(value, _READ_CALL), arguments.oddities)
            self.messages.say(base._replace(asked=(asked,), extra=None))
        elif kind == "tool_result":
            self.messages.say(_result(value, base))
        else:
            self._note(kind, value, base)

    def _note(self, kind: str, value: dict[str, Any], base: Said) -> None:
        """Read how the run began or ended, or what else was noted."""
        if kind == "system":
            self._model = text_of(value.get("model")) or self._model
            if isinstance(value.get("cwd"), str):
                self.draft.labels["cwd"] = value["cwd"]
        if kind == "completion":
            self.messages.end_step(usage=_usage_in(value.get("usage")))
            self.draft.ended = True
        piece = Piece("other", " ".join(word for word in (kind, value.get("subtype")) if isinstance(word, str)), extra=to_json(value))
        self.messages.add(base._replace(role="system", pieces=(piece,), injected=True, extra=None))
        turn = self.draft.main.turn
        if turn is not None and (kind == "error" or value.get("is_error") is True):
            turn.state = "failed"


def _result(value: dict[str, Any], base: Said) -> Said:
    told = value.get("value", value.get("error"))
    text = text_of(told.get("message") or to_json(told)) if isinstance(told, dict) else text_of(told)
    failed = value["isError"] if isinstance(value.get("isError"), bool) else None
    error = first_line(text or "") or None if failed else None
    pieces = (Piece("text", text),) if text is not None else ()
    rest = extra_of(value, _READ_CALL)
    return base._replace(role="tool", pieces=pieces, result_of=text_of(value.get("id")), failed=failed, error=error, extra=rest, model=None)


def _usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call; what was cached is counted beside the other input."""
    if not isinstance(usage, dict):
        return {}
    found = counts_in(usage, _USAGE)
    sent = [count for name in _SENT if (count := count_in(usage.get(name))) is not None]
    return found | ({"input_tokens": sum(sent)} if sent else {})


READER = Reader(format="droid", title="Droid session (Factory; stored, stream-json)", matches=_matches, keys=_keys, read=_read, places=("~/.factory/sessions",))
