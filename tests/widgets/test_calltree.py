"""The kernel side of the call tree: what it takes and what it answers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agentnb.errors import OptionError, UnknownId
from agentnb.widgets import CallTree
from agentnb.workspace import Workspace
from tests.widgets.recorded import conversation, long_turn, plain_turn, refund_turn
from tests.widgets.test_transcript import ask, result
from tests.widgets.workspaces import workspace_of

TURN = "made/turn 0"
REFUND = f"{TURN}/refund 4"


@pytest.fixture
def ws() -> Workspace:
    return workspace_of(conversation(refund_turn(0), plain_turn(1, "And now?")))


def rows(answer: dict[str, Any]) -> list[str]:
    return re.findall(r'<tr[^>]*? data-call="([^"]*)"', answer["html"])


def test_it_takes_a_turn_a_call_or_the_id_of_one(ws: Workspace) -> None:
    assert repr(CallTree(ws, TURN)) == repr(CallTree(ws, ws.turn(TURN))) == repr(CallTree(refund_turn()))
    assert CallTree(ws, REFUND).selected == CallTree(ws, ws.call(REFUND)).selected == REFUND
    assert CallTree(workspace_of(conversation(refund_turn())), "made")._turn.turn_id == TURN


def test_a_conversation_of_several_turns_says_which_to_name(ws: Workspace) -> None:
    with pytest.raises(UnknownId, match=r"shows one turn, and the conversation 'made' has 2\. Name one, such as 'made/turn 0'"):
        CallTree(ws, "made")
    with pytest.raises(UnknownId, match="has no turns"):
        CallTree(conversation())
    with pytest.raises(OptionError, match="did you mean 'selected'"):
        CallTree(ws, TURN, selection=REFUND)


def test_rows_are_filtered_folded_and_sorted(ws: Workspace) -> None:
    view = CallTree(ws, TURN)
    assert len(rows(result(view, kind="rows", first=0))) == 11
    assert rows(result(view, kind="rows", first=0, only_failed=True)) == [TURN, REFUND, f"{TURN}/ask_person 10"]
    assert len(rows(result(view, kind="rows", first=0, collapsed=[f"{TURN}/task 6"]))) == 8
    assert rows(result(view, kind="rows", first=3, count=2)) == [f"{TURN}/step 3", REFUND]
    assert rows(result(view, kind="rows", first=0, by_time=True))[0] == TURN


def test_reveal_unfolds_what_hides_a_call_and_finds_its_page(ws: Workspace) -> None:
    view = CallTree(ws, TURN)
    shown = result(view, kind="reveal", call_id=f"{TURN}/search_policy 9", count=4, collapsed=[TURN, f"{TURN}/task 6", REFUND], only_failed=True)
    assert (shown["first"], shown["only_failed"], shown["collapsed"]) == (8, False, [REFUND])
    assert f"{TURN}/search_policy 9" in rows(shown)


def test_the_call_below_the_tree_has_the_ratings_of_this_moment(ws: Workspace) -> None:
    view = CallTree(ws, TURN)
    ws.rate(REFUND, "wrong", by="bo", note="gift card")
    assert "gift card" in result(view, kind="call", call_id=REFUND)["html"].split('class="rate"')[1]
    assert "data-verdict" in result(view, kind="call", call_id=f"{TURN}/step 1")["html"]
    assert "has no call with the id" in ask(view, kind="call", call_id="nowhere")[-1]["error"]["message"]


def test_state_stays_small_for_a_turn_of_many_calls() -> None:
    view = CallTree(workspace_of(conversation(long_turn(0, steps=3000))), TURN)
    assert len(view._html.encode()) < 25_000
    assert len(json.dumps(view.get_state(), default=str).encode()) < 200_000
    assert len(view._repr_mimebundle_()[0]["text/html"].encode()) <= 25_000
