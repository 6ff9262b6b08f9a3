"""The style sheet is small, touches nothing outside `.agentnb`, and asks nothing of the network."""

from __future__ import annotations

import re

from agentnb import render
from tests.render.samples import refund_turn


def rules() -> str:
    return re.sub(r"/\*.*?\*/", "", render.css(), flags=re.DOTALL)


def test_all_rules_sit_under_agentnb() -> None:
    depth, outer = 0, ""
    for sign in rules():
        depth += {"{": 1, "}": -1}.get(sign, 0)
        outer += sign if depth == 0 and sign != "}" else ""
    assert depth == 0
    assert set(outer.split()) == {".agentnb.agentnb.agentnb"}


def test_nothing_is_loaded() -> None:
    assert not re.search(r"url\(|@import|@font-face|expression|https?:", rules())


def test_a_static_output_carries_only_what_it_needs_of_it() -> None:
    style = render.render_turn(refund_turn()).split("</style>")[0]
    assert len(style) <= 7_000
    assert ".notice" not in style
    assert ".notice" in render.css()


def test_colours_come_from_the_notebook_first() -> None:
    for name in ("bg", "fg", "accent", "mono"):
        assert re.search(rf"--{name}: var\(--jp-[\w-]+, var\(--vscode-", rules())
