"""The scoreboard of a workspace: its lines, what it says where nothing is rated, and the chart beside the table."""

from __future__ import annotations

import json
import sys

import pytest

import agentnb as anb
from agentnb.errors import OptionError
from agentnb.widgets import Scoreboard
from agentnb.workspace import Workspace
from tests.render.pages import Page
from tests.widgets.recorded import HOSTILE, conversation, hostile_turn, plain_turn
from tests.widgets.workspaces import workspace_of

QUERY = "from calls where name = 'get_order'"


@pytest.fixture
def ws() -> Workspace:
    made = workspace_of(conversation(*(plain_turn(at, f"question {at}") for at in range(30))))
    made.rater = "ana"
    return made


def rate_draw(ws: Workspace, n: int = 20) -> None:
    drawn = ws.sample(QUERY, n, seed=1, name="march")
    for at, (call_id,) in enumerate(ws.sql("select call_id from sampled_calls order by draw_index").fetchall()):
        ws.rate(call_id, at % 4 != 0, sample=drawn.sample)


def test_a_drawn_program_has_its_share_with_interval_and_trend(ws: Workspace) -> None:
    rate_draw(ws)
    board = Scoreboard(ws)
    (line,) = board.lines
    assert (line.program, line.model, line.calls, line.rated, line.right, line.samples) == ("get_order", "gpt-4o", 30, 20, 15, ("march",))
    assert line.is_drawn
    html = board._repr_html_()
    assert "75 %" in html
    assert "● drawn" in html
    assert "draws fairly" not in html
    assert repr(board).splitlines()[1] == "  get_order – gpt-4o: 75 % 53 to 89 %, 20 of 30 rated, 0 disputed, drawn"


def test_ratings_that_somebody_picked_are_marked(ws: Workspace) -> None:
    rate_draw(ws)
    query = "select min(call_id) from calls where name = 'get_order' and call_id not in (select call_id from sampled_calls)"
    ws.rate(ws.sql(query).fetchall()[0][0], "wrong")
    board = Scoreboard(ws)
    assert not board.lines[0].is_drawn
    assert "◔ picked" in board._repr_html_()
    assert "draws fairly" in board._repr_html_()


def test_what_people_differ_about_is_counted(ws: Workspace) -> None:
    (first,) = ws.sql("select min(call_id) from calls where name = 'get_order'").fetchall()[0]
    ws.rate(first, "right", by="ana")
    ws.rate(first, "wrong", by="ben")
    (line,) = Scoreboard(ws).lines
    assert (line.rated, line.undecided, line.disputed, line.share) == (1, 1, 1, None)


def test_where_nothing_is_rated_it_says_how_to_begin(ws: Workspace) -> None:
    html = Scoreboard(ws)._repr_html_()
    assert "Nothing is rated yet." in html
    assert "get_order" in html
    assert "There are no calls yet" in Scoreboard(anb.open([]))._repr_html_()


def test_one_program_can_be_asked_for(ws: Workspace) -> None:
    assert [line.program for line in Scoreboard(ws, "gpt-4o").lines] == ["gpt-4o"]
    with pytest.raises(OptionError, match="did you mean 'confidence'"):
        Scoreboard(ws, confidnce=0.9)
    with pytest.raises(TypeError, match="not a list"):
        Scoreboard([])  # type: ignore[arg-type]


def test_the_chart_has_the_numbers_of_the_table(ws: Workspace) -> None:
    rate_draw(ws)
    (drawn,) = Scoreboard(ws).plot().values()
    assert drawn["$schema"].endswith("/v5.json")
    assert '"right": 0.75' in json.dumps(drawn)
    assert Scoreboard(ws).plot() == Scoreboard(ws).plot()


def test_without_altair_the_table_stands_alone(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    rate_draw(ws)
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(ImportError, match=r"agentnb-kit\[plots\]"):
        Scoreboard(ws).chart()


def test_hostile_names_are_no_markup() -> None:
    ws = workspace_of(conversation(hostile_turn(), conversation_id=HOSTILE))
    ws.rate(ws.sql("select call_id from calls where kind = 'tool'").fetchall()[0][0], "wrong", by="ana")
    page = Page(Scoreboard(ws)._repr_html_())
    assert page.elements
    assert len(Scoreboard(ws)._repr_html_().encode()) <= 25_000
