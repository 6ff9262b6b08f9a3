"""The events of one session -> turns, steps and calls.

What the model wrote is `assistant.message`; a tool call is told again when it starts and ends. Events that name a `parentToolCallId` are a sub-agent's,
inside the call that started it. What tells something about the session and not of what was said stands in parts of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, count_in, counts_in, extra_of, object_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile
from agentnb.readers._rows import CallRow
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.item_stream import ItemStream
from agentnb.readers.builders.message_list import Piece, Said, joined
from agentnb.readers.formats.copilot_cli._tools import Event, asked_in, result_in, started_in
from agentnb.readers.formats.copilot_cli._verdicts import NOT_ALLOWED

_USAGE = {
    "inputTokens": "input_tokens",
    "outputTokens": "output_tokens",
    "cacheReadTokens": "cached_tokens",
    "cacheWriteTokens": "cache_write_tokens",
    "reasoningTokens": "reasoning_tokens",
}
_READ_MESSAGE = frozenset({"content", "toolRequests", "reasoningText", "messageId", "model", "outputTokens", "parentToolCallId"})
_READ_USER = frozenset({"content", "parentToolCallId", "attachments", "transformedContent"})
_STREAMED = frozenset(
    {"assistant.message_delta", "assistant.reasoning_delta", "assistant.streaming_delta", "tool.execution_partial_result", "tool.execution_progress"}
)


class _Agent:
    """The events of one agent: the session's own, or a sub-agent."""

    def __init__(self, thread: Thread, account: Account) -> None:
        self.thread = thread
        self.stream = ItemStream(thread, account)
        self.reasoned = ""
        self.message: str | None = None


def read_session(files: Sequence[OpenFile], apart: Apart, wanted: str, on_bytes: OnBytes) -> None:
    """Read the files of a session."""
    draft = apart.start(wanted, files[0].account)
    draft.row.agent_name = "copilot"
    session = _Session(draft, files[0].account)
    for file in files:
        session.move_to(file.account)
        for place, value in read_values(file, on_bytes):
            session.read(value, place)
    session.finish()


class _Session:
    def __init__(self, draft: ConversationDraft, account: Account) -> None:
        self._draft = draft
        self._account = account
        self._agents: dict[str, _Agent] = {"": _Agent(draft.main, account)}
        self._calls: dict[str, tuple[CallRow, Thread]] = {}
        self._started: set[str | None] = set()
        self._model: str | None = None
        self._questions: dict[str, tuple[str, Question]] = {}
        self._seen: set[str] = set()
        self._commands: dict[str, Event] = {}

    def move_to(self, account: Account) -> None:
        """Read on in another file of the session."""
        self._account = account
        for agent in self._agents.values():
            agent.thread.account = account
            agent.stream.move_to(account)

    def read(self, value: Any, place: int) -> None:
        """Read one event."""
        data, kind = (value.get("data"), value.get("type")) if isinstance(value, dict) else (None, None)
        if not isinstance(data, dict) or not isinstance(kind, str):
            self._account.leave_out("no_event", "It is no event of a session: no object, or without type and data; it was left out.", line=place, excerpt=value)
            return
        time = read_time(value.get("timestamp"))
        self._draft.row.time_zone_assumed |= time.zone_assumed
        event = Event(place, kind, data, time.micros, text_of(value.get("id")))
        if kind in _STREAMED:
            self._account.skip("streamed_piece")
        else:
            _READ.get(kind, _Session._note)(self, event)

    def finish(self) -> None:
        """Put the questions to their calls, and finish the conversation."""
        for command in self._commands.values():
            self._run(command, Said("tool", command.place, at=command.at, records=0))
        for call_id, question in self._questions.values():
            known = self._calls.get(call_id)
            if known is not None:
                answer = question.answer or ("yes" if known[0].state in ("done", "failed") else None)
                self._draft.ask_person(known[0], question._replace(answer=answer), self._account)
        for agent in self._agents.values():
            agent.stream.finish()
        self._draft.finish()

    def _agent(self, event: Event) -> _Agent:
        """Return the agent that an event is of, which is a sub-agent when it names the call that started it."""
        parent = text_of(event.data.get("parentToolCallId")) or ""
        if parent not in self._agents:
            if parent not in self._calls:
                return self._agents[""]
            self._start_agent(parent, text_of(event.data.get("agentName")) or "", event)
        return self._agents[parent]

    def _start_agent(self, call_id: str, name: str, event: Event) -> None:
        call, thread = self._calls[call_id]
        own = self._draft.start_thread(f"{call.call_id}/agent", name, self._account, at=event.at, line=event.place)
        own.parent = Link(call, thread)
        self._agents[call_id] = _Agent(own, self._account)

    def _note(self, event: Event, agent: _Agent | None = None, text: str | None = None) -> None:
        piece = Piece("other", text or event.kind, extra=object_of(event.data))
        said = Said("system", event.place, (piece,), at=event.at, injected=True)
        (agent or self._agent(event)).stream.say(said)

    def _start(self, event: Event) -> None:
        row, data = self._draft.row, event.data
        row.agent_version = text_of(data.get("copilotVersion")) or row.agent_version
        self._model = text_of(data.get("selectedModel")) or self._model
        context = data.get("context")
        for name, label in (("cwd", "cwd"), ("repository", "repository"), ("branch", "git_branch")):
            if isinstance(context, dict) and context.get(name) is not None:
                self._draft.labels.setdefault(label, context[name])
        self._draft.extra.setdefault(event.kind.replace(".", "_"), {name: value for name, value in data.items() if name != "sessionId"})
        self._draft.main.pass_time(event.at)
        self._account.keep()

    def _model_changed(self, event: Event) -> None:
        self._model = text_of(event.data.get("newModel")) or self._model
        self._note(event)

    def _titled(self, event: Event) -> None:
        self._draft.row.title = text_of(event.data.get("title")) or self._draft.row.title
        self._account.keep()

    def _ended(self, event: Event) -> None:
        self._draft.extra[event.kind.replace(".", "_")] = event.data
        self._draft.main.pass_time(event.at)
        self._account.keep()

    def _system(self, event: Event) -> None:
        piece = Piece("text", text_of(event.data.get("content")), extra=extra_of(event.data, ("content", "role", "parentToolCallId")))
        self._agent(event).stream.say(Said("system", event.place, (piece,), at=event.at, injected=True))

    def _user(self, event: Event) -> None:
        data = event.data
        agent = self._agent(event)
        text = text_of(data.get("content"))
        read = _READ_USER - ({"transformedContent"} if data.get("transformedContent") not in (None, data.get("content")) else set())
        attached = data.get("attachments")
        attachments = [Piece("other", "attachment", extra=object_of(item)) for item in (attached if isinstance(attached, list) else [])]
        pieces = (Piece("text", text), *attachments) if text is not None else tuple(attachments)
        source = data.get("source")
        injected = (isinstance(source, str) and source not in ("user", "cli")) or (text or "").lstrip().startswith("<system_notification>")
        agent.stream.say(
            Said("user", event.place, pieces, at=event.at, injected=injected, extra=extra_of(data, read), id=None if event.id in self._seen else event.id)
        )
        self._seen.add(event.id or "")

    def _step_begins(self, event: Event) -> None:
        agent = self._agent(event)
        agent.stream.end_step()
        agent.message = None
        agent.thread.pass_time(event.at)
        self._account.keep()

    def _reasoning(self, event: Event) -> None:
        agent = self._agent(event)
        agent.reasoned = text_of(event.data.get("content")) or ""
        piece = Piece("reasoning", agent.reasoned, extra=extra_of(event.data, ("content", "parentToolCallId")))
        agent.stream.say(Said("assistant", event.place, (piece,), at=event.at, model=self._model))

    def _message(self, event: Event) -> None:
        data, agent = event.data, self._agent(event)
        message_id = text_of(data.get("messageId"))
        pieces: list[Piece] = []
        thought = text_of(data.get("reasoningText"))
        if thought and thought != agent.reasoned:
            pieces.append(Piece("reasoning", thought))
        if text := text_of(data.get("content")):
            pieces.append(Piece("text", text))
        requests = data.get("toolRequests")
        listed = [asked_in(request) for request in (requests if isinstance(requests, list) else [])]
        # A call that was told to start before the reply that asks for it is that call.
        asked = tuple(call for call in listed if call.tool_call_id not in self._started)
        if message_id is None or message_id != agent.message:
            # A reply of which only the reasoning came before it is the same model call.
            if agent.message is not None:
                agent.stream.end_step()
            agent.message = message_id
        usage = {"output_tokens": count} if (count := count_in(data.get("outputTokens"))) else {}
        model = text_of(data.get("model")) or self._model
        said = Said("assistant", event.place, tuple(pieces), asked, at=event.at, model=model, usage=usage, extra=extra_of(data, _READ_MESSAGE))
        agent.stream.say(said)
        agent.reasoned = ""
        for call in agent.thread.calls[-len(asked) :] if asked else ():
            if call.tool_call_id:
                self._calls[call.tool_call_id] = (call, agent.thread)

    def _usage(self, event: Event) -> None:
        agent = self._agent(event)
        usage: dict[str, Any] = counts_in(event.data, _USAGE)
        step = agent.stream.step
        if step is None or not usage:
            self._note(event)
            return
        if (cost := amount_in(event.data.get("cost"))) is not None:
            # In the service's own unit of premium requests, which is no money.
            step.extra = joined(step.extra, to_json({"premium_requests": cost}))
        rest = extra_of(event.data, (*_USAGE, "cost", "model", "parentToolCallId"))
        agent.stream.end_step(usage=usage, model=text_of(event.data.get("model")))
        step.extra = joined(step.extra, rest)
        self._account.keep()

    def _tool_starts(self, event: Event) -> None:
        call_id = text_of(event.data.get("toolCallId")) or ""
        known = self._calls.get(call_id)
        if known is not None:
            rest = extra_of(event.data, ("toolCallId", "toolName", "arguments", "parentToolCallId", "model", "turnId"))
            known[0].extra = joined(known[0].extra, rest)
            known[1].pass_time(event.at)
            self._account.merge()
            return
        if call_id in self._commands:
            self._account.merge()
            return
        agent = self._agent(event)
        agent.stream.say(Said("assistant", event.place, asked=(started_in(event.data),), at=event.at, model=self._model))
        if call_id:
            self._calls[call_id] = (agent.thread.calls[-1], agent.thread)
            self._started.add(call_id)

    def _command(self, event: Event) -> None:
        """Read that a person ran a tool without the model; it is said when it has ended."""
        call_id = text_of(event.data.get("toolCallId")) or ""
        if not call_id or call_id in self._calls or call_id in self._commands:
            self._note(event)
            return
        self._commands[call_id] = event
        self._account.merge()

    def _run(self, command: Event, result: Said) -> None:
        stream = self._agents[""].stream
        call = stream.run(started_in(command.data), result._replace(started=command.at))
        self._calls[call.tool_call_id or ""] = (call, self._draft.main)

    def _tool_ends(self, event: Event) -> None:
        data = event.data
        call_id = text_of(data.get("toolCallId")) or None
        command = self._commands.pop(call_id or "", None)
        if command is not None:
            self._run(command, result_in(event, call_id))
            return
        known = self._calls.get(call_id or "")
        agent = next((own for own in self._agents.values() if known is not None and own.thread is known[1]), None) or self._agent(event)
        said = result_in(event, call_id)
        if known is not None and known[0].state is None and data.get("success") is False and NOT_ALLOWED.match(said.error or ""):
            known[0].state = "denied"
        agent.stream.say(said)

    def _permission(self, event: Event) -> None:
        data = event.data
        request = data.get("permissionRequest")
        key = text_of(data.get("requestId")) or ""
        call_id = text_of(request.get("toolCallId")) if isinstance(request, dict) else None
        if call_id is None or not key or not isinstance(request, dict):
            self._note(event)
            return
        words = next((text for name in ("intention", "fullCommandText", "path", "url", "kind") if (text := text_of(request.get(name)))), None)
        self._questions[key] = (call_id, Question(words, asked_at=event.at, line=event.place))
        known = self._calls.get(call_id)
        if known is not None:
            known[0].extra = joined(known[0].extra, to_json({"permission": request}))
        self._account.merge()

    def _decided(self, event: Event) -> None:
        waiting = self._questions.get(text_of(event.data.get("requestId")) or "")
        result = event.data.get("result")
        kind = text_of(result.get("kind")) if isinstance(result, dict) else text_of(result)
        if waiting is None or kind is None:
            self._note(event)
            return
        call_id, question = waiting
        answer: Literal["yes", "no"] = "no" if kind.startswith(("denied", "reject")) else "yes"
        by = "user" if "user" in kind and "could-not" not in kind else "rules" if "rule" in kind else None
        reason = text_of(result.get("feedback")) if isinstance(result, dict) else None
        self._questions[text_of(event.data.get("requestId")) or ""] = (
            call_id,
            question._replace(answer=answer, answered_by=by, reason=reason or kind, answered_at=event.at),
        )
        known = self._calls.get(call_id)
        if answer == "no" and known is not None and known[0].state is None:
            known[0].state = "denied"
        self._account.merge()

    def _agent_started(self, event: Event) -> None:
        call_id = text_of(event.data.get("toolCallId")) or ""
        if call_id not in self._calls or call_id in self._agents:
            self._note(event)
            return
        self._start_agent(call_id, text_of(event.data.get("agentName")) or "", event)
        own = self._agents[call_id].thread.agent_call
        if own is not None:
            own.extra = extra_of(event.data, ("toolCallId", "agentName"))
        self._account.keep()

    def _agent_ended(self, event: Event) -> None:
        agent = self._agents.get(text_of(event.data.get("toolCallId")) or "-")
        own = agent.thread.agent_call if agent is not None else None
        if agent is None or own is None:
            self._note(event)
            return
        own.extra = joined(own.extra, to_json({event.kind: event.data}))
        agent.thread.pass_time(event.at)
        self._account.keep()

    def _aborted(self, event: Event) -> None:
        turn = self._draft.main.turn
        if turn is not None:
            turn.state = "interrupted"
        self._note(event)

    def _error(self, event: Event) -> None:
        """Read an error: of the model in a turn it is a call without a reply, else it is about the session."""
        turn = self._draft.main.turn
        if turn is None:
            self._note(event)
            return
        words = text_of(event.data.get("message")) or text_of(event.data.get("errorType")) or "error"
        extra = extra_of(event.data, ("message",))
        stream = self._agent(event).stream
        stream.end_step()
        stream.say(Said("assistant", event.place, at=event.at, model=self._model, error=words, extra=extra))
        stream.end_step()


_READ: dict[str, Callable[[_Session, Event], None]] = {
    "session.start": _Session._start,
    "session.resume": _Session._start,
    "session.model_change": _Session._model_changed,
    "session.title_changed": _Session._titled,
    "session.shutdown": _Session._ended,
    "session.error": _Session._error,
    "system.message": _Session._system,
    "user.message": _Session._user,
    "assistant.turn_start": _Session._step_begins,
    "assistant.turn_end": _Session._step_begins,
    "assistant.reasoning": _Session._reasoning,
    "assistant.message": _Session._message,
    "assistant.usage": _Session._usage,
    "tool.execution_start": _Session._tool_starts,
    "tool.user_requested": _Session._command,
    "tool.execution_complete": _Session._tool_ends,
    "permission.requested": _Session._permission,
    "permission.completed": _Session._decided,
    "subagent.started": _Session._agent_started,
    "subagent.completed": _Session._agent_ended,
    "subagent.failed": _Session._agent_ended,
    "abort": _Session._aborted,
}
"""What reads each kind of event; another kind is a part of its own."""
