"""The lines of one Kimi wire log, in order -> a conversation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, TurnRow
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import MessageList, Piece, Said
from agentnb.readers.formats.kimi._events import asked_in, milliseconds_in, pieces_in, question_in, result_in, usage_in
from agentnb.readers.formats.kimi._older import Event, OlderLines, is_older

_ENDS = {"completed": "done", "cancelled": "stopped", "failed": "failed", "error": "failed"}


class _Line(NamedTuple):
    """A line, its place and its time."""

    value: dict[str, Any]
    place: int
    at: int | None


class _Allowed(NamedTuple):
    """What a person said about a call that was not met yet."""

    question: Question
    line: _Line


class Session:
    """Reads one wire log."""

    def __init__(self, draft: ConversationDraft, account: Account, thread: Thread | None = None) -> None:
        """Read into a conversation, or into the thread of a sub-agent."""
        self.draft = draft
        self.account = account
        self.thread = thread or draft.main
        self.messages = MessageList(self.thread, account)
        draft.row.agent_name = "kimi"
        self._begun: _Line | None = None
        self._requests: list[dict[str, Any]] = []
        self._compacting: _Line | None = None
        self._prompts: list[str] = []
        self._usage: str | None = None
        self._allowed: dict[str, _Allowed] = {}
        self._turns: dict[str, TurnRow | None] = {}
        self._older = OlderLines()
        self._agents: dict[str, Session] = {}

    def read(self, value: dict[str, Any], place: int) -> None:
        """Read a line."""
        if is_older(value):
            time = read_time(value["timestamp"])
            event = self._older.event_in(value["message"])
            reader = self if event.agent_of is None else self._agent(event, place, time.micros)
            reader._read(event.kind, _Line(event.value, place, time.micros))
            return
        time = read_time(value.get("time", value.get("created_at")))
        self.draft.row.time_zone_assumed |= time.zone_assumed
        kind, event_of_loop = value.get("type"), value.get("event")
        if isinstance(value.get("agentId"), str) and value["agentId"] != "main":
            self.draft.labels["agent"] = value["agentId"]
        if kind == "context.append_loop_event" and isinstance(event_of_loop, dict):
            self._read(f"loop:{event_of_loop.get('type')}", _Line(event_of_loop, place, time.micros))
        else:
            self._read(kind, _Line(value, place, time.micros))

    def finish(self) -> None:
        """Move the conversation into the tables."""
        for agent in self._agents.values():
            agent._end()
        self._end()
        self.draft.finish()

    def _end(self) -> None:
        self._end_begun()
        for allowed in self._allowed.values():
            self._note(allowed.line)
        self.messages.finish()

    def _agent(self, event: Event, place: int, at: int | None) -> Session:
        """Return the reader of a sub-agent, which stands under the call that started it."""
        named = event.agent_of or ""
        if named not in self._agents:
            if self.thread.turn is None:
                self.messages.go_back_to(self.messages.start_turn(str(len(self.draft.turns) + 1), at=at, line=place))
            side = self.draft.start_thread(f"{self.draft.row.conversation_id}/agent-{named}", event.agent_name or "", self.account, at=at, line=place)
            call = next((call for call in reversed(self.thread.calls) if call.kind == "tool" and call.tool_call_id == named), None)
            side.parent = Link(call, self.thread) if call is not None else None
            if call is None:
                message = f"No call is known to have started the sub-agent {named}; it stands under the first turn."
                self.account.diagnose("unlinked_agent", message, line=place, call_id=side.agent_call_id)
            self._agents[named] = Session(self.draft, self.account, side)
        return self._agents[named]

    def _read(self, kind: Any, line: _Line) -> None:
        read = _READS.get(kind) if isinstance(kind, str) else None
        (read or Session._note)(self, line)

    def _note(self, line: _Line) -> None:
        """Keep a line that nobody said; a system prompt in it is a text."""
        prompt = line.value.get("systemPrompt")
        rest = {name: item for name, item in line.value.items() if not (name == "systemPrompt" and isinstance(prompt, str))}
        pieces = (Piece("other", text_of(line.value.get("type")), extra=to_json(rest)),)
        self.messages.note(Said("system", line.place, (Piece("text", prompt), *pieces) if isinstance(prompt, str) else pieces, at=line.at))

    def _read_prompt(self, line: _Line) -> None:
        main = self.thread
        if line.value.get("type") == "turn.prompt":
            self._end_begun()
            if main.turn is not None:
                self.messages.go_back_to(main.turn)
        self._speak(line, line.value.get("input"), line.value.get("origin"))
        self._prompts.append(to_json(line.value.get("input")))

    def _read_message(self, line: _Line) -> None:
        message = line.value.get("message")
        if not isinstance(message, dict):
            self._note(line)
            return
        mark = to_json(message.get("content"))
        if mark in self._prompts:
            self._prompts.remove(mark)
            self.account.merge()
            return
        if message.get("role") == "user":
            self._speak(line, message.get("content"), message.get("origin"))
        else:
            self._note(line)

    def _speak(self, line: _Line, content: Any, origin: Any) -> None:
        kind = origin.get("kind") if isinstance(origin, dict) else "user"
        extra = to_json({"origin": origin}) if kind != "user" else None
        self.messages.read([Said("user", line.place, pieces_in(content), at=line.at, injected=kind != "user", extra=extra)])

    def _begin_step(self, line: _Line) -> None:
        self._end_begun()
        self._begun = line

    def _note_request(self, line: _Line) -> None:
        self.account.keep()
        if line.value.get("kind") == "compaction":
            self._compacting = line
        else:
            self._requests.append(rest_of(line.value, ("type", "time", "agentId")))

    def _end_begun(self) -> None:
        """Say a step of which nothing came: cancelled, or all its requests failed."""
        if self._begun is not None:
            self._reply(self._begun._replace(at=None), (), records=0, error="There is no reply.")

    def _reply(self, line: _Line, pieces: tuple[Piece, ...], *, asked: tuple[Any, ...] = (), records: int = 1, error: str | None = None) -> None:
        """Say a piece of a reply; the first of a step opens it."""
        begun, self._begun = self._begun, None
        said = Said("assistant", line.place, pieces, asked, at=line.at, same_step=True, records=records, error=error)
        if begun is not None:
            requests, self._requests = self._requests, []
            model = text_of(requests[-1].get("model")) if requests else None
            extra = to_json({"requests": requests}) if requests else None
            own_id = text_of(begun.value.get("uuid")) or None
            said = said._replace(same_step=False, records=records + 1, id=own_id, started=begun.at, model=model, extra=extra)
        self.messages.read([said])
        if begun is not None:
            self._turns.setdefault(str(begun.value.get("turnId")), self.thread.turn)

    def _read_part(self, line: _Line) -> None:
        self._reply(line, pieces_in([line.value.get("part")]))

    def _read_call(self, line: _Line) -> None:
        allowed = self._allowed.pop(str(line.value.get("toolCallId")), None)
        asked = asked_in(line.value, allowed.question if allowed else None, allowed.line.value.get("result") if allowed else None)
        self._reply(line, (), asked=(asked,), records=2 if allowed else 1)

    def _read_result(self, line: _Line) -> None:
        self.messages.read([result_in(line.value, line.place, line.at)])

    def _end_step(self, line: _Line) -> None:
        if self._begun is not None:
            self._reply(line, ())
        else:
            self.account.keep()
        step, event = self.messages.step, line.value
        self._usage = to_json(event.get("usage"))
        if step is None:
            return
        for column, count in usage_in(event.get("usage")).items():
            setattr(step, column, count)
        step.finish_reason = text_of(event.get("finishReason")) or step.finish_reason
        took = milliseconds_in(event)
        if took is not None and step.started_at is not None:
            step.seconds, step.ended_at = took / 1e3, step.started_at + took * 1000

    def _read_usage(self, line: _Line) -> None:
        if to_json(line.value.get("usage")) == self._usage:
            self._usage = None
            self.account.merge()
        elif self._compacting is not None and self.thread.turn is not None:
            self.account.keep()
            self._count_compaction(self._compacting, line)
        else:
            self._note(line)
        self._compacting = None

    def _count_compaction(self, request: _Line, line: _Line) -> None:
        """Add the model call that wrote a summary; the turn does not end with it."""
        thread = self.thread
        last = dict(thread.last_step)
        wanted = f"{thread.agent_call_id}/compaction"
        step = thread.step(wanted, text_of(request.value.get("model")) or "", started=request.at, at=line.at, line=request.place)
        thread.last_step = last
        for column, count in usage_in(line.value.get("usage")).items():
            setattr(step, column, count)
        step.extra = to_json({"request": request.value})

    def _read_summary(self, line: _Line) -> None:
        summary = line.value.get("contextSummary", line.value.get("summary"))
        rest = {name: item for name, item in line.value.items() if item is not summary and name != "time"}
        pieces = (Piece("text", summary),) if isinstance(summary, str) else ()
        self.messages.note(Said("system", line.place, pieces, at=line.at, extra=to_json(rest)))

    def _read_approval(self, line: _Line) -> None:
        named = text_of(line.value.get("toolCallId")) or ""
        question = question_in(line.value, line.at, line.place)
        call = next((call for call in reversed(self.thread.calls) if call.tool_call_id == named and call.output is None), None)
        if call is None:
            if named in self._allowed:
                self._note(self._allowed[named].line)
            self._allowed[named] = _Allowed(question, line)
            return
        self.account.keep()
        self._allow(call, question, line)

    def _allow(self, call: CallRow, question: Question, line: _Line) -> None:
        self.draft.ask_person(call, question, self.account)
        if call.extra is None:
            call.extra = to_json({"approval": line.value.get("result")})

    def _cancel(self, line: _Line) -> None:
        self._end_begun()
        turn = self.thread.turn
        if turn is not None:
            turn.state = "stopped"
            self.thread.pass_time(line.at)
        self._note(line)

    def _end_turn(self, line: _Line) -> None:
        self._end_begun()
        turn, reason = self._turns.get(str(line.value.get("turnId"))), line.value.get("reason")
        if turn is not None and turn.state is None and isinstance(reason, str):
            turn.state = _ENDS.get(reason)
        self._note(line)


_READS: dict[str, Callable[[Session, _Line], None]] = {
    "turn.prompt": Session._read_prompt,
    "turn.steer": Session._read_prompt,
    "turn.cancel": Session._cancel,
    "turn.ended": Session._end_turn,
    "context.append_message": Session._read_message,
    "context.apply_compaction": Session._read_summary,
    "llm.request": Session._note_request,
    "loop:step.begin": Session._begin_step,
    "loop:content.part": Session._read_part,
    "loop:tool.call": Session._read_call,
    "loop:tool.result": Session._read_result,
    "loop:step.end": Session._end_step,
    "usage.record": Session._read_usage,
    "permission.record_approval_result": Session._read_approval,
}
