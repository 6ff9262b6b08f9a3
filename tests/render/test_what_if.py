"""A grid of answers by stage and adapter: marks and words, within the budget, and nothing of it is markup."""

from __future__ import annotations

from typing import Any

import agentnb.transports as tr
from agentnb.render import render_what_if
from tests.render.pages import Page
from tests.transports.made import CALLED, W, call, transport


def test_a_grid_shows_itself_with_marks_and_words() -> None:
    grid: Any = tr.what_if_grid({"good": [call(0, "c", W, '{"city": "Ruin"}'), CALLED], "cut": [call(0, "c", W, '{"ci')]}, transport())
    text = Page(grid._repr_html_()).text
    assert "✓ ok" in text
    assert "⊘ cut: arguments_incomplete" in text
    assert "✕ tool_not_in_stage" in text
    assert type(grid.loc[["good"]]).__name__ == "DataFrame"


def test_what_does_not_fit_is_counted_and_names_are_text() -> None:
    html = render_what_if([("<b>", "native")], [(f"<script>{at}", ["<i>"]) for at in range(2_000)], budget=12_000)
    assert len(html.encode()) <= 12_000
    assert "<script" not in html
    assert "more answers" in html
