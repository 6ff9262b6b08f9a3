"""A call that is followed while it runs: its events one after another, its questions, its result."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from agentnb.conversations.asked import Answer, Approval, StreamAsker
from agentnb.conversations.calling import call_log, run_call
from agentnb.conversations.event_log import EventLog
from agentnb.conversations.frames import Frame
from agentnb.conversations.halts import Halt
from agentnb.conversations.identifiers import new_id
from agentnb.conversations.runs import Run
from agentnb.conversations.setting_layers import active_settings, settings
from agentnb.conversations.threads import started
from agentnb.errors import ConversationError

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program


class CallStream:
    """A call in the background. Iterate over it for its events; `result()` waits for the answer; `approve` and `deny` answer its questions.

    Example:
        stream = support.stream("Refund order 7, please")
        for event in stream:
            if event["kind"] == "approval":
                stream.approve(event["invocation"])
    """

    def __init__(self, program: Program, inputs: dict[str, Any], here: Mapping[str, Any]) -> None:
        self.program, self.id = program, new_id()
        with settings(**here):
            active = active_settings(program.settings)
        self._asker = StreamAsker()
        self._run = Run(events=EventLog(self.id, now=Run.now), asker=self._asker, calls=call_log(active["log_calls"]))
        self._future = started(lambda: self._main(inputs, here, active), name=f"agentnb-stream-{self.id[:8]}")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self._run.events.follow()

    @property
    def waiting(self) -> list[Approval]:
        """What it asks and nobody has answered."""
        return [dict(approval) for approval, _ in list(self._asker.waiting.values())]

    def approve(self, which: Any = None, *, by: str | None = None, reason: str | None = None) -> None:
        """Let a tool run; `which` is a question of `waiting` or its invocation number, and may be left out where there is one.

        Raises:
            ConversationError: with the code turn-state: it does not ask that.
        """
        self._answer(which, Answer(True, reason, by))

    def deny(self, which: Any = None, *, reason: str | None = None, by: str | None = None) -> None:
        """Do not let a tool run; the model is told so, with the reason."""
        self._answer(which, Answer(False, reason, by))

    def stop(self) -> None:
        """Stop the call; what still comes is dropped."""
        self._run.halt("stopped")

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the answer.

        Args:
            timeout: seconds; None for as long as it takes.

        Raises:
            TimeoutError: it still runs.
            ConversationError: with the code stopped: it was stopped.
        """
        try:
            return self.program.interface.returns(self._future.result(timeout))
        except Halt as halt:
            raise ConversationError("stopped", f"the call of {self.program.name} was {halt.reason}") from None

    def _main(self, inputs: dict[str, Any], here: Mapping[str, Any], active: dict[str, Any]) -> dict[str, Any]:
        frame = Frame.outermost(self._run, self.program, active)
        try:
            with settings(**here):
                return asyncio.run(self._run.entered(run_call(frame, inputs)))
        except Halt:
            self._run.events.end(frame, "failed", error={"type": "Cancelled", "message": "the stream was closed"})
            raise
        finally:
            self._run.events.close()

    def _answer(self, which: Any, answer: Answer) -> None:
        waiting = list(self._asker.waiting.values())
        wanted = which if isinstance(which, Mapping) else {} if which is None else {"invocation": which}
        found = [
            future
            for asked, future in waiting
            if all(asked.get(name) == value for name, value in wanted.items() if name in ("invocation", "site", "plugin", "call"))
        ]
        if not found:
            raise ConversationError(
                "turn-state", f"this call does not ask {'anything' if which is None else f'about {which!r}'} now; stream.waiting lists what it asks"
            )
        if len(found) > 1:
            raise TypeError(f"this call asks {len(found)} things; say which by one of stream.waiting")
        if not found[0].done():
            found[0].set_result(answer)
