"""The list that is sent to a model -> turns, steps and calls.

What a format calls a message becomes `Said`; this builder starts turns where a person speaks, pairs results with calls and puts usage on the replies.
A list has no ids of its own: a turn, a step and a call are named by their place in their parent, so that a longer copy of the same list agrees.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from agentnb.readers._account import Account
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, Micros, PartRow, Text, TurnRow
from agentnb.readers._verdicts import error_in, exit_code_in, first_line
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders._thread import Thread


class Piece(NamedTuple):
    """A piece of what was said."""

    type: str
    text: str | None = None
    mime_type: str | None = None
    extra: str | None = None


class Asked(NamedTuple):
    """A tool call as a model asked for it."""

    tool_call_id: str | None
    name: str
    input: str | None
    """Arguments as JSON; arguments that are not JSON as one JSON string."""
    extra: str | None = None
    oddities: tuple[str, ...] = ()
    """Codes of what was odd about the arguments."""
    state: str | None = None
    """What the recording says became of a call that has no result: denied or running."""
    question: Question | None = None
    """What a person was asked before it ran."""
    inside: str | None = None
    """The `tool_call_id` of the call whose program made this one."""
    follows: str | None = None
    """The `tool_call_id` of a call that waited for a person's answer, and that this is the run of; when there is none, it is a call of its own."""


class Said(NamedTuple):
    """One message, in no format's terms."""

    role: str
    """system, user, assistant or tool."""
    place: int
    """Place in the recording, from 1."""
    pieces: tuple[Piece, ...] = ()
    asked: tuple[Asked, ...] = ()
    result_of: str | None = None
    """Of a result, the id of its call; None means the next one in order."""
    loose: bool = False
    """Whether a result belongs to no call: the agent was shown it without having asked for it."""
    at: Micros | None = None
    zone_assumed: bool = False
    """Whether the time had no zone and was read as UTC."""
    model: str | None = None
    usage: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory
    """Columns of the model call to set: tokens, cost, seconds."""
    finish_reason: str | None = None
    injected: bool = False
    """Whether it only repeats what was said elsewhere, or no person said it."""
    error: str | None = None
    """Why there is no reply, or what a tool's result says went wrong."""
    extra: str | None = None
    failed: bool | None = None
    """Of a result, what the recording says; None leaves it to the exit code and the first words of the text."""
    exit_code: int | None = None
    """Of a result, the exit code that the recording tells apart from the text."""
    id: str | None = None
    """The recording's own id: a turn that these words start, or a step that is this reply, is named by it rather than by its place."""
    started: Micros | None = None
    """Of a reply, when the model was called, if the recording tells; else it is taken to be when the record before it ended."""
    same_step: bool = False
    """Whether this piece of a reply, or this result of a tool that the service ran itself, belongs to the model call before it."""
    records: int = 1
    """How many records of the file it stands for: 0 when several messages stand in one record and another of them is counted."""
    question: Question | None = None
    """Of a result, what a person was asked before the tool ran."""
    decides: bool = False
    """Of a result, whether it only tells what a person answered: what the tool returned is still to come."""
    result_name: str | None = None
    """Of a result, the name of its tool, by which it is paired when its call has no id: services that give none name the tool instead."""


class MessageList:
    """Reads messages into a thread."""

    def __init__(self, thread: Thread, account: Account) -> None:
        """Read into a conversation's main thread, where people's words start turns, or into a sub-agent's."""
        self.thread = thread
        self.account = account
        self.is_main = thread.agent_call is None
        self.turns_told = False
        """Whether the recording says where turns begin: what a person says then starts none."""
        self._waiting: list[Said] = []
        self._replied = True
        self._step: CallRow | None = None
        self._steps = 0
        self._tools = 0

    @property
    def step(self) -> CallRow | None:
        """The latest model call."""
        return self._step

    def read(self, messages: Iterable[Said]) -> None:
        """Read messages in order; may be called again for those that follow, and `finish` at the end."""
        for said in messages:
            if (said.role == "system" or said.injected) and self.is_main and self.thread.turn is None:
                self._waiting.append(said)
                continue
            self._open_turn(said)
            self._say(said)

    def run(self, asked: Asked, result: Said) -> CallRow:
        """Read a command that a person ran without the model: its call belongs to no model call, and asking for it is the person's part.

        Args:
            asked: the command; its state is what the result says.
            result: what it printed, of role tool.
        """
        self._open_turn(result)
        thread = self.thread
        thread.new_message()
        self._tools += 1
        wanted = f"{thread.agent_call_id}/{asked.tool_call_id or f'c{self._tools}'}"
        call = thread.ask(wanted, asked.tool_call_id, asked.name, asked.input, step=None, at=result.started or result.at, line=result.place)
        thread.parts[-1].role = "user"
        call.extra = asked.extra
        if result.pieces or result.error is not None or result.exit_code is not None:
            self._say(result._replace(result_of=asked.tool_call_id))
        else:
            self.account.keep(result.records)
        return call

    def start_turn(self, own_id: str, *, at: Micros | None, line: int | None, parent: TurnRow | None = None) -> TurnRow:
        """Start a turn where the recording says that one begins.

        Args:
            own_id: the turn's id in its conversation.
            at: when it began.
            line: its place.
            parent: the turn it continues; without one the turn before it.
        """
        thread = self.thread
        wanted = f"{thread.draft.row.conversation_id}/{own_id}"
        turn = thread.draft.start_turn(wanted, self.account, at=at, line=line, parent=parent or thread.turn)
        self._steps = self._tools = 0
        self._step = None
        self._replied = False
        waiting, self._waiting = self._waiting, []
        for earlier in waiting:
            self._say(earlier)
        return turn

    def end_turn(self) -> None:
        """End a turn where the recording says so: what a person says next starts one, unless the recording says before it that one begins."""
        self.turns_told = False
        self._replied = True

    def answer(self, call: CallRow, result: Said) -> bool:
        """Give a result to one call that the recording tells without an id; false when it has one already."""
        self.thread.new_message()
        text = _result_text(result)
        if not self.thread.answer_call(call, text, at=result.at, line=result.place):
            return False
        self._finish_result(call, text, result)
        return True

    def note(self, said: Said) -> None:
        """Read what the tool noted and no agent waited for: a turn does not last until then."""
        thread = self.thread
        if self.is_main and thread.turn is None:
            self.read([said])
            return
        known = len(thread.parts)
        self.read([said._replace(at=None)])
        for part in thread.parts[known:]:
            part.said_at = said.at

    def go_back_to(self, turn: TurnRow | None) -> None:
        """Let what follows continue an earlier turn of the main thread: a branch; without a turn it starts anew."""
        thread = self.thread
        if turn is None:
            thread.turn = None
        else:
            thread.move_to(turn)
        self._replied = True
        self._step = None

    def finish(self) -> None:
        """Keep system messages that nothing follows."""
        if self._waiting:
            self._open_turn(self._waiting[0])

    def _open_turn(self, said: Said) -> None:
        thread = self.thread
        speaks = said.role == "user" and not said.injected
        if self.is_main and (thread.turn is None or (speaks and self._replied and not self.turns_told)):
            own_id = (said.id if speaks else None) or len(thread.draft.turns) + 1
            self.start_turn(str(own_id), at=said.at, line=said.place)
            self._replied = not speaks
        if speaks and self.is_main and thread.turn is not None:
            text = "\n\n".join(piece.text for piece in said.pieces if piece.type == "text" and piece.text)
            thread.turn.prompt = f"{thread.turn.prompt}\n\n{text}" if thread.turn.prompt else text

    def _say(self, said: Said) -> None:
        self.thread.new_message()
        if said.role == "assistant" and not said.injected:
            self._reply(said)
        elif said.role == "tool" and not said.injected:
            self._result(said)
        else:
            self._pieces(said, None)
        self.thread.pass_time(said.at)
        if said.zone_assumed:
            self.thread.draft.row.time_zone_assumed = True
        self.account.keep(said.records)

    def _reply(self, said: Said) -> None:
        thread = self.thread
        self._replied = True
        step = self._step_of(said)
        step.finish_reason = said.finish_reason or step.finish_reason
        for column, value in said.usage.items():
            setattr(step, column, value)
        if said.error is not None:
            step.state, step.failed, step.error = "failed", True, said.error
        self._pieces(said, step)
        for asked in said.asked:
            self._ask(asked, said, step)
        if not said.pieces and not said.asked and not said.same_step:
            thread.say("assistant", "text", None, said.at, said.place, step=step)

    def _step_of(self, said: Said) -> CallRow:
        """Return the model call that a reply belongs to: the one before, or a new one."""
        thread, step = self.thread, self._step
        if said.same_step and step is not None:
            step.ended_at = said.at or step.ended_at
            step.name = step.name or said.model or ""
            return step
        self._steps += 1
        wanted = f"{thread.agent_call_id}/{said.id or f's{self._steps}'}"
        started = said.started if said.started is not None else thread.clock
        thread.pass_time(said.started)
        self._step = step = thread.step(wanted, said.model or "", started=started, at=said.at, line=said.place)
        return step

    def _ask(self, asked: Asked, said: Said, step: CallRow) -> None:
        thread = self.thread
        waiting = thread.waiting_for(asked.follows) if asked.follows else None
        if waiting is not None:
            thread.rename(waiting, asked.tool_call_id)
            waiting.extra = joined(waiting.extra, asked.extra)
            return
        self._tools += 1
        wanted = f"{thread.agent_call_id}/{asked.tool_call_id or f'c{self._tools}'}"
        caller = next((call for call in reversed(thread.calls) if call.tool_call_id == asked.inside), None) if asked.inside else None
        call = thread.ask(wanted, asked.tool_call_id, asked.name, asked.input, step=step, at=said.at, line=said.place, caller=caller)
        call.extra, call.state = asked.extra, asked.state
        if asked.question is not None:
            thread.draft.ask_person(call, asked.question, self.account)
        if asked.oddities:
            self.account.note_oddities(asked.oddities, line=said.place, conversation_id=call.conversation_id, call_id=call.call_id, excerpt=asked.input)

    def _result(self, said: Said) -> None:
        thread = self.thread
        text = _result_text(said)
        decided = thread.waiting_for(said.result_of) if said.decides else None
        if decided is not None and said.question is not None:
            thread.draft.ask_person(decided, said.question, self.account)
            decided.extra = joined(decided.extra, said.extra)
            return
        if said.loose:
            thread.observe(text, at=said.at, line=said.place)
            call = None
        else:
            call = thread.answer(said.result_of, text, at=said.at, line=said.place, name=said.result_name)
        self._finish_result(call, text, said)

    def _finish_result(self, call: CallRow | None, text: str | None, said: Said) -> None:
        thread = self.thread
        if call is None:
            thread.parts[-1].extra = said.extra
        else:
            if said.question is not None:
                thread.draft.ask_person(call, said.question, self.account)
            _judge(call, text, said)
            call.extra = joined(call.extra, f'{{"result":{said.extra}}}') if call.extra and said.extra else call.extra or said.extra
            if said.same_step:
                thread.close_step(call)
                if self._step is not None and call.started_at == call.ended_at == self._step.ended_at:
                    # The reply's one time tells nothing of how long the service's own tool took.
                    call.ended_at = call.seconds = None
        for piece in said.pieces:
            if piece.type != "text":
                part = self._piece(said, piece, None)
                part.call_id = call.call_id if call else None

    def _pieces(self, said: Said, step: CallRow | None) -> None:
        """Say the pieces; what of the message was not read stands with its model call, else with the first part that has room for it."""
        parts = [self._piece(said, piece, step) for piece in said.pieces]
        if step is not None:
            if said.extra is not None:
                step.extra = joined(step.extra, said.extra)
            return
        free = next((part for part in parts if part.extra is None), None)
        if free is None and (said.extra is not None or not parts):
            free = self._piece(said, Piece("other"), step)
        if free is not None:
            free.extra = said.extra

    def _piece(self, said: Said, piece: Piece, step: CallRow | None) -> PartRow:
        injected = said.injected or said.role == "system"
        part = self.thread.say(said.role, piece.type, piece.text, said.at, said.place, step=step, injected=injected)
        if piece.mime_type is not None or piece.extra is not None:
            part.mime_type, part.extra = piece.mime_type, piece.extra
        return part


def joined(first: Text, second: str | None) -> Text:
    """Put two objects of what was not read into one; of a name that both have, the second one's value stands under the name with a tilde."""
    if first is None or second is None:
        return second if first is None else first
    both: dict[str, Any] = msgspec.json.decode(first)
    for name, value in msgspec.json.decode(second).items():
        while name in both:
            name += "~"
        both[name] = value
    return to_json(both)


def _result_text(said: Said) -> str | None:
    if len(said.pieces) == 1 and said.pieces[0].type == "text":
        return said.pieces[0].text or ""
    return "\n".join(piece.text for piece in said.pieces if piece.type == "text" and piece.text is not None) if said.pieces else None


def _judge(call: CallRow, output: str | None, said: Said) -> None:
    """Mark a call as failed when the recording says so; where it does not tell, when the result's first words or an exit code that is not zero do."""
    call.exit_code = said.exit_code if said.exit_code is not None else exit_code_in(output)
    if call.state == "denied":
        call.error = said.error
        return
    error = said.error
    if error is None and said.failed is None:
        error = error_in(output) or (first_line(output or "") if call.exit_code else None)
    if said.failed or (said.failed is None and error is not None):
        call.state, call.failed, call.error = "failed", True, error or first_line(output or "") or None
