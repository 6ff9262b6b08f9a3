"""What a model chose, and what became of the choice: selections, and the trace of a stream part by part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple, overload

from pydantic import ConfigDict, InstanceOf, WithJsonSchema
from pydantic.alias_generators import to_camel

from agentnb.values._base import Value

Verdict = Literal["ok", "pending", "doomed"]
Outcome = Literal["ok", "broken", "cut"]


class _Camel(Value):
    """A value whose fields are also known by their camelCase names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SelectedCall(_Camel):
    """A native call that carries a selection."""

    id: InstanceOf[str]
    """The provider's id; without one `call-` and its place among the calls of the answer, from 1."""
    name: InstanceOf[str] | None = None
    """The tool's name on the wire as the model wrote it; null while none has come."""
    argument_chars: int = 0
    """Length of its arguments as they were streamed, white space included, in characters."""
    tool_id: InstanceOf[str] | None = None
    """The tool of the stage that the name stands for; null for any other name, and wherever only one call is wanted."""


class ModelSelection(_Camel):
    """A tool that a model chose, with the arguments as it wrote them, before the tool's own parser has seen them."""

    tool_id: InstanceOf[str]
    """The tool."""
    input: dict[str, Any]
    """The arguments; never coerced, completed or put into another order."""
    call: SelectedCall | None = None
    """The native call that carried the choice; null when text did."""


class RejectedCall(_Camel):
    """A call of a session that is no valid selection."""

    call: SelectedCall
    """The call."""
    code: str
    """What is wrong with it, as a word."""
    detail: InstanceOf[str]
    """What is wrong with it, for a person or the model."""
    ordinal: int
    """Its place among the calls of the answer, from 1."""


class SessionReply(_Camel):
    """An answer of a session: prose, and any number of tools that the model chose."""

    text: InstanceOf[str] = ""
    """The prose."""
    selections: tuple[ModelSelection, ...] = ()
    """The valid selections, in the order of the calls."""
    rejected: tuple[RejectedCall, ...] = ()
    """The calls that are none; empty unless they are collected."""


class StreamNote(Value):
    """Something odd about a stream that did not decide anything by itself."""

    code: str
    """Short name of what is odd, such as name_resent."""
    part_index: int | None = None
    """The part at which it was seen, from 0; null when it was seen at the end."""


class SelectionFailure(Value):
    """Why an answer is no valid selection."""

    code: str
    """Short name, such as unknown_tool."""
    detail: InstanceOf[str]
    """What is wrong, for a person."""
    hint: InstanceOf[str] | None = None
    """What it looks like instead, as a word; null when it looks like nothing."""
    place: int | None = None
    """Where it breaks: characters from the beginning of the text or of the call's arguments; null when it is no place in a text."""
    ordinal: int | None = None
    """The call that it is about, from 1; null when it is about no call."""


class TraceStep(NamedTuple):
    """What was known after one part."""

    part_index: int
    """Place of the part, from 0."""
    kind: str
    """Kind of the part."""
    delta_chars: int
    """Characters by which it made the output longer."""
    output_chars: int
    """Characters of output so far."""
    verdict: Verdict
    """ok, pending or doomed."""
    code: str | None
    """Why it is not ok."""
    calls: int
    """Native calls begun so far."""


class TraceSteps(Sequence[TraceStep]):
    """The steps of a trace, kept as columns: a hundred thousand of them cost no hundred thousand objects."""

    __slots__ = ("calls", "codes", "kinds", "output_chars", "verdicts")

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.output_chars: list[int] = []
        self.verdicts: list[Verdict] = []
        self.codes: list[str | None] = []
        self.calls: list[int] = []

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, at: int) -> TraceStep: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[TraceStep, ...]: ...
    def __getitem__(self, at: int | slice) -> TraceStep | tuple[TraceStep, ...]:
        if isinstance(at, slice):
            return tuple(self._step(index) for index in range(*at.indices(len(self))))
        return self._step(range(len(self))[at])

    def __iter__(self) -> Iterator[TraceStep]:
        return map(self._step, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TraceSteps) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]  # its columns grow while it is made

    def __repr__(self) -> str:
        return f"TraceSteps({len(self)})"

    def delta_chars(self) -> list[int]:
        """Return, for each step, by how many characters the output grew."""
        return [after - before for before, after in zip([0, *self.output_chars], self.output_chars, strict=False)]

    def _step(self, at: int) -> TraceStep:
        before = self.output_chars[at - 1] if at else 0
        output = self.output_chars[at]
        return TraceStep(at, self.kinds[at], output - before, output, self.verdicts[at], self.codes[at], self.calls[at])


class Trace(Value):
    """What became of a stream, part by part: whether it is a valid selection, and where it broke."""

    transport_id: str
    """The transport that the answer was meant for."""
    stage: str | None
    """The stage; null for a transport without stages."""
    adapter_id: str
    """The adapter: native, json or text."""
    outcome: Outcome
    """ok; broken, when something in it is wrong; cut, when it ended while more could still have made it right."""
    broke_at: int | None = None
    """The part from which on it could not become valid any more, from 0; null unless it is broken."""
    result: ModelSelection | SessionReply | None = None
    """The selection; null when there is none."""
    failure: SelectionFailure | None = None
    """Why there is none."""
    steps: Annotated[InstanceOf[TraceSteps], WithJsonSchema({"type": "array"})]
    """What was known after each part."""
    notes: tuple[StreamNote, ...] = ()
    """What was odd, in order."""
    finish_reason: str | None = None
    """Why the model stopped; null when it did not say."""
    calls: tuple[SelectedCall, ...] = ()
    """Every native call that was begun, also those that are not valid."""
    output_chars: int = 0
    """Characters of output."""
    reasoning_chars: int = 0
    """Characters of reasoning, which are no output."""
    schema_chars: int = 0
    """Characters that the schemas of the stage's tools took."""
    instruction_chars: int = 0
    """Characters of the instruction, its schemas included; 0 without one."""
    catalog_digest: str | None = None
    """Digest of the tools; null without tools."""
    stage_digest: str | None = None
    """Digest of the stages; null without stages."""

    @property
    def code(self) -> str | None:
        """Why there is no selection, as a word."""
        return self.failure.code if self.failure is not None else None

    def __str__(self) -> str:
        """Say the outcome in one line."""
        where = f" at part {self.broke_at} of {len(self.steps)}" if self.broke_at is not None else f" after {len(self.steps)} parts"
        return f"{self.outcome}{where}{f': {self.code}' if self.code else ''}"


class ReplayFrame(Value):
    """One position of a slider over a stream: what had come by then, and what could be said of it."""

    part_index: int
    """The part that came last, from 0."""
    kind: str
    """Its kind."""
    part: dict[str, Any]
    """The part itself, without what is null."""
    verdict: Verdict
    """ok, pending or doomed."""
    code: str | None = None
    """Why it is not ok."""
    detail: InstanceOf[str] | None = None
    """The same for a person."""
    hint: InstanceOf[str] | None = None
    """What it looks like instead."""
    text: InstanceOf[str] = ""
    """The text so far."""
    arguments: InstanceOf[str] = ""
    """The arguments so far of the call that the verdict is about, else of the latest call."""
    call: SelectedCall | None = None
    """That call."""
    place: int | None = None
    """Where it breaks, in characters from the beginning of the arguments, or of the text when there is no call."""
    output_chars: int = 0
    """Characters of output so far."""


class ModelSelectionRow(Value):
    """One selection of one answer, or why there is none; a row of the `model_selections` table."""

    response_id: str
    """Id of the model call whose answer it is."""
    selection_index: int
    """Place among the selections of the answer, from 0."""
    turn_id: str | None = None
    """The turn that the model call belongs to; null when it belongs to none."""
    transport: str
    """The transport that the answer was meant for."""
    stage: str | None = None
    """The stage; null for a transport without stages."""
    adapter: str
    """native, json or text."""
    tool_id: str | None = None
    """The tool that was chosen; null when the answer is no valid selection."""
    call_id: str | None = None
    """The provider's id of the call that carried it; for display only, since it repeats."""
    call_name: str | None = None
    """The name in that call, as the model wrote it."""
    argument_chars: int | None = None
    """Length of the arguments as they were streamed, in characters of JSON."""
    input: str | None = None
    """The arguments as JSON, before the tool's own parser; null without a selection."""
    outcome: Outcome
    """ok, broken or cut."""
    code: str | None = None
    """Why there is no selection, as a word."""
    broke_at: int | None = None
    """The part from which on it could not become valid any more; `part_index` of `model_parts`."""
    resolution: str | None = None
    """What the tool said to the arguments: ok, input_rejected or failed; null when it was not asked."""
    finish_reason: str | None = None
    """Why the model stopped: stop, length, tool_calls, content_filter, refusal or unknown; null when it did not say."""
    schema_chars: int
    """Characters that the schemas of the stage's tools took."""
    instruction_chars: int
    """Characters of the instruction, its schemas included; 0 without one."""
    output_chars: int
    """Characters of output: text, refusal and arguments."""
    catalog_digest: str | None = None
    """Digest of the tools that were defined; equal digests, equal tools."""
    stage_digest: str | None = None
    """Digest of the stages that were offered."""
