"""The records of one turn -> its state, what it waits for, what may have run, and what it answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from agentnb.streams._lifted import list_in, object_in, text_in
from agentnb.values.times import micros_of

ENDS: Final = frozenset({"done", "failed", "stopped", "abandoned"})
"""The states in which a turn stays."""
# What a running attempt writes. A person's word counts whatever attempt it was said in. A question is shown also when the attempt that asked it was overtaken
# (vector S21): the next lease or end of the other attempt takes it back.
_FENCED: Final = frozenset({"call", "ended", "lease", "reply", "tool"})
_MOST: Final = 2**53


class UnfinishedTool(NamedTuple):
    """A tool that was started and of whose end nothing is recorded: it may have run."""

    site: str
    """The call that asked for it, by its place in the tree."""
    invocation: int
    """Its number among the tool calls of that call."""
    id: str | None
    """The model's own id for it."""
    name: str | None
    """The tool."""
    input: Any
    """What it was given."""
    started_at: str | None
    """When it was started, as recorded."""


class ToolPlace(NamedTuple):
    """Which tool call a record is about: these names are the same in every attempt."""

    site: str
    """The call that asked for it, by its place in the tree."""
    invocation: int
    """Its number among the tool calls of that call; 0 in a record that does not say."""


class _ApprovalKey(NamedTuple):
    """Which question an answer is about."""

    site: str
    invocation: int
    plugin: str


class TurnLog:
    """One turn, as its records tell it; records are plain JSON objects, and nothing in them raises."""

    def __init__(self, record: dict[str, Any], turn_id: str, programs: Mapping[str, dict[str, Any]]) -> None:
        """Start with the record that was written when the turn was sent.

        Args:
            record: of kind `turn`.
            turn_id: its id, which is the id of its outermost call too.
            programs: the programs of the conversation, by version.
        """
        self.id, self.record = turn_id, record
        self.parent = text_in(record, "parent")
        self.children: list[str] = []
        self.attempt = 1
        self.ended: dict[str, Any] | None = None
        self.lease: dict[str, Any] | None = None
        self.waiting: dict[str, Any] | None = None
        self.stops: list[dict[str, Any]] = []
        self.approvals: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        self.replies: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.others: list[dict[str, Any]] = []
        self._lists = {"stop": self.stops, "approval": self.approvals, "tool": self.tools, "reply": self.replies, "call": self.calls}
        self._programs = programs
        self._leased_at = self._waits_since = 0
        self._answered_at: list[int] = []
        self._answers: dict[_ApprovalKey, dict[str, Any]] = {}
        self._results: dict[ToolPlace, str] = {}

    def read(self, record: dict[str, Any], seq: int) -> str | None:
        """Read a record about this turn; returns why it does not count, as a code, or None when it does."""
        kind = record.get("kind")
        attempt = count_in(record, "attempt") or self.attempt
        if not isinstance(kind, str):
            self.others.append(record)
        elif attempt < self.attempt and kind in _FENCED:
            return "overtaken_attempt"
        elif kind == "ended":
            if self.ended is not None:
                return "second_end"
            self.ended = record
        elif kind == "lease":
            self.lease, self.attempt, self._leased_at = record, attempt, seq
        elif kind == "waiting":
            self.waiting, self._waits_since = record, seq
        else:
            self._keep(kind, record, seq)
        return None

    def _keep(self, kind: str, record: dict[str, Any], seq: int) -> None:
        self._lists.get(kind, self.others).append(record)
        if kind == "approval":
            self._answered_at.append(seq)
            self._answers[_approval_key(record)] = record
        elif kind == "tool" and record.get("state") in ("done", "given") and isinstance(record.get("output"), str):
            self._results.setdefault(place_of(record), record["output"])

    def state(self, now: int) -> str | None:
        """Return the state at a moment, in microseconds since 1970; None for a turn that ended in a way that is not known here."""
        if self.ended is not None:
            return text_in(self.ended, "state") if text_in(self.ended, "state") in ENDS else None
        if self._waits_since > self._leased_at:
            return "waiting"
        until = micros_of(self.lease.get("until")) if self.lease is not None else None
        return "running" if until is not None and until >= now else "interrupted"

    @property
    def is_done(self) -> bool:
        """Whether it has an answer, so that another turn can continue it."""
        return self.ended is not None and self.ended.get("state") == "done"

    def unanswered(self) -> list[dict[str, Any]]:
        """Return the approvals that the turn last waited for and that nobody answered since, also of one that has ended."""
        answered = {_approval_key(answer) for answer in self.fresh_answers()}
        asked = list_in(self.waiting, "approvals")
        return [each for each in asked if isinstance(each, dict) and _approval_key(each) not in answered]

    def fresh_answers(self) -> list[dict[str, Any]]:
        """Return the answers that were given since the turn last waited."""
        return [answer for answer, at in zip(self.approvals, self._answered_at, strict=True) if at > self._waits_since] if self.waiting else []

    def unfinished(self) -> list[UnfinishedTool]:
        """Return the tools that were started and that nothing was recorded of since, in the order in which they were started."""
        running: dict[ToolPlace, dict[str, Any]] = {}
        for record in self.tools:
            state = record.get("state")
            if state == "started":
                running[place_of(record)] = record
            elif state in ("done", "given", "rerun"):
                running.pop(place_of(record), None)
        return [UnfinishedTool(*place, text_in(tool, "id"), text_in(tool, "name"), tool.get("input"), text_in(tool, "at")) for place, tool in running.items()]

    def result_of(self, site: str, invocation: int) -> str | None:
        """Return what a tool put out, as it was first recorded; None when nothing is recorded."""
        return self._results.get(ToolPlace(site, invocation))

    def answer_of(self, site: str, invocation: int, plugin: str = "approval") -> dict[str, Any] | None:
        """Return the latest answer of a person about a tool call; None when there is none."""
        return self._answers.get(_ApprovalKey(site, invocation, plugin))

    def reply_queues(self) -> dict[str, list[dict[str, Any]]]:
        """Return the replies of the model by the key of the request, each once, in the order in which they were first given.

        FunctAI records the replies that it replays again under the next attempt: those that repeat the beginning of the queue in its order. Our own records say
        the `site` that asked, and each reply is recorded once; so one that says it is never a repetition.
        """
        queues: dict[str, list[dict[str, Any]]] = {}
        again: dict[str, int] = {}
        attempt = 1
        for record in self.replies:
            key, given = text_in(record, "key"), count_in(record, "attempt") or attempt
            if key is None or not isinstance(record.get("response"), dict):
                continue
            if given != attempt:
                attempt, again = given, dict.fromkeys(queues, 0)
            queue = queues.setdefault(key, [])
            place = again.get(key, len(queue))
            if "site" not in record and place < len(queue) and queue[place]["response"] == record["response"]:
                again[key] = place + 1
            else:
                queue.append(record)
                again.pop(key, None)
        return queues

    @property
    def program(self) -> dict[str, Any]:
        """The record of the program that it called; an empty object when that was never recorded."""
        return self._programs.get(text_in(self.record, "program") or "", {})

    @property
    def request_id(self) -> str | None:
        """The id under which it was sent, as a text."""
        value = self.record.get("request_id")
        return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None

    @property
    def inputs(self) -> dict[str, Any]:
        """What it was given."""
        return object_in(self.record, "inputs")

    @property
    def outputs(self) -> dict[str, Any]:
        """What it answered, field by field; empty before it is done."""
        return object_in(self.ended, "outputs")

    @property
    def result(self) -> Any:
        """What it answered: the value that was returned, else the output that the program calls its answer."""
        if self.ended is not None and "value" in self.ended:
            return self.ended["value"]
        return self.outputs.get(answer_name(self.program) or "")

    @property
    def model(self) -> str | None:
        """The model that answered, else the one that the turn was sent with."""
        return text_in(self.ended, "model") or text_in(self.record.get("settings"), "lm")

    @property
    def error(self) -> dict[str, Any] | None:
        """Why it has no answer."""
        return object_in(self.ended, "error") or None

    @property
    def usage(self) -> dict[str, Any]:
        """What its model calls used; empty before it ended."""
        return object_in(self.ended, "usage")

    @property
    def saw(self) -> list[Any] | None:
        """Which earlier calls it was shown, as recorded when it ended or last waited; None when that is not recorded."""
        return next((record["saw"] for record in (self.ended, self.waiting) if record is not None and isinstance(record.get("saw"), list)), None)


def answer_name(program: Mapping[str, Any]) -> str | None:
    """Return the output that a program calls its answer: the one that it names, else the last of its interface."""
    outputs = [each for each in list_in(program.get("interface"), "outputs") if text_in(each, "name")]
    return text_in(program, "answer") or (text_in(outputs[-1], "name") if outputs else None)


def place_of(record: Mapping[str, Any]) -> ToolPlace:
    """Return which tool call a record is about."""
    return ToolPlace(text_in(record, "site") or "", count_in(record, "invocation") or 0)


def count_in(record: Mapping[str, Any], name: str) -> int | None:
    """Return a number from 1 that any reader can count with; None for anything else."""
    value = record.get(name)
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 < value < _MOST else None


def _approval_key(record: Mapping[str, Any]) -> _ApprovalKey:
    return _ApprovalKey(*place_of(record), text_in(record, "plugin") or "approval")
