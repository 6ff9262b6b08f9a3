"""Who belongs to whom in a turn: one pass over its calls and messages, then every renderer looks up instead of searching."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from agentnb.render._programs import Programs
from agentnb.values import Approval, Call, Part, Rating, Turn


class Said(NamedTuple):
    """What a person, a tool or the system put into an agent's conversation: the parts of one message."""

    parts: list[Part]
    """Its parts."""


class Taken(NamedTuple):
    """One step: a model call with what it said and asked for."""

    number: int
    """Place among the model calls of its agent, from 0."""
    call: Call
    """The model call."""
    parts: list[Part]
    """What it said."""
    tools: list[Call]
    """The tool calls it asked for."""


class Repeated(NamedTuple):
    """Steps that asked for nothing but the same call again, and got the same result again."""

    steps: list[Taken]
    """The steps, in order."""


class Loose(NamedTuple):
    """A tool call that no step asked for."""

    call: Call
    """The call."""


Item: TypeAlias = Said | Taken | Repeated | Loose


class TurnIndex:
    """A turn's calls by parent, by step and by agent; its parts, approvals, ratings and the images of results by call."""

    def __init__(self, turn: Turn | None) -> None:
        self.models: defaultdict[str | None, list[Call]] = defaultdict(list)
        self.tools: defaultdict[str | None, list[Call]] = defaultdict(list)
        self.children: defaultdict[str | None, list[Call]] = defaultdict(list)
        self.parts: defaultdict[str, list[Part]] = defaultdict(list)
        self.messages: defaultdict[str, list[list[Part]]] = defaultdict(list)
        self.images: defaultdict[str, list[Part]] = defaultdict(list)
        self.approvals: defaultdict[str, list[Approval]] = defaultdict(list)
        self.ratings: defaultdict[str, list[Rating]] = defaultdict(list)
        self.programs = Programs(turn.calls if turn is not None else ())
        if turn is not None:
            self._fill(turn)

    def agents(self, call: Call) -> list[Call]:
        """Return the agent calls that ran inside a tool call."""
        return [child for child in self.children[call.call_id] if child.kind == "agent"]

    def items(self, agent_id: str, first: int = 0) -> Iterator[Said | Taken | Loose]:
        """Walk what happened in an agent's conversation with its model, in order.

        Args:
            agent_id: the turn's id, or the id of a sub-agent's call.
            first: the first step to show, from 0; what was said just before it comes with it.
        """
        models = self.models[agent_id]
        place = {call.call_id: number for number, call in enumerate(models)}
        at, seen = first, -1
        for message in self.messages[agent_id]:
            number = next((place[part.step_id] for part in message if part.step_id in place), None)
            if number is None:
                if seen >= first - 1 and (parts := _said(message)):
                    yield Said(parts)
                continue
            seen = max(seen, number)
            while at <= number:
                yield self._taken(models[at], at)
                at += 1
        for number in range(at, len(models)):
            yield self._taken(models[number], number)
        yield from (Loose(call) for call in self.tools[None] if call.parent_call_id == agent_id)

    def _taken(self, call: Call, number: int) -> Taken:
        return Taken(number, call, self.parts[call.call_id], self.tools[call.call_id])

    def _fill(self, turn: Turn) -> None:
        steps = {call.call_id for call in turn.calls if call.kind == "model"}
        for call in turn.calls:
            self.children[call.parent_call_id].append(call)
            if call.kind == "model":
                self.models[call.parent_call_id].append(call)
            elif call.kind in ("tool", "program"):
                self.tools[call.step_id if call.step_id in steps else None].append(call)
        for message in turn.messages:
            self._file(list(message.parts))
        for approval in turn.approvals:
            self.approvals[approval.call_id].append(approval)
        for rating in turn.ratings:
            self.ratings[rating.call_id].append(rating)

    def _file(self, parts: list[Part]) -> None:
        by_agent: defaultdict[str, list[Part]] = defaultdict(list)
        for part in parts:
            by_agent[part.agent_call_id].append(part)
            if part.step_id is not None:
                self.parts[part.step_id].append(part)
            elif part.type == "image" and part.call_id is not None:
                self.images[part.call_id].append(part)
        for agent_id, said in by_agent.items():
            self.messages[agent_id].append(said)


def _said(message: list[Part]) -> list[Part]:
    """Return what a message says by itself: a result stands with its call, unless no call is known that it belongs to."""
    return [part for part in message if part.step_id is None and part.call_id is None and (part.text or part.type not in ("text", "tool_call"))]


def is_note(parts: list[Part]) -> bool:
    """Tell whether parts are nothing but notes that the recording tool made for itself, such as progress."""
    return all(part.type == "other" and part.role == "system" and part.injected for part in parts)


def _noted(items: Iterator[Said | Taken | Loose]) -> Iterator[Said | Taken | Loose]:
    """Put notes that follow each other into one."""
    notes: list[Part] = []
    for item in items:
        if isinstance(item, Said) and is_note(item.parts):
            notes.extend(item.parts)
            continue
        if notes:
            yield Said(notes)
            notes = []
        yield item
    if notes:
        yield Said(notes)


def folded(items: Iterator[Said | Taken | Loose]) -> Iterator[Item]:
    """Fold steps that repeat a failing call with the same result into one `Repeated` after the first of them, and notes into one note."""
    before, held = None, list[Taken]()
    for item in _noted(items):
        key = _failure(item)
        if key is not None and key == before and isinstance(item, Taken):
            held.append(item)
            continue
        if held:
            yield Repeated(held)
            held = []
        before = key
        yield item
    if held:
        yield Repeated(held)


def same_failure(call: Call) -> tuple[str, str | None, str | None, str | None] | None:
    """Return what makes two failing calls the same: name, input, error and output; None for a call that did not fail."""
    return (call.name, call.input, call.error, call.output) if call.failed or call.state == "failed" else None


def _failure(item: Said | Taken | Loose) -> tuple[str, str | None, str | None, str | None] | None:
    return same_failure(item.tools[0]) if isinstance(item, Taken) and len(item.tools) == 1 else None
