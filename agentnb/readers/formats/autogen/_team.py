"""The log of a team of agents: who said what to whom, what a terminal printed, and which agent made the mistake that decided the outcome."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, object_of, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said

_LABELS = ("mistake_agent", "mistake_step", "mistake_reason", "is_correct", "is_corrected", "level", "question_ID")
_READ_LOG = frozenset({"history", "question", *_LABELS})
_PEOPLE = frozenset({"human", "user_proxy", "userproxy"})
_SPEAKER = re.compile(r"\s*(?P<name>[^()]*?)\s*(?:\((?P<aside>.*)\)\s*)?$", re.DOTALL)
_EXIT = re.compile(r"\s*exitcode: (-?\d{1,9})\b")
_CODE = re.compile(r"^```(\w*)[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


class _Message(NamedTuple):
    """A message of the log, with its place from 1."""

    place: int
    value: dict[str, Any]
    speaker: str
    aside: str
    """What stands in brackets after the speaker: `thought`, or `-> ` and to whom."""
    text: str


def is_team_log(value: Any) -> bool:
    """Tell whether a value is the log of a team."""
    return isinstance(value, dict) and isinstance(value.get("history"), list) and "question" in value and ("mistake_agent" in value or "mistake_step" in value)


def name_of_team_log(log: dict[str, Any]) -> str:
    """Name the conversation of a log: by its question's id, and by how it begins, since several teams answer one question."""
    digest = digest_of(["autogen", log.get("question"), log["history"][:1]])
    own_id = text_of(log.get("question_ID"))
    return f"{own_id}-{digest}" if own_id else f"team-{digest}"


class TeamLog:
    """Reads the log of a team as one conversation."""

    def __init__(self, log: dict[str, Any], account: Account, apart: Apart, place: int) -> None:
        """Start the conversation of a log that stands at a place of its file."""
        self.log = log
        self.account = account
        self.draft = apart.start(name_of_team_log(log), account, line=place)

    def read(self) -> None:
        """Read the messages into the tables."""
        draft, log = self.draft, self.log
        draft.labels |= {name: log[name] for name in _LABELS if log.get(name) is not None}
        draft.extra |= rest_of(log, _READ_LOG)
        reader = MessageList(draft.main, self.account)
        messages = list(self._messages())
        question = text_of(log.get("question"))
        if question and (not messages or messages[0].text.strip() != question.strip() or not _is_person(messages[0])):
            reader.read([Said("user", 1, (Piece("text", question),), records=0)])
        for message, following in zip(messages, [*messages[1:], None], strict=True):
            reader.read([self._said(message, following)])
        reader.finish()
        draft.finish()

    def _messages(self) -> Iterator[_Message]:
        for place, value in enumerate(self.log["history"], 1):
            if not isinstance(value, dict):
                self.account.leave_out("no_message", "It stands among messages and is no object; it was left out.", line=place, excerpt=value)
                continue
            named = _SPEAKER.match(text_of(value.get("name")) or text_of(value.get("role")) or "")
            speaker, aside = (named["name"] or "", named["aside"] or "") if named else ("", "")
            yield _Message(place, value, speaker, aside, text_of(value.get("content")) or "")

    def _said(self, message: _Message, following: _Message | None) -> Said:
        exit_code = _EXIT.match(message.text)
        rest = rest_of(message.value, ("content", "role", "name"))
        if exit_code is not None:
            asked = any(call.state is None for call in self.draft.main.calls if call.kind == "tool")
            pieces = (Piece("text", message.text),)
            return Said("tool", message.place, pieces, loose=not asked, exit_code=int(exit_code[1]), extra=as_extra(rest))
        if _is_person(message):
            return Said("user", message.place, (Piece("text", message.text),), extra=as_extra(rest))
        if message.aside.startswith("->"):
            rest["to"] = message.aside.removeprefix("->").strip()
        if str(self.log.get("mistake_step")) == str(message.place - 1):
            rest["mistake"] = text_of(self.log.get("mistake_reason"))
        piece = Piece("reasoning" if message.aside == "thought" else "text", message.text)
        return Said("assistant", message.place, (piece,), _programs(message, following), extra=object_of({"agent": message.speaker} | rest))


def _is_person(message: _Message) -> bool:
    return message.speaker.lower() in _PEOPLE


def _programs(message: _Message, following: _Message | None) -> tuple[Asked, ...]:
    """Return the code that a terminal ran, as its answer right after the message shows."""
    if following is None or not _EXIT.match(following.text):
        return ()
    programs = _CODE.findall(message.text)
    code = {"language": programs[0][0] or None, "code": "\n\n".join(program for _, program in programs)} if programs else {"message": message.text}
    return (Asked(None, following.speaker, to_json(code)),)
