"""Sessions of Claude Managed Agents: events of a session, alone or as an SDK logged the calls that created it, sent to it and streamed from it.

What is sent comes back in the stream with an id and a time, and counts once. A model call is what stands between the start and the end of a request; a
tool that a policy holds back waits for a person, whose answer is an event too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, Micros, Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._prints import canonical
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said, joined
from agentnb.readers.dialects.anthropic import USAGE, usage_in
from agentnb.readers.dialects.anthropic_blocks import piece_in, returned_in

_CALL = "client.beta.sessions."
_KINDS = ("user.", "agent.", "session.", "span.")
_USES = frozenset({"agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"})
_RESULTS = {"agent.tool_result": "tool_use_id", "agent.mcp_tool_result": "mcp_tool_use_id", "user.custom_tool_result": "custom_tool_use_id"}
_READ_USE = frozenset({"id", "type", "processed_at", "name", "input"})
_READ_END = frozenset({"id", "type", "processed_at", "model_usage", "model_request_start_id", "is_error"})
_FAILED = "The request failed."
_READ_SESSION = frozenset({"id", "title", "type", "created_at"})
# What a session is after a stop, by the reason for it.
_STATES = {"end_turn": "done", "requires_action": "waiting", "retries_exhausted": "failed"}
_ANSWERS: dict[Any, Any] = {"allow": "yes", "deny": "no"}


class _Line(NamedTuple):
    """A record: its place, what was called if it is a call, and the event or the object."""

    place: int
    call: str | None
    value: Any
    account: Account


def is_record(value: Any) -> bool:
    """Tell whether a value is an event of a session, or a call of the SDK about one."""
    return _call_of(value) is not None or _is_event(value)


def session_ids(values: Iterable[Any]) -> set[str]:
    """Return the ids of the sessions that records name."""
    told = (_told(value) for value in values if is_record(value))
    return {named for call, value in told if (named := _named_session(call, value)) is not None}


def read_sessions(records: Iterable[tuple[int, Any, Account]], rows: Rows, format: str) -> None:
    """Read records, with their places and accounts, into rows."""
    lines = [_Line(place, *_told(value), account) for place, value, account in records]
    apart = Apart(rows, format)
    sessions: dict[str, _Session] = {}
    echoes = Counter(_print(event) for line in lines for event in _streamed(line))
    current: _Session | None = None
    for line in lines:
        wanted = _named_session(line.call, line.value)
        if current is None or (wanted is not None and wanted != current.wanted):
            wanted = wanted or f"session-{next((text_of(event.get('id')) for event in _streamed(line)), None) or line.place}"
            current = sessions[wanted] = sessions.get(wanted) or _Session(wanted, apart, line, echoes)
        current.read(line)
    for session in sessions.values():
        session.finish()


def _call_of(value: Any) -> str | None:
    named = isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)
    return value[0].removeprefix(_CALL) if named and value[0].startswith(_CALL) else None


def _told(value: Any) -> tuple[str | None, Any]:
    call = _call_of(value)
    return call, value[1] if call is not None else value


def _is_event(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.startswith(_KINDS) and "processed_at" in value


def _named_session(call: str | None, value: Any) -> str | None:
    """Return the session that a record names: the one created, the one that something was sent to."""
    if isinstance(value, list):
        return value[0] if value and isinstance(value[0], str) else None
    named = value.get("id" if call in ("create", "retrieve") else "session_id") if isinstance(value, dict) else None
    return named if isinstance(named, str) and named else None


def _streamed(line: _Line) -> list[dict[str, Any]]:
    """Return the events that the service tells: one of a stream, or a page of them."""
    value = line.value
    if isinstance(value, dict) and line.call is not None and isinstance(value.get("data"), list):
        return [event for event in value["data"] if _is_event(event)]
    return [value] if _is_event(value) else []


def _sent(line: _Line) -> list[dict[str, Any]]:
    body = line.value[1] if isinstance(line.value, list) and len(line.value) > 1 else None
    events = body.get("events") if isinstance(body, dict) else None
    return [event for event in events if isinstance(event, dict) and isinstance(event.get("type"), str)] if isinstance(events, list) else []


def _print(event: dict[str, Any]) -> str:
    """Reduce an event to what stays the same when the stream repeats what was sent."""
    return canonical(to_json({name: value for name, value in event.items() if name not in ("id", "processed_at")}))


class _Session:
    """Reads one session."""

    def __init__(self, wanted: str, apart: Apart, line: _Line, echoes: Counter[str]) -> None:
        self.wanted = wanted
        self.account = line.account
        self.draft: ConversationDraft = apart.start(wanted, line.account, line=line.place)
        self.messages = MessageList(self.draft.main, line.account)
        self.step_open = False
        self.echoes = echoes
        self.seen: set[str] = set()
        self.asking: dict[str, _Waiting] = {}
        self.request: _Request | None = None
        self.notes: list[dict[str, Any]] = []

    def read(self, line: _Line) -> None:
        """Read a record."""
        self.account = self.draft.main.account = self.messages.account = line.account
        if line.call in ("create", "retrieve") and isinstance(line.value, dict):
            self._note_session(line.value)
            line.account.keep()
            return
        new = [event for event in self._events(line) if self._is_new(event)]
        for event in new:
            self._read_event(event, line.place)
        if new:
            line.account.keep()
        elif _streamed(line) or _sent(line):
            line.account.merge()
        else:
            line.account.leave_out("no_event", "It is no event of a session and no call about one; it was left out.", line=line.place, excerpt=line.value)

    def finish(self) -> None:
        """Note the questions nobody answered, and finish the conversation."""
        self._end_request(None, None)
        for waiting in self.asking.values():
            self.draft.ask_person(waiting.call, Question(asked_at=waiting.at, line=waiting.call.source_line), self.account)
        self.messages.finish()
        self._keep_notes()
        self.draft.finish()

    def _events(self, line: _Line) -> Iterator[dict[str, Any]]:
        """Yield the events of a record without those that the stream repeats."""
        yield from _streamed(line)
        for event in _sent(line):
            if self.echoes[_print(event)] > 0:
                self.echoes[_print(event)] -= 1
            else:
                yield event

    def _is_new(self, event: dict[str, Any]) -> bool:
        own_id = event.get("id")
        if not isinstance(own_id, str):
            return True
        known = own_id in self.seen
        self.seen.add(own_id)
        return not known

    def _note_session(self, session: dict[str, Any]) -> None:
        row, agent = self.draft.row, session.get("agent")
        row.title = text_of(session.get("title")) or row.title
        row.started_at = read_time(session.get("created_at")).micros or row.started_at
        if isinstance(agent, dict):
            row.agent_name, row.agent_version = text_of(agent.get("name")), text_of(agent.get("version"))
            model = agent.get("model")
            row.model = text_of(model.get("id") if isinstance(model, dict) else model)
            if isinstance(agent.get("system"), str):
                self._say(Said("system", 1, (Piece("text", agent["system"]),), records=0))
        self.draft.extra |= rest_of(session, _READ_SESSION)

    def _read_event(self, event: dict[str, Any], place: int) -> None:
        kind = event["type"]
        time = read_time(event.get("processed_at"))
        said = Said("user", place, at=time.micros, zone_assumed=time.zone_assumed, records=0)
        if kind == "user.message":
            self._end_request(None, None)
            self._keep_notes()
            self._say(said._replace(pieces=_pieces(event), extra=_unread(event, "content"), id=text_of(event.get("id"))))
        elif kind in _USES:
            self._reply(said._replace(asked=(_asked(event),)))
            self._wait(event, time.micros)
        elif kind in _RESULTS:
            self._answer(event, said, _RESULTS[kind])
        elif kind == "user.tool_confirmation":
            self._confirm(event, place, time.micros)
        elif kind in ("agent.message", "agent.thinking"):
            pieces = _pieces(event) or ((Piece("reasoning"),) if kind == "agent.thinking" else ())
            self._reply(said._replace(pieces=pieces, extra=_unread(event, "content", "id")))
        elif kind == "span.model_request_start":
            self._end_request(None, None)
            self.step_open = False
            self.request = _Request(text_of(event.get("id")), time.micros, place)
        elif kind == "span.model_request_end":
            self._end_request(event, time.micros)
        elif kind.startswith("session.") and "status" in kind:
            self._note_status(event, time.micros)
        else:
            self._note_other(event, said)

    def _say(self, said: Said) -> None:
        """Read a message; any but a note of the session ends the model call that is open."""
        if not said.injected:
            self.step_open = said.role == "assistant"
        self.messages.read([said])

    def _reply(self, said: Said) -> None:
        """Read what belongs to a model call: the one that is open, or a new one."""
        request = self.request
        said = said._replace(role="assistant", model=self.draft.row.model, same_step=self.step_open)
        if request is not None and not request.said:
            said = said._replace(id=request.id, started=request.started)
            request.said = True
        self._say(said)

    def _end_request(self, event: dict[str, Any] | None, at: Micros | None) -> None:
        """End the model call that is open; one that said nothing failed, or said nothing."""
        request, self.request = self.request, None
        failed = event is not None and event.get("is_error") is True
        if request is not None and not request.said and event is not None:
            self.request = request
            self._reply(Said("assistant", request.place, at=at, records=0, error=_FAILED if failed else None))
            self.request = None
        self.step_open = False
        step = self.messages.step
        if event is None or step is None:
            return
        for column, value in usage_in(event.get("model_usage")).items():
            setattr(step, column, value)
        step.ended_at = at or step.ended_at
        if failed and not step.failed:
            step.state, step.failed, step.error = "failed", True, _FAILED
        usage = event.get("model_usage")
        rest = rest_of(event, _READ_END)
        unread = rest_of(usage, USAGE) if isinstance(usage, dict) else {}
        step.extra = joined(step.extra, _object(rest | ({"usage": unread} if unread else {})))

    def _wait(self, event: dict[str, Any], at: Micros | None) -> None:
        """Remember a call that waits for a person."""
        if event.get("evaluated_permission") == "ask":
            call = self.draft.main.calls[-1]
            self.asking[text_of(event.get("id")) or ""] = _Waiting(call, at)

    def _confirm(self, event: dict[str, Any], place: int, at: Micros | None) -> None:
        waiting = self.asking.pop(text_of(event.get("tool_use_id")) or "", None)
        answer = _ANSWERS.get(event.get("result")) if isinstance(event.get("result"), str) else None
        if waiting is None or answer is None:
            self._note_other(event, Said("user", place, at=at, records=0))
            return
        reason = text_of(event.get("deny_message"))
        self.draft.ask_person(waiting.call, Question(None, answer, "user", reason, waiting.at, at, place), self.account)
        self.draft.main.pass_time(at)

    def _answer(self, event: dict[str, Any], said: Said, named: str) -> None:
        told = returned_in({"content": event.get("content"), "is_error": event.get("is_error")})
        extra = told.extra | rest_of(event, (*_READ_USE, named, "content", "is_error"))
        result_of = text_of(event.get(named)) or None
        self._say(
            said._replace(
                role="tool", pieces=told.pieces, result_of=result_of, failed=told.failed, error=told.error, exit_code=told.exit_code, extra=_object(extra)
            )
        )

    def _note_status(self, event: dict[str, Any], at: Micros | None) -> None:
        """Take the state of the turn from the state of the session; a thread of it has a state too, which tells nothing more."""
        self.notes.append(event)
        turn, kind = self.draft.main.turn, event["type"]
        reason = event.get("stop_reason")
        why = text_of(reason.get("type")) if isinstance(reason, dict) else None
        state = "running" if kind == "session.status_running" else _STATES.get(why or "") if kind == "session.status_idle" else None
        if kind == "session.status_terminated":
            state = "failed"
        if turn is not None and state is not None:
            turn.state = state
        self.draft.main.pass_time(at)

    def _note_other(self, event: dict[str, Any], said: Said) -> None:
        turn = self.draft.main.turn
        if event["type"] == "user.interrupt" and turn is not None:
            turn.state = "interrupted"
        self._say(said._replace(role="system", pieces=(Piece("other", event["type"], extra=to_json(event)),), injected=True))

    def _keep_notes(self) -> None:
        """Keep events of the session's state with the turn they belong to; those before the first turn with the conversation."""
        notes, self.notes = self.notes, []
        turn = self.draft.main.turn
        if not notes:
            return
        if turn is None:
            self.draft.extra["events"] = [*self.draft.extra.get("events", ()), *notes]
        else:
            turn.extra = to_json({"events": notes})


class _Request:
    """A model call that has begun."""

    def __init__(self, own_id: str | None, started: Micros | None, place: int) -> None:
        self.id = own_id
        self.started = started
        self.place = place
        self.said = False


class _Waiting(NamedTuple):
    """A call that waits for a person, and since when."""

    call: CallRow
    at: Micros | None


def _pieces(event: dict[str, Any]) -> tuple[Piece, ...]:
    content = event.get("content")
    return tuple(map(piece_in, content)) if isinstance(content, list) else () if content in (None, "") else (piece_in(content),)


def _asked(event: dict[str, Any]) -> Asked:
    rest = rest_of(event, _READ_USE)
    arguments = read_arguments(event.get("input"))
    extra = _object({"type": event["type"], **rest})
    return Asked(text_of(event.get("id")) or None, text_of(event.get("name")) or "", arguments.text, extra, arguments.oddities)


def _unread(event: dict[str, Any], *read: str) -> str | None:
    return _object(rest_of(event, (*read, "id", "type", "processed_at")))


def _object(value: dict[str, Any]) -> str | None:
    return as_extra(value)
