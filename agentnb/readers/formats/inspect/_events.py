"""The events of a sample of an Inspect log, told apart: who called which model when, what tools did, and inside whose span."""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

import msgspec

from agentnb.readers._fields import text_of
from agentnb.readers._rows import Micros
from agentnb.readers.formats.inspect._event import Event, ModelCall, Owner, ToolRun, decode_raw, events_in, is_empty, model_call, moment, raw_items

_SPEAKERS = frozenset({"agent", "handoff", "tool", "scorer", "subtask", "branch", "fork"})
# Nobody's agents are nested as deeply as this; a span that is its own parent would be climbed for ever.
_MOST_NESTED = 60


class _Span(NamedTuple):
    parent: str | None
    type: str
    name: str


class _Place:
    """Where an event stands; its bytes are looked for only when they are kept."""

    def __init__(self, raw: bytes | msgspec.Raw) -> None:
        self.index = 0
        self._raw = raw
        self._items: list[msgspec.Raw] | None = None

    @property
    def item(self) -> msgspec.Raw:
        if self._items is None:
            self._items = raw_items(self._raw)
        return self._items[self.index]


class Events:
    """The events of a sample, told apart."""

    def __init__(self, raw: bytes | msgspec.Raw) -> None:
        """Read the events of a list that is still bytes."""
        self.models: list[ModelCall] = []
        self.runs: dict[str, list[ToolRun]] = {}
        """What tools did, by the id of the call, in order."""
        self.approvals: dict[str, deque[Event]] = {}
        self.others: list[msgspec.Raw] = []
        """Events that tell something else; they are kept as they are."""
        self.merged = self.kept = 0
        self.skipped: Counter[str] = Counter()
        self.started: Micros | None = None
        self._spans: dict[str, _Span] = {}
        self._calls_of_spans: dict[str, str] = {}
        self._owners: dict[str, Owner] = {}
        self._steps: list[Owner] = []
        self._count = self._depth = 0
        self._read(raw, Owner())

    def run_of(self, tool_call_id: str | None) -> ToolRun | None:
        """Take the next run of a tool for a call."""
        waiting = self.runs.get(tool_call_id or "")
        return waiting.pop(0) if waiting else None

    def _read(self, raw: bytes | msgspec.Raw, above: Owner) -> None:
        self._depth += 1
        events = events_in(raw) if self._depth <= _MOST_NESTED else []
        self._find_spans(events)
        place = _Place(raw)
        for index, event in enumerate(events):
            self._count += 1
            kind = event.event if isinstance(event.event, str) else ""
            if kind in _SKIPPED:
                self.skipped[_SKIPPED[kind]] += 1
                continue
            place.index = index
            take = _TAKERS.get(kind)
            if take is not None:
                take(self, event, place, above)
            else:
                self.others.append(place.item)
                self.kept += 1
        self._depth -= 1

    def _find_spans(self, events: list[Event]) -> None:
        """Note the spans, and which call each span of a tool is: the event of the call stands beside its span, before or after it."""
        waiting_spans: list[tuple[str, _Span]] = []
        waiting_calls: list[Event] = []
        for event in events:
            if event.event == "span_begin" and isinstance(event.id, str):
                span = self._spans[event.id] = _Span(text_of(event.parent_id), text_of(event.type) or "", text_of(event.name) or "")
                if span.type == "tool":
                    self._pair_span(event.id, span, waiting_spans, waiting_calls)
            elif event.event == "tool" and isinstance(event.id, str):
                self._pair_call(event, waiting_spans, waiting_calls)

    def _pair_span(self, span_id: str, span: _Span, spans: list[tuple[str, _Span]], calls: list[Event]) -> None:
        for place, call in enumerate(calls):
            if _is_of(call, span):
                self._calls_of_spans[span_id] = str(calls.pop(place).id)
                return
        spans.append((span_id, span))

    def _pair_call(self, call: Event, spans: list[tuple[str, _Span]], calls: list[Event]) -> None:
        for place, (span_id, span) in enumerate(spans):
            if _is_of(call, span):
                del spans[place]
                self._calls_of_spans[span_id] = str(call.id)
                return
        calls.append(call)

    def _owner_of(self, event: Event, above: Owner) -> Owner:
        if self._steps and not above.key:
            above = self._steps[-1]
        if not isinstance(event.span_id, str) or above.key:
            return above
        if event.span_id not in self._owners:
            self._owners[event.span_id] = self._climb(event.span_id)
        return self._owners[event.span_id]

    def _climb(self, span_id: str) -> Owner:
        owner = Owner()
        above: str | None = span_id
        for _ in range(_MOST_NESTED):
            span = self._spans.get(above) if above is not None else None
            if span is None or above is None:
                break
            if span.type in _SPEAKERS and not owner.key:
                owner = Owner(above, span.name, span.type)
            if span.type == "tool" and owner.tool_call_id is None:
                owner = owner._replace(tool_call_id=self._calls_of_spans.get(above))
            above = span.parent
        return owner

    def _take_model(self, event: Event, place: _Place, above: Owner) -> None:
        self.models.append(model_call(event, self._count, self._owner_of(event, above)))

    def _take_tool(self, event: Event, place: _Place, above: Owner) -> None:
        named = event.id if isinstance(event.id, str) else ""
        self.runs.setdefault(named, []).append(ToolRun(event, self._count))
        self.merged += 1
        if not is_empty(event.events):
            self._read(event.events, Owner(f"tool:{named}", text_of(event.function) or "", "tool", named))

    def _take_subtask(self, event: Event, place: _Place, above: Owner) -> None:
        self.skipped["spans"] += 1
        if not is_empty(event.events):
            name = text_of(event.name) or ""
            self._read(event.events, Owner(f"{above.key}/subtask:{self._count}", name, text_of(event.type) or "subtask", above.tool_call_id))

    def _take_step(self, event: Event, place: _Place, above: Owner) -> None:
        self.skipped["spans"] += 1
        if event.type == "scorer" and event.action == "begin":
            self._steps.append(Owner(f"step:{self._count}", text_of(event.name) or "", "scorer"))
        elif event.type == "scorer" and self._steps:
            self._steps.pop()

    def _take_sandbox(self, event: Event, place: _Place, above: Owner) -> None:
        self.kept += 1
        known = self.runs.get(self._owner_of(event, above).tool_call_id or "")
        if not known:
            self.others.append(place.item)
            return
        fields = {"action": event.action, "cmd": event.cmd, "file": event.file, "result": decode_raw(event.result)}
        known[-1].commands.append({name: value for name, value in fields.items() if value is not None})

    def _take_approval(self, event: Event, place: _Place, above: Owner) -> None:
        call = decode_raw(event.call)
        named = call.get("id") if isinstance(call, dict) else None
        self.kept += 1
        if isinstance(named, str):
            self.approvals.setdefault(named, deque()).append(event)
        else:
            self.others.append(place.item)

    def _take_init(self, event: Event, place: _Place, above: Owner) -> None:
        self.started = self.started or moment(event.timestamp)
        self.merged += 1

    def _take_score(self, event: Event, place: _Place, above: Owner) -> None:
        if event.intermediate is True:
            self.others.append(place.item)
            self.kept += 1
        else:
            self.merged += 1


_SKIPPED = {"state": "state_changes", "store": "state_changes", "span_begin": "spans", "span_end": "spans"}
_TAKERS = {
    "model": Events._take_model,
    "tool": Events._take_tool,
    "subtask": Events._take_subtask,
    "step": Events._take_step,
    "sandbox": Events._take_sandbox,
    "approval": Events._take_approval,
    "sample_init": Events._take_init,
    "score": Events._take_score,
}


def _is_of(call: Event, span: _Span) -> bool:
    return call.function == span.name and (call.span_id == span.parent or not isinstance(call.span_id, str))
