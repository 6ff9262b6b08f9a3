"""What had a step been told when it decided? Its history as the messages of a case, and what of it came from outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any, NamedTuple

from agentnb.decisions._text import text_of_content
from agentnb.render._secrets import mask
from agentnb.values import Call, Message, Part, Step, Turn


class Heard(NamedTuple):
    """One message of an agent's conversation with its model."""

    message: dict[str, Any]
    """In the form of `Case.input.conversation_messages`: calls as `toolCalls`, results as blocks of type `tool_result`; secrets masked."""
    step_ids: frozenset[str]
    """The model calls that said it; empty for what came from outside."""
    told: tuple[str, ...]
    """What of it came from outside."""


class Situations:
    """What the steps of a conversation had been told: those of a turn also what was said in the turns that it continues, those of a sub-agent only its own."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Take the turns of a conversation."""
        self._turns = {turn.turn_id: turn for turn in turns}
        self._known: dict[tuple[str, str], list[Heard]] = {}

    def history(self, turn: Turn, step: Step) -> list[dict[str, Any]]:
        """Return the messages before a step."""
        agent = str(step.call.parent_call_id)
        own = self._heard(turn, agent)
        end = _places(own, turn.steps_of(agent))[step.step_index]
        return [heard.message for heard in (*self._before(turn, agent), *own[:end])]

    def told(self, turn: Turn, agent_call_id: str) -> list[Sequence[str]]:
        """Return for each step of an agent call what it had been told."""
        before = [text for heard in self._before(turn, agent_call_id) for text in heard.told]
        own = self._heard(turn, agent_call_id)
        counts = list(accumulate((len(heard.told) for heard in own), initial=len(before)))
        everything = (*before, *(text for heard in own for text in heard.told))
        return [_Beginning(everything, counts[place]) for place in _places(own, turn.steps_of(agent_call_id))]

    def _before(self, turn: Turn, agent_call_id: str) -> list[Heard]:
        """Return what was said in the turns that lead to one, the first one first."""
        way: dict[str, Turn] = {}
        at = self._turns.get(turn.parent_turn_id or "") if agent_call_id == turn.turn_id else None
        while at is not None and at.turn_id not in way and at.turn_id != turn.turn_id:
            way[at.turn_id] = at
            at = self._turns.get(at.parent_turn_id or "")
        return [heard for one in reversed(way.values()) for heard in self._heard(one, one.turn_id)]

    def _heard(self, turn: Turn, agent_call_id: str) -> list[Heard]:
        key = (turn.turn_id, agent_call_id)
        if key not in self._known:
            self._known[key] = _heard(turn, agent_call_id)
        return self._known[key]


class _Beginning(Sequence[str]):
    """The first texts of a list, without a copy: a long run has a step for each."""

    def __init__(self, texts: tuple[str, ...], length: int) -> None:
        self._texts, self._length = texts, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: Any) -> Any:
        return self._texts[: self._length][place]

    def __iter__(self) -> Iterator[str]:
        return islice(self._texts, self._length)


def _places(heard: Sequence[Heard], steps: Sequence[Step]) -> list[int]:
    """Return where the first message of each step stands; of one that said nothing, where that of the next does."""
    first: dict[str, int] = {}
    for place, one in enumerate(heard):
        for step_id in one.step_ids:
            first.setdefault(step_id, place)
    backwards = accumulate((first.get(step.step_id, len(heard)) for step in reversed(steps)), min, initial=len(heard))
    return list(backwards)[:0:-1]


def told_in(messages: Iterable[Any]) -> tuple[str, ...]:
    """Return what came from outside: what people said and what tools returned, in order, without what was put in between.

    The agent's own words and calls do not count: two runs are in the same situation when they were told the same.
    """
    return tuple(text for message in messages if isinstance(message, Mapping) for text in _told(message))


def said_last(messages: Iterable[Any]) -> str | None:
    """Return what a person, or the agent above, said last; null when nobody did."""
    said = [message for message in messages if isinstance(message, Mapping) and message.get("role") == "user" and not message.get("injected")]
    return mask(text_of_content(said[-1].get("content")) or "") if said else None


def _told(message: Mapping[str, Any]) -> list[str]:
    if message.get("role") == "user" and not message.get("injected"):
        return [f"said: {mask(text_of_content(message.get('content')) or '')}"]
    if message.get("role") != "tool":
        return []
    content = message.get("content")
    blocks = [block for block in content if isinstance(block, Mapping) and block.get("type") == "tool_result"] if isinstance(content, list | tuple) else []
    results = [block.get("content") for block in blocks] if blocks else [content]
    return [f"returned: {mask(text_of_content(result) or '')}" for result in results]


def _heard(turn: Turn, agent_call_id: str) -> list[Heard]:
    calls = {call.call_id: call for call in turn.calls}
    own = [message for message in turn.messages if message.parts and message.parts[0].agent_call_id == agent_call_id]
    written = [_written(message, calls) for message in own]
    said_by = (frozenset(part.step_id for part in message.parts if part.step_id is not None) for message in own)
    return [Heard(message, step_ids, tuple(_told(message))) for message, step_ids in zip(written, said_by, strict=True)]


def _written(message: Message, calls: Mapping[str, Call]) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": _content(message)}
    if message.role == "tool":
        written["content"] = [_result(part, calls) for part in message.parts if part.type == "tool_result"]
    asked = [call for part in message.parts if part.type == "tool_call" and (call := calls.get(part.call_id or "")) is not None]
    if asked:
        written["toolCalls"] = [{"id": call.call_id, "name": call.name, "arguments": _masked(call.arguments)} for call in asked]
    return written | ({"injected": True} if any(part.injected for part in message.parts) else {})


def _content(message: Message) -> Any:
    others = [part for part in message.parts if part.type in ("image", "other")]
    text = mask(message.text)
    return [{"type": "text", "text": text}, *({"type": part.type} for part in others)] if others else text


def _result(part: Part, calls: Mapping[str, Call]) -> dict[str, Any]:
    call = calls.get(part.call_id or "")
    if call is None:
        return {"type": "tool_result", "content": mask(part.text or "")}
    content = mask(call.output or call.error or "")
    return {"type": "tool_result", "toolCallId": call.call_id, "toolName": call.name, "isError": call.failed, "content": content}


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value
