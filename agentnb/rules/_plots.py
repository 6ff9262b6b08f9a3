"""How do hits move with a threshold? A sweep as an Altair chart, which is imported only then."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

MEASURES: Final = {
    "turns_hit": "turns in which it fires", "hits": "nudges", "false_alarms": "turns rated right in which it fires", "precision": "precision",
    "recall": "recall", "first_call_index": "place of its first nudge (median)",
}  # fmt: skip
MIME: Final = "application/vnd.vegalite.v5+json"
SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
"""What JupyterLab draws by itself; Altair's own HTML would fetch scripts from elsewhere."""


class Row(Protocol):
    """What a plot needs of a row of a sweep."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The thresholds, by name."""
        ...

    @property
    def code(self) -> str:
        """The rule."""
        ...

    @property
    def turns_hit(self) -> int:
        """Turns in which it fired."""
        ...


class SweepPlot:
    """A chart that a notebook draws by itself; elsewhere its numbers, as text, stand in its place."""

    def __init__(self, chart: Any, points: Sequence[tuple[Any, ...]], measure: str) -> None:
        """Keep a chart and what is drawn."""
        self.chart = chart
        """Altair's chart, to be changed at will."""
        self._points, self._measure = points, measure

    def __repr__(self) -> str:
        """Return the numbers that are drawn, a line per rule."""
        lines: dict[str, list[str]] = {}
        for code, at, value, beside in self._points:
            lines.setdefault(code if beside == "" else f"{code} ({beside})", []).append(f"{at}: {'–' if value is None else format(value, '.4g')}")
        return "\n".join([MEASURES[self._measure], *(f"  {code}  {', '.join(values)}" for code, values in lines.items())])

    def _repr_mimebundle_(self, **ignored: Any) -> dict[str, Any]:
        return {MIME: {**self.chart.to_dict(), "$schema": SCHEMA}, "text/plain": repr(self)}


def plot_sweep(rows: Sequence[Row], measure: str) -> SweepPlot:
    """Draw a measure of the rules that ever fired against the first threshold.

    Raises:
        ImportError: Altair is not installed.
        ValueError: there is no such measure, or no threshold was moved.
    """
    if measure not in MEASURES:
        raise ValueError(f"a sweep has no measure {measure!r}; expected one of {', '.join(MEASURES)}")
    names = list(dict.fromkeys(name for row in rows for name in row.settings))
    if not names:
        raise ValueError("nothing to plot: no threshold was moved. sweep(default_rules, ws, exploration_threshold=(5, 10, 20)) moves one")
    fired = {row.code for row in rows if row.turns_hit}
    points = [(row.code, row.settings.get(names[0]), getattr(row, measure), _beside(row, names[1:])) for row in rows if row.code in fired]
    return SweepPlot(_chart(load_altair(), points, names, measure), points, measure)


def _chart(altair: Any, points: Sequence[tuple[Any, ...]], names: Sequence[str], measure: str) -> Any:
    values = [dict(zip(("rule", "at", "value", "beside"), point, strict=True)) for point in points]
    number = all(isinstance(point[1], int | float) for point in points)
    chart = altair.Chart(altair.Data(values=values)).mark_line(point=True)
    chart = chart.encode(
        x=altair.X("at", type="quantitative" if number else "nominal", title=names[0]),
        y=altair.Y("value", type="quantitative", title=MEASURES[measure]),
        color=altair.Color("rule", type="nominal"),
        strokeDash=altair.StrokeDash("beside", type="nominal", title=", ".join(names[1:])) if len(names) > 1 else altair.Undefined,
        tooltip=[altair.Tooltip("rule", type="nominal"), altair.Tooltip("at", type="nominal"), altair.Tooltip("value", type="quantitative")],
    )
    return chart.properties(width=420, height=220)


def _beside(row: Row, names: Sequence[str]) -> str:
    return ", ".join(f"{name} {row.settings.get(name)}" for name in names)


def load_altair() -> Any:
    """Return Altair.

    Raises:
        ImportError: it is not installed.
    """
    try:
        return importlib.import_module("altair")
    except ImportError as error:
        raise ImportError(
            "a plot needs the package altair: pip install 'agentnb-kit[plots]'; the table that is shown has the same numbers", name="altair"
        ) from error
