"""WHERE DID THE SELECTION BREAK? A slider over the parts of a model's answer, with what had come by each of them and what could be said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import traitlets

from agentnb.errors import OptionError
from agentnb.render import plain_trace, render_frame, render_trace
from agentnb.transports import PreparedModelInteraction, ReplayFrames, replay_frames, trace_selection
from agentnb.values.model_selections import ReplayFrame, Trace
from agentnb.widgets._cell import STATIC, Answer, Cell, Request
from agentnb.widgets._targets import check_options


class Replay(Cell):
    """Replay a model's answer part by part.

    Args:
        prepared: what the answer was meant for; or a trace alone, which knows verdicts and codes, and no text.
        parts: the parts of the answer, as `anb.trace_selection` takes them.
        dialect: the dialect, when the parts are events as the provider sent them.
        at: the part that is shown first, from 0; by default the one at which it broke, else the last.

    Raises:
        OptionError: a keyword that is not one of these.
        TypeError: there is nothing to replay, or parts that are none.
        IndexError: `at` is no part of it.

    Example:
        replay = anb.Replay(transport.prepare("support"), chunks, dialect="openai-chat")
        replay.trace               # the outcome
        replay.at                  # the part that is shown
    """

    _esm = STATIC / "replay.js"

    _total = traitlets.Int(0).tag(sync=True)
    _broke_at = traitlets.Int(-1).tag(sync=True)
    at = traitlets.Int(0).tag(sync=True)
    """The part that is shown, from 0."""

    def __init__(
        self,
        prepared: PreparedModelInteraction | Trace,
        parts: Iterable[Any] | None = None,
        *,
        dialect: str | None = None,
        at: int | None = None,
        **unknown: Any,
    ) -> None:
        layout = {"layout": unknown.pop("layout")} if "layout" in unknown else {}
        check_options("Replay", ("at", "dialect", "layout"), unknown)
        self._frames: ReplayFrames | None = None
        self.trace = self._follow(prepared, parts, dialect)
        """What became of the answer."""
        total, broke_at = len(self.trace.steps), self.trace.broke_at
        first = at if at is not None else broke_at if broke_at is not None else total - 1
        super().__init__(_total=total, _broke_at=-1 if broke_at is None else broke_at, at=max(first, 0) if at is None else at, **layout)
        self._html = render_trace(self.trace, standalone=False)
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        """Say in one line what became of the answer."""
        return plain_trace(self.trace)

    def frame(self, at: int | None = None) -> ReplayFrame:
        """Return what had come by a part, and what could be said of it.

        Args:
            at: the part, from 0; by default the one that is shown.

        Raises:
            IndexError: there is no such part.
        """
        place = self.at if at is None else at
        if not 0 <= place < self._total:
            raise IndexError(f"This answer has {self._total} parts, from 0 on; there is no part {place}.")
        if self._frames is not None:
            return self._frames[place]
        return _frame_of(self.trace, place)

    @traitlets.validate("at")
    def _check_at(self, proposal: Any) -> int:
        """Refuse a part that is not there, where the mistake was made."""
        if proposal.value != 0 and not 0 <= proposal.value < self._total:
            raise IndexError(f"This answer has {self._total} parts, from 0 on; there is no part {proposal.value}.")
        return int(proposal.value)

    def _follow(self, prepared: Any, parts: Iterable[Any] | None, dialect: str | None) -> Trace:
        if isinstance(prepared, Trace):
            if parts is not None or dialect is not None:
                raise OptionError("A trace is replayed alone: anb.Replay(trace). With parts, give what they were meant for: anb.Replay(prepared, parts).")
            return prepared
        if not isinstance(prepared, PreparedModelInteraction) or parts is None:
            given = "without parts" if isinstance(prepared, PreparedModelInteraction) else f"of a {type(prepared).__name__}"
            raise TypeError(f"There is nothing to replay {given}: anb.Replay(transport.prepare(stage), parts), or anb.Replay(trace).")
        listed = list(parts)
        self._frames = replay_frames(prepared, listed, dialect=dialect)
        return trace_selection(prepared, listed, dialect=dialect)

    def _static(self) -> str:
        return render_trace(self.trace, self.frame() if self._frames is not None and self._total else None)

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        return {"frame": self._answer_frame}

    def _answer_frame(self, request: Request) -> Answer:
        """Return one position of the slider; the state of the widget holds none of them."""
        frame = self.frame(int(request["at"]))
        code = f", {frame.code}" if frame.code else ""
        return {"at": frame.part_index, "html": render_frame(frame, self._total, standalone=False), "said": f"{frame.kind}: {frame.verdict}{code}"}


def _frame_of(trace: Trace, at: int) -> ReplayFrame:
    """Return what a trace alone knows of a part: why it is doomed, where that is why there is no selection, and no text."""
    step = trace.steps[at]
    failure = trace.failure if step.verdict == "doomed" and step.code == trace.code else None
    known = {"part_index": at, "kind": step.kind, "part": {}, "verdict": step.verdict, "code": step.code, "output_chars": step.output_chars}
    return ReplayFrame.model_validate(known | ({"detail": failure.detail, "hint": failure.hint} if failure is not None else {}))
