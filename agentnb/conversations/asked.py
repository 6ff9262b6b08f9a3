"""Who is asked before a tool runs? A person through the turn, a person at the stream, a function at once, or nobody."""

from __future__ import annotations

import asyncio
import inspect
import threading
from abc import ABC, abstractmethod
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NamedTuple

from agentnb.conversations.answers import answer_fields
from agentnb.conversations.asking import ApprovalAnswer, asks, read_answer
from agentnb.errors import ConversationError

if TYPE_CHECKING:
    from agentnb.conversations.frames import Frame

Approval = dict[str, Any]


class Answer(NamedTuple):
    """What was answered."""

    is_yes: bool
    reason: str | None = None
    by: str | None = None

    @classmethod
    def of(cls, answer: ApprovalAnswer) -> Answer:
        """Return what a function answered."""
        return cls(answer.verdict == "yes", answer.reason)


class Asker(ABC):
    """Has the questions of one run answered."""

    async def answer(self, frame: Frame, approval: Approval) -> Answer | None:
        """Have a person or a function answer whether a tool may run; None when the rule asks nobody.

        Args:
            frame: the call that wants the tool.
            approval: what is asked: call, invocation, id, name, input, effects, path and site; of a question of the tool's own also plugin and question.

        Raises:
            Halt: the turn waits for the answer.
            ConversationError: with the code approval-required, where nobody can be asked.
            ApprovalAnswerError: a function answered with something that is no answer.
        """
        rule = frame.settings["approve"]
        if "plugin" not in approval:
            if not asks(rule, name=approval["name"], path=approval["path"], effects=approval["effects"]):
                return None
            if callable(rule):
                return await self.told(frame, approval, rule)
        return await self.person(frame, approval)

    async def told(self, frame: Frame, approval: Approval, rule: Any) -> Answer:
        """Have a function answer at once."""
        given = rule(dict(approval))
        return Answer.of(read_answer(await given if inspect.isawaitable(given) else given))

    @abstractmethod
    async def person(self, frame: Frame, approval: Approval) -> Answer:
        """Have a person answer."""


class NobodyAsker(Asker):
    """A plain call has nobody to ask."""

    async def person(self, frame: Frame, approval: Approval) -> Answer:
        """Refuse."""
        raise ConversationError(
            "approval-required",
            f"{approval['path']} may only run when a person allows it, and a plain call has nobody to ask; "
            f"use {frame.program.name}.conversation(…).send(…), where the turn waits, or .stream(…), or let approve= be a function that answers",
        )


class StreamAsker(Asker):
    """A stream waits in its process until somebody answers."""

    def __init__(self) -> None:
        self.waiting: dict[tuple[str, int, str], tuple[Approval, Future[Answer]]] = {}
        self._lock = threading.Lock()

    async def person(self, frame: Frame, approval: Approval) -> Answer:
        """Wait for `approve` or `deny`."""
        key, future = key_of(approval), Future[Answer]()
        with self._lock:
            self.waiting[key] = (approval, future)
        frame.run.events.tell(frame, "approval", **event_fields(approval))
        try:
            answer = await asyncio.wrap_future(future)
        finally:
            with self._lock:
                self.waiting.pop(key, None)
        frame.run.events.tell(frame, "approved", **answered_fields(approval, answer))
        return answer


class TurnAsker(Asker):
    """A turn keeps the question, and stops until it is answered."""

    async def told(self, frame: Frame, approval: Approval, rule: Any) -> Answer:
        """Have a function answer, once: what it said is recorded."""
        recorded = self._recorded(frame, approval)
        if recorded is not None:
            return recorded
        answer = await super().told(frame, approval, rule)
        run = frame.run
        run.events.frontier()
        run.events.tell(frame, "approval", **event_fields(approval))
        _journal(frame).write("approval", **answer_fields(approval, **answer._asdict()), attempt=_journal(frame).attempt)
        run.events.tell(frame, "approved", **answered_fields(approval, answer))
        return answer

    async def person(self, frame: Frame, approval: Approval) -> Answer:
        """Take the answer that was recorded, else stop with the question."""
        recorded = self._recorded(frame, approval)
        if recorded is not None:
            return recorded
        frame.run.events.frontier()
        frame.run.events.tell(frame, "approval", **event_fields(approval))
        frame.run.ask(approval)
        raise AssertionError("a run that asks goes no further")

    def _recorded(self, frame: Frame, approval: Approval) -> Answer | None:
        journal = _journal(frame)
        site, invocation, plugin = key_of(approval)
        record = journal.turn.answer_of(site, invocation, plugin)
        if record is None:
            return None
        answer = Answer(record.get("verdict") == "yes", record.get("reason"), record.get("by"))
        if journal.is_fresh(record):
            frame.run.events.frontier()
            frame.run.events.tell(frame, "approved", **answered_fields(approval, answer))
        return answer


def key_of(approval: Approval) -> tuple[str, int, str]:
    """Return what tells one question from another: place, number, and who asks."""
    return str(approval.get("site") or ""), int(approval.get("invocation") or 0), str(approval.get("plugin") or "approval")


def event_fields(approval: Approval) -> dict[str, Any]:
    """Return the fields of the event of a question."""
    names = ("id", "invocation", "name", "input", "effects", "path", "plugin", "question")
    return {name: approval[name] for name in names if name in approval} | {"to": "owner"}


def answered_fields(approval: Approval, answer: Answer) -> dict[str, Any]:
    """Return the fields of the event of an answer."""
    plugin = {"plugin": approval["plugin"]} if "plugin" in approval else {}
    return {
        "id": approval["id"],
        "invocation": approval["invocation"],
        **plugin,
        "verdict": "yes" if answer.is_yes else "no",
        "by": answer.by,
        "reason": answer.reason,
    }


def _journal(frame: Frame) -> Any:
    return frame.run.journal
