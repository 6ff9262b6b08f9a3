"""A board of programs: how often each is right, how sure that is, and whether it may be believed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentnb.ratings import BoardLine, TrendPoint
from agentnb.render._frame import framed, heading, room_inside
from agentnb.render._marks import Mark, marked
from agentnb.render._markup import Html, bar, join, tag
from agentnb.render._numbers import UNKNOWN, amount, count, seconds
from agentnb.render._room import BUDGET, Room, weight
from agentnb.render._text import one_line, visible

DRAWN: Final = Mark("●", "drawn", "good")
PICKED: Final = Mark("◔", "picked", "warn")
SEVERAL: Final = Mark("◔", "several draws", "warn")
UNRATED: Final = Mark("–", "not rated", "dim")
COLUMNS: Final = ("program", "version", "model", "calls", "rated", "right", "interval", "", "from", "disputed", "trend", "dollars", "seconds")
RIGHT: Final = frozenset({"calls", "rated", "right", "disputed", "dollars", "seconds"})


def render_board(lines: Sequence[BoardLine], *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show a board.

    Args:
        lines: its lines, in order.
        budget: bytes of UTF-8 that are not exceeded, style sheet included.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same lines; a table that also reads without CSS.
    """
    rated = sum(line.rated for line in lines)
    head = heading("scoreboard", f"{amount(len(lines), 'program')}, versions and models apart · {amount(rated, 'rated call')}" if lines else "")
    names = tag("thead", tag("tr", [tag("th", name, scope="col", align="right" if name in RIGHT else None) for name in COLUMNS]))
    left, rows = Room(room_inside(budget, standalone=standalone) - weight(head) - weight(names) - 1_200), list[Html]()
    for line in lines:
        row = _row(line)
        if not left.take(row):
            break
        rows.append(row)
    more = tag("div", amount(len(lines) - len(rows), "more line"), class_="more") if len(rows) < len(lines) else None
    grid = tag("div", tag("table", names, tag("tbody", rows), class_="grid board"), class_="scroll") if rows else None
    return framed("board", "Scoreboard", join(head, grid, more, _note(lines)), standalone=standalone, budget=budget)


def plain_board(lines: Sequence[BoardLine]) -> str:
    """Say a line for each program: how often it is right, how sure that is, and whether it may be believed."""
    said = [f"  {_of(line)}: {_share(line)} {_interval(line)}, {_counts(line)}, {_mark(line).word}" for line in lines[:20]]
    return visible("\n".join([f"Scoreboard: {amount(len(lines), 'line')}", *said]))


def _row(line: BoardLine) -> Html:
    share = line.share
    lane = tag("td", bar(share.low, share.high - share.low), class_="lane") if share and share.low is not None and share.high is not None else tag("td")
    return tag(
        "tr",
        tag("td", tag("b", one_line(line.program, 60) or "(agent)", class_="name")),
        [tag("td", one_line(known, 24) if known else UNKNOWN, title=known if known and len(known) > 24 else None) for known in (line.version, line.model)],
        [tag("td", text, align="right") for text in (count(line.calls), count(line.rated), _share(line))],
        tag("td", _interval(line), class_="dim"),
        lane,
        tag("td", marked(_mark(line)), f" {one_line(', '.join(line.samples), 40)}" if line.samples and line.rated == line.drawn else None),
        tag("td", count(line.disputed), align="right", class_="warn" if line.disputed else None),
        tag("td", _trend(line.trend)),
        tag("td", UNKNOWN if line.cost is None else f"{line.cost:.4f}", align="right"),
        tag("td", seconds(line.seconds), align="right"),
        class_=None if line.is_drawn or not line.rated else "picked",
    )


def _of(line: BoardLine) -> str:
    return f"{one_line(line.program, 60) or '(agent)'} {one_line(line.version or UNKNOWN, 20)} {one_line(line.model or UNKNOWN, 40)}"


def _counts(line: BoardLine) -> str:
    return f"{count(line.rated)} of {count(line.calls)} rated, {count(line.disputed)} disputed"


def _mark(line: BoardLine) -> Mark:
    if not line.rated:
        return UNRATED
    return DRAWN if line.is_drawn else PICKED if line.drawn < line.rated else SEVERAL


def _share(line: BoardLine) -> str:
    return UNKNOWN if line.share is None else f"{line.share.value * 100:.0f} %"


def _interval(line: BoardLine) -> str:
    share = line.share
    return UNKNOWN if share is None or share.low is None or share.high is None else f"{share.low * 100:.0f} to {share.high * 100:.0f} %"


def _trend(trend: Sequence[TrendPoint]) -> str:
    """Show the share over time as a line of blocks, with the first and the last number."""
    if not trend:
        return UNKNOWN
    blocks = "".join("▁▂▃▄▅▆▇█"[min(7, int(point.share * 8))] for point in trend)
    return f"{trend[0].share * 100:.0f} % {blocks} {trend[-1].share * 100:.0f} %"


def _note(lines: Sequence[BoardLine]) -> Html | None:
    if not lines:
        return tag("div", "There are no calls yet: anb.open reads recordings.", class_="more")
    if not any(line.rated for line in lines):
        return tag("div", "Nothing is rated yet. ", tag("code", "anb.Rater(ws, ws.sample(query, 50, seed=1, name='first'))"), " begins.", class_="more")
    if all(line.is_drawn for line in lines if line.rated):
        return None
    advice = "of calls that somebody picked say how these were, not how the others are: "
    return tag(
        "div", marked(Mark("◔", "numbers", "warn")), f" {advice}", tag("code", "ws.sample(query, 50, seed=1, name='fair')"), " draws fairly.", class_="more"
    )
