"""One call from its beginning to its end: entered, executed, told, and logged."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from agentnb.conversations.asked import NobodyAsker
from agentnb.conversations.call_records import call_record, describe, error_record
from agentnb.conversations.event_log import EventLog
from agentnb.conversations.frames import EnteredCall, Frame, current_invocation
from agentnb.conversations.halts import Halt
from agentnb.conversations.helpers import recall, remember
from agentnb.conversations.identifiers import new_id
from agentnb.conversations.runs import Run
from agentnb.conversations.setting_layers import active_settings
from agentnb.conversations.setting_layers import settings as settings_block
from agentnb.conversations.stores import CallStore, FolderCallLog
from agentnb.errors import ConversationError

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program


_log = logging.getLogger("agentnb")


class Outcome(NamedTuple):
    """How a call ended."""

    outputs: dict[str, Any] | None
    """Its outputs, as their annotations want them; None when it has none."""
    error: Exception | None = None


class MadeCall(NamedTuple):
    """A call that was made, and has an answer."""

    frame: Frame
    outputs: dict[str, Any]


async def run_plainly(program: Program, inputs: dict[str, Any], here: Mapping[str, Any]) -> MadeCall:
    """Call a program outside of any conversation.

    Args:
        program: the program.
        inputs: its inputs, as their annotations want them.
        here: settings for this call alone.
    """
    with settings_block(**here):
        active = active_settings(program.settings)
        run = Run(events=EventLog(new_id(), now=Run.now), asker=NobodyAsker(), calls=call_log(active["log_calls"]))
        frame = Frame.outermost(run, program, active)
        return MadeCall(frame, await run.entered(run_call(frame, inputs)))


async def call_inside(program: Program, inputs: dict[str, Any], parent: Frame, here: Mapping[str, Any]) -> dict[str, Any]:
    """Call a program from inside a call that runs."""
    run, invocation = parent.run, current_invocation()
    run.check(asking=True)
    site = parent.site_of(program.name, invocation)
    with settings_block(**here):
        call_id = run.call_id_at(site)
        frame = Frame(run, program, call_id=call_id, parent=parent, site=site, invocation=invocation, settings=active_settings(program.settings))
        recall(frame)
        return await run_call(frame, inputs)


async def run_call(frame: Frame, inputs: dict[str, Any]) -> dict[str, Any]:
    """Run a call to its end, and return its outputs; what it raises is told and logged, and raised."""
    outcome = await execute(frame, inputs)
    finish(frame, outcome)
    if outcome.error is not None:
        raise outcome.error
    return outcome.outputs or {}


async def execute(frame: Frame, inputs: dict[str, Any]) -> Outcome:
    """Run a call up to its end, without telling the end.

    Raises:
        Halt: it goes no further where it stands.
    """
    frame.run.check(asking=True)
    with EnteredCall(frame):
        _note_inputs(frame, inputs)
        frame.run.events.start(frame)
        try:
            return Outcome(await frame.program.execute(frame, inputs))
        except asyncio.CancelledError:
            if frame.run.halt_reason is None:
                frame.run.events.end(frame, "failed", error={"type": "Cancelled", "message": "the call was cancelled"})
                raise
            raise Halt(frame.run.halt_reason) from None
        except Halt as halt:
            frame.run.halt(halt.reason)
            raise
        except Exception as error:
            if frame.run.halt_reason is not None:
                raise Halt(frame.run.halt_reason) from error
            return Outcome(None, error)


def finish(frame: Frame, outcome: Outcome) -> None:
    """Tell and log the end of a call."""
    run = frame.run
    if outcome.error is None:
        run.events.end(frame, "done", value=answer_value(frame, outcome.outputs or {}))
    else:
        run.events.end(frame, "failed", error=error_record(outcome.error))
    log_call(frame, outcome)
    if outcome.error is None:
        remember(frame, outcome.outputs or {})


def log_call(frame: Frame, outcome: Outcome) -> None:
    """Write the record of a call that ended; not of one that was replayed whole, whose record is there."""
    calls = frame.run.calls
    if calls is None or frame.run.has_record(frame):
        return
    try:
        calls.write(call_record(frame, outcome.outputs, outcome.error))
    except Exception:
        # What a call does never depends on whether it can be logged; what a conversation needs to go on is not kept here.
        _log.warning("The record of call %s (%s) cannot be kept; the call itself goes on.", frame.id, frame.program.name, exc_info=True)


def answer_value(frame: Frame, outputs: Mapping[str, Any]) -> Any:
    """Return the JSON form of what a caller gets: the one declared output, or all of them by name."""
    interface = frame.program.interface
    plain = [field for field in interface.outputs if field.purpose == "plain"]
    try:
        values = {field.name: field.to_json(outputs[field.name]) for field in plain if field.name in outputs}
    except ConversationError:
        return None
    return values.get(plain[0].name) if len(plain) == 1 else values


def call_log(place: Any) -> CallStore | None:
    """Return the call log that a setting means: a folder, a store of calls, or None for none."""
    return FolderCallLog(place) if isinstance(place, str | os.PathLike) else place


def _note_inputs(frame: Frame, inputs: dict[str, Any]) -> None:
    """Note the inputs in their JSON form; one that has none is written as a description."""
    for field in frame.program.interface.inputs:
        value = inputs.get(field.name)
        try:
            frame.inputs[field.name] = field.to_json(value)
        except ConversationError:
            frame.inputs[field.name] = describe(value)
            frame.described.append(field.name)
