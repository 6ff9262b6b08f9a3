"""The same answers under every stage and adapter, as a grid: a mark and a word in each cell."""

from __future__ import annotations

from collections.abc import Sequence

from agentnb.render._frame import framed, room_inside
from agentnb.render._marks import Mark, marked
from agentnb.render._markup import Html, join, tag
from agentnb.render._numbers import amount
from agentnb.render._room import BUDGET, Room, weight
from agentnb.render._text import one_line

CUT = " (cut)"
"""What ends the word of an answer that only stopped."""


def render_what_if(columns: Sequence[tuple[str, str]], rows: Sequence[tuple[str, Sequence[str]]], *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show what each stage and adapter makes of answers.

    Args:
        columns: stage and adapter of each column.
        rows: name of each answer, and for each column ok, or the code of what is wrong, with `(cut)` where the answer only stopped.
        budget: bytes of UTF-8 that are not exceeded.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same grid.
    """
    stages = [tag("th", one_line(stage, 60), scope="col") for stage, _ in columns]
    adapters = [tag("th", one_line(adapter, 60), scope="col") for _, adapter in columns]
    head = tag("thead", tag("tr", tag("th", "stage", scope="col"), stages), tag("tr", tag("th", "adapter", scope="col"), adapters))
    left = Room(room_inside(budget, standalone=standalone) - weight(head) - 400)
    shown: list[Html] = []
    for name, words in rows:
        row = tag("tr", tag("td", tag("b", one_line(name, 60))), [tag("td", marked(_mark(word))) for word in words])
        if not left.take(row):
            break
        shown.append(row)
    hidden = len(rows) - len(shown)
    more = tag("div", amount(hidden, "more answer"), class_="more") if hidden else None
    grid = tag("div", tag("table", head, tag("tbody", shown), class_="grid"), class_="scroll")
    return framed("table", "What if", join(grid, more), standalone=standalone, budget=budget)


def _mark(word: str) -> Mark:
    if word == "ok":
        return Mark("✓", "ok", "good")
    if word.endswith(CUT):
        return Mark("⊘", f"cut: {one_line(word.removesuffix(CUT), 60)}", "warn")
    return Mark("✕", one_line(word, 60), "bad")
