"""Which programs are right how often, by version and model? A line each, and whether its number may be believed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, NamedTuple

from agentnb.ratings.accuracy import wilson
from agentnb.ratings.agreement import Estimate
from agentnb.values import Value

MOST_POINTS: Final = 8
"""Parts into which the rated calls of a line are divided for its trend."""
LEAST_IN_POINT: Final = 5
"""Rated calls of a part at least: the share of fewer says nothing."""


class ProgramVersion(NamedTuple):
    """What a line of the board is about."""

    program: str
    """Name of the program, agent, tool or model."""
    version: str | None
    """Fingerprint of the program; without one the version of the agent."""
    model: str | None
    """The model that answered, as far as it is known."""


class Called(NamedTuple):
    """How often a program was called, and what a call takes."""

    key: ProgramVersion
    """Which."""
    calls: int
    """Calls in use."""
    cost: float | None
    """Mean cost of a call in dollars, of those that tell."""
    seconds: float | None
    """Mean time of a call, of those that tell."""


class JudgedCall(NamedTuple):
    """One call that was rated."""

    key: ProgramVersion
    """Of which program."""
    started_at: datetime | None
    """When it started."""
    right: int
    """Ratings that count and say right."""
    wrong: int
    """Ratings that count and say wrong."""
    disputed: bool
    """Whether people differ about it."""
    samples: tuple[str, ...]
    """Random draws that it came from; empty where somebody picked it."""


class TrendPoint(Value):
    """A part of the rated calls of a line, in the order of time."""

    first_at: datetime | None
    """When the first of them started."""
    rated: int
    """How many they are."""
    share: float
    """Share of right ones."""


class BoardLine(Value):
    """One program in one version with one model."""

    program: str
    """Name of the program, agent, tool or model."""
    version: str | None
    """Fingerprint of the program; without one the version of the agent; null when neither is known."""
    model: str | None
    """The model that answered, as far as it is known."""
    calls: int
    """Calls in use: without those made to evaluate or optimize."""
    rated: int = 0
    """Of these, rated ones."""
    right: int = 0
    """Right ones, by most of those who rated one."""
    undecided: int = 0
    """Calls of which as many say right as wrong; they count neither way."""
    disputed: int = 0
    """Calls about which people differ, in the verdict or in the right answer."""
    share: Estimate | None = None
    """Share of right calls with Wilson's interval; null when none was rated."""
    drawn: int = 0
    """Rated calls that came from a named random draw."""
    samples: tuple[str, ...] = ()
    """Names of these draws."""
    cost: float | None = None
    """Mean cost of a call in dollars, of those that tell."""
    seconds: float | None = None
    """Mean time of a call in seconds, of those that tell."""
    trend: tuple[TrendPoint, ...] = ()
    """The share over time; empty where too few are rated to tell."""

    @property
    def is_drawn(self) -> bool:
        """Whether all rated calls come from one random draw; only then the share says something about the calls that were not rated."""
        return self.rated > 0 and self.drawn == self.rated and len(self.samples) == 1


def board_lines(called: Sequence[Called], judged: Iterable[JudgedCall], *, confidence: float = 0.95) -> list[BoardLine]:
    """Make the lines of a board: the most rated first, then the most called.

    Args:
        called: programs with their calls.
        judged: calls that were rated.
        confidence: confidence of the intervals.
    """
    by_key: defaultdict[ProgramVersion, list[JudgedCall]] = defaultdict(list)
    for call in judged:
        by_key[call.key].append(call)
    lines = [_line(one, by_key[one.key], confidence) for one in called]
    return sorted(lines, key=lambda line: (-line.rated, -line.calls, line.program, line.version or "", line.model or ""))


def _line(called: Called, judged: Sequence[JudgedCall], confidence: float) -> BoardLine:
    decided = [call for call in judged if call.right != call.wrong]
    right = sum(call.right > call.wrong for call in decided)
    return BoardLine(
        **called.key._asdict(),
        calls=called.calls,
        rated=len(judged),
        right=right,
        undecided=len(judged) - len(decided),
        disputed=sum(call.disputed for call in judged),
        share=wilson(right, len(decided), confidence=confidence) if decided else None,
        drawn=sum(bool(call.samples) for call in judged),
        samples=tuple(sorted({name for call in judged for name in call.samples})),
        cost=called.cost,
        seconds=called.seconds,
        trend=tuple(_trend(decided)),
    )


def _trend(decided: Sequence[JudgedCall]) -> list[TrendPoint]:
    """Divide rated calls in the order of time into parts of the same size."""
    timed = sorted((call for call in decided if call.started_at is not None), key=lambda call: str(call.started_at))
    parts = min(MOST_POINTS, len(timed) // LEAST_IN_POINT)
    if parts < 2:
        return []
    edges = [len(timed) * at // parts for at in range(parts + 1)]
    pieces = [timed[begin:end] for begin, end in pairwise(edges)]
    return [TrendPoint(first_at=piece[0].started_at, rated=len(piece), share=sum(call.right > call.wrong for call in piece) / len(piece)) for piece in pieces]
