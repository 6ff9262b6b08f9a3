"""What has come so far of one answer, and is it a valid selection yet? What all collectors share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, Literal, NamedTuple

from agentnb.errors import CollectorClosed, SelectionError
from agentnb.transports.assembly import CallAssembly, CallSlot
from agentnb.values.model_parts import CallEndPart, CallPart, ErrorPart, FinishPart, FinishWord, ModelPart, ReasoningPart, RefusalPart, TextPart, UsagePart
from agentnb.values.model_selections import ModelSelection, SelectedCall, SelectionFailure, SessionReply, StreamNote, Verdict

CollectorState = Literal["open", "finished", "failed"]

BLANK: Final = " \t\r\n\ufeff"
"""What is skipped around a JSON object; a text of nothing else says nothing."""


class Problem(NamedTuple):
    """Why an answer is no valid selection so far; its words are made only when somebody asks."""

    code: str
    curable: bool = False
    """Whether parts that may still come can make it one."""
    slot: CallSlot | None = None
    """The call that it is about."""
    place: int | None = None
    """Where it breaks, in characters of the arguments or of the text."""
    told: str = ""
    """What is wrong, where the code alone does not say it."""
    hint: str | None = None


class StepVerdict(NamedTuple):
    """What can be said of an answer while it comes in."""

    verdict: Verdict
    code: str | None


EMPTY: Final = Problem("empty_response", curable=True)
TRUNCATED: Final = Problem("truncated")
REFUSED: Final = Problem("refused")
OK: Final = StepVerdict("ok", None)
_WORDS: Final = {
    "provider_error": "the provider sent an error",
    "refused": "the model refused",
    "filtered": "the provider filtered the answer",
    "truncated": "the answer ends at the length limit, in the middle",
    "empty_response": "the answer holds nothing",
}


class Collector(ABC):
    """Takes the parts of one answer in the provider's order; `finish` gives what it selects, or says why it selects nothing.

    It serves one answer: after `finish` it takes nothing more. It belongs to one task, and enforces no budget.
    """

    calls: tuple[SelectedCall, ...] | None = None
    """Every native call of the answer; on collectors of sessions only, else None."""

    def __init__(self, begins_a_name: Callable[[str], bool]) -> None:
        self.parts = 0
        """Parts taken so far."""
        self.output_chars = 0
        """Characters of text, refusal and arguments as they came, without names, ids and reasoning; never falls. An output budget is charged this."""
        self.reasoning_chars = 0
        """Characters of reasoning."""
        self.finish_reason: FinishWord | None = None
        """Why the model stopped; null while it has not said."""
        self.finish_word: str | None = None
        """The same in the provider's own word."""
        self.usage: dict[str, Any] | None = None
        """The latest usage that the provider sent, as it is."""
        self.provider_error: str | None = None
        """The first error that came."""
        self.result: ModelSelection | SessionReply | None = None
        """What `finish` returned."""
        self.error: SelectionError | None = None
        """What `finish` raised."""
        self.assembly = CallAssembly(begins_a_name, self._note)
        self.has_prose = False
        self._state: CollectorState = "open"
        self._notes: list[StreamNote] = []
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._on_call: Callable[[CallSlot], None] | None = None
        self._on_finish: Callable[[], None] | None = None

    @property
    def state(self) -> CollectorState:
        """open, finished or failed."""
        return self._state

    @property
    def text(self) -> str:
        """The text so far."""
        return _joined(self._texts)

    @property
    def refusal(self) -> str:
        """The words of refusal so far."""
        return _joined(self._refusals)

    @property
    def notes(self) -> tuple[StreamNote, ...]:
        """What was odd so far."""
        return tuple(self._notes)

    @property
    def call(self) -> SelectedCall | None:
        """The native call that carries the selection, as far as it has come; null where text carries it."""
        return None

    @property
    def every_call(self) -> tuple[SelectedCall, ...]:
        """Every native call, also of an answer that should have none."""
        return tuple(selected_call(slot) for slot in self.assembly.slots)

    def push(self, part: str | ModelPart) -> None:
        """Take the next part.

        Raises:
            CollectorClosed: this collector has served its answer.
            TypeError: it is no part.
        """
        if self._state != "open":
            raise CollectorClosed(self._state)
        if isinstance(part, str):
            if self.finish_reason is not None:
                self._note("after_finish")
            self._take_text(part)
        else:
            take = self._TAKES.get(type(part))
            if take is None:
                raise TypeError(f"a part is a text or one of the parts of agentnb.transports, not {type(part).__name__}; read_part reads a recorded one")
            if self.finish_reason is not None and take not in _AFTER_FINISH:
                self._note("after_finish")
            take(self, part)
        self.parts += 1

    def finish(self) -> Any:
        """End the answer and return its selection; the collector is closed, whatever comes of it, and stays readable.

        Raises:
            SelectionError: what came is no valid selection.
            CollectorClosed: it ended before.
        """
        if self._state != "open":
            raise CollectorClosed(self._state)
        try:
            result = self.evaluate()
        except SelectionError as error:
            self._state, self.error = "failed", error
            raise
        finally:
            self._notes += [StreamNote(code=code) for code in self._late_notes()]
        self._state, self.result = "finished", result
        return result

    def evaluate(self) -> Any:
        """Return what `finish` would return now, without ending anything.

        Raises:
            SelectionError: what came so far is no valid selection.
        """
        problem = self._problem()
        if problem is not None:
            failure = self._failure(problem)
            raise SelectionError(failure.code, failure.detail, failure.hint, failure.place, failure.ordinal)
        return self._selection()

    def verdict(self) -> StepVerdict:
        """Say whether what came so far is a valid selection, can still become one, or cannot; takes the same time however much has come."""
        problem = self._problem()
        if problem is None:
            return OK
        open_ended = problem.curable and self.finish_reason is None and self.provider_error is None
        return StepVerdict("pending" if open_ended else "doomed", problem.code)

    def failure(self) -> SelectionFailure | None:
        """Return why what came so far is no valid selection; None when it is one."""
        problem = self._problem()
        return self._failure(problem) if problem is not None else None

    def focus(self) -> CallSlot | None:
        """Return the call that the verdict is about, else the latest."""
        problem = self._problem()
        return problem.slot if problem is not None and problem.slot is not None else self.assembly.latest

    @abstractmethod
    def _problem(self) -> Problem | None:
        """Return why `finish` would fail now, without looking at everything again."""

    @abstractmethod
    def _selection(self) -> Any:
        """Make the selection; nothing is wrong with what came."""

    def _blocked(self) -> Problem | None:
        """Return what makes any answer invalid, whatever it holds."""
        if self.provider_error is not None:
            return Problem("provider_error", told=self.provider_error)
        if self._refusals or self.finish_reason == "refusal":
            return REFUSED
        if self.finish_reason == "content_filter":
            return Problem("filtered", told=self.finish_word or "")
        return None

    def _truncated_or(self, problem: Problem) -> Problem:
        return TRUNCATED if self.finish_reason == "length" else problem

    def _failure(self, problem: Problem) -> SelectionFailure:
        words, told = _WORDS.get(problem.code), self.refusal if problem is REFUSED else problem.told
        detail = f"{words}: {told}" if words and told else words or told or problem.code
        ordinal = problem.slot.ordinal if problem.slot is not None else None
        return SelectionFailure(code=problem.code, detail=detail, hint=problem.hint, place=problem.place, ordinal=ordinal)

    def _note(self, code: str) -> None:
        self._notes.append(StreamNote(code=code, part_index=self.parts))

    def _late_notes(self) -> tuple[str, ...]:
        """Return what is only seen when everything has come."""
        return ()

    def _take_text(self, text: str) -> None:
        self._texts.append(text)
        self.output_chars += len(text)
        if not self.has_prose and text.strip(BLANK):
            self.has_prose = True

    def _take_text_part(self, part: TextPart) -> None:
        self._take_text(part.text)

    def _take_reasoning(self, part: ReasoningPart) -> None:
        self.reasoning_chars += len(part.text)

    def _take_refusal(self, part: RefusalPart) -> None:
        if part.text:
            self._refusals.append(part.text)
            self.output_chars += len(part.text)

    def _take_call(self, part: CallPart) -> None:
        slot, grown = self.assembly.take(part)
        self.output_chars += grown
        if self._on_call is not None:
            self._on_call(slot)

    def _take_call_end(self, part: CallEndPart) -> None:
        slot, grown = self.assembly.end(part)
        self.output_chars += grown
        if slot is not None and self._on_call is not None:
            self._on_call(slot)

    def _take_finish(self, part: FinishPart) -> None:
        if self.finish_reason is not None:
            self._note("second_finish")
            return
        self.finish_reason, self.finish_word = part.reason, part.raw or part.reason
        if self._on_finish is not None:
            self._on_finish()

    def _take_usage(self, part: UsagePart) -> None:
        self.usage = part.data

    def _take_error(self, part: ErrorPart) -> None:
        if self.provider_error is None:
            self.provider_error = part.message

    _TAKES: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        TextPart: _take_text_part,
        ReasoningPart: _take_reasoning,
        RefusalPart: _take_refusal,
        CallPart: _take_call,
        CallEndPart: _take_call_end,
        FinishPart: _take_finish,
        UsagePart: _take_usage,
        ErrorPart: _take_error,
    }


_AFTER_FINISH: Final = (Collector._TAKES[FinishPart], Collector._TAKES[UsagePart])


def selected_call(slot: CallSlot, tool_id: str | None = None) -> SelectedCall:
    """Return what is told of a call."""
    return SelectedCall(id=slot.shown_id, name=slot.name or None, argument_chars=slot.chars, tool_id=tool_id)


def _joined(pieces: list[str]) -> str:
    if len(pieces) > 1:
        pieces[:] = ["".join(pieces)]
    return pieces[0] if pieces else ""
