"""The frame around a view: our style sheet, the section that all rules sit under, and the heading."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from agentnb.render._markup import Child, Html, join, style_sheet, tag
from agentnb.render._room import BUDGET, weight, within
from agentnb.render._text import one_line

LIVE: Final = "/* live"
"""Where the part of the style sheet begins that only a widget needs."""

FRAME: Final = 700
"""Bytes of the section around a view, its longest label included."""
LEAST: Final = 4_000
"""Bytes for which it is worth having a style sheet in front."""


def css() -> str:
    """Return the text of `agentnb.css`."""
    return _css()


def framed(view: str, label: str, content: Child, *, standalone: bool, budget: int = BUDGET) -> Html:
    """Put a view into its section, with the style sheet in front; not standalone, the content alone.

    A budget that the style sheet would eat up goes without it: the view reads well without.
    """
    if not standalone:
        return join(content)
    section = tag("section", content, class_="agentnb", data_view=view, aria_label=one_line(label, 60))
    return join(_style() if _is_styled(budget) else None, section)


def room_inside(budget: int, *, standalone: bool) -> int:
    """Return the bytes that a budget leaves for what is inside the frame."""
    allowed = within(budget)
    return allowed - (weight(_style()) if _is_styled(budget) else 0) - FRAME if standalone else allowed


def too_large() -> Html:
    """Say that something does not fit at all; its text is in the tables."""
    return tag("div", "too large to show here", class_="more")


def heading(title: str, known: str, *controls: Child) -> Html:
    """Show what this is, what is known about it, and the controls at the right."""
    right = tag("span", join(controls, by=" "), class_="push") if any(controls) else None
    return tag("header", tag("h3", title), join(" ", tag("span", known, class_="dim")) if known else None, join(" ", right) if right else None, class_="head")


def _is_styled(budget: int) -> bool:
    return within(budget) >= weight(_style()) + LEAST


@cache
def _css() -> str:
    return (files("agentnb") / "static" / "agentnb.css").read_text("utf-8")


@cache
def _style() -> Html:
    """Return what an output without a kernel needs of the sheet, without comments and line breaks, since every output carries it."""
    bare = re.sub(r"/\*.*?\*/", "", _css().partition(LIVE)[0], flags=re.DOTALL)
    return style_sheet(re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\s+", " ", bare)).replace(";}", "}").strip())
