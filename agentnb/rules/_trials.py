"""What would a rule have done in recorded turns, and what happens as thresholds move? Against ratings, where people gave some."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final, Protocol, overload, runtime_checkable

from pydantic import Field

from agentnb.rules._hits import HIT_COLUMNS, hits_of_runs, runs_in
from agentnb.rules._plots import SweepPlot, plot_sweep
from agentnb.rules._runs import Run
from agentnb.values import Turn, Value
from agentnb.values.rules import Counting, Rule, RuleHit

FIRST: Final = 5
"""Hits that a backtest shows."""


@runtime_checkable
class Recorded(Protocol):
    """What holds recorded turns, and what people said of them: a workspace."""

    def rule_runs(self) -> Iterable[Run]:
        """Return the runs of all its turns."""
        ...

    def turn_verdicts(self) -> Mapping[str, str]:
        """Return right or wrong by turn, where people said so."""
        ...


Turns = Iterable[Turn | Run] | Recorded


class Backtest(Value):
    """What one rule did in recorded turns."""

    code: str
    """The rule."""
    turns: int
    """Turns that were looked at."""
    turns_hit: int
    """Turns in which it fired."""
    hits: int
    """How often it fired, its cap counted as if its nudges had been sent."""
    first: tuple[RuleHit, ...] = ()
    """The first hits, one per turn."""
    rated: int = 0
    """Turns that people rated."""
    rated_hit: int = 0
    """Rated turns in which it fired."""
    wrong: int = 0
    """Turns rated wrong."""
    wrong_hit: int = 0
    """Turns rated wrong in which it fired."""

    @property
    def precision(self) -> float | None:
        """Share of the rated turns it fired in that were rated wrong; None when there are none."""
        return _share(self.wrong_hit, self.rated_hit)

    @property
    def recall(self) -> float | None:
        """Share of the turns rated wrong that it fired in; None when there are none."""
        return _share(self.wrong_hit, self.wrong)


class SweepRow(Value):
    """What one rule did at one setting of the thresholds."""

    settings: Mapping[str, Any] = Field(default_factory=dict)
    """The thresholds, by name."""
    code: str
    """The rule."""
    turns: int
    """Turns that were looked at."""
    turns_hit: int
    """Turns in which it fired."""
    hits: int
    """How often it fired, caps counted as if its nudges had been sent."""
    first_call_index: float | None = None
    """Median place in the conversation of its first hit in a turn; null when it never fired."""
    false_alarms: int = 0
    """Turns rated right in which it fired."""
    precision: float | None = None
    """Share of the rated turns it fired in that were rated wrong; null when there are none."""
    recall: float | None = None
    """Share of the turns rated wrong that it fired in; null when there are none."""


class Sweep(Sequence[SweepRow]):
    """What came of a sweep: a row per setting and rule, which shows itself as a table and can be plotted."""

    def __init__(self, rows: Iterable[SweepRow]) -> None:
        """Keep the rows."""
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, place: int) -> SweepRow: ...
    @overload
    def __getitem__(self, place: slice) -> Sweep: ...
    def __getitem__(self, place: int | slice) -> SweepRow | Sweep:
        """Return a row, or a sweep of some of them."""
        return Sweep(self._rows[place]) if isinstance(place, slice) else self._rows[place]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._rows)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Sweep: {len(self):,} rows, {', '.join(self.thresholds) or 'no thresholds'}>"

    @property
    def thresholds(self) -> tuple[str, ...]:
        """Names of the thresholds that were moved."""
        return tuple(dict.fromkeys(name for row in self._rows for name in row.settings))

    def of(self, *codes: str) -> Sweep:
        """Return the rows of some rules alone."""
        return Sweep(row for row in self._rows if row.code in codes)

    def plot(self, measure: str = "turns_hit") -> SweepPlot:
        """Plot a measure as the first threshold moves, a line per rule that ever fired; further thresholds stand side by side.

        Args:
            measure: turns_hit, hits, false_alarms, precision, recall or first_call_index.

        Returns:
            A plot that a notebook draws; `.chart` is Altair's, to be changed at will.

        Raises:
            ImportError: Altair is not installed.
            ValueError: there is no such measure, or no threshold was moved.
        """
        return plot_sweep(self, measure)


def backtest(rule: Rule, turns: Turns, *, ratings: Mapping[str, str] | None = None, first: int = FIRST, **options: Any) -> Backtest:
    """Try a rule alone on recorded turns.

    Args:
        rule: such as `rule_from_cell` makes.
        turns: a workspace; or values, or runs as `runs_of_columns` yields them. Sub-agents are looked at as well and count for their turn.
        ratings: verdicts by turn: right or wrong; a hit in a turn rated wrong is a good one. Without them those of the workspace.
        first: how many hits to show.
        options: tool_kinds, limits, scrub, reset_on_tools, delivery_required, audit_mode, as for `explain_rules`.

    Raises:
        RuleError: its check raised; `line` is the line of its cell.
        TypeError: its check returned something that is neither a text nor None.
    """
    runs, ratings = _recorded(turns, ratings)
    seen: set[str] = set()
    hits = _hits([rule], runs, seen, "counterfactual", options)
    hit_turns = list(dict.fromkeys(hit[2] for hit in hits))
    shown = {hit[2]: hit for hit in reversed(hits)}
    firsts = tuple(RuleHit(**dict(zip(HIT_COLUMNS, shown[turn], strict=True))) for turn in hit_turns[:first])
    return Backtest(code=rule.code, turns=len(seen), turns_hit=len(hit_turns), hits=len(hits), first=firsts, **_against(ratings, seen, set(hit_turns)))


def sweep(
    rules: Callable[..., Sequence[Rule]], turns: Turns, *, ratings: Mapping[str, str] | None = None,
    options: Mapping[str, Any] | None = None, **thresholds: Sequence[Any],
) -> Sweep:  # fmt: skip
    """Try rules at every combination of some thresholds.

    Args:
        rules: makes the rules from the thresholds, such as `default_rules`.
        turns: a workspace; or values, or runs as `runs_of_columns` yields them.
        ratings: verdicts by turn: right or wrong. Without them those of the workspace.
        options: tool_kinds, limits and the like, as for `explain_rules`.
        thresholds: the values to try, by the name of the parameter of `rules`: `exploration_threshold=(5, 10, 20)`.

    Returns:
        A row per combination and rule, in this order; shows itself as a table, and `.plot()` draws it.

    Raises:
        TypeError: `rules` is no function, or has no such parameter.

    Example:
        anb.sweep(anb.default_rules, ws, exploration_threshold=(5, 10, 20)).of("exploration")
    """
    if not callable(rules):
        raise TypeError(f"sweep wants a function that makes the rules from thresholds, such as default_rules; it was given a {type(rules).__name__}")
    given, ratings = _recorded(turns, ratings)
    runs = list(runs_in(given))
    rows: list[SweepRow] = []
    for values in product(*thresholds.values()):
        settings = dict(zip(thresholds, values, strict=True))
        made = rules(**settings)
        seen: set[str] = set()
        hits = _hits(made, runs, seen, "counterfactual", options or {})
        rows.extend(_row(rule.code, settings, [hit for hit in hits if hit[8] == rule.code], seen, ratings) for rule in made)
    return Sweep(rows)


def evidence_of(hit: RuleHit) -> Mapping[str, Any]:
    """Return the evidence of a hit as Python values."""
    found: Mapping[str, Any] = json.loads(hit.evidence)
    return found


def _recorded(turns: Turns, ratings: Mapping[str, str] | None) -> tuple[Iterable[Turn | Run], Mapping[str, str]]:
    if isinstance(turns, Recorded):
        return turns.rule_runs(), turns.turn_verdicts() if ratings is None else ratings
    return turns, ratings or {}


def _row(code: str, settings: Mapping[str, Any], hits: Sequence[tuple[Any, ...]], seen: set[str], ratings: Mapping[str, str]) -> SweepRow:
    firsts: dict[str, int] = {}
    for hit in hits:
        if hit[5] is not None:
            firsts.setdefault(hit[2], hit[5])
    turns = {hit[2] for hit in hits}
    counts = _against(ratings, seen, turns)
    return SweepRow(
        settings=settings, code=code, turns=len(seen), turns_hit=len(turns), hits=len(hits), first_call_index=_median(sorted(firsts.values())),
        false_alarms=counts["rated_hit"] - counts["wrong_hit"], precision=_share(counts["wrong_hit"], counts["rated_hit"]),
        recall=_share(counts["wrong_hit"], counts["wrong"]),
    )  # fmt: skip


def _hits(rules: Sequence[Rule], turns: Iterable[Turn | Run], seen: set[str], counting: Counting, options: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    def noted() -> Iterable[Run]:
        for run in runs_in(turns):
            seen.add(run.turn_id)
            yield run

    return list(hits_of_runs(noted(), rules, countings=(counting,), **options))


def _against(ratings: Mapping[str, str], seen: set[str], hit: set[str]) -> dict[str, int]:
    rated = {turn: verdict for turn, verdict in ratings.items() if turn in seen and verdict in ("right", "wrong")}
    wrong = {turn for turn, verdict in rated.items() if verdict == "wrong"}
    return {"rated": len(rated), "rated_hit": len(hit & rated.keys()), "wrong": len(wrong), "wrong_hit": len(hit & wrong)}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _median(values: Sequence[int]) -> float | None:
    if not values:
        return None
    middle = len(values) // 2
    return float(values[middle]) if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
