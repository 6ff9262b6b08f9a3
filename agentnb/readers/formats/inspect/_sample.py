"""One sample of an Inspect log -> one conversation.

What was said is the list of messages. Events say when, at what cost and with which exit code; a model call that no message came of (a grader's, a
sub-agent's, one whose message was later left out) stands in a thread of its own, under the tool call it ran inside. Places count the messages, then
the events.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Literal, NamedTuple

import msgspec

from agentnb.readers._account import Account
from agentnb.readers._fields import text_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._rows import CallRow
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import MessageList, Piece, Said, joined
from agentnb.readers.formats.inspect._event import Event, ModelCall, Owner, ToolRun, decode_raw, moment, reply_in
from agentnb.readers.formats.inspect._events import Events
from agentnb.readers.formats.inspect._messages import asked_in, is_message, key_of, said_in

_READ = frozenset({"messages", "events", "attachments", "message_pool", "events_data", "output", "scores", "id", "epoch", "uuid", "input", "model_usage"})
_EMPTY = (b"null", b"[]", b"{}", b'""')
_ATTACHMENT = b'"attachment://'
_REFERENCE = re.compile(rb'"attachment://([^"\\\\]+)"')
_NOTHING = msgspec.Raw()
_ANSWERS: dict[str, Literal["yes", "no"]] = {"approve": "yes", "modify": "yes", "reject": "no", "terminate": "no"}
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Fields:
    """The fields of a sample, each as bytes until it is asked for."""

    def __init__(self, data: bytes | msgspec.Raw) -> None:
        """Take a sample apart; of one that is no object nothing is there."""
        try:
            # What stays bytes is not looked at again, so that it must be text from the start.
            bytes(data).decode()
            self.raw: dict[str, msgspec.Raw] = _fields.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            # What JSON does not have, such as NaN in a score, is made into JSON first.
            value = parse_json(bytes(data)).value
            self.raw = _fields.decode(msgspec.json.encode(value)) if isinstance(value, dict) else {}
        self._attachments: dict[str, msgspec.Raw] | None = None

    def get(self, name: str) -> Any:
        """Decode a field."""
        return self.decode(self.raw.get(name, _NOTHING))

    def decode(self, raw: msgspec.Raw) -> Any:
        """Decode what was left as bytes."""
        return decode_raw(self.resolve(raw))

    def resolve(self, raw: msgspec.Raw) -> msgspec.Raw:
        """Put attachments into the place of the texts that refer to them."""
        data = bytes(raw)
        if _ATTACHMENT not in data:
            return raw
        if self._attachments is None:
            try:
                self._attachments = _fields.decode(self.raw.get("attachments", b"{}"))
            except msgspec.MsgspecError:
                self._attachments = {}
        known = self._attachments
        return msgspec.Raw(_REFERENCE.sub(lambda match: bytes(known.get(match.group(1).decode("utf-8", "replace"), match.group())), data))

    def unread(self) -> dict[str, msgspec.Raw]:
        """Return the fields that are kept as they are."""
        return {name: raw for name, raw in self.raw.items() if name not in _READ and bytes(raw) not in _EMPTY}


class _Met(NamedTuple):
    """A message of the list, and its place."""

    place: int
    message: dict[str, Any]


class SampleReader:
    """Reads one sample into a conversation."""

    def __init__(self, fields: Fields, draft: ConversationDraft, account: Account) -> None:
        """Read the events first: they tell what the messages do not."""
        self.fields = fields
        self.draft = draft
        self.account = account
        self.events = Events(fields.raw.get("events", b""))
        self.pool: list[Any] | None = None
        self.messages: list[_Met] = []
        self.matched: dict[int, ModelCall] = {}
        self.listed = 0
        self.untold: frozenset[str] = frozenset()
        """Ids of calls for which tools ran, and of which no message tells: an agent's answer stands in the place of the call that gave it."""

    def read(self) -> None:
        """Read the messages, the model calls that are none of them, and what is said of the sample as a whole."""
        self._list_messages()
        apart = self._match()
        reader = MessageList(self.draft.main, self.account)
        failures = deque(self._failures(apart))
        has_sources = any(met.message.get("source") == "input" for met in self.messages)
        begun = False
        for met in self.messages:
            call = self.matched.get(met.place)
            while failures and call is not None and failures[0].number < call.number:
                self._say_reply(reader, failures.popleft())
            begun = begun or (met.message["role"] == "assistant" and met.message.get("source") != "input")
            self._say(reader, met, call, injected=has_sources and begun)
        while failures:
            self._say_reply(reader, failures.popleft())
        reader.finish()
        self._settle(self.draft.main, reader)
        self._read_apart(apart)
        self._note_sample()
        self.account.merge(self.events.merged)
        self.account.keep(self.events.kept)
        for reason, count in self.events.skipped.items():
            self.account.skip(reason, count)
        self.draft.finish()

    def _list_messages(self) -> None:
        listed = self.fields.get("messages")
        for place, message in enumerate(listed if isinstance(listed, list) else [], 1):
            self.listed = place
            if is_message(message):
                self.messages.append(_Met(place, message))
            else:
                self.account.leave_out("no_message", "It stands among the messages and is none; it was left out.", line=place, excerpt=message)
        if not self.messages:
            self._list_input()
        self.untold = frozenset(self.events.runs.keys() - {met.message.get("tool_call_id") for met in self.messages if met.message["role"] == "tool"})
        if self.untold:
            self.untold -= {asked.tool_call_id for met in self.messages if met.message["role"] == "assistant" for asked in asked_in(met.message)}

    def _list_input(self) -> None:
        """Take a sample's input where it holds no messages, as one that failed before its first message does."""
        given = self.fields.get("input")
        messages = [{"role": "user", "content": given, "source": "input"}] if isinstance(given, str) and given else given
        for message in messages if isinstance(messages, list) else []:
            if is_message(message):
                self.messages.append(_Met(1, {"source": "input", **message}))

    def _match(self) -> list[ModelCall]:
        """Find the message that came of each model call; return the calls of which none did."""
        waiting: dict[str, list[int]] = {}
        for met in self.messages:
            if met.message["role"] == "assistant":
                waiting.setdefault(key_of(met.message), []).append(met.place)
        apart: list[ModelCall] = []
        for call in self.events.models:
            places = waiting.get(self._key_of(call))
            if places and call.owner.type != "scorer":
                self.matched[places.pop(0)] = call
            else:
                apart.append(call)
        self.account.merge(len(self.matched))
        return apart

    def _key_of(self, call: ModelCall) -> str:
        return call.reply_id or (key_of(self._reply_of(call)) if call.has_reply else "")

    def _reply_of(self, call: ModelCall) -> dict[str, Any]:
        reply = self.fields.decode(reply_in(call.event)) if call.has_reply else None
        return reply if isinstance(reply, dict) else {}

    def _failures(self, apart: list[ModelCall]) -> list[ModelCall]:
        """Take the calls of the run itself that gave no reply out of the others: they are steps of it."""
        own = {call.owner.key for call in self.matched.values()} or {""}
        failures = [call for call in apart if (not call.has_reply or call.error is not None) and call.owner.key in own]
        apart[:] = [call for call in apart if call not in failures]
        return failures

    def _say(self, reader: MessageList, met: _Met, call: ModelCall | None, *, injected: bool) -> None:
        """Say a message; after the first reply a user message that was not part of the input is the solver's, not a person's."""
        place, message = met
        source, role = message.get("source"), message["role"]
        if role == "assistant" and call is None and source == "input":
            said = [item._replace(injected=True, asked=()) for item in said_in(message, place)]
        elif role == "assistant":
            said = self._said_by(call, message, place)
            if self.untold and call is not None:
                self._say_with_untold(reader, said, call)
                return
        elif role == "tool":
            said = [self._said_by_tool(message, place)]
        else:
            said = said_in(message, place, injected=role == "user" and injected and source != "input")
        self._hear(reader, said)

    def _say_with_untold(self, reader: MessageList, said: list[Said], call: ModelCall) -> None:
        """Say a reply with those calls that the model asked for and that are missing in the message, and what came of them."""
        asked = tuple(item for item in asked_in(self._reply_of(call)) if item.tool_call_id in self.untold)
        self._hear(reader, [*said[:-1], said[-1]._replace(asked=said[-1].asked + asked)])
        for item in asked:
            run = self.events.run_of(item.tool_call_id)
            if run is not None:
                self._hear(reader, [self._said_run(run, item.tool_call_id)])

    def _said_by(self, call: ModelCall | None, message: dict[str, Any], place: int, error: str | None = None) -> list[Said]:
        """Say a reply, with what its event tells."""
        if call is None:
            return said_in(message, place)
        told = {"at": call.ended, "started": call.started, "usage": call.usage, "finish_reason": call.finish_reason, "error": call.error or error}
        said = said_in(message, place, call.model, **told)
        row, agent = self.draft.row, call.owner.name
        if row.agent_name is None and call.owner.type == "agent":
            row.agent_name = agent or None
        unread = call.extra | {"agent": agent} if call.owner.type in ("agent", "handoff") and agent != row.agent_name else call.extra
        if unread:
            said[0] = said[0]._replace(extra=text_of(joined(said[0].extra, to_json(unread))))
        return said

    def _said_by_tool(self, message: dict[str, Any], place: int) -> Said:
        """Say a result, with what the event of its tool tells."""
        run = self.events.run_of(text_of(message.get("tool_call_id")))
        if run is None:
            return said_in(message, place)[0]
        event, code = run.event, run.exit_code
        said = said_in(message, place, at=moment(event.completed), started=moment(event.timestamp), exit_code=code)[0]
        if run.commands and (len(run.commands) > 1 or code is None):
            said = said._replace(extra=text_of(joined(said.extra, to_json({"sandbox": run.commands}))))
        return said

    def _hear(self, reader: MessageList, said: list[Said]) -> None:
        """Let a thread hear messages; a tool took the time its event tells, and what a person was asked before it ran stands with its call."""
        calls, asked_of = reader.thread.calls, self.events.approvals
        before = len(calls)
        reader.read(said)
        for call in calls[before:] if asked_of else ():
            waiting = asked_of.get(call.tool_call_id or "") if call.kind == "tool" else None
            while waiting:
                asked = waiting.popleft()
                if asked.decision in _ANSWERS or not waiting:
                    self.draft.ask_person(call, _question(asked), self.account)
        last = said[-1]
        if last.role == "tool" and last.started is not None:
            part = reader.thread.parts[-1]
            answered = next((call for call in reversed(calls) if call.call_id == part.call_id), None)
            if answered is not None:
                _time_of_run(answered, last)

    def _settle(self, thread: Thread, reader: MessageList) -> None:
        """Give calls without a message of their result what the tool's event says."""
        for call in [call for call in thread.calls if call.kind == "tool" and call.state is None]:
            run = self.events.run_of(call.tool_call_id)
            if run is not None:
                self._hear(reader, [self._said_run(run, call.tool_call_id)])

    def _said_run(self, run: ToolRun, tool_call_id: str | None) -> Said:
        result, error = self.fields.decode(run.event.result), run.event.error
        words = text_of(error.get("message") if isinstance(error, dict) else error)
        pieces = (Piece("text", text_of(result)),) if result is not None else ()
        said = Said("tool", self.listed + run.number, pieces, result_of=tool_call_id, error=words, failed=error is not None or None, records=0)
        return said._replace(at=moment(run.event.completed), started=moment(run.event.timestamp), exit_code=run.exit_code)

    def _say_reply(self, reader: MessageList, call: ModelCall, records: int = 1) -> None:
        """Say what a model call gave that is no message of the list."""
        place = self.listed + call.number
        error = None if call.has_reply or call.event.pending is True else "There is no reply."
        reply = self._reply_of(call)
        if call.error is not None and not reply.get("content"):
            reply = {name: value for name, value in reply.items() if name != "content"}
        said = self._said_by(call, {**reply, "role": "assistant"}, place, error)
        self._hear(reader, [*said[:-1], said[-1]._replace(records=records)])

    def _read_apart(self, apart: list[ModelCall]) -> None:
        groups: dict[str, list[ModelCall]] = {}
        for call in apart:
            groups.setdefault(call.owner.key, []).append(call)
        for calls in groups.values():
            self._read_thread(calls[0].owner, calls)

    def _read_thread(self, owner: Owner, calls: list[ModelCall]) -> None:
        """Read the calls of one agent, grader or tool: what was new in each call's input, then the reply."""
        draft = self.draft
        wanted = f"{draft.row.conversation_id}/{owner.key or 'apart'}"
        side = draft.start_thread(wanted, owner.name, self.account, at=calls[0].started, line=self.listed + calls[0].number)
        side.parent = self._starter(owner)
        side.calls[0].extra = to_json({"type": owner.type} if owner.type else {"not_in_messages": True})
        reader = MessageList(side, self.account)
        heard: set[str] = set()
        for call in calls:
            for message in self._input_of(call.event):
                if is_message(message) and (key := key_of(message)) not in heard:
                    heard.add(key)
                    self._say_heard(reader, side, message, self.listed + call.number)
            self._say_reply(reader, call)
            heard.add(self._key_of(call))
        reader.finish()
        self._settle(side, reader)

    def _say_heard(self, reader: MessageList, side: Thread, message: dict[str, Any], place: int) -> None:
        said = said_in(message, place)
        role = said[0].role
        if role == "assistant":
            said = [item._replace(injected=True, asked=()) for item in said]
        elif role == "tool":
            waits = any(call.tool_call_id == said[0].result_of and call.state is None for call in side.calls if call.kind == "tool")
            said = [self._said_by_tool(message, place) if waits else said[0]._replace(injected=True)]
        self._hear(reader, [item._replace(records=0) for item in said])

    def _starter(self, owner: Owner) -> Link | None:
        """Find the call inside which something ran, else the last turn's own call."""
        for thread in reversed(self.draft.threads[:-1]):
            for call in reversed(thread.calls):
                if owner.tool_call_id is not None and call.kind == "tool" and call.tool_call_id == owner.tool_call_id:
                    return Link(call, thread)
        main = self.draft.main
        own = next((call for call in main.calls if main.turn is not None and call.call_id == main.turn.turn_id), None)
        return Link(own, main) if own is not None else None

    def _input_of(self, event: Event) -> list[Any]:
        """Return what was sent to a model, from the pool where the event only refers to it."""
        given = self.fields.decode(event.input)
        if (isinstance(given, list) and given) or not isinstance(event.input_refs, list):
            return given if isinstance(given, list) else []
        if self.pool is None:
            data = self.fields.get("events_data")
            pool = self.fields.get("message_pool") or (data.get("messages") if isinstance(data, dict) else None)
            self.pool = pool if isinstance(pool, list) else []
        ranges = [pair for pair in event.input_refs if isinstance(pair, list) and len(pair) == 2 and all(type(end) is int and end >= 0 for end in pair)]
        return [message for begin, end in ranges for message in self.pool[begin:end]]

    def _note_sample(self) -> None:
        draft, fields = self.draft, self.fields
        scores = fields.get("scores")
        for name, score in scores.items() if isinstance(scores, dict) else ():
            value = score.get("value") if isinstance(score, dict) else score
            if value is not None:
                draft.labels[name if name not in draft.labels else f"score {name}"] = value
        draft.extra |= {name: fields.get(name) if name in ("metadata", "target", "error", "limit") else raw for name, raw in fields.unread().items()}
        if scores:
            draft.extra["scores"] = scores
        if self.events.others:
            draft.extra["events"] = self.events.others
        limit, error = fields.get("limit"), fields.get("error")
        if isinstance(limit, dict):
            draft.labels["limit"] = limit.get("type")
        turn = draft.turns[-1] if draft.turns else None
        if turn is not None and (error or limit or scores):
            # A sample that was scored came to its end, however its last message looks.
            turn.state = "failed" if error else "stopped" if limit else "done"
        started = moment(fields.get("started_at")) or self.events.started
        if draft.turns and started is not None and (draft.turns[0].started_at is None or started < draft.turns[0].started_at):
            draft.turns[0].started_at = started
            draft.row.started_at = started


def _question(asked: Event) -> Question:
    answer = _ANSWERS.get(asked.decision) if isinstance(asked.decision, str) else None
    at = moment(asked.timestamp)
    return Question(text_of(asked.message), answer, text_of(asked.approver), text_of(asked.explanation), answered_at=at if answer else None)


def _time_of_run(call: CallRow, said: Said) -> None:
    """Give a call the times of its event; old logs do not tell when a tool was done."""
    call.started_at, call.ended_at = said.started, said.at
    call.seconds = max(0, said.at - said.started) / 1e6 if said.at is not None and said.started is not None else None
