"""What becomes of the tool calls of one agent: results, the events that tell more of them, programs that go on, and questions to a person.

In code mode one call named `exec` runs a program that calls tools itself. The events of those name ids of their own (`exec-…`) and not the call that
runs the program: they belong to the one that is open.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import text_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._rows import CallRow, Micros
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders._thread import Thread
from agentnb.readers.builders.item_stream import ItemStream
from agentnb.readers.builders.message_list import Asked, Piece, Said, joined
from agentnb.readers.formats.codex._results import Outcome, outcome_in

_PROGRAM = "exec"
_INNER = "exec-"
_POLLS = (("session_id", "session"), ("cell_id", "cell"))


class Told(NamedTuple):
    """What an event tells of a tool call."""

    name: str
    input: str | None = None
    output: str | None = None
    exit_code: int | None = None
    failed: bool | None = None
    error: str | None = None
    seconds: float | None = None
    extra: dict[str, Any] | None = None
    in_input: tuple[str, ...] = ()
    """Names in `extra` of what `input` says as well."""


class Moment(NamedTuple):
    """Where something stands in the recording, and when it was."""

    place: int
    at: Micros | None


class Asking(NamedTuple):
    """A question to a person or to a reviewer about a call, as far as it is known."""

    call_id: str
    question: str | None
    asked: Moment | None
    answer: Literal["yes", "no"] | None = None
    answered_by: str | None = None
    reason: str | None = None
    answered: Moment | None = None


class CallBook:
    """The tool calls of one agent, by the ids that its events name."""

    def __init__(self, stream: ItemStream, thread: Thread) -> None:
        """Start with no calls."""
        self.account: Account = thread.account
        self.spawned: dict[str, CallRow] = {}
        """Calls that started a sub-agent, by its id."""
        self._stream = stream
        self._thread = thread
        self._calls: dict[str, CallRow] = {}
        self._told: dict[str, tuple[Told, Moment]] = {}
        self._programs: dict[str, CallRow] = {}
        self._running: dict[str, CallRow] = {}
        self._polls: dict[str, str] = {}
        self._made: set[str] = set()
        self._asking: dict[str, Asking] = {}

    def ask(self, said: Said) -> None:
        """Read a reply that asks for tools."""
        self._stream.say(said)
        for call in self._thread.calls[-len(said.asked) :]:
            self._register(call)

    def answer(self, said: Said) -> None:
        """Read a result, with what its words and the events before it tell."""
        call = self._calls.get(said.result_of or "")
        if call is not None and call.state not in (None, "denied"):
            call = None
        text = "\n".join(piece.text for piece in said.pieces if piece.type == "text" and piece.text is not None)
        outcome = outcome_in(text)
        told, _ = self._told.pop(said.result_of or "", (None, None))
        starter = self._settle_starter(said, outcome)
        if call is not None and outcome.refused:
            self._refuse(call, said, outcome)
        said = _with_outcome(said, outcome, text)
        if starter is not None:
            said = said._replace(failed=False, error=None)
        self._stream.say(_with_told(said, told, outcome.text) if told is not None else said)
        if call is not None:
            self._programs.pop(call.tool_call_id or "", None)
            if told is not None and told.seconds is not None:
                call.seconds = told.seconds
            if outcome.goes_on is not None and told is None and outcome.goes_on not in self._running:
                call.state = "running"
                self._running[outcome.goes_on] = call

    def begin(self, call_id: str, told: Told, moment: Moment) -> CallRow:
        """Read that a call begins; it may have been asked for before."""
        call = self._calls.get(call_id)
        if call is not None:
            self.account.merge()
            return call
        return self._make(call_id, told, moment, records=1)

    def tell(self, call_id: str, told: Told, moment: Moment) -> CallRow:
        """Read what an event tells of a call that has ended; a call that no item asked for is made."""
        call = self._calls.get(call_id)
        if call is None:
            call = self._make(call_id, told, moment, records=1)
            self._answer_as_told(call, told, moment)
        elif call.state is None and call_id in self._made:
            # No item asked for it, so none will bring its result.
            self._answer_as_told(call, told, moment)
            self.account.merge()
        elif call.state is None:
            self._told[call_id] = (told, moment)
            self.account.merge()
        else:
            _add(call, told, moment)
            self.account.merge()
        return call

    def knows(self, call_id: str) -> bool:
        """Tell whether a call has this id."""
        return call_id in self._calls

    def question(self, key: str, asking: Asking) -> None:
        """Read that a person or a reviewer is asked, or how the question was answered."""
        before = self._asking.get(key)
        if before is not None:
            asking = asking._replace(call_id=before.call_id, question=before.question or asking.question, asked=before.asked or asking.asked)
        self._asking[key] = asking
        call = self._calls.get(asking.call_id)
        if call is not None and asking.answer == "no" and call.state is None:
            call.state = "denied"

    def decide(self, key: str, answer: str | None, moment: Moment) -> bool:
        """Read what the person answered; return whether a question waited for it."""
        waiting = [own for own, asking in self._asking.items() if asking.answer is None]
        own = key if key in waiting else waiting[-1] if waiting else None
        if own is None:
            return False
        said: Literal["yes", "no"] | None = "yes" if answer == "yes" else "no" if answer == "no" else None
        self.question(own, self._asking[own]._replace(answer=said, answered_by="user", answered=moment))
        return True

    def finish(self) -> None:
        """Say what was told of calls that no result was recorded for, and who was asked about which call."""
        for call_id, (told, moment) in self._told.items():
            self._answer_as_told(self._calls[call_id], told, moment)
        for asking in self._asking.values():
            call = self._calls.get(asking.call_id)
            if call is not None:
                # Codex runs what was asked about only after a yes.
                answer = asking.answer or ("yes" if call.state in ("done", "failed", "running") else "no" if call.state == "denied" else None)
                self._thread.draft.ask_person(call, _question(asking._replace(answer=answer)), self.account)

    def starter_of(self, agent_id: str) -> CallRow | None:
        """Find the call that started a sub-agent: an event tells it, or its result names the sub-agent."""
        called = (call for call in self._calls.values() if "spawn" in call.name and agent_id in (text_of(call.output) or ""))
        return self.spawned.get(agent_id) or next(called, None)

    def _register(self, call: CallRow) -> None:
        if call.tool_call_id is None:
            return
        self._calls[call.tool_call_id] = call
        if call.name == _PROGRAM:
            self._programs[call.tool_call_id] = call
        elif call.input is not None and call.name in ("wait", "write_stdin"):
            arguments = parse_json(call.input.encode() if isinstance(call.input, str) else call.input).value
            for name, kind in _POLLS if isinstance(arguments, dict) else ():
                if arguments.get(name) is not None:
                    self._polls[call.tool_call_id] = f"{kind} {text_of(arguments[name])}"

    def _settle_starter(self, said: Said, outcome: Outcome) -> CallRow | None:
        """Let the call that started a program end with what a later call was told of it; return it."""
        key = self._polls.pop(said.result_of or "", None)
        starter = self._running.get(key) if key is not None else None
        if key is None or starter is None or outcome.goes_on is not None or not outcome.ended:
            return None
        del self._running[key]
        _end(starter, outcome.exit_code, outcome.failed, outcome.error, said.at)
        return starter

    def _refuse(self, call: CallRow, said: Said, outcome: Outcome) -> None:
        call.state = "denied"
        asked = next((key for key, asking in self._asking.items() if asking.call_id == call.tool_call_id), None)
        if asked is None and not outcome.refused_by_person:
            return
        asking = self._asking.get(asked or "") or Asking(call.tool_call_id or "", None, None)
        by = asking.answered_by or ("user" if outcome.refused_by_person else None)
        self._asking[asked or call.call_id] = asking._replace(answer="no", answered_by=by, answered=asking.answered or Moment(said.place, said.at))

    def _make(self, call_id: str, told: Told, moment: Moment, *, records: int) -> CallRow:
        program = self._program_around(call_id)
        asked = Asked(call_id, told.name, told.input, inside=program.tool_call_id if program is not None else None)
        self._stream.add(Said("assistant", moment.place, asked=(asked,), same_step=True, records=records))
        call = self._thread.calls[-1]
        call.started_at = moment.at
        self._thread.pass_time(moment.at)
        self._register(call)
        self._made.add(call_id)
        return call

    def _program_around(self, call_id: str) -> CallRow | None:
        if not call_id.startswith(_INNER):
            return None
        waited_for = (self._running[key] for key in self._polls.values() if key in self._running)
        turn_id = self._thread.turn.turn_id if self._thread.turn is not None else ""
        candidates = [*waited_for, *self._running.values(), *self._programs.values()]
        return next((call for call in reversed(candidates) if call.turn_id == turn_id), None)

    def _answer_as_told(self, call: CallRow, told: Told, moment: Moment) -> None:
        pieces = (Piece("text", told.output),) if told.output is not None else ()
        if call.tool_call_id in self._made and told.extra:
            told = told._replace(extra={event: _without(fields, told.in_input) for event, fields in told.extra.items()})
        said = Said("tool", moment.place, pieces, result_of=call.tool_call_id, at=moment.at, same_step=True, records=0)
        self._stream.add(_with_told(said, told, told.output or ""))
        if told.seconds is not None:
            call.seconds = told.seconds


def _with_outcome(said: Said, outcome: Outcome, text: str) -> Said:
    pieces = said.pieces
    if outcome.text != text:
        pieces = (Piece("text", outcome.text), *(piece for piece in pieces if piece.type != "text"))
    extra = joined(said.extra, to_json(outcome.extra)) if outcome.extra else said.extra
    failed = said.failed if outcome.failed is None else outcome.failed
    return said._replace(
        pieces=pieces,
        exit_code=said.exit_code if outcome.exit_code is None else outcome.exit_code,
        failed=failed,
        error=said.error or outcome.error,
        extra=extra if extra is None or isinstance(extra, str) else extra.decode(),
    )


def _with_told(said: Said, told: Told, output: str) -> Said:
    rest = _unsaid(told.extra, output)
    extra = joined(said.extra, to_json(rest)) if rest else said.extra
    return said._replace(
        exit_code=told.exit_code if said.exit_code is None else said.exit_code,
        failed=True if told.failed else told.failed if said.failed is None else said.failed,
        error=said.error or told.error,
        extra=extra if extra is None or isinstance(extra, str) else extra.decode(),
    )


def _without(fields: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}


def _unsaid(extra: dict[str, Any] | None, output: str) -> dict[str, Any]:
    """Leave out what the output says already: an event holds the same text up to four times."""
    return {
        event: {name: value for name, value in fields.items() if not (isinstance(value, str) and len(value) > 20 and value.strip() in output)}
        for event, fields in (extra or {}).items()
    }


def _add(call: CallRow, told: Told, moment: Moment) -> None:
    """Add what an event tells to a call that has its result."""
    if call.state == "running":
        _end(call, told.exit_code, told.failed, told.error, moment.at)
    elif told.failed and call.state != "denied":
        call.state, call.failed, call.error = "failed", True, call.error or told.error
    call.exit_code = told.exit_code if call.exit_code is None else call.exit_code
    if call.output is None and told.output is not None:
        call.output = told.output
    if told.seconds is not None:
        call.seconds = told.seconds
    rest = _unsaid(told.extra, text_of(call.output) or "")
    call.extra = joined(call.extra, to_json(rest)) if rest else call.extra


def _end(call: CallRow, exit_code: int | None, failed: bool | None, error: str | None, at: Micros | None) -> None:
    call.state, call.failed = ("failed", True) if failed else ("done", False)
    call.exit_code = exit_code
    call.error = error if failed else None
    if at is not None and call.started_at is not None and at >= call.started_at:
        call.ended_at, call.seconds = at, (at - call.started_at) / 1e6


def _question(asking: Asking) -> Question:
    asked, answered = asking.asked, asking.answered
    line = asked.place if asked is not None else answered.place if answered is not None else None
    at, until = asked.at if asked is not None else None, answered.at if answered is not None else None
    return Question(asking.question, asking.answer, asking.answered_by, asking.reason, at, until, line)
