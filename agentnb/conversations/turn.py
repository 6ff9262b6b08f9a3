"""One turn of a live conversation: a snapshot of what its records say, and what can be done with it."""

from __future__ import annotations

import asyncio
import copy
import threading
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from agentnb.conversations.following import follow_events
from agentnb.conversations.notebook import is_notebook
from agentnb.conversations.showing import short
from agentnb.conversations.threads import in_thread
from agentnb.errors import ConversationError, TurnWaiting, UnknownTurn
from agentnb.streams.call_trees import TreeCall, calls_of_events, find_calls, tree_text
from agentnb.streams.turn_log import TurnLog, UnfinishedTool
from agentnb.values.turns import TurnState

if TYPE_CHECKING:
    from agentnb.conversations.conversation import Conversation
    from agentnb.render import LiveTurnCard

EventView = Literal["full", "kept", "outside"]
TERMINAL: Final = frozenset({"done", "failed", "stopped", "abandoned"})
_SHOWN: Final = 60


class Turn:
    """What the records say of a turn at one moment; `refresh` gives a newer snapshot, and nothing changes this one.

    `await turn` waits until it ends or waits for a person, and returns the newer snapshot.
    """

    __slots__ = ("_conversation", "_values")

    def __init__(self, conversation: Conversation, log: TurnLog, now: int) -> None:
        self._conversation = conversation
        program = conversation.program
        self._values: dict[str, Any] = {
            "id": log.id,
            "parent": log.parent,
            "request_id": log.request_id,
            "inputs": copy.deepcopy(log.inputs),
            "outputs": copy.deepcopy(log.outputs),
            "result": log.result if program is None else program.result_of(log),
            "state": log.state(now),
            "model": log.model,
            "error": copy.deepcopy(log.error),
            "usage": dict(log.usage),
            "reads": list(log.record.get("reads") or ()),
            "made_by": copy.deepcopy(log.record.get("made_by")),
            "approvals": copy.deepcopy(log.unanswered()),
            "unfinished_tools": log.unfinished(),
            "saw": copy.deepcopy(log.saw),
            "attempt": log.attempt,
        }

    @property
    def id(self) -> str:
        """Its id, which is the id of its outermost call."""
        return str(self._values["id"])

    @property
    def call(self) -> str:
        """Id of its outermost call; of a merge, ratings belong to `made_by["call"]`."""
        return self.id

    @property
    def conversation(self) -> str:
        """Id of the conversation."""
        return self._conversation.id

    @property
    def live_conversation(self) -> Conversation:
        """The view of the conversation that it was taken from."""
        return self._conversation

    @property
    def parent(self) -> str | None:
        """The turn that it continues."""
        value: str | None = self._value("parent")
        return value

    @property
    def request_id(self) -> str | None:
        """The id under which it was sent."""
        value: str | None = self._value("request_id")
        return value

    @property
    def inputs(self) -> dict[str, Any]:
        """What it was given."""
        value: dict[str, Any] = self._value("inputs")
        return value

    @property
    def outputs(self) -> dict[str, Any]:
        """What it answered, by name; empty before it is done."""
        value: dict[str, Any] = self._value("outputs")
        return value

    @property
    def result(self) -> Any:
        """What it answered, as the program's annotation wants it; None before it is done."""
        return self._values["result"]

    @property
    def state(self) -> TurnState | None:
        """running, waiting, interrupted, done, failed, stopped or abandoned."""
        value: TurnState | None = self._value("state")
        return value

    @property
    def model(self) -> str | None:
        """The model that answered, else the one that the turn was sent with."""
        value: str | None = self._value("model")
        return value

    @property
    def error(self) -> dict[str, Any] | None:
        """Why it has no answer: type, message and code."""
        value: dict[str, Any] | None = self._value("error")
        return value

    @property
    def usage(self) -> dict[str, int]:
        """Tokens of all its model calls."""
        value: dict[str, int] = self._value("usage")
        return value

    @property
    def reads(self) -> list[str]:
        """Of a merge: the turns that were merged."""
        value: list[str] = self._value("reads")
        return value

    @property
    def made_by(self) -> dict[str, Any] | None:
        """Of a merge: name, version and call of the program that merged."""
        value: dict[str, Any] | None = self._value("made_by")
        return value

    @property
    def attempt(self) -> int:
        """How often it was begun."""
        return int(self._values["attempt"])

    @property
    def waiting(self) -> list[dict[str, Any]]:
        """What people are asked and have not answered: call, invocation, id, name, input, effects, path, site; empty when it has ended."""
        return [] if self.state in TERMINAL else self._value("approvals")

    @property
    def unfinished(self) -> list[UnfinishedTool]:
        """Tools that were started and of whose end nothing is recorded, so that they may have run; empty when it has ended."""
        return [] if self.state in TERMINAL else list(self._values["unfinished_tools"])

    @property
    def shown(self) -> list[Turn]:
        """The earlier turns that it was shown, in order; empty where that cannot be told."""
        return self._conversation.shown_to(self.id)

    @property
    def card(self) -> LiveTurnCard:
        """What it shows of itself in a notebook: how it stands, and what to do next."""
        from agentnb.conversations.cards import turn_card

        return turn_card(self)

    def refresh(self) -> Turn:
        """Return what the records say now."""
        return self._conversation.turn(self.id)

    def __await__(self) -> Generator[Any, None, Turn]:
        """Wait until it ends or waits for a person; when the wait is cancelled, as by interrupting the cell, the turn is interrupted too."""
        return self._settled().__await__()

    def wait(self, timeout: float | None = None, *, through_approvals: bool = False) -> Turn:
        """Wait here until it ends or waits for a person.

        Args:
            timeout: seconds; None for as long as it takes.
            through_approvals: whether to go on waiting while it waits for a person whom somebody else asks.

        Returns:
            The newer snapshot.

        Raises:
            TimeoutError: it still runs.
        """
        if is_notebook() and threading.current_thread() is threading.main_thread():
            warnings.warn(
                "turn.wait() keeps the notebook busy: clicks on buttons are not handled before it returns; `await turn` lets them through", stacklevel=2
            )
        until = None if timeout is None else time.monotonic() + timeout
        try:
            return self._wait(until, through_approvals)
        except KeyboardInterrupt:
            self._conversation.interrupt(self.id)
            raise

    def answer(self) -> Any:
        """Return the result of a turn that is done.

        Raises:
            TurnWaiting: it waits for a person.
            ConversationError: with the code turn-state: it has no answer; the message says why.
        """
        if self.state == "done":
            return self.result
        if self.state == "waiting":
            asked = ", ".join(f"{item.get('path')}({short(item.get('input'), 80)})" for item in self.waiting) or "nothing more; resume it"
            raise TurnWaiting(
                self.id, self.waiting, f"turn {self.id[:8]} waits for a person: {asked}. Answer by turn.approve() or turn.deny(), or with anb.Approvals"
            )
        told = f": {self.error.get('type')}: {self.error.get('message', '')}" if self.error else ""
        raise ConversationError("turn-state", f"turn {self.id[:8]} is {self.state} and has no answer{told}", turn=self.id)

    def stop(self) -> Turn:
        """Stop it: a running turn ends as stopped, one that waits or was interrupted is abandoned; nothing happens to one that has ended."""
        return self._conversation.stop(self.id)

    def approve(self, which: Any = None, *, by: str | None = None, reason: str | None = None, resume: bool = True) -> Turn:
        """Let a tool run.

        Args:
            which: the question: one of `waiting`, or its invocation number; may be left out where there is one only.
            by: the person who answers.
            reason: what that person says; to a question of the tool's own, the answer.
            resume: whether the turn goes on here, in the background, once nothing is unanswered.

        Returns:
            The newer snapshot; `await` it to see what comes of it.

        Raises:
            ConversationError: with the code turn-state: nothing is asked, or not this.
            TypeError: several things are asked and `which` is left out.
        """
        return self._conversation.answer(self.id, which, is_yes=True, by=by, reason=reason, resume=resume)

    def deny(self, which: Any = None, *, reason: str | None = None, by: str | None = None, resume: bool = True) -> Turn:
        """Do not let a tool run; the model is told so, with the reason. Arguments and errors are those of `approve`."""
        return self._conversation.answer(self.id, which, is_yes=False, by=by, reason=reason, resume=resume)

    def resume(self, results: Mapping[Any, Any] | None = None, rerun: Iterable[Any] = ()) -> Turn:
        """Go on with a turn that was interrupted, or whose questions are answered, in the background.

        Args:
            results: what tools put out that may have run, by invocation number, tool call id, or (site, invocation).
            rerun: tools that may have run and shall run again, by the same.

        Returns:
            The newer snapshot.

        Raises:
            ConversationError: turn-state, when it cannot be resumed now; turn-unfinished, when tools may have run and nothing is said of them.
        """
        return self._conversation.resume(self.id, results or {}, list(rerun))

    def abandon(self) -> Turn:
        """Give it up; only one that waits or was interrupted.

        Raises:
            ConversationError: with the code turn-state.
        """
        return self._conversation.abandon(self.id)

    def events(self, after: Mapping[str, int] | None = None, *, view: EventView = "kept", timeout: float | None = None) -> Iterator[dict[str, Any]]:
        """Yield its events, and follow it while it runs.

        Args:
            after: position `{writer, seq}` of the last event that is known already.
            view: kept, as it is stored; outside, what a caller of the program may see; full, with everything, in the process that runs it.
            timeout: seconds without news after which to stop; None for as long as the turn runs.

        Raises:
            ConversationError: with the code event-unknown: there is no event at that position.
        """
        return follow_events(self._conversation, self.id, after, view, timeout)

    def calls(self) -> list[TreeCall]:
        """Return its calls in the order in which they started; empty for a merge, and where its store keeps no events."""
        return calls_of_events(self._conversation.kept_events(self.id), self.id)

    def find(self, program: Any) -> list[TreeCall]:
        """Return its calls of a program, or of programs of that name: those that are done first, so that the first one can be rated."""
        return find_calls(self.calls(), program if isinstance(program, str) else program.name)

    def tree(self) -> str:
        """Return its calls as a tree of text."""
        return tree_text(self.calls(), self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Turn) and (self.conversation, self._values) == (other.conversation, other._values)

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        inputs = " ".join(f"{name}={short(value, _SHOWN)}" for name, value in self.inputs.items())
        end = f" → {short(self.result, _SHOWN)}" if self.state == "done" else f" [{self.state}]"
        return f"<Turn {self.id[:8]} {inputs}{end}>"

    def _value(self, name: str) -> Any:
        """Return a copy, so that nobody changes the snapshot."""
        return copy.deepcopy(self._values[name])

    async def _settled(self) -> Turn:
        running = self._conversation.attempt_of(self.id)
        try:
            if running is not None:
                await asyncio.shield(asyncio.wrap_future(running.future))
                self._conversation.raise_failure(self.id)
            else:
                await in_thread(lambda: self._wait(None, False))
        except asyncio.CancelledError:
            self._conversation.interrupt(self.id)
            raise
        return self.refresh()

    def _wait(self, until: float | None, through_approvals: bool) -> Turn:
        while True:
            turn = self.refresh()
            self._conversation.raise_failure(self.id)
            # A lease may have run out here while the computer slept; then the attempt that runs here renews it, or learns that it was overtaken.
            runs_here = turn.state == "interrupted" and self._conversation.attempt_of(self.id) is not None
            if turn.state != "running" and not runs_here and not (through_approvals and turn.state == "waiting"):
                return turn
            pause = 0.05 if runs_here else 0.5
            left = pause if until is None else min(pause, until - time.monotonic())
            if left <= 0:
                raise TimeoutError(f"turn {self.id[:8]} is still {turn.state}; it goes on, and turn.refresh() tells how far it is")
            self._conversation.ledger.wait(left)


def unknown_turn(turn: str, conversation: str) -> UnknownTurn:
    """Return the error for a turn that a conversation does not have."""
    return UnknownTurn(turn, f"conversation {conversation!r} has no turn {turn!r}; `conversation.turns` lists them")
