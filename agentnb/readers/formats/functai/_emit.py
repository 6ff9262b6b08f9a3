"""What FunctAI's files hold -> conversations, turns, calls inside them, and what a person was asked."""

from __future__ import annotations

from typing import Final, NamedTuple

from agentnb.readers._fields import object_in
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, Rows, TurnRow
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import MessageList
from agentnb.readers.formats.functai._approvals import ask_persons, fill_tools
from agentnb.readers.formats.functai._calls import Call
from agentnb.readers.formats.functai._store import Store
from agentnb.readers.formats.functai._trees import Trees, in_order
from agentnb.readers.formats.functai._turns import FileLog, Row, text_in
from agentnb.values.calls import CallState

_OPEN: Final[dict[str, CallState]] = {"running": "running", "waiting": "unanswered"}
"""How a tool call without a result stands in a turn that has not ended."""


class _Plan(NamedTuple):
    """A conversation that is still to be written: its id, its log if there is one, and its turns in order."""

    conversation_id: str
    log: FileLog | None
    turns: list[Call]


class _Nested(NamedTuple):
    """A call inside a turn, and the call and the thread that it stands under."""

    call: Call
    under: CallRow
    thread: Thread


def emit(store: Store, rows: Rows, now: int, format: str = "functai") -> None:
    """Write everything into the tables.

    Args:
        store: what the files hold.
        rows: the tables.
        now: the moment at which leases are looked at, in microseconds.
        format: what the conversations are of.
    """
    trees = Trees(store)
    apart = Apart(rows, format)
    turns: dict[str, TurnRow] = {}
    for plan in _plans(store, trees):
        _Writing(plan, trees, apart, turns, now).write()
    _account(store, trees)


def _plans(store: Store, trees: Trees) -> list[_Plan]:
    """Put turns into conversations: those of a log as it says, those of the call log alone by the conversation that their record names."""
    plans = [_Plan(_conversation_id(log, trees), log, [trees.calls[turn] for turn in log.turns]) for log in store.logs if log.turns]
    known = {plan.conversation_id: plan for plan in plans}
    for call in sorted(trees.tops, key=in_order):
        named = text_in(object_in(call.record, "conversation"), "id") or call.id
        if named not in known:
            known[named] = _Plan(named, None, [])
            plans.append(known[named])
        known[named].turns.append(call)
    return plans


def _conversation_id(log: FileLog, trees: Trees) -> str:
    """Return a conversation's id, which its place or the call log tells, else the id of its first turn."""
    if log.name is not None:
        return log.name
    named = (text_in(object_in(trees.calls[turn].record, "conversation"), "id") for turn in log.turns)
    return next((name for name in named if name), next(iter(log.turns)))


class _Writing:
    """Writes one conversation."""

    def __init__(self, plan: _Plan, trees: Trees, apart: Apart, turns: dict[str, TurnRow], now: int) -> None:
        first = plan.turns[0].source
        self.plan = plan
        self.trees = trees
        self.turns = turns
        self.now = now
        self.draft: ConversationDraft = apart.start(plan.conversation_id, first.account, line=first.place)
        self.written: set[str] = set()

    def write(self) -> None:
        """Move the conversation into the tables."""
        self._describe()
        for call in self.plan.turns:
            self._write_turn(call)
        self.draft.finish()

    def _describe(self) -> None:
        draft, log, first = self.draft, self.plan.log, self.plan.turns[0]
        program = next(iter(log.names()), None) if log is not None else None
        draft.row.agent_name = program or first.name or None
        if draft.row.agent_name:
            draft.labels["program"] = draft.row.agent_name
        caller = object_in(first.record, "caller")
        draft.labels |= {name: value for name, value in caller.items() if isinstance(value, str | int | float)}
        if log is None:
            return
        draft.extra |= {"programs": list(log.programs.values())} if log.programs else {}
        draft.extra |= {"head": log.head} if log.head != next(reversed(log.turns)) else {}
        draft.extra |= {"records": log.others} if log.others else {}

    def _write_turn(self, call: Call) -> None:
        source, thread = call.source, self.draft.main
        parent = call.turn.parent if call.turn is not None else text_in(object_in(call.record, "conversation"), "parent")
        turn = self.draft.start_turn(call.id, source.account, at=call.begins, line=source.place, parent=self.turns.get(parent or ""))
        self.turns.setdefault(call.id, turn)
        thread.account = source.account
        own = next(row for row in reversed(thread.calls) if row.call_id == turn.turn_id)
        turn.prompt = call.prompt
        before = {id(each): len(each.calls) for each in self.draft.threads}
        waiting = self._write_call(call, own, thread, call)
        while waiting:
            nested = waiting.pop()
            if nested.call.id not in self.written:
                waiting.extend(self._write_nested(nested, call))
        turn.answer = call.answer
        turn.state = call.turn.state(self.now) if call.turn is not None else call.state
        if turn.state in _OPEN:
            self._leave_open([row for each in self.draft.threads for row in each.calls[before.get(id(each), 0) :]], _OPEN[turn.state])

    def _leave_open(self, rows: list[CallRow], state: CallState) -> None:
        """Say of tool calls without a result how they stand in a turn that goes on: nothing is odd about them."""
        for row in rows:
            if row.kind == "tool" and row.state is None and row.output is None:
                row.state = state

    def _write_nested(self, nested: _Nested, turn: Call) -> list[_Nested]:
        call, source = nested.call, nested.call.source
        side = self.draft.start_thread(call.id, call.name, source.account, at=call.begins, line=source.place)
        side.parent = Link(nested.under, nested.thread)
        own = side.agent_call
        assert own is not None
        own.failed = call.state in ("failed", "stopped")
        own.state = "failed" if own.failed else call.state
        return self._write_call(call, own, side, turn)

    def _write_call(self, call: Call, own: CallRow, thread: Thread, turn: Call) -> list[_Nested]:
        """Write what a call was given, said and answered; return the calls that it made, the last one first."""
        self.written.add(call.id)
        own.input = to_json(call.inputs) if call.inputs is not None else None
        own.output = to_json(call.outputs) if call.outputs is not None else call.answer
        own.error, own.extra = call.error, call.extra()
        first = len(thread.calls)
        self._say(thread, call)
        tools = fill_tools(thread, call, [row for row in thread.calls[first:] if row.kind == "tool"], turn)
        ask_persons(self.draft, call, tools, turn)
        thread.pass_time(call.ends)
        made = sorted(self.trees.made_by.get(call.id, []), key=in_order, reverse=True)
        return [_Nested(child, tools[child.invocation - 1] if child.invocation and 0 < child.invocation <= len(tools) else own, thread) for child in made]

    def _say(self, thread: Thread, call: Call) -> None:
        source = call.source
        if call.prompt is not None:
            thread.new_message()
            thread.say("user", "text", call.prompt, call.begins, source.place)
        thread.clock = None
        thread.pass_time(call.begins)
        said = call.said()
        MessageList(thread, source.account).read(said)
        if not any(item.role == "assistant" for item in said) and call.answer is not None:
            thread.new_message()
            thread.say("assistant", "text", call.answer, call.ends, source.place)


def _account(store: Store, trees: Trees) -> None:
    """Account for the records of calls: what was read from another record already is merged."""
    for call_id, rows in store.calls.items():
        best = store.best_call(call_id)
        for row in rows:
            (row.account.keep if row is best else row.account.merge)()
    for call_id, rows in store.events.items():
        told = trees.calls[call_id].is_told
        for row in rows:
            (row.account.merge if told else row.account.keep)()
    for call_id, rows in store.ratings.items():
        for row in rows:
            _account_rating(row, call_id, known=call_id in trees.calls)


def _account_rating(row: Row, call_id: str, *, known: bool) -> None:
    if known:
        row.account.keep()
        return
    row.account.leave_out("rating_record", f"The call {call_id} that it rates is not among the files; it was left out.", line=row.place, severity="info")
