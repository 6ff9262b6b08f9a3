"""Collectors of native calls: exactly one where a stage wants a selection, any number in a session."""

from __future__ import annotations

import heapq
from difflib import get_close_matches
from typing import Final, Literal, NamedTuple

from agentnb.errors import SelectionError
from agentnb.transports.assembly import CallSlot
from agentnb.transports.collector import EMPTY, Collector, Problem, selected_call
from agentnb.transports.json_collector import JsonCollector
from agentnb.transports.scanner import ParsedObject, parse_object
from agentnb.transports.stages import Projection
from agentnb.values.model_selections import ModelSelection, RejectedCall, SelectedCall, SelectionFailure, SessionReply

OnInvalid = Literal["raise", "collect"]

_WORDS: Final = {
    "no_call": "the answer is prose; the stage wants one call",
    "multiple_calls": "the answer holds {count} calls; the stage wants one",
    "prose_not_allowed": "there is prose beside the call",
    "call_without_name": "the call names no tool",
    "unknown_tool": "there is no tool called {name!r}{close}",
    "tool_not_in_stage": "{name!r} is a tool of the catalog, and not offered in stage {stage!r}",
    "arguments_incomplete": "the arguments stop in the middle, after {chars:,} characters",
    "arguments_not_object": "the arguments are JSON, and no object: {reason}",
    "arguments_invalid": "the arguments are no JSON: at character {place} {reason}",
}
_STATES: Final = {"not_object": "arguments_not_object", "invalid": "arguments_invalid", "trailing": "arguments_invalid"}


class CallReader:
    """Says of one call whether it is a valid selection under a projection."""

    def __init__(self, projection: Projection) -> None:
        self.projection = projection
        self.repeated_keys = False

    def problem(self, slot: CallSlot, reason: str | None) -> Problem | None:
        """Return what is wrong with a call, given why the model stopped."""
        if not slot.name:
            return Problem("truncated" if reason == "length" else "call_without_name", reason != "length", slot)
        if slot.name not in self.projection.offered_names:
            code = "unknown_tool" if self.projection.catalog.by_wire_name(slot.name) is None else "tool_not_in_stage"
            return Problem(code, not slot.name_settled and self.projection.begins_an_offered_name(slot.name), slot)
        state = slot.scanner.state
        if state == "complete" or (state == "empty" and (slot.ended or reason not in (None, "length"))):
            return None
        if state in ("empty", "incomplete"):
            return Problem("truncated" if reason == "length" else "arguments_incomplete", reason != "length", slot)
        return Problem(_STATES[state], False, slot, slot.scanner.place)

    def selection(self, slot: CallSlot, *, with_tool: bool) -> ModelSelection:
        """Make the selection of a call with which nothing is wrong."""
        tool = self.projection.catalog.by_wire_name(slot.name)
        parsed = _parsed(slot)
        self.repeated_keys |= parsed.repeated_keys
        tool_id = tool.id if tool is not None else slot.name
        return ModelSelection.model_construct(tool_id=tool_id, input=parsed.value, call=selected_call(slot, tool_id if with_tool else None))

    def failure(self, problem: Problem) -> SelectionFailure:
        """Say what is wrong with a call."""
        slot = problem.slot
        fields = _Told("", "", self.projection.stage_id, 0, None, None)
        if slot is not None:
            fields = _Told(slot.name[:200], self._close_to(slot.name), self.projection.stage_id, slot.chars, problem.place, slot.scanner.reason)
        detail = _WORDS[problem.code].format_map(fields._asdict()) if problem.code in _WORDS else "the call ends at the length limit, in the middle"
        hint = "repeated_object" if slot is not None and problem.code == "arguments_invalid" and _repeats(slot) else None
        ordinal = slot.ordinal if slot is not None else None
        return SelectionFailure(code=problem.code, detail=detail, hint=hint, place=problem.place, ordinal=ordinal)

    def _close_to(self, name: str) -> str:
        close = get_close_matches(name[:200], sorted(self.projection.offered_names), n=3)
        return f"; did the model mean {' or '.join(close)}?" if close else f"; offered are {', '.join(sorted(self.projection.offered_names)[:10])}"


class _Told(NamedTuple):
    """What the words about a call are filled with."""

    name: str
    close: str
    stage: str
    chars: int
    place: int | None
    reason: str | None


class NativeCollector(Collector):
    """Wants exactly one native call; prose beside it is allowed unless `strict_prose`."""

    def __init__(self, projection: Projection, *, strict_prose: bool = False) -> None:
        super().__init__(projection.begins_a_name)
        self._projection = projection
        self._reader = CallReader(projection)
        self._strict_prose = strict_prose

    @property
    def call(self) -> SelectedCall | None:
        """The first call, as far as it has come."""
        return selected_call(self.assembly.slots[0]) if self.assembly.slots else None

    def _problem(self) -> Problem | None:
        blocked = self._blocked()
        if blocked is not None:
            return blocked
        slots = self.assembly.slots
        if not slots:
            return self._truncated_or(Problem("no_call", curable=True) if self.has_prose else EMPTY)
        if len(slots) > 1:
            return Problem("multiple_calls", slot=slots[1])
        if self._strict_prose and self.has_prose:
            return Problem("prose_not_allowed")
        return self._reader.problem(slots[0], self.finish_reason)

    def _selection(self) -> ModelSelection:
        return self._reader.selection(self.assembly.slots[0], with_tool=False)

    def _failure(self, problem: Problem) -> SelectionFailure:
        if problem.code == "no_call":
            hint = "json_envelope" if would_pass_as_json(self._projection, self.text) else None
            told = "; it would pass under the json adapter" if hint else ""
            return SelectionFailure(code="no_call", detail=f"{_WORDS['no_call']}{told}", hint=hint)
        if problem.code == "multiple_calls":
            return SelectionFailure(code="multiple_calls", detail=_WORDS["multiple_calls"].format(count=len(self.assembly.slots)), ordinal=2)
        return self._reader.failure(problem) if problem.code in _WORDS or problem.slot is not None else super()._failure(problem)

    def _late_notes(self) -> tuple[str, ...]:
        prose = ("prose_with_call",) if self.has_prose and len(self.assembly.slots) == 1 else ()
        return (*prose, "duplicate_key") if self._reader.repeated_keys else prose


class SessionCollector(Collector):
    """Takes prose and any number of native calls."""

    def __init__(self, projection: Projection, *, on_invalid: OnInvalid = "raise") -> None:
        super().__init__(projection.begins_a_name)
        self._reader = CallReader(projection)
        self._collects = on_invalid == "collect"
        # The calls with which something is wrong, and their places as a heap: the first is found without looking at all of them after each part.
        self._faults: dict[int, Problem] = {}
        self._places: list[int] = []
        self._checked = 0
        self._on_call, self._on_finish = self._check_call, self._check_all

    @property
    def call(self) -> SelectedCall | None:
        """The first call, as far as it has come."""
        return self.calls[0] if self.calls else None

    @property
    def calls(self) -> tuple[SelectedCall, ...]:  # type: ignore[override]  # of a session there always is a tuple
        """Every call, as far as it has come; `tool_id` is that of the tool of this stage which it names, else null."""
        return tuple(selected_call(slot, self._tool_of(slot)) for slot in self.assembly.slots)

    @property
    def every_call(self) -> tuple[SelectedCall, ...]:
        """Every call."""
        return self.calls

    def _tool_of(self, slot: CallSlot) -> str | None:
        tool = self._reader.projection.catalog.by_wire_name(slot.name)
        return tool.id if tool is not None and tool.id in self._reader.projection.offered_ids else None

    def _problem(self) -> Problem | None:
        blocked = self._blocked()
        if blocked is not None:
            return blocked
        if not self.assembly.slots:
            return None if self.has_prose else self._truncated_or(EMPTY)
        return None if self._collects else self._first_fault()

    def _selection(self) -> SessionReply:
        selections: list[ModelSelection] = []
        rejected: list[RejectedCall] = []
        for slot in self.assembly.slots:
            problem = self._reader.problem(slot, self.finish_reason)
            if problem is None:
                selections.append(self._reader.selection(slot, with_tool=True))
                continue
            failure = self._reader.failure(problem)
            call = selected_call(slot, self._tool_of(slot))
            rejected.append(RejectedCall.model_construct(call=call, code=failure.code, detail=failure.detail, ordinal=slot.ordinal))
        return SessionReply.model_construct(text=self.text, selections=tuple(selections), rejected=tuple(rejected))

    def _failure(self, problem: Problem) -> SelectionFailure:
        return self._reader.failure(problem) if problem.slot is not None else super()._failure(problem)

    def _check_call(self, slot: CallSlot) -> None:
        if slot.ordinal > self._checked and slot.ordinal > 1:
            # The call before has its whole name now.
            self._check(self.assembly.slots[self._checked - 1])
        self._checked = max(self._checked, slot.ordinal)
        self._check(slot)

    def _check_all(self) -> None:
        for slot in self.assembly.slots:
            self._check(slot)

    def _check(self, slot: CallSlot) -> None:
        problem = self._reader.problem(slot, self.finish_reason)
        if problem is None:
            self._faults.pop(slot.ordinal, None)
            return
        if slot.ordinal not in self._faults:
            heapq.heappush(self._places, slot.ordinal)
        self._faults[slot.ordinal] = problem

    def _first_fault(self) -> Problem | None:
        while self._places and self._places[0] not in self._faults:
            heapq.heappop(self._places)
        return self._faults[self._places[0]] if self._places else None

    def _late_notes(self) -> tuple[str, ...]:
        return ("duplicate_key",) if self._reader.repeated_keys else ()


def would_pass_as_json(projection: Projection, text: str) -> bool:
    """Tell whether a text would be a valid selection under the JSON adapter."""
    if "{" not in text:
        return False
    collector = JsonCollector(projection)
    collector.push(text)
    return collector.verdict().code is None


def _parsed(slot: CallSlot) -> ParsedObject:
    if slot.scanner.state == "empty":
        return ParsedObject({}, False)
    text = slot.arguments
    try:
        return parse_object(text[slot.scanner.start : slot.scanner.end])
    except (ValueError, RecursionError) as error:
        raise SelectionError("arguments_invalid", f"the arguments cannot be read here: {error}", ordinal=slot.ordinal) from error


def _repeats(slot: CallSlot) -> bool:
    """Tell whether the arguments are one object, sent again."""
    scanner = slot.scanner
    if scanner.state != "trailing" or scanner.place is None:
        return False
    text = slot.arguments
    return text[scanner.start : scanner.end].strip() == text[scanner.place :].strip()
