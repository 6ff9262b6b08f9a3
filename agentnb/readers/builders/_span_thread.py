"""An agent's run -> its thread: what each model call hears anew and says, and the tools that ran for it."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow
from agentnb.readers.builders._prints import canonical, print_of
from agentnb.readers.builders._span_forest import Node, Trace
from agentnb.readers.builders._span_memory import Memory, merged_replies, with_calls_kept
from agentnb.readers.builders._span_runs import Event, Run
from agentnb.readers.builders._span_told import add_told_models
from agentnb.readers.builders._spans import Span
from agentnb.readers.builders._thread import Thread
from agentnb.readers.builders.message_list import MessageList, Piece, Said, joined


class _Ran(NamedTuple):
    """A tool that ran for a call."""

    call: CallRow
    node: Node


class Started(NamedTuple):
    """A sub-agent's run, and the agent's call that it belongs to unless a tool started it."""

    run: Run
    first: Node
    owner: CallRow | None
    inside: Node | None


class ThreadReader:
    """Reads runs into a thread: the main one, or a sub-agent's."""

    def __init__(self, thread: Thread) -> None:
        """Read into a thread that is empty."""
        self.thread = thread
        self.messages = MessageList(thread, thread.account)
        self.memory = Memory()
        self.calls_of: dict[int, CallRow] = {}
        """Of a model's or tool's node, by its id, the call it became."""
        self.started: list[Started] = []
        self._waiting: list[Event] = []
        self._unclaimed: list[CallRow] = []
        self._seen = 0
        self._ran: list[_Ran] = []
        self._settled: list[CallRow] = []
        self._silent = False
        self._reply: str | None = None
        self._turn_id = ""

    def read_turns(self, run: Run, trace: Trace) -> None:
        """Read the run of a trace's topmost agent, in a turn of its own."""
        thread, draft = self.thread, self.thread.draft
        self._turn_id = trace.root_id
        root = run.agents[0] if run.agents else trace.roots[0]
        span = root.span
        self._use(root.account)
        first = next((event.node for event in run.events if event.node.span.kind == "model" and event.run is None), None)
        heard = list(first.span.heard) if first is not None and _has_words(first.span.heard) else _agent_heard(run)
        heard = merged_replies(said._replace(place=span.place, records=0) for said in heard)
        new = self.memory.news_in(heard).new
        if heard and heard[-1].role == "user" and heard[-1] not in new:
            new = [*new, heard[-1]]
        history = new[: _begin_of_turn(new)]
        self._say_history(history)
        turn = self.messages.start_turn(self._turn_id, at=span.started, line=span.place)
        own = thread.calls[-1]
        before = len(draft.turns)
        self._say_history(new[len(history) :], starts_turns=False)
        self.read(run)
        latest = draft.turns[-1]
        if len(draft.turns) == before:
            turn.started_at = span.started if span.started is not None else turn.started_at
        ended = span.ended if run.agents else max((node.span.ended for node in trace.roots if node.span.ended is not None), default=None)
        if ended is not None:
            thread.pass_time(ended)
            latest.ended_at = ended
        if span.started is not None and (draft.row.started_at is None or span.started < draft.row.started_at):
            draft.row.started_at = span.started
        draft.row.agent_name = draft.row.agent_name or run.name or None
        error = next((node.span.error for node in [*run.agents, *trace.roots] if node.span.error), None)
        if error is not None:
            latest.state = "failed"
            next(call for call in thread.calls if call.call_id == latest.turn_id).error = error
        keep_extra(own, run)

    def read(self, run: Run) -> None:
        """Read what a run's models heard and said, and the tools that ran, in the order in which they started."""
        add_told_models(run)
        models = [event.node.span for event in run.events if event.run is None and event.node.span.kind == "model"]
        if not any(_has_words(span.heard) for span in models) and self.thread.agent_call is not None:
            place = (run.agents[0] if run.agents else run.events[0].node).span.place if run.agents or run.events else 1
            self._hear([said._replace(place=place, records=0) for said in _agent_heard(run)])
        several = len({event.agent for event in run.events if event.agent}) > 1
        for event in run.events:
            self._use(event.node.account)
            if event.run is not None:
                self.started.append(Started(event.run, event.node, self._own_call(), event.inside))
            elif event.node.span.kind == "tool":
                self._waiting.append(event)
                self._pair()
            else:
                self._read_model(event, several=several)
        self._pair()
        self._add_unasked()
        self._settle()
        if not any(_has_words(span.replied) for span in models):
            self._say_agent_reply(run)
        for ran in self._ran:
            _time(ran)
        self._ran.clear()

    def _own_call(self) -> CallRow | None:
        own = self.thread.agent_call_id
        return next((call for call in reversed(self.thread.calls) if call.call_id == own), None)

    def _use(self, account: Account) -> None:
        self.thread.account = self.messages.account = account

    def _read_model(self, event: Event, *, several: bool) -> None:
        span = event.node.span
        turns = len(self.thread.draft.turns)
        self._hear([said._replace(place=span.place, records=0, at=None) for said in span.heard])
        if len(self.thread.draft.turns) > turns and self.thread.turn is not None:
            self.thread.turn.started_at = span.started
        self._pair()
        self._add_unasked()
        self._settle()
        replies = merged_replies(span.replied)
        head = replies[0] if replies and replies[0].role == "assistant" else Said("assistant", span.place)
        extra = {**span.extra, "agent": event.agent} if several and event.agent else span.extra
        head = head._replace(
            place=span.place, at=span.ended, started=span.started, model=span.name or head.model, usage={**head.usage, **span.usage},
            finish_reason=span.finish_reason or head.finish_reason, error=span.error or head.error, id=span.span_id, records=0,
            extra=_text(joined(head.extra, as_extra(extra))), same_step=False, injected=False,
        )  # fmt: skip
        rest = [
            said._replace(place=span.place, records=0, same_step=True, at=span.ended) for said in replies if said is not replies[0] or said.role != "assistant"
        ]
        self._say([head, *rest])
        self._silent = not head.pieces and not head.asked
        self._reply = self.memory.last_two[1]
        if self.messages.step is not None:
            self.calls_of[id(event.node)] = self.messages.step
            self.messages.step.started_at = span.started

    def _hear(self, heard: list[Said]) -> None:
        """Say what is new of what a model was given; a reply that was told in part, or not at all, when it was given is completed from the history."""
        heard = merged_replies(heard, self.memory.knows)
        news = self.memory.news_in(heard)
        repeated = self._repeated_reply(heard) if any(said.role == "assistant" for said in (*news.context, *news.new)) else None
        for said in news.context:
            if said is repeated:
                self._complete(said)
            elif said.role == "tool" and self._is_waited_for(said):
                self._hear_result(said, heard)
            else:
                self._say([with_calls_kept(said)])
        for said in news.new:
            if said is repeated:
                self._complete(said)
            elif said.role == "assistant":
                self._say_unasked(said)
            elif said.role == "tool":
                self._hear_result(said, heard)
            else:
                self._say([said._replace(id=self._next_turn_id()) if said.role == "user" and not said.injected else said])

    def _say_unasked(self, said: Said) -> None:
        """Say what of a reply in the history was not asked before: some clients tell the calls of one reply apart, each with its result after it."""
        known = {(call.tool_call_id, call.name, canonical(_text(call.input))) for call in self.thread.calls if call.kind == "tool" and call.tool_call_id}
        asked = tuple(asked for asked in said.asked if (asked.tool_call_id, asked.name, canonical(asked.input)) not in known)
        if said.asked and not asked and not said.pieces:
            self.memory.keep([said])
        else:
            self._say_history([said._replace(asked=asked)])

    def _is_waited_for(self, said: Said) -> bool:
        return any(call.state is None and said.result_of in (None, call.tool_call_id) for call in self.thread.calls if call.kind == "tool")

    def _next_turn_id(self) -> str:
        """Name the turn that a person's words start, if they do: by the turns that the trace has already."""
        begun = sum(turn.turn_id.startswith(f"{self.thread.conversation_id}/{self._turn_id}") for turn in self.thread.draft.turns)
        return f"{self._turn_id}/{begun + 1}"

    def _repeated_reply(self, heard: list[Said]) -> Said | None:
        """Find the reply of the latest model call where the history tells it otherwise: after what that call heard last; None when it is told the same."""
        before, reply = self.memory.last_two
        if self.messages.step is None or reply != self._reply:
            return None
        marks = [(said, print_of(said)) for said in heard if said.role != "system"]
        if any(mark == reply for _, mark in marks):
            return None
        return next((said for (_, mark), (said, _) in pairwise(marks) if mark == before and said.role == "assistant"), None)

    def _complete(self, said: Said) -> None:
        """Add to the latest model call what only the history tells of its reply."""
        self.memory.correct(said)
        step, thread = self.messages.step, self.thread
        own = [(call.name, canonical(_text(call.input))) for call in thread.calls if step is not None and call.step_id == step.call_id]
        missing = tuple(asked for asked in said.asked if (asked.name, canonical(asked.input)) not in own)
        if self._silent or missing:
            self._read([said._replace(same_step=True, id=None, pieces=said.pieces if self._silent else (), asked=missing)])
        self._silent = False

    def _hear_result(self, said: Said, heard: list[Said]) -> None:
        """Say a result that a model was given, under the id that its call had when it was asked for; some clients send another back."""
        if self._repeats_result(said):
            return
        call = None
        if said.result_of and all(call.tool_call_id != said.result_of for call in self.thread.calls):
            call = self._call_repeated_as(said.result_of, heard)
        if call is None or not self.messages.answer(call, said):
            self._say([said])
        else:
            self.memory.keep([said])

    def _call_repeated_as(self, tool_call_id: str, heard: list[Said]) -> CallRow | None:
        """Find the call that the history repeats under another id."""
        asked = [asked for said in heard for asked in said.asked]
        repeated = next((asked for asked in asked if asked.tool_call_id == tool_call_id), None)
        if repeated is None:
            return None
        same = [call for call in self.thread.calls if call.kind == "tool" and call.name == repeated.name]
        return next((call for call in same if call.state is None and canonical(_text(call.input)) == canonical(repeated.input)), None)

    def _repeats_result(self, said: Said) -> bool:
        """Tell whether a result only repeats what the tool's span told; the agent was shown the text that stands in the message."""
        call = next((call for call in self._settled if said.result_of in (None, call.tool_call_id)), None)
        if call is None or any(other.state is None and other.tool_call_id == said.result_of for other in self.thread.calls if other.kind == "tool"):
            return False
        self._settled.remove(call)
        self.memory.keep([said])
        text = "\n".join(piece.text for piece in said.pieces if piece.text is not None)
        call.output = text or call.output
        return True

    def _say_history(self, messages: list[Said], *, starts_turns: bool = True) -> None:
        """Say what was said before the first model call that is recorded: the replies in it are model calls without times and costs."""
        turns = 0
        for said in messages:
            speaks = said.role == "user" and not said.injected
            turns += speaks
            own_id = f"{self._turn_id}/before{turns}" if speaks and starts_turns else None
            extra = joined(said.extra, '{"recorded":"history"}') if said.role == "assistant" else said.extra
            self._say([said._replace(id=own_id, at=None, started=None, extra=_text(extra))])
            if said.role == "assistant" and self.messages.step is not None:
                self.messages.step.started_at = None

    def _say(self, messages: list[Said]) -> None:
        self.memory.keep(messages)
        self._read(messages)

    def _read(self, messages: list[Said]) -> None:
        self.messages.read(messages)
        calls = self.thread.calls
        self._unclaimed += [call for call in calls[self._seen :] if call.kind == "tool"]
        self._seen = len(calls)

    def _pair(self) -> None:
        """Find the calls that waiting tools ran for: by id, else by name and arguments, else by name in order."""
        for fits in (_has_id, _has_arguments, _has_name):
            for event in list(self._waiting):
                call = next((call for call in self._unclaimed if fits(call, event.node.span)), None)
                if call is not None:
                    self._waiting.remove(event)
                    self._unclaimed.remove(call)
                    self._claim(call, event.node)

    def _claim(self, call: CallRow, node: Node) -> None:
        self._ran.append(_Ran(call, node))
        self.calls_of[id(node)] = call

    def _add_unasked(self) -> None:
        """Make calls of the tools that ran without a model having asked for them."""
        thread = self.thread
        for event in self._waiting:
            node, span = event.node, event.node.span
            self._use(node.account)
            inside = self.calls_of.get(id(event.inside)) if event.inside is not None else None
            step = inside if inside is not None and inside.kind == "model" else None
            caller = inside if inside is not None and inside.kind == "tool" else None
            thread.new_message()
            wanted = f"{thread.agent_call_id}/{span.tool_call_id or span.span_id}"
            call = thread.ask(wanted, span.tool_call_id, span.name, span.input, step=step, at=span.started, line=span.place, caller=caller)
            self._seen = len(thread.calls)
            self._claim(call, node)
        self._waiting.clear()

    def _settle(self) -> None:
        """Give calls that have no result yet what their tool's span tells."""
        for call, node in self._ran:
            span = node.span
            if call.state is None and (span.ended is not None or span.output is not None or span.error is not None):
                self._use(node.account)
                pieces = (Piece("text", span.output),) if span.output is not None else ()
                failed = True if span.error is not None else None
                result = Said("tool", span.place, pieces, at=span.ended, error=span.error, failed=failed, exit_code=span.exit_code)
                if self.messages.answer(call, result):
                    self._settled.append(call)

    def _say_agent_reply(self, run: Run) -> None:
        """Say what the agent's own span tells that it answered, where its model calls tell nothing."""
        agent = next((node for node in run.agents if node.span.replied or node.span.output), None)
        if agent is None:
            return
        span = agent.span
        said = merged_replies(span.replied) or [Said("assistant", span.place, (Piece("text", span.output),))]
        said = [message._replace(place=span.place, records=0) for message in said]
        if self.messages.step is not None and len(said) == 1:
            self._say([said[0]._replace(same_step=True)])
            return
        if len(said) > 1 or said[0].asked:
            self._hear(said)
            return
        thread = self.thread
        thread.new_message()
        for piece in said[0].pieces:
            part = thread.say("assistant", piece.type, piece.text, span.ended, span.place)
            part.mime_type, part.extra = piece.mime_type, piece.extra
        text = "\n\n".join(piece.text for piece in said[0].pieces if piece.type == "text" and piece.text)
        if thread.turn is not None and thread.agent_call is None and text:
            thread.turn.answer = text
            thread.turn.state = thread.turn.state or ("done" if span.ended is not None and span.error is None else None)


def _has_id(call: CallRow, span: Span) -> bool:
    return call.tool_call_id is not None and call.tool_call_id == span.tool_call_id


def _has_arguments(call: CallRow, span: Span) -> bool:
    return call.name == span.name and span.input is not None and canonical(_text(call.input)) == canonical(span.input)


def _has_name(call: CallRow, span: Span) -> bool:
    return call.name == span.name and not (call.tool_call_id and span.tool_call_id)


def _time(ran: _Ran) -> None:
    """Give a call the times and the verdict of the span in which its tool ran."""
    call, span = ran.call, ran.node.span
    call.started_at, call.ended_at = span.started or call.started_at, span.ended or call.ended_at
    call.seconds = None
    if call.output is None and span.output is not None and call.state is not None:
        call.output = span.output
    if span.exit_code is not None:
        call.exit_code = span.exit_code
    if span.error is not None and call.state != "denied":
        call.state, call.failed, call.error = "failed", True, span.error
    # By which a rating of the span in another tool finds the call, whose id is that of the provider.
    extra = {**span.extra, **({"span_id": span.span_id} if span.tool_call_id else {})}
    if extra:
        call.extra = joined(call.extra, to_json(extra))
    if call.input is None:
        call.input = span.input


def _agent_heard(run: Run) -> list[Said]:
    """Return what the agent's own spans tell that it was given."""
    told = next((node.span.heard for node in run.agents if _has_words(node.span.heard)), None)
    if told is not None:
        return list(told)
    node = next((node for node in run.agents if node.span.input), None)
    return [Said("user", node.span.place, (Piece("text", node.span.input),))] if node is not None else []


def _begin_of_turn(messages: list[Said]) -> int:
    """Return where the latest turn begins: at the last words of a person that follow a reply; 0 when all belongs to one turn."""
    last = max((place for place, said in enumerate(messages) if said.role == "user" and not said.injected), default=0)
    while last and messages[last - 1].role in ("user", "system"):
        last -= 1
    return last if any(said.role == "assistant" for said in messages[:last]) else 0


def _has_words(messages: tuple[Said, ...]) -> bool:
    return any(said.pieces or said.asked for said in messages)


def keep_extra(own: CallRow, run: Run) -> None:
    """Keep what was not read of an agent's spans with its call."""
    for node in run.agents:
        extra = {**node.span.extra, **({"usage": node.span.usage} if node.span.usage else {})}
        if extra:
            own.extra = joined(own.extra, to_json(extra))


def _text(value: str | bytes | None) -> str | None:
    return value.decode() if isinstance(value, bytes) else value
