"""The sessions of opencode -> conversations; a session that another one started is a sub-agent of it."""

from __future__ import annotations

import json
from typing import Any

from agentnb.readers._fields import rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, Rows
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import MessageList
from agentnb.readers.formats.opencode._messages import told_of
from agentnb.readers.formats.opencode._store import Record, Store

_READ_SESSION = frozenset({"id", "version", "projectID", "directory", "parentID", "title"})


class _Reading:
    """What is known while the sessions of a group are read."""

    def __init__(self, store: Store, rows: Rows, format: str) -> None:
        self.store = store
        self.rows = rows
        self.format = format
        self.ids = store.session_ids()
        self.read: set[str] = set()
        self.children: dict[str, list[str]] = {}
        for session_id in self.ids:
            parent = self.parent_of(session_id)
            if parent is not None and parent in self.ids and not self._is_above(session_id, parent):
                self.children.setdefault(parent, []).append(session_id)

    def parent_of(self, session_id: str) -> str | None:
        """Return the session that started another."""
        record = self.store.sessions.get(session_id)
        parent = record.value.get("parentID") if record is not None else None
        return parent if isinstance(parent, str) and parent else None

    def _is_above(self, session_id: str, other: str | None) -> bool:
        met: set[str] = set()
        while other is not None and other not in met:
            if other == session_id:
                return True
            met.add(other)
            other = self.parent_of(other)
        return False


def write_sessions(store: Store, rows: Rows, format: str) -> None:
    """Write the sessions of a group into the tables, and keep the parts that have no message."""
    reading = _Reading(store, rows, format)
    started = {child for children in reading.children.values() for child in children}
    for session_id in reading.ids:
        if session_id not in started:
            _write_conversation(session_id, reading)
    known = {message.value["id"] for messages in store.messages.values() for message in messages}
    for message_id, parts in store.parts.items():
        if message_id not in known:
            for part in parts:
                part.account.leave_out(
                    "part_without_message", f"The message {message_id} of this part is not among the files.", line=part.place, excerpt=part.value
                )


def _write_conversation(session_id: str, reading: _Reading) -> None:
    session = reading.store.sessions.get(session_id)
    first = session or reading.store.messages[session_id][0]
    draft = ConversationDraft(reading.rows, first.account, session_id, reading.format)
    draft.row.agent_name = "opencode"
    draft.row.parent_conversation_id = reading.parent_of(session_id)
    if session is not None:
        _describe(draft, session)
    waiting: list[tuple[str, Thread]] = [(session_id, draft.main)]
    while waiting:
        own_id, thread = waiting.pop()
        _read_messages(own_id, thread, reading)
        waiting.extend((child, _start_agent(child, thread, reading)) for child in reversed(reading.children.get(own_id, [])))
    draft.finish()


def _describe(draft: ConversationDraft, session: Record) -> None:
    value, row = session.value, draft.row
    row.title, row.agent_version = text_of(value.get("title")), text_of(value.get("version"))
    draft.labels["cwd"] = value["directory"]
    if isinstance(value.get("projectID"), str):
        draft.labels["project"] = value["projectID"]
    draft.extra |= rest_of(value, _READ_SESSION)
    session.account.keep()


def _read_messages(session_id: str, thread: Thread, reading: _Reading) -> None:
    messages: MessageList | None = None
    for record in reading.store.messages_of(session_id):
        messages = messages or MessageList(thread, record.account)
        parts = reading.store.parts.get(record.value["id"], [])
        first = len(thread.calls)
        for said, account in told_of(record, parts):
            messages.account = thread.account = account
            messages.read([said])
        _place(thread, thread.calls[first:], record)
        for one in (record, *parts):
            one.account.keep(one.records)
        _note_end(record, thread)
    if messages is not None:
        messages.finish()


def _place(thread: Thread, calls: list[CallRow], record: Record) -> None:
    """Let turns and model calls stand where their message does: what was said, and the tools, stand in files of their own."""
    source_id = record.account.row.source_id
    for call in calls:
        if call.kind != "tool":
            call.source_id, call.source_line = source_id, record.place
        if call.kind == "agent" and thread.turn is not None:
            thread.turn.source_id, thread.turn.source_line = source_id, record.place


def _note_end(record: Record, thread: Thread) -> None:
    """A reply that the person aborted stops the turn, unless the agent goes on."""
    if record.value["role"] != "assistant" or thread.turn is None or thread.agent_call is not None:
        return
    error = record.value.get("error")
    thread.turn.state = "stopped" if isinstance(error, dict) and error.get("name") == "MessageAbortedError" else None


def _start_agent(session_id: str, above: Thread, reading: _Reading) -> Thread:
    """Start the thread of a sub-agent under the call that started it, which names its session or holds its prompt."""
    session = reading.store.sessions[session_id]
    draft = above.draft
    messages = reading.store.messages_of(session_id)
    name = next((agent for record in messages if isinstance(agent := record.value.get("agent") or record.value.get("mode"), str)), "")
    thread = draft.start_thread(session_id, name, session.account, at=session.time("created"), line=session.place)
    thread.new_message()
    thread.say("system", "other", "session", session.time("created"), session.place, injected=True).extra = to_json(session.value)
    session.account.keep()
    call = _starter(session_id, above, reading)
    if call is not None:
        thread.parent = Link(call, above)
    else:
        message = f"No call is known to have started the session {session_id}; it stands under the first turn."
        session.account.diagnose("unlinked_agent", message, conversation_id=draft.row.conversation_id, call_id=thread.agent_call_id)
    return thread


def _starter(session_id: str, above: Thread, reading: _Reading) -> CallRow | None:
    prompts = [part.value.get("text") for record in reading.store.messages_of(session_id)[:1] for part in reading.store.parts.get(record.value["id"], [])]
    tasks = [call for call in above.calls if call.kind == "tool"]
    named = next((call for call in tasks if session_id in _named_sessions(call)), None)
    return named or next((call for call in tasks if (prompt := _object(call.input).get("prompt")) is not None and prompt in prompts), None)


def _named_sessions(call: CallRow) -> list[Any]:
    metadata = _object(call.extra).get("metadata")
    return [metadata.get("sessionId"), metadata.get("sessionID")] if isinstance(metadata, dict) else []


def _object(text: str | bytes | None) -> dict[str, Any]:
    value = json.loads(text) if text else None
    return value if isinstance(value, dict) else {}
