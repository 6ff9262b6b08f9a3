"""The kernel side of the transcript: what it takes, what it answers, and how much it sends."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from typing import Any

import pytest

import agentnb as anb
from agentnb.errors import OptionError, UnknownId
from agentnb.render import css
from agentnb.widgets import CallTree, Transcript
from agentnb.widgets._shown import EVERY
from agentnb.workspace import Workspace
from tests.render.pictures import SVG, data_address, png
from tests.widgets.recorded import TurnMaker, conversation, long_turn, plain_turn, refund_turn
from tests.widgets.workspaces import workspace_of

REFUND = "made/turn 5/refund 4"
SVG_ADDRESS = data_address(SVG, "image/svg+xml")


@pytest.fixture
def ws() -> Workspace:
    return workspace_of(conversation(*(plain_turn(at, f"question {at}") for at in range(5)), refund_turn(5)))


def ask(view: Any, **request: Any) -> list[dict[str, Any]]:
    """Send a request as the browser does and return every message that comes back."""
    messages: list[dict[str, Any]] = []
    send, view.send = view.send, messages.append
    view._heard(view, {"id": "r1", **request}, [])
    view.send = send
    return messages


def result(view: Any, **request: Any) -> dict[str, Any]:
    reply = ask(view, **request)[-1]
    assert reply["id"] == "r1"
    assert "error" not in reply, reply
    return dict(reply["result"])


def test_it_takes_a_conversation_a_turn_a_call_or_the_id_of_one(ws: Workspace) -> None:
    assert repr(Transcript(ws, "made")) == repr(Transcript(ws, ws.conversation("made"))) == "Transcript of support-refund · 6 turns"
    assert repr(Transcript(ws, "made/turn 5")) == repr(Transcript(ws, ws.turn("made/turn 5"))) == "Transcript of support-refund · 1 turn"
    assert Transcript(ws, REFUND).selected == Transcript(ws, ws.call(REFUND)).selected == REFUND


def test_a_turn_starts_unfolded(ws: Workspace) -> None:
    assert "payment method does not match" in Transcript(ws, "made/turn 5")._html


def test_a_conversation_starts_with_the_first_turn_unfolded_in_which_a_call_failed(ws: Workspace) -> None:
    html = Transcript(ws, "made")._html
    assert re.findall(r'<details class="turn" data-turn="([^"]+)" open', html) == ["made/turn 5"]
    assert "payment method does not match" in html


def test_a_value_alone_is_read_only(ws: Workspace) -> None:
    view = Transcript(refund_turn())
    assert not view._rates
    assert "can be rated without a workspace" in ask(view, kind="rate", call_id="made/turn 0", verdict="right", by="ana")[-1]["error"]["message"]
    assert Transcript(conversation(refund_turn(0), plain_turn(1, "x")))._wanted.shown.count() == 2


def test_a_misspelt_keyword_names_the_nearest(ws: Workspace) -> None:
    with pytest.raises(OptionError, match="no option 'hieght'; did you mean 'height'"):
        Transcript(ws, "made", hieght=300)
    with pytest.raises(TypeError, match="page"):
        anb.Transcript(ws, "made", pagesize=3)


def test_a_wrong_target_says_what_to_do(ws: Workspace) -> None:
    with pytest.raises(UnknownId, match=r"No conversation, turn or call has the id 'made/turn 55'. The nearest are 'made/turn 5'.*ws.find"):
        Transcript(ws, "made/turn 55")
    with pytest.raises(TypeError, match="needs what to show"):
        Transcript(ws)
    with pytest.raises(TypeError, match="takes a workspace and what to show"):
        Transcript("made")
    with pytest.raises(TypeError, match="not a int"):
        Transcript(ws, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes nothing to look up"):
        Transcript(refund_turn(), "made")
    with pytest.raises(ValueError, match="height is a number of pixels"):
        Transcript(ws, "made", height="10px;color:red")
    with pytest.raises(ValueError, match="from 1 to 500"):
        Transcript(ws, "made", page=0)


def test_selected_refuses_an_id_that_is_not_shown(ws: Workspace) -> None:
    view = Transcript(ws, "made/turn 5")
    view.selected = REFUND
    with pytest.raises(UnknownId, match="No call or turn shown here"):
        view.selected = "made/turn 1/get_order 2"
    assert view.selected == REFUND


def test_find_and_errors_are_asked_of_the_tables(ws: Workspace) -> None:
    view = Transcript(ws, "made")
    found = result(view, kind="page", first=0, count=50, find="NOT MATCH", filter="all")
    assert (found["matching"], found["all"]) == (1, 6)
    assert 'data-turn="made/turn 5"' in found["html"]
    assert result(view, kind="page", first=0, count=50, find="", filter="errors")["matching"] == 1
    assert result(view, kind="page", first=0, count=50, find='"W3"', filter="all")["matching"] == 1
    assert result(view, kind="page", first=0, count=50, find="100%_", filter="all")["matching"] == 0
    assert result(view, kind="page", first=0, count=50, find="' or 1=1 --", filter="all")["matching"] == 0


def test_a_value_is_searched_as_the_tables_are() -> None:
    values = conversation(*(plain_turn(at, f"question {at}") for at in range(5)), refund_turn(5))
    views = Transcript(values), Transcript(workspace_of(values), "made")
    for question in ({"find": "NOT MATCH"}, {"find": '"W3"'}, {"filter": "errors"}, {"find": "question"}, {"find": "nowhere"}):
        counts = [result(view, kind="page", first=0, count=50, **question)["matching"] for view in views]
        assert counts[0] == counts[1]


def test_a_line_is_the_same_from_the_tables_and_from_the_value(ws: Workspace) -> None:
    ws.rate("made/turn 5", "wrong", by="ana")
    ws.rate(REFUND, "right", by="bo")
    of_tables, of_values = (view._wanted.shown.lines(EVERY, first=0, count=50) for view in (Transcript(ws, "made"), Transcript(ws.conversation("made"))))
    assert of_tables == of_values


def test_reveal_answers_the_page_and_every_level_down_to_the_call(ws: Workspace) -> None:
    shown = result(Transcript(ws, "made"), kind="reveal", call_id="made/turn 5/search_policy 9", count=2)
    assert (shown["first"], shown["turn_id"]) == (4, "made/turn 5")
    assert [(level["agent"], level["first"]) for level in shown["levels"]] == [("", 2), ("made/turn 5/task 6/policy_agent", 0)]
    assert all("search_policy" in level["html"] for level in shown["levels"])


def test_the_steps_of_a_long_turn_come_in_windows() -> None:
    view = Transcript(workspace_of(conversation(long_turn(0, steps=120))), "made")
    shown = result(view, kind="turn", turn_id="made/turn 0", agent="", first=100, count=10)
    assert 'data-step="100"' in shown["html"]
    assert 'data-step="109"' in shown["html"]
    assert 'data-step="110"' not in shown["html"]


def test_state_and_first_window_stay_small_for_ten_thousand_turns() -> None:
    ws = workspace_of(conversation(*(plain_turn(at, f"question {at} " + "with many words " * 30) for at in range(10_000))))
    view = Transcript(ws, "made")
    state = json.dumps(view.get_state(), default=str)
    assert len(view._html.encode()) < 25_000
    assert len(state.encode()) < 200_000
    assert "question 9999" not in state
    bundle, _ = view._repr_mimebundle_()
    assert len(bundle["text/html"].encode()) <= 25_000
    assert repr(view) == "Transcript of support-refund · 10,000 turns"


def test_it_shows_itself_live_as_html_and_as_one_line(ws: Workspace) -> None:
    bundle, _ = Transcript(ws, REFUND)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert bundle["text/plain"] == "Transcript of support-refund · 1 turn"
    assert bundle["text/html"].startswith("<style>")
    assert "payment method does not match" in bundle["text/html"]
    assert "data-action" not in bundle["text/html"]


def test_a_cell_gets_the_plain_html_and_the_live_view_as_two_outputs(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[dict[str, Any]] = []
    monkeypatch.setattr("agentnb.widgets._cell.display", lambda data, **_: shown.append(data))
    Transcript(ws, "made")._ipython_display_()
    assert [set(data) for data in shown] == [{"text/html", "text/plain"}, {"application/vnd.jupyter.widget-view+json", "text/plain"}]
    assert '<section class="agentnb" data-fallback data-view="transcript"' in shown[0]["text/html"]
    assert [data["text/plain"] for data in shown] == ["Transcript of support-refund · 6 turns", ""]
    assert "data-fallback" in css()


def test_the_plain_html_of_a_conversation_unfolds_what_failed(ws: Workspace) -> None:
    html = Transcript(ws, "made")._repr_mimebundle_()[0]["text/html"]
    assert "payment method does not match" in html
    assert html.count('<details class="turn"') == 6


def test_the_static_page_is_the_one_of_the_selected_call() -> None:
    ws = workspace_of(conversation(*(plain_turn(at, f"question {at}") for at in range(120)), refund_turn(120)))
    view = Transcript(ws, "made", selected="made/turn 120/refund 4")
    assert "payment method does not match" in view._repr_mimebundle_()[0]["text/html"]


def test_an_exception_is_answered_and_logged(ws: Workspace, caplog: pytest.LogCaptureFixture) -> None:
    view = Transcript(ws, "made")
    with caplog.at_level(logging.WARNING, "agentnb.widgets"):
        assert "No turn" in ask(view, kind="turn", turn_id="nowhere")[-1]["error"]["message"]
        assert "No request of kind 'dance'" in ask(view, kind="dance")[-1]["error"]["message"]
        assert ask(view, kind="page", first="x")[-1]["error"]["message"].startswith("ValueError: ")
    assert len(caplog.records) == 3
    view._heard(view, "not a request", [])


def test_a_closed_workspace_is_an_answer_and_no_silence(ws: Workspace) -> None:
    view = Transcript(ws, "made")
    ws.close()
    assert ask(view, kind="page", first=0)[-1]["error"]["message"]


def test_importing_agentnb_brings_no_widgets() -> None:
    code = "import sys, agentnb; agentnb.Turn; print(*sorted({'ipywidgets', 'anywidget'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == []


def test_a_picture_is_answered_for_the_place_of_its_part() -> None:
    made = TurnMaker(0, "It arrived like this.")
    made.show(data_address(png(padding=50_000)), SVG_ADDRESS, "https://example.com/a.png")
    workspace = workspace_of(conversation(made.done()))
    place = made.messages[-1].message_index
    for view in (Transcript(workspace, "made"), Transcript(made.done()), CallTree(workspace, "made/turn 0")):
        assert "<img" not in view._html
        html = result(view, kind="image", turn_id="made/turn 0", message_index=place, part_index=0)["html"]
        assert html.startswith('<img src="data:image/png;base64,')
        refused = result(view, kind="image", turn_id="made/turn 0", message_index=place, part_index=1)["html"]
        assert "only PNG, JPEG, GIF and WebP are" in refused
        assert "<img" not in result(view, kind="image", turn_id="made/turn 0", message_index=place, part_index=2)["html"]


def test_what_is_no_image_is_refused_in_words(ws: Workspace) -> None:
    view = Transcript(ws, "made")
    assert "is no image of this turn" in ask(view, kind="image", turn_id="made/turn 5", message_index=0, part_index=0)[-1]["error"]["message"]
    assert "No turn" in ask(view, kind="image", turn_id="nowhere", message_index=0, part_index=0)[-1]["error"]["message"]
    assert ask(view, kind="image", turn_id="made/turn 5", message_index="x", part_index=0)[-1]["error"]["message"].startswith("ValueError: ")


def test_the_plain_html_beside_the_widget_holds_a_small_picture_and_stays_small() -> None:
    made = TurnMaker(0, "It arrived like this.")
    made.show(data_address(png()), *[data_address(png(padding=4_000))] * 12)
    bundle, _ = Transcript(workspace_of(conversation(made.done())), "made")._repr_mimebundle_()
    assert bundle["text/html"].count("<img") >= 1
    assert len(bundle["text/html"].encode()) <= 25_000
