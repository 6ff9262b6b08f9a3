"""What of a turn do the rules need? Its steps, their texts and calls, and what was said in between: from a value, or from columns of the tables.

A run is the exchange of one agent call with its model: the turn's own agent, or a sub-agent. Each is judged by its own calls.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

from agentnb.errors import UnknownId
from agentnb.rules._sentences import without_reasoning
from agentnb.values import Turn
from agentnb.values.control_tools import handed_in
from agentnb.values.test_runs import Verdict
from agentnb.values.tool_kinds import ToolKind

TURN_COLUMNS: Final = ("turn_id", "conversation_id", "prompt", "state")
CALL_COLUMNS: Final = (
    "call_id", "turn_id", "parent_call_id", "step_id", "call_index", "kind", "name", "state", "failed", "input", "output", "exit_code", "finish_reason",
)  # fmt: skip
USAGE_COLUMNS: Final = ("input_tokens", "output_tokens", "cost")
OFFER_COLUMN: Final = "extra"
"""Column that tells where a model call was offered an empty list of tools; may be left out, and be null in all other rows."""
PART_COLUMNS: Final = ("turn_id", "agent_call_id", "step_id", "message_index", "role", "type", "injected", "text", "extra")
"""Columns of the tables that `runs_of_columns` takes; those of usage may be left out where no limits are asked for."""

# A placeholder such as "[removed]" stands where a word was, and tells nothing.
_REASON: Final = re.compile(r"[\w.:-]+")
NOT_TEXT: Final = "[not text]"
"""Stands for a picture, a sound or the like that the agent answered with: it is no words, but no empty answer either."""

Columns = Mapping[str, Sequence[Any]]


class CallFacts(NamedTuple):
    """One tool call, as far as rules look at it."""

    call_id: str
    call_index: int | None
    name: str
    input: str | None
    output: str | None
    exit_code: int | None
    failed: bool
    state: str | None
    kind: ToolKind | None = None
    """Given only where a caller knows better than the map of kinds."""
    judged: bool = False
    """Whether `verdict` was given, None included."""
    verdict: Verdict | None = None
    unchanged: bool = False
    """Whether the result says that nothing was changed."""

    @property
    def refused(self) -> bool:
        """Whether it never ran because a person or a rule said no."""
        return self.state == "denied"

    @property
    def answered(self) -> bool:
        """Whether there is a result."""
        return self.output is not None or self.state in ("done", "failed")


class StepFacts(NamedTuple):
    """One model call with the tool calls it asked for."""

    step_id: str | None
    call_index: int | None
    text: str
    finish_reason: str | None
    calls: list[CallFacts]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    no_tools: bool = False
    """Whether the recording says that the model was offered no tools."""

    @property
    def handed_in(self) -> str | None:
        """The answer that a finishing tool took, NOT_TEXT where it took no words; None where the step asked for any other tool, or for none."""
        words = [handed_in(call.name, call.input) for call in self.calls]
        if not words or None in words:
            return None
        return "\n\n".join(filter(None, words)) or NOT_TEXT


class Heard(NamedTuple):
    """What was said to the agent between two steps."""

    text: str
    injected: bool
    extra: str | None


class Run(NamedTuple):
    """The exchange of one agent call with its model."""

    conversation_id: str
    turn_id: str
    agent_call_id: str
    state: str | None
    """State of the turn; None for a sub-agent."""
    events: list[StepFacts | Heard]

    @property
    def own(self) -> bool:
        """Whether it is the turn's own agent."""
        return self.agent_call_id == self.turn_id


def run_of_turn(turn: Turn, agent: str | None = None) -> Run:
    """Take out of a turn what rules look at.

    Args:
        turn: with its calls and messages.
        agent: id of a sub-agent's call; without it the turn's own agent.

    Raises:
        UnknownId: the turn has no such agent call.
    """
    runs = {run.agent_call_id: run for run in runs_of_turn(turn)}
    wanted = agent or turn.turn_id
    if wanted in runs:
        return runs[wanted]
    if wanted != turn.turn_id and all(call.call_id != wanted for call in turn.calls):
        raise UnknownId(f"Turn {turn.turn_id!r} has no agent call {wanted!r}. Those with steps are {', '.join(map(repr, runs)) or 'none'}.")
    return Run(turn.conversation_id, turn.turn_id, wanted, turn.state if wanted == turn.turn_id else None, [])


def runs_of_turn(turn: Turn) -> Iterator[Run]:
    """Yield the turn's own run first, then those of its sub-agents, in order."""
    calls = {name: [getattr(call, name) for call in turn.calls] for name in (*CALL_COLUMNS, *USAGE_COLUMNS, OFFER_COLUMN)}
    pieces = [part for message in turn.messages for part in message.parts if part.role in ("user", "assistant")]
    parts = {name: [getattr(part, name) for part in pieces] for name in PART_COLUMNS}
    return runs_of_columns({name: [getattr(turn, name)] for name in TURN_COLUMNS}, calls, parts)


def runs_of_columns(turns: Columns, calls: Columns, parts: Columns) -> Iterator[Run]:
    """Yield the runs of many turns, from columns of the tables.

    Args:
        turns: `TURN_COLUMNS`, ordered by conversation_id and turn_index.
        calls: `CALL_COLUMNS` of all kinds of calls, ordered by call_index within their turn, `USAGE_COLUMNS` where limits are asked for, and `OFFER_COLUMN`.
        parts: `PART_COLUMNS` of what users and assistants said (types text, image, other and tool_call), ordered by message_index and part_index within
            their turn.

    Raises:
        KeyError: a column is missing.
    """
    calls_of, parts_of = _by_turn(calls, CALL_COLUMNS, (*USAGE_COLUMNS, OFFER_COLUMN)), _by_turn(parts, PART_COLUMNS)
    for turn_id, conversation_id, prompt, state in zip(*(turns[name] for name in TURN_COLUMNS), strict=True):
        yield from _runs(turn_id, conversation_id, prompt, state, calls_of.pop(turn_id, ()), parts_of.pop(turn_id, ()))


def _by_turn(columns: Columns, names: Sequence[str], more: Sequence[str] = ()) -> dict[str, list[Any]]:
    rows: defaultdict[str, list[Any]] = defaultdict(list)
    optional = [columns.get(name, repeat(None)) for name in more]
    for row in zip(*(columns[name] for name in names), *optional, strict=False):
        rows[row[1] if names is CALL_COLUMNS else row[0]].append(row)
    return rows


def _runs(turn_id: str, conversation_id: str, prompt: str | None, state: str | None, calls: Iterable[Any], parts: Iterable[Any]) -> Iterator[Run]:
    steps, loose = _steps(calls, turn_id)
    places, texts = _said(parts, steps)
    _place_silent_steps(steps, places, texts)
    places.setdefault(turn_id, [])
    for agent in sorted(places, key=lambda agent: agent != turn_id):
        told = [event for event in places[agent] if not isinstance(event, str) or _is_told(*steps[event][1:], texts.get(event), state)]
        events: list[StepFacts | Heard] = [_step(*steps[event][1:], texts.get(event)) if isinstance(event, str) else event for event in told]
        if agent == turn_id and prompt and not any(isinstance(event, Heard) and not event.injected for event in events):
            events.insert(0, Heard(prompt, False, None))
        _add_loose_calls(events, loose.pop(agent, []))
        if any(isinstance(event, StepFacts) for event in events):
            yield Run(conversation_id, turn_id, agent, state if agent == turn_id else None, events)


def _steps(calls: Iterable[Any], turn_id: str) -> tuple[dict[str, tuple[str, Any, list[CallFacts]]], dict[str, list[CallFacts]]]:
    """Sort calls: model calls with their agent and the tool calls they asked for; and tool calls that none asked for, by agent."""
    steps: dict[str, tuple[str, Any, list[CallFacts]]] = {}
    loose: dict[str, list[CallFacts]] = {}
    waiting: list[tuple[str, CallFacts]] = []
    for row in calls:
        call_id, _, parent, step_id, call_index, kind, name, state, failed, put, got, exit_code = row[:12]
        if kind == "model":
            steps[call_id] = (parent or turn_id, row, [])
        elif kind == "tool":
            facts = CallFacts(call_id, call_index, name, put, got, exit_code, bool(failed), state)
            if step_id is None:
                loose.setdefault(parent or turn_id, []).append(facts)
            elif step_id in steps:
                steps[step_id][2].append(facts)
            else:
                waiting.append((step_id, facts))
    for step_id, facts in waiting:
        if step_id in steps:
            steps[step_id][2].append(facts)
    return steps, loose


def _said(parts: Iterable[Any], steps: Mapping[str, Any]) -> tuple[dict[str, list[str | Heard]], dict[str, list[str]]]:
    """Sort what was said: per agent what was heard and the ids of steps, in order; and the texts of each step."""
    places: dict[str, list[str | Heard]] = {}
    texts: dict[str, list[str]] = {}
    message = None
    for _, agent, step_id, message_index, role, kind, injected, text, extra in parts:
        if role == "user" and kind == "text" and text:
            found = places.setdefault(agent, [])
            if (agent, message_index) == message and found and isinstance(found[-1], Heard):
                found[-1] = found[-1]._replace(text=f"{found[-1].text}\n\n{text}")
            else:
                found.append(Heard(text, bool(injected), extra))
            message = (agent, message_index)
        elif role == "assistant" and step_id in steps:
            if step_id not in texts:
                texts[step_id] = []
                places.setdefault(agent, []).append(step_id)
            if kind == "text" and text:
                texts[step_id].append(text)
            elif kind in ("image", "other"):
                texts[step_id].append(NOT_TEXT)
    return places, texts


def _place_silent_steps(steps: Mapping[str, Any], places: dict[str, list[str | Heard]], texts: Mapping[str, Any]) -> None:
    """Put steps of which nothing was said behind the step before them."""
    behind: dict[str, dict[str | None, list[str]]] = {}
    before: dict[str, str] = {}
    for step_id, (agent, _, _) in steps.items():
        if step_id in texts:
            before[agent] = step_id
        else:
            behind.setdefault(agent, {}).setdefault(before.get(agent), []).append(step_id)
    for agent, silent in behind.items():
        found: list[str | Heard] = []
        for event in places.get(agent, ()):
            found.append(event)
            found.extend(silent.get(event, ()) if isinstance(event, str) else ())
        places[agent] = [*found, *silent.get(None, ())]


def _add_loose_calls(events: list[StepFacts | Heard], loose: list[CallFacts]) -> None:
    """Give calls that no step asked for to the last step, or to one of their own."""
    if not loose:
        return
    last = next((event for event in reversed(events) if isinstance(event, StepFacts)), None)
    if last is None:
        events.append(StepFacts(None, loose[0].call_index, "", None, loose))
    else:
        last.calls.extend(loose)


def _is_told(row: Any, calls: list[CallFacts], texts: Sequence[str] | None, state: str | None) -> bool:
    """Say whether anything was recorded of what came of a step; of one without, nobody knows whether its answer was empty."""
    if calls or _reason(row[12]) or row[8] or row[7] == "failed":
        return True
    return texts is not None and (state == "done" or any(texts))


def _step(row: Any, calls: list[CallFacts], texts: Sequence[str] | None) -> StepFacts:
    text = without_reasoning("\n\n".join(texts)) if texts else ""
    failed = row[8] or row[7] == "failed"
    return StepFacts(row[0], row[4], text, "error" if failed else _reason(row[12]), calls, row[13], row[14], row[15], _offers_none(row[16]))


def _reason(recorded: str | None) -> str | None:
    return recorded if recorded and _REASON.fullmatch(recorded.strip()) else None


def _offers_none(extra: str | None) -> bool:
    if not extra or '"tools"' not in extra:
        return False
    try:
        told = json.loads(extra)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and told.get("tools") == []
