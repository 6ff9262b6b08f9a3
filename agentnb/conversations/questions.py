"""What do people have to decide? Every question that waits in a store, found again only where something was appended."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, Final, NamedTuple

from agentnb.conversations.conversation import Conversation
from agentnb.conversations.runs import Run
from agentnb.conversations.stores import Store, lengths_of
from agentnb.streams._lifted import text_in
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.turn_log import TurnLog, count_in
from agentnb.values import WaitingApproval
from agentnb.values.times import EPOCH, micros_of

_NEVER: Final = 1 << 62


class Answered(NamedTuple):
    """What became of a question that no longer waits."""

    is_yes: bool
    """Whether the tool may run."""
    by: str | None
    """Who said so."""
    reason: str | None
    """Why."""


class Questions:
    """The questions of a store, or of one conversation in it.

    Args:
        store: where the conversations are kept.
        conversation: the one whose questions are wanted, and which goes on here when they are answered; None for all of the store, whose turns are resumed
            by the process that ran them.
    """

    def __init__(self, store: Store, conversation: Conversation | None = None) -> None:
        self.store, self.conversation = store, conversation
        self._lengths: dict[str, int] = {}
        self._logs: dict[str, ConversationLog] = {}
        self._found: tuple[WaitingApproval, ...] = ()
        self._expires = 0
        self._lock = threading.RLock()

    def waiting(self) -> tuple[WaitingApproval, ...]:
        """Return what waits now, the longest first; only what has grown since the last look is read, and when nothing has, the same tuple is returned.

        Raises:
            ConversationError: the store cannot be read.
        """
        with self._lock:
            now, grown = Run.now(), False
            for conversation_id in self._grown():
                length = self._read(conversation_id)
                grown |= length != self._lengths.get(conversation_id)
                self._lengths[conversation_id] = length
            if grown or now >= self._expires:
                turns = [(name, turn) for name, log in self._logs.items() for turn in log.turns.values() if turn.ended is None and turn.waiting is not None]
                found = [each for name, turn in turns for each in _waiting_in(name, turn, now)]
                self._found = tuple(sorted(found, key=lambda each: (each.asked_at or EPOCH, each.place)))
                # A turn that runs asks again what it asked before when its lease runs out.
                self._expires = min((end for _, turn in turns if (end := _runs_until(turn)) is not None and end >= now), default=_NEVER)
            return self._found

    def answered(self, question: WaitingApproval) -> Answered | None:
        """Return what somebody said about a question; None while it waits, and where the turn came to its end without an answer."""
        with self._lock:
            log = self._logs.get(question.conversation_id) or ConversationLog().read_all(self.store.read(question.conversation_id))
        turn = log.turns.get(question.turn_id)
        record = turn.answer_of(question.site, question.invocation, question.plugin or "approval") if turn is not None else None
        return None if record is None else Answered(record.get("verdict") == "yes", record.get("by"), record.get("reason"))

    def answer(self, question: WaitingApproval, *, is_yes: bool, by: str, reason: str | None = None) -> None:
        """Answer a question. The turn goes on where its program is: in this process when a conversation with a program was given, else where it ran.

        Raises:
            ConversationError: with the code turn-state: somebody else has answered it; or the store cannot be written.
        """
        own = self.conversation
        conversation = own if own is not None and own.id == question.conversation_id else Conversation(None, question.conversation_id, store=self.store)
        conversation.answer(question.turn_id, question.which, is_yes=is_yes, by=by, reason=reason, resume=True)

    def rests(self, question: WaitingApproval) -> bool:
        """Tell whether the turn of a question that was answered still waits for somebody who goes on with it."""
        with self._lock:
            log = self._logs.get(question.conversation_id)
        turn = log.turns.get(question.turn_id) if log is not None else None
        return turn is not None and turn.state(Run.now()) == "waiting" and not turn.unanswered()

    def _grown(self) -> list[str]:
        """Return the conversations that have grown; of one alone the records themselves are asked."""
        if self.conversation is not None:
            return [self.conversation.id]
        lengths = lengths_of(self.store) or {}
        return [] if lengths == self._lengths else [name for name, length in lengths.items() if self._lengths.get(name) != length]

    def _read(self, conversation_id: str) -> int:
        """Read on in a conversation; of one in which no turn is under way nothing is held. Returns its length."""
        log = self._logs.pop(conversation_id, None) or ConversationLog()
        log.read_all(self.store.read(conversation_id, after=log.position))
        if self.conversation is not None or any(turn.ended is None for turn in log.turns.values()):
            self._logs[conversation_id] = log
        return log.position


def questions_of(conversation_id: str, turn_id: str, approvals: Iterable[Mapping[str, Any]], turn: TurnLog | None = None) -> Iterator[WaitingApproval]:
    """Yield what a turn asks, as values.

    Args:
        conversation_id: the conversation.
        turn_id: the turn.
        approvals: what it asks, as records have it.
        turn: the turn, for what it was given and since when it waits.
    """
    asked_at = micros_of(turn.waiting.get("at")) if turn is not None and turn.waiting is not None else None
    for asked in approvals:
        yield WaitingApproval(
            conversation_id=conversation_id,
            turn_id=turn_id,
            call_id=text_in(asked, "call"),
            site=text_in(asked, "site") or "",
            invocation=count_in(asked, "invocation") or 0,
            plugin=text_in(asked, "plugin"),
            name=text_in(asked, "name") or "",
            path=text_in(asked, "path") or "",
            input=_json(asked["input"]) if "input" in asked else None,
            effects=text_in(asked, "effects"),
            question=text_in(asked, "question"),
            program=text_in(turn.program, "name") if turn is not None else None,
            prompt=_prompt(turn.inputs) if turn is not None else None,
            asked_at=None if asked_at is None else EPOCH + timedelta(microseconds=asked_at),
        )


def _waiting_in(conversation_id: str, turn: TurnLog, now: int) -> Iterable[WaitingApproval]:
    if turn.state(now) not in ("waiting", "interrupted"):
        return ()
    return questions_of(conversation_id, turn.id, turn.unanswered(), turn)


def _runs_until(turn: TurnLog) -> int | None:
    return micros_of(turn.lease.get("until")) if turn.lease is not None else None


def _prompt(inputs: Mapping[str, Any]) -> str | None:
    """Return what a turn was given as a text: a single text as it is, else the inputs as JSON."""
    values = list(inputs.values())
    return values[0] if len(values) == 1 and isinstance(values[0], str) else _json(dict(inputs)) if inputs else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
