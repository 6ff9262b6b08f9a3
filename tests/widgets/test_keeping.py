"""What a click means: which rating is kept, with which words, by whom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentnb.errors import RatingError
from agentnb.widgets import CallTree, Transcript
from agentnb.widgets._keeping import as_answer, rate
from agentnb.workspace import Workspace
from tests.widgets.recorded import conversation, refund_turn
from tests.widgets.test_transcript import ask, result
from tests.widgets.workspaces import workspace_of

REFUND = "made/turn 0/refund 4"


@pytest.fixture
def ws() -> Workspace:
    return workspace_of(conversation(refund_turn()))


def last(ws: Workspace, **request: Any) -> tuple[Any, ...]:
    kept = rate(ws, REFUND, request, "ana")[-1]
    return kept.verdict, kept.answer, kept.note


@pytest.mark.parametrize(("typed", "kept"), [('{"a": 1}', {"a": 1}), ("12", 12), ("null", None), ("the original card", "the original card"), ('"x"', "x")])
def test_an_answer_is_json_where_it_parses_else_text(typed: str, kept: Any) -> None:
    assert as_answer(typed) == kept


def test_words_stay_with_the_same_verdict_and_go_with_another(ws: Workspace) -> None:
    assert last(ws, verdict="wrong") == ("wrong", None, None)
    assert last(ws, note="gift card") == ("wrong", None, "gift card")
    assert last(ws, answer="12") == ("wrong", "12", "gift card")
    assert last(ws, verdict="wrong") == ("wrong", "12", "gift card")
    assert last(ws, verdict="right") == ("right", None, None)
    assert last(ws, answer="13") == ("wrong", "13", None)


def test_a_second_click_on_the_same_verdict_withdraws_and_a_key_does_not(ws: Workspace) -> None:
    assert last(ws, verdict="right", toggle=True)[0] == "right"
    assert last(ws, verdict="right")[0] == "right"
    assert last(ws, verdict="right", toggle=True)[0] is None
    assert last(ws, verdict="right", toggle=True)[0] == "right"


def test_another_persons_verdict_is_not_withdrawn_by_a_click(ws: Workspace) -> None:
    rate(ws, REFUND, {"verdict": "right"}, "bo")
    rate(ws, REFUND, {"verdict": "right", "toggle": True}, "ana")
    assert ws.sql("select rated_by from rated_calls order by rated_by").fetchall() == [("ana",), ("bo",)]


def test_withdrawing_nothing_writes_nothing(ws: Workspace) -> None:
    assert rate(ws, REFUND, {"verdict": "withdraw"}, "ana") == ()


def test_a_note_alone_and_an_unknown_verdict_are_refused(ws: Workspace) -> None:
    with pytest.raises(RatingError, match="Say right or wrong first"):
        rate(ws, REFUND, {"note": "hm"}, "ana")
    with pytest.raises(RatingError, match="not 'maybe'"):
        rate(ws, REFUND, {"verdict": "maybe"}, "ana")
    assert ws.sql("from ratings").fetchall() == []


def test_nobody_named_is_asked_and_then_known_to_the_workspace(ws: Workspace) -> None:
    view = Transcript(ws, "made")
    assert result(view, kind="rate", call_id=REFUND, verdict="right") == {"need": "name"}
    assert ws.sql("from ratings").fetchall() == []
    assert result(view, kind="rate", call_id=REFUND, verdict="right", by=" ana ") == {"by": "ana"}
    assert ws.rater == "ana"
    assert result(view, kind="rate", call_id=REFUND, verdict="wrong") == {"by": "ana"}
    assert result(Transcript(ws, "made", by="bo"), kind="rate", call_id=REFUND, verdict="wrong") == {"by": "bo"}
    assert ws.rater == "ana"


def test_every_view_is_told_and_a_workspace_in_memory_says_once_what_that_means(ws: Workspace, tmp_path: Path) -> None:
    view = Transcript(ws, "made", by="ana")
    messages = ask(view, kind="rate", call_id=REFUND, verdict="wrong")
    assert [message.get("event") for message in messages] == ["rated", "line", "notice", None]
    assert messages[0]["result"]["call_id"] == REFUND
    assert "1 wrong" in messages[1]["result"]["html"]
    assert 'ws.save("folder")' in messages[2]["result"]["message"]
    assert [message.get("event") for message in ask(view, kind="rate", call_id=REFUND, verdict="right")] == ["rated", "line", None]
    kept = Transcript(workspace_of(conversation(refund_turn()), folder=tmp_path / "triage"), "made", by="ana")
    assert [message.get("event") for message in ask(kept, kind="rate", call_id=REFUND, verdict="wrong")] == ["rated", "line", None]


def test_other_widgets_of_the_workspace_are_told_where_they_show_the_call(ws: Workspace) -> None:
    transcript, tree = Transcript(ws, "made", by="ana"), CallTree(ws, "made")
    other = Transcript(workspace_of(conversation(refund_turn())), "made")
    told: list[Any] = []
    tree.send = lambda content, buffers=None: told.append(content)
    other.send = lambda content, buffers=None: told.append("not this one")
    result(transcript, kind="rate", call_id=REFUND, verdict="wrong")
    assert [(each["event"], each["result"]["call_id"]) for each in told] == [("rated", REFUND)]


def test_a_new_view_starts_with_the_ratings_of_this_moment(ws: Workspace) -> None:
    view = Transcript(ws, "made/turn 0", by="ana")
    assert "by ana" not in view._html
    result(view, kind="rate", call_id=REFUND, verdict="wrong")
    assert "by ana" in view._html


def test_only_what_is_shown_can_be_rated(ws: Workspace) -> None:
    assert "No call or turn shown here" in ask(Transcript(ws, "made", by="ana"), kind="rate", call_id="nowhere", verdict="right")[-1]["error"]["message"]
