"""One attempt of a turn: its program runs in the background, and its end, or the question at which it waits, is recorded."""

from __future__ import annotations

import asyncio
import atexit
import logging
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentnb.conversations.asked import TurnAsker
from agentnb.conversations.call_records import error_record
from agentnb.conversations.calling import Outcome, answer_value, execute, log_call
from agentnb.conversations.event_log import EventLog
from agentnb.conversations.frames import Frame
from agentnb.conversations.halts import Halt, HaltReason
from agentnb.conversations.heartbeat import Heartbeat
from agentnb.conversations.journal import Journal
from agentnb.conversations.ledger import Ledger
from agentnb.conversations.models import model_name
from agentnb.conversations.runs import Run
from agentnb.conversations.setting_layers import active_settings, settings
from agentnb.conversations.stores import calls_of, events_of
from agentnb.conversations.threads import started
from agentnb.conversations.told_events import ToldEvents
from agentnb.errors import AgentnbError, ConversationError, EventRefused
from agentnb.streams.call_trees import calls_of_events
from agentnb.values.times import time_text

if TYPE_CHECKING:
    from agentnb.conversations.context import Shown
    from agentnb.conversations.programs import Program

_log = logging.getLogger("agentnb")
_running: set[Attempt] = set()
_lock = threading.Lock()


class Attempt:
    """One run of a turn, from its claim to its end."""

    def __init__(
        self,
        ledger: Ledger,
        program: Program,
        turn_id: str,
        *,
        attempt: int,
        holder: str,
        shown: Shown,
        layers: tuple[Mapping[str, Any], ...],
        lease_seconds: float,
    ) -> None:
        """Prepare an attempt whose lease is recorded.

        Args:
            ledger: the conversation.
            program: what runs.
            turn_id: the turn.
            attempt: its number, from 1.
            holder: who holds the lease.
            shown: what the turn is shown of earlier ones.
            layers: settings of the conversation, and of the turn alone.
            lease_seconds: how long a lease lasts.
        """
        self.turn_id, self.program = turn_id, program
        self.failure: Exception | None = None
        """Why the end could not be recorded."""
        self._layers, self._shown = layers, shown
        keeps = program.kind == "module" or bool(getattr(program, "tools", ()))
        self.journal = Journal(ledger, turn_id, attempt, now=Run.now, keeps_replies=keeps)
        self.holder = holder
        self.run = Run(
            events=self._event_log(attempt > 1),
            asker=TurnAsker(),
            journal=self.journal,
            calls=calls_of(ledger.store),
            conversation_id=ledger.id,
        )
        self.journal.on_halt = self.run.halt
        self._know_calls(attempt > 1)
        self._heartbeat = Heartbeat(self.run, self.journal, holder, lease_seconds=lease_seconds)
        self.future: Future[None] = Future()

    def start(self) -> Attempt:
        """Run in the background."""
        with _lock:
            _running.add(self)
        self._heartbeat.start()
        self.future = started(self._run, name=f"agentnb-turn-{self.turn_id[:8]}")
        self.future.add_done_callback(lambda _: _running.discard(self))
        return self

    def interrupt(self) -> None:
        """Leave the turn where it stands: it is interrupted, and can be resumed at once."""
        self.run.halt("interrupted")

    def let_go(self) -> None:
        """Give the lease back, if this attempt still has it: the turn is interrupted, and can be resumed at once."""
        try:
            self._let_go()
        except Halt:
            _log.debug("Turn %s is not this attempt's to give back.", self.turn_id)

    def _run(self) -> None:
        try:
            with settings(**self._layers[0]), settings(**self._layers[1]):
                asyncio.run(self._turn())
        finally:
            self._heartbeat.end()
            self.run.events.close()

    async def _turn(self) -> None:
        frame = self._frame()
        try:
            outcome = await self.run.entered(execute(frame, self._inputs()))
        except Halt as halt:
            await self._rest(frame, halt.reason)
            return
        except asyncio.CancelledError:
            await self._rest(frame, self.run.halt_reason or "interrupted")
            return
        try:
            self._heartbeat.listen()
            self.run.check()
            self._end(frame, outcome)
        except Halt as halt:
            await self._rest(frame, halt.reason)
        except Exception as error:
            self._fail(error)

    def _frame(self) -> Frame:
        frame = Frame.outermost(self.run, self.program, active_settings(self.program.settings))
        frame.saw, frame.earlier, frame.sections = list(self._shown.saw), list(self._shown.turns), list(self._shown.sections)
        frame.values = list(self._shown.values)
        return frame

    def _inputs(self) -> dict[str, Any]:
        return self.program.interface.inputs_from_json(self.journal.turn.inputs)

    def _end(self, frame: Frame, outcome: Outcome) -> None:
        """Record the end: first everything that is told of it, then the record by which the turn has ended."""
        fields = self._ended_fields(frame, outcome)
        failed = fields.get("error")
        self.run.events.frontier()
        self.run.events.end(frame, "failed", error=failed) if failed else self.run.events.end(frame, "done", value=fields["value"])
        self.run.events.flush()
        log_call(frame, outcome)
        self._write_last("ended", **fields)

    def _ended_fields(self, frame: Frame, outcome: Outcome) -> dict[str, Any]:
        common = self._common(frame)
        if outcome.error is None:
            outputs = outcome.outputs or {}
            try:
                written = frame.program.interface.outputs_to_json(outputs)
            except ConversationError as error:
                return {"state": "failed", "error": error_record(error), **common}
            fields = {"state": "done", "outputs": written, "value": answer_value(frame, outputs), **common, "model": model_name(frame.settings["model"])}
            if frame.program.kind == "ai":
                fields["lmcc"] = {"signature": frame.program.signature, "inputs": frame.inputs, "steps": frame.steps, "outputs": written}
            return fields
        return {"state": "failed", "error": error_record(outcome.error), **common}

    async def _rest(self, frame: Frame, reason: HaltReason) -> None:
        """Come to rest without an answer."""
        await self.run.come_to_rest()
        reason = self.run.halt_reason or reason
        try:
            if reason == "waiting":
                self.run.events.flush()
                self._write_last("waiting", approvals=self.run.asked, saw=frame.saw, attempt=self.journal.attempt)
            elif reason == "stopped" and self.journal.turn.ended is None:
                self._stop(frame)
            elif reason == "interrupted":
                self._let_go()
            elif reason == "failed":
                self._fail(self.journal.failure or RuntimeError("the store failed"))
        except Halt as halt:
            reason = halt.reason
            self.failure = self.failure or self.journal.failure
        if reason == "overtaken":
            _log.warning(
                "Turn %s was taken over by another process, since its lease had run out here; what this process still did for it is dropped.", self.turn_id
            )

    def _stop(self, frame: Frame) -> None:
        error = {"type": "Cancelled", "message": "the turn was stopped"}
        self._write_last("ended", state="stopped", error=error, **self._common(frame))
        self.run.events.frontier()
        for each in reversed(self.run.events.open_frames()):
            self.run.events.end(each, "failed", error=error)
        self.run.events.flush(1.0)

    def _fail(self, error: Exception) -> None:
        """The store failed: whoever waits is told, and the turn is left as it is recorded, so that it can be resumed when the store works again."""
        self.failure = error
        _log.warning("Turn %s cannot be recorded any more, and is left interrupted: %s", self.turn_id, error)
        try:
            self._let_go()
        except Halt:
            _log.warning("Turn %s counts as interrupted when its lease runs out; resume it when its store works again.", self.turn_id)

    def _let_go(self) -> None:
        self._write_last("lease", holder=self.holder, until=time_text(self.run.now()), attempt=self.journal.attempt)

    def _write_last(self, kind: str, **fields: Any) -> None:
        """Write the record by which the attempt is over."""
        self._heartbeat.end()
        self.journal.write(kind, **fields)

    def _common(self, frame: Frame) -> dict[str, Any]:
        seconds = round((self.run.now() - frame.started) / 1e6, 6)
        usage = self.journal.usage() if self.journal.keeps_replies else self.run.usage
        return {"saw": frame.saw, "usage": dict(usage), "seconds": seconds, "attempt": self.journal.attempt}

    def _event_log(self, resumed: bool) -> EventLog:
        """Begin the log of events, or go on with it where earlier attempts left it."""
        tree, store = self.turn_id, events_of(self.journal.ledger.store)
        if store is None or not resumed:
            return EventLog(tree, now=Run.now, store=store, told=ToldEvents() if resumed else None)
        try:
            claim = store.claim(tree)
            return EventLog(tree, now=Run.now, store=store, writer=claim.writer, after=claim.last, told=ToldEvents(self._earlier_events))
        except EventRefused as refused:
            if refused.code == "event-unknown":  # the attempt before died before it told anything
                return EventLog(tree, now=Run.now, store=store)
            if refused.code == "event-after-end":  # it died after it had told everything, and before it recorded that
                return EventLog(tree, now=Run.now, writer=self.journal.attempt, told=ToldEvents(self._earlier_events))
            _log.warning("The events of turn %s cannot be claimed; it runs on, and its events are kept no further.", tree, exc_info=True)
        except AgentnbError:
            _log.warning("The events of turn %s cannot be claimed; it runs on, and its events are kept no further.", tree, exc_info=True)
        return EventLog(tree, now=Run.now, writer=self.journal.attempt, told=ToldEvents())

    @cached_property
    def _earlier_events(self) -> list[dict[str, Any]]:
        """What earlier attempts told, as it is kept; read once, and where the log is claimed after that, when they tell nothing more."""
        store = events_of(self.journal.ledger.store)
        return store.read(self.turn_id) if store is not None else []

    def _know_calls(self, resumed: bool) -> None:
        """Learn which calls earlier attempts made, so that those made again keep their ids."""
        if not resumed:
            return
        calls = calls_of(self.journal.ledger.store)
        try:
            events, records = self._earlier_events, calls.read(self.turn_id) if calls is not None else []
        except AgentnbError:
            _log.warning("The calls of turn %s cannot be read; those that are made again get new ids.", self.turn_id, exc_info=True)
            return
        ended = {call.call: call.ended for call in calls_of_events(events, self.turn_id)}
        known = [event for event in events if event.get("kind") == "started" and ended.get(event["call"]) != "failed"]
        self.run.known_calls = {str(event.get("site")): str(event["call"]) for event in known}
        answered = [record for record in records if record.get("error") is None]
        self.run.known_calls |= {str(record.get("site")): str(record.get("id")) for record in answered}
        self.run.recorded_calls = {str(record.get("id")) for record in records}


@atexit.register
def _interrupt_all() -> None:
    """When the process ends, leave its turns so that they can be resumed at once."""
    with _lock:
        attempts = list(_running)
    for attempt in attempts:
        attempt.interrupt()
    for attempt in attempts:
        try:
            attempt.future.exception(timeout=2)
        except TimeoutError:
            _log.warning("Turn %s did not come to rest; it is interrupted when its lease runs out.", attempt.turn_id)
