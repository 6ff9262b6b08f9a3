"""Several turns become one: another program reads what they answered, and its answer is a turn like any other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from agentnb.conversations.calling import answer_value, run_plainly
from agentnb.conversations.identifiers import new_id
from agentnb.conversations.ledger import Record, new_record
from agentnb.conversations.runs import Run
from agentnb.conversations.sending import program_record
from agentnb.conversations.threads import run_to_end
from agentnb.errors import ConversationError, ProgramError
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.turn_log import TurnLog

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program


class Merged(NamedTuple):
    """A merge that is about to be recorded."""

    turn_id: str
    records: list[Record]


def merge_records(program: Program, merger: Program, log: ConversationLog, head: str | None, sources: list[str], inputs: Mapping[str, Any]) -> Merged:
    """Run a merger over turns, and return what is recorded.

    Args:
        program: the conversation's.
        merger: an AI function.
        log: the conversation.
        head: the turn that every source continues.
        sources: ids of turns.
        inputs: the merger's inputs by name; without them its one input gets model, inputs and outputs of each source.

    Raises:
        ConversationError: with the code turn-state: there is no source, or one is not done or does not continue the head.
        ProgramError: the conversation's program or the merger is a module, or the merger's answer does not fit.
    """
    turns = [log.turns[source] for source in sources]
    _check(program, merger, turns, head)
    given = dict(inputs) or {_only_input(merger): [_told_of(turn) for turn in turns]}
    made = run_to_end(run_plainly(merger, merger.interface.bind(merger.name, (), given), {}))
    written = _fitting(program, merger, answer_value(made.frame, made.outputs))
    turn_id, now = new_id(), Run.now()
    described = [] if program.version in log.programs else [program_record(program, now)]
    turn = new_record(
        "turn",
        now,
        turn=turn_id,
        parent=head,
        program=program.version,
        inputs=turns[0].inputs,
        reads=sources,
        made_by={"name": merger.name, "version": merger.version, "call": made.frame.id},
    )
    ended = new_record("ended", now, turn=turn_id, state="done", outputs=written, value=written[program.interface.answer], saw=[], model=None, attempt=1)
    return Merged(turn_id, [*described, turn, ended])


def _check(program: Program, merger: Program, turns: list[TurnLog], head: str | None) -> None:
    for each in (program, merger):
        if each.kind != "ai":
            raise ProgramError(f"{each.name!r} is a module, and only turns of AI functions are merged, by an AI function")
    if not turns:
        raise ConversationError("turn-state", "a merge needs at least one turn to read")
    for turn in turns:
        if turn.parent != head or not turn.is_done:
            told = f"is {turn.state(Run.now())}" if not turn.is_done else f"continues {str(turn.parent)[:8]} and not the head {str(head)[:8]}"
            raise ConversationError("turn-state", f"turn {turn.id[:8]} {told}; merged are turns that are done and continue the head", turn=turn.id)


def _only_input(merger: Program) -> str:
    names = [field.name for field in merger.interface.inputs]
    if len(names) != 1:
        raise ProgramError(f"merger {merger.name!r} takes {', '.join(names) or 'nothing'}; give its inputs by name, or use one with a single input")
    return names[0]


def _told_of(turn: TurnLog) -> dict[str, Any]:
    return {"model": turn.model, **turn.inputs, **turn.outputs}


def _fitting(program: Program, merger: Program, value: Any) -> dict[str, Any]:
    answer = program.interface.outputs[-1]
    try:
        return {answer.name: answer.to_json(answer.validate(value))}
    except ValueError as error:
        raise ProgramError(f"merger {merger.name!r} answered {value!r:.80}, which is no {answer.name} of {program.name!r}: {error}") from None
