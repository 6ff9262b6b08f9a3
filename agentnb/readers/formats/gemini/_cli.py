"""Sessions of Gemini CLI: one document, or lines that are added while the session runs.

A line may be a message that was written before and knows more now, so the last one of an id is read at the place of the first. Messages that a person
took back stay, as a branch that goes no further. A call and its result stand in the message of the model, with what became of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, extra_of, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._rows import CallRow, Rows, TurnRow
from agentnb.readers._times import read_time
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said, joined
from agentnb.readers.dialects.gemini import is_injected, said_of_content, usage_in
from agentnb.readers.dialects.gemini_parts import field, pieces_in

_TYPES = frozenset({"user", "gemini", "model", "info", "error", "warning"})
_READ_MESSAGE = frozenset({"id", "timestamp", "type", "content", "parts", "thoughts", "tokens", "toolCalls", "model"})
_CONTENTS = frozenset(("content", "parts", "toolCalls"))
_READ_CALL = frozenset({"id", "name", "args", "result", "timestamp"})
_READ_SESSION = frozenset({"sessionId", "projectHash", "messages", "summary", "startTime", "lastUpdated"})
_TOKENS = {"input": "prompt", "output": "candidates", "cached": "cachedContent", "thoughts": "thoughts", "tool": "toolUsePrompt", "total": "total"}
_UNSETTLED = frozenset({"validating", "scheduled", "executing"})
_REFUSALS = ("did not allow", "not allowed by the user", "declined", "rejected by")


class _Item(NamedTuple):
    """A message where it was first met, or a step back to before one."""

    place: int
    own_id: str | None
    records: int
    rewinds: bool = False


class _Session:
    """What the files of a session hold."""

    def __init__(self, own_id: str, account: Account) -> None:
        self.own_id = own_id
        self.account = account
        self.fields: dict[str, Any] = {}
        self.items: list[tuple[_Item, Account]] = []
        self.latest: dict[str, dict[str, Any]] = {}
        self.nameless = 0

    def take(self, message: dict[str, Any], place: int, account: Account, *, records: int) -> bool:
        """Take a message, or what is new of one; tell whether it was not met before."""
        own_id = message.get("id")
        if not isinstance(own_id, str):
            self.nameless += 1
            own_id = f"\0{self.nameless}"
        known = own_id in self.latest
        self.latest[own_id] = message
        if not known:
            self.items.append((_Item(place, own_id, records), account))
        return not known

    def agents(self) -> Iterator[str]:
        """Yield the ids of the sessions of its sub-agents."""
        for message in self.latest.values():
            yield from _agents_of(message)


def is_message(value: Any) -> bool:
    """Tell whether a value is a message of a session."""
    return isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] in _TYPES and not _CONTENTS.isdisjoint(value)


def is_session(sample: Sample) -> bool:
    """Tell whether a file is a session: its header names the project, and what follows are messages or changes of the header."""
    if sample.shape == "document":
        return _is_header(sample.document) and (isinstance(sample.document.get("messages"), list) or "kind" in sample.document)
    if sample.shape != "lines":
        return False
    first = sample.values[0] if sample.values else None
    known = sum(_is_change(value) or (is_message(value) and "message" not in value and "sessionId" not in value) for value in sample.values)
    return (_is_header(first) and known * 2 >= len(sample.values) - 1) or any(map(_is_change, sample.values))


def session_keys(sample: Sample) -> set[str]:
    """Return the id of the session, and those of the sub-agents that it names."""
    values = (sample.document,) if sample.shape == "document" else (*sample.values, *sample.last_values)
    messages = [message for value in values if isinstance(value, dict) for message in (value, *_listed(value), *_listed(value.get("$set")))]
    own = {value["sessionId"] for value in values if isinstance(value, dict) and isinstance(value.get("sessionId"), str)}
    return own | {agent for message in messages for agent in _agents_of(message)}


def read_sessions(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes, format: str) -> None:
    """Read the files of a group into rows: sessions, with those of sub-agents in the session that started them."""
    sessions: dict[str, _Session] = {}
    for file in files:
        _load(file, sessions, on_bytes)
    children = {agent for session in sessions.values() for agent in session.agents() if agent in sessions and agent != session.own_id}
    apart = Apart(rows, format)
    begun: set[str] = set()
    # Two that name each other have nobody above them: the first of them is read for itself.
    for own_id in (*(own_id for own_id in sessions if own_id not in children), *sessions):
        if own_id not in begun:
            _read_session(sessions[own_id], sessions, apart, begun)


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("sessionId"), str) and isinstance(value.get("projectHash"), str) and "type" not in value


def _is_change(value: Any) -> bool:
    return isinstance(value, dict) and (isinstance(value.get("$set"), dict) or isinstance(value.get("$rewindTo"), str))


def _agents_of(message: Any) -> Iterator[str]:
    calls = message.get("toolCalls") if isinstance(message, dict) else None
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(call.get("agentId"), str):
            yield call["agentId"]


def _listed(value: Any) -> list[Any]:
    messages = value.get("messages") if isinstance(value, dict) else None
    return messages if isinstance(messages, list) else []


def _load(file: OpenFile, sessions: dict[str, _Session], on_bytes: OnBytes) -> None:
    account = file.account
    current: _Session | None = None
    for place, value in read_values(file, on_bytes):
        if file.sample.shape == "document":
            current = _begin(value, account, sessions)
            for number, message in enumerate(_listed(value), 1):
                _take(message, number, account, current)
        elif _is_header(value):
            current = _begin(value, account, sessions)
            account.keep()
            _take_all(_listed(value), place, account, current)
        else:
            current = current or _begin({"sessionId": _name_of(value)}, account, sessions)
            _take_line(value, place, account, current)


def _name_of(first: Any) -> str:
    """Name a session without its header by how it begins."""
    return f"gemini-{digest_of(['gemini', first])}"


def _begin(header: dict[str, Any], account: Account, sessions: dict[str, _Session]) -> _Session:
    own_id = str(header["sessionId"])
    session = sessions.setdefault(own_id, _Session(own_id, account))
    session.fields |= rest_of(header, ("messages", "sessionId"))
    return session


def _take_line(value: Any, place: int, account: Account, session: _Session) -> None:
    if not _is_change(value):
        _take(value, place, account, session)
        return
    change = value.get("$set")
    if isinstance(change, dict):
        fields = {name: item for name, item in change.items() if name != "messages" and item is not None}
        session.fields |= fields
        new = _take_all(_listed(change), place, account, session)
        (account.keep if new or fields or not change else account.merge)()
        return
    session.items.append((_Item(place, value["$rewindTo"], 1, rewinds=True), account))


def _take(message: Any, place: int, account: Account, session: _Session) -> None:
    if not is_message(message):
        account.leave_out("no_message", "It is no message of a session; it was left out.", line=place, excerpt=message)
    elif not session.take(message, place, account, records=1):
        account.merge()


def _take_all(messages: Iterable[Any], place: int, account: Account, session: _Session) -> bool:
    """Take the messages of a line that lists them; tell whether one of them is new."""
    return any([session.take(message, place, account, records=0) for message in messages if is_message(message)])


def _read_session(session: _Session, sessions: dict[str, _Session], apart: Apart, begun: set[str]) -> None:
    draft = apart.start(session.own_id, session.account)
    row, fields = draft.row, session.fields
    row.agent_name, row.title = "gemini-cli", text_of(fields.get("summary"))
    row.started_at, row.ended_at = read_time(fields.get("startTime")).micros, read_time(fields.get("lastUpdated")).micros
    if isinstance(fields.get("projectHash"), str):
        draft.labels["project"] = fields["projectHash"]
    draft.extra |= {name: value for name, value in fields.items() if name not in _READ_SESSION}
    _Reading(session, sessions, draft, begun).read(draft.main)
    draft.finish()


class _Reading:
    """Reads a session and its sub-agents into one conversation."""

    def __init__(self, session: _Session, sessions: dict[str, _Session], draft: ConversationDraft, begun: set[str]) -> None:
        self.session = session
        self.sessions = sessions
        self.draft = draft
        self.begun = begun
        self.turns: dict[str, TurnRow | None] = {}

    def read(self, thread: Thread) -> None:
        """Read the messages into a thread."""
        self.begun.add(self.session.own_id)
        reader = MessageList(thread, self.session.account)
        for item, account in self.session.items:
            thread.account = reader.account = account
            if item.rewinds:
                self._rewind(item, reader, account)
                continue
            message = self.session.latest[item.own_id or ""]
            before, first = thread.turn, len(thread.calls)
            reader.read(_said(message, item))
            # A message that a person took back may have begun a turn: then the one before is where it goes on.
            self.turns[item.own_id or ""] = thread.turn if before is thread.turn else before
            self._read_agents(message, thread, thread.calls[first:])
        reader.finish()

    def _rewind(self, item: _Item, reader: MessageList, account: Account) -> None:
        account.keep()
        if reader.is_main:
            reader.go_back_to(self.turns.get(item.own_id or ""))

    def _read_agents(self, message: dict[str, Any], thread: Thread, calls: list[CallRow]) -> None:
        made = {call.tool_call_id: call for call in calls if call.kind == "tool"}
        for call in message["toolCalls"] if isinstance(message.get("toolCalls"), list) else ():
            agent = call.get("agentId") if isinstance(call, dict) else None
            child = self.sessions.get(agent) if isinstance(agent, str) else None
            starter = made.get(text_of(call.get("id"))) if isinstance(call, dict) else None
            if child is None or starter is None or child.own_id in self.begun:
                continue
            at = read_time(child.fields.get("startTime")).micros
            side = self.draft.start_thread(f"{self.draft.row.conversation_id}/{child.own_id}", starter.name, child.account, at=at, line=1)
            side.parent = Link(starter, thread)
            _Reading(child, self.sessions, self.draft, self.begun).read(side)


def _said(message: dict[str, Any], item: _Item) -> list[Said]:
    time = read_time(message.get("timestamp"))
    rest = rest_of(message, _READ_MESSAGE)
    own_id = text_of(message.get("id"))
    said = Said("user", item.place, at=time.micros, zone_assumed=time.zone_assumed, extra=as_extra(rest), id=own_id, records=item.records)
    kind = message["type"]
    if kind in ("gemini", "model"):
        return _said_reply(message, said)
    pieces = pieces_in(message.get("content", message.get("parts")))
    text = "".join(piece.text or "" for piece in pieces if piece.type == "text")
    if kind == "user":
        return [said._replace(pieces=pieces, injected=is_injected(text))]
    if kind == "error" and text.startswith("[API Error"):
        return [said._replace(role="assistant", error=first_line(text), extra=to_json({**rest, "text": text}))]
    return [said._replace(role="system", injected=True, pieces=pieces, extra=to_json({"type": kind, **rest}))]


def _said_reply(message: dict[str, Any], said: Said) -> list[Said]:
    """Say a message of the model: thoughts, words, calls, and the result of each call."""
    thoughts = message.get("thoughts")
    thought = [_thought(value) for value in thoughts] if isinstance(thoughts, list) else []
    content = message.get("content", message.get("parts"))
    words = pieces_in(content) if content != "" else ()
    listed = message.get("toolCalls")
    calls = [call for call in listed if isinstance(call, dict)] if isinstance(listed, list) else []
    tokens = message.get("tokens")
    usage = {f"{_TOKENS[name]}TokenCount": value for name, value in tokens.items() if name in _TOKENS} if isinstance(tokens, dict) else {}
    reply = said._replace(
        role="assistant", pieces=(*thought, *words), asked=tuple(map(_asked, calls)), model=text_of(message.get("model")), usage=usage_in(usage)
    )
    return [reply, *(result for call in calls for result in _results(call, said))]


def _thought(thought: Any) -> Piece:
    if not isinstance(thought, dict):
        return Piece("reasoning", text_of(thought))
    words = [thought[name] for name in ("subject", "description") if isinstance(thought.get(name), str) and thought[name]]
    return Piece("reasoning", "\n\n".join(words), extra=extra_of(thought, ("subject", "description")))


def _asked(call: dict[str, Any]) -> Asked:
    arguments = read_arguments(call.get("args"))
    status = call.get("status")
    refused = status == "cancelled" and any(words in to_json(call.get("result")).lower() for words in _REFUSALS)
    question = Question(answer="no", answered_by="user") if refused else Question() if status == "awaiting_approval" else None
    state = "running" if isinstance(status, str) and status in _UNSETTLED and not call.get("result") else None
    name, call_id = text_of(call.get("name")) or "", text_of(call.get("id")) or None
    return Asked(call_id, name, arguments.text, extra_of(call, _READ_CALL), arguments.oddities, state, question)


def _results(call: dict[str, Any], reply: Said) -> list[Said]:
    """Say what became of a call: its result, and whether that is an error; a call that still runs or waits has none."""
    result, status = call.get("result"), call.get("status")
    settled = status in ("success", "error", "cancelled")
    if not result and not settled:
        return []
    time = read_time(call.get("timestamp"))
    parts = result if isinstance(result, list) else [] if result is None else [result]
    told = [said for said in said_of_content({"role": "user", "parts": parts}, reply.place) if said.role == "tool"] if parts else []
    first = told[0] if told else Said("tool", reply.place, pieces_in(parts))
    beside = tuple(piece for said in told[1:] for piece in said.pieces)
    if told and len(parts) > len(told):
        beside += tuple(piece for part in parts if not _is_response(part) for piece in pieces_in([part]))
    shown = call.get("resultDisplay")
    error = first.error or (first_line(shown) if isinstance(shown, str) and status == "error" else None)
    failed = True if status in ("error", "cancelled") or first.failed else False if status == "success" else first.failed
    extra = None
    for said in told:
        extra = text_of(joined(extra, said.extra))
    return [
        first._replace(
            pieces=(*first.pieces, *beside),
            result_of=text_of(call.get("id")) or None,
            result_name=text_of(call.get("name")),
            error=(error or text_of(status)) if failed else None,
            failed=failed,
            at=time.micros or reply.at,
            zone_assumed=time.zone_assumed,
            extra=extra,
            records=0,
        )
    ]


def _is_response(part: Any) -> bool:
    return isinstance(field(part, "functionResponse"), dict)
