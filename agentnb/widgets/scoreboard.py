"""HOW GOOD IS WHICH PROGRAM: programs by version and model as a table, and beside it a chart where Altair is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from IPython.display import display

from agentnb.ratings import BoardLine
from agentnb.render import plain_board, render_board
from agentnb.rules import MIME, SCHEMA, load_altair
from agentnb.widgets._targets import check_options
from agentnb.workspace import Workspace, board_of


class Scoreboard:
    """Show how often each program is right: by version and model, with interval, disputed calls, cost, time and trend.

    Ratings of calls that somebody picked are marked: they say nothing about the calls that were not rated. Of several people most decide.

    Args:
        ws: the workspace.
        program: only this program, agent, tool or model; without it those that were rated, and the most called ones while none was.
        confidence: confidence of the intervals.

    Raises:
        OptionError: a keyword that is not one of these.

    Example:
        board = anb.Scoreboard(ws)
        board.lines                # the same as values
    """

    def __init__(self, ws: Workspace, program: str | None = None, *, confidence: float = 0.95, **unknown: Any) -> None:
        check_options("Scoreboard", ("confidence", "program"), unknown)
        if not isinstance(ws, Workspace):
            raise TypeError(f"Scoreboard takes a workspace, Scoreboard(ws), not a {type(ws).__name__}.")
        self.lines: tuple[BoardLine, ...] = tuple(board_of(ws, program, confidence=confidence))
        """A line for each program, version and model."""

    def __repr__(self) -> str:
        """Say a line for each program."""
        return plain_board(self.lines)

    def _repr_html_(self) -> str:
        return render_board(self.lines)

    def _ipython_display_(self) -> None:
        display({"text/html": render_board(self.lines), "text/plain": repr(self)}, raw=True)  # type: ignore[no-untyped-call]
        if find_spec("altair") is not None and any(line.rated for line in self.lines):
            display({**self.plot(), "text/plain": ""}, raw=True)  # type: ignore[no-untyped-call]

    def plot(self) -> dict[str, Any]:
        """Return a chart of the shares with their intervals, and of the trends, as JupyterLab draws it.

        Raises:
            ImportError: Altair is not installed.
        """
        return {MIME: {**self.chart().to_dict(), "$schema": SCHEMA}}

    def chart(self) -> Any:
        """Return the same as Altair's chart, to be changed at will.

        Raises:
            ImportError: Altair is not installed.
        """
        altair = load_altair()
        rated = [line for line in self.lines if line.share is not None]
        shares = _shares(altair, rated)
        trends = [line for line in rated if line.trend]
        return altair.hconcat(shares, _trends(altair, trends)) if trends else shares


def _shares(altair: Any, lines: Sequence[BoardLine]) -> Any:
    values = [
        {"line": _name(line), "right": line.share.value, "low": line.share.low, "high": line.share.high, "rated": line.rated, "from": _from(line)}
        for line in lines
        if line.share is not None
    ]
    base = altair.Chart(altair.Data(values=values)).encode(y=altair.Y("line", type="nominal", title=None, sort=None))
    scale = altair.Scale(domain=[0, 1])
    bars = base.mark_rule(strokeWidth=2).encode(
        x=altair.X("low", type="quantitative", title="share right, with interval", scale=scale, axis=altair.Axis(format="%")), x2=altair.X2("high")
    )
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=altair.X("right", type="quantitative", scale=scale),
        shape=altair.Shape("from", type="nominal", title=None),
        tooltip=[altair.Tooltip(name, type="nominal") for name in ("line", "right", "low", "high", "rated", "from")],
    )
    return (bars + points).properties(width=320, height=max(60, 26 * len(values)))


def _trends(altair: Any, lines: Sequence[BoardLine]) -> Any:
    values = [
        {"line": _name(line), "at": point.first_at.isoformat() if point.first_at else None, "right": point.share, "rated": point.rated}
        for line in lines
        for point in line.trend
    ]
    chart = altair.Chart(altair.Data(values=values)).mark_line(point=True)
    encoded = chart.encode(
        x=altair.X("at", type="temporal", title="calls from"),
        y=altair.Y("right", type="quantitative", title="share right", scale=altair.Scale(domain=[0, 1]), axis=altair.Axis(format="%")),
        color=altair.Color("line", type="nominal", title=None),
        tooltip=[altair.Tooltip(name, type="nominal") for name in ("line", "at", "right", "rated")],
    )
    return encoded.properties(width=280, height=160)


def _name(line: BoardLine) -> str:
    return " · ".join(each for each in (line.program or "(agent)", line.version, line.model) if each)


def _from(line: BoardLine) -> str:
    return "drawn at random" if line.is_drawn else "picked by hand"
