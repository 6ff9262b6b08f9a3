"""The kernel side of the Rater: which calls, who says what of them, and that it is on disk before anything else is shown."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.errors import OptionError, RatingError, UnknownId
from agentnb.render import plain_progress
from agentnb.widgets import Rater
from agentnb.workspace import Workspace
from tests.widgets.recorded import HOSTILE, TurnMaker, conversation, hostile_turn, plain_turn, refund_turn
from tests.widgets.workspaces import workspace_of

QUERY = "from calls where kind = 'tool' order by call_index"
ORDERS = [f"made/turn {at}/get_order 2" for at in range(4)]


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return workspace_of(conversation(*(plain_turn(at, f"Where is order {at}?") for at in range(4))), folder=tmp_path / "triage")


def press(rater: Rater, kind: str, **fields: Any) -> dict[str, Any]:
    """Send what the browser sends when a key is pressed, and return the answer."""
    messages: list[dict[str, Any]] = []
    stage = rater._stage
    send, stage.send = stage.send, messages.append
    stage._heard(stage, {"id": "r1", "kind": kind, "call_id": stage._call, "fields": fields}, [])
    stage.send = send
    return messages[-1]


def on_disk(ws: Workspace) -> list[dict[str, Any]]:
    """Return the records as another process reads them, oldest first."""
    assert ws.folder is not None
    files = sorted((ws.folder / "ratings").glob("*.jsonl"))
    return sorted((json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()), key=lambda record: str(record["id"]))


def fields_of(rater: Rater) -> dict[str, Any]:
    return {name: control.start for name, control in rater._form._controls.items()}


def test_it_takes_sql_a_relation_a_frame_a_list_or_a_draw(ws: Workspace) -> None:
    ws.rater = "ana"
    frame = ws.sql(QUERY).df()
    given = [QUERY, ws.sql(QUERY), frame, frame.rename(columns={"call_id": "id"})[["id"]], ORDERS, [ws.call(each) for each in ORDERS], frame.to_dict("records")]
    assert {(Rater(ws, each).call_id, Rater(ws, each).progress.total) for each in given} == {(ORDERS[0], 4)}
    assert Rater(ws, "select turn_id from turns order by turn_id desc").call_id == "made/turn 3"
    assert Rater(ws, [ORDERS[2], ORDERS[1], ORDERS[2]]).progress.total == 2


def test_wrong_use_is_an_error_that_says_what_is_right(ws: Workspace) -> None:
    with pytest.raises(RatingError, match=r"it has name, calls, and needs one of call_id, .*turn_id, id.*from calls where name"):
        Rater(ws, "select name, count(*) as calls from calls group by name")
    with pytest.raises(UnknownId, match="'nowhere', nor have 1 others"):
        Rater(ws, [ORDERS[0], "nowhere", "neither"])
    with pytest.raises(OptionError, match="did you mean 'blind'"):
        Rater(ws, QUERY, blnd=True)
    with pytest.raises(OptionError, match="name them with raters="):
        Rater(ws, QUERY, overlap=0.2)
    with pytest.raises(TypeError, match="not a int"):
        Rater(ws, 7)
    with pytest.raises(OptionError, match="'cem' is none of the raters"):
        Rater(ws, QUERY, by="cem", raters=["ana", "ben"])
    with pytest.raises(OptionError, match="from 0 to 1"):
        Rater(ws, QUERY, by="ana", raters=["ana", "ben"], overlap=20)


def test_running_the_cell_rates_nothing(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    rater._repr_mimebundle_()
    assert ws.sql("from ratings").fetchall() == []
    assert repr(rater) == "Rater: 4 calls, 0 rated by ana"


def test_a_verdict_is_on_disk_before_the_next_call_shows(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    seen: list[tuple[int, str]] = []
    rater._stage.observe(lambda change: seen.append((len(on_disk(ws)), change["new"])), "_call")
    assert press(rater, "right")["result"]["said"] == "kept: right"
    press(rater, "wrong")
    assert seen == [(1, ORDERS[1]), (2, ORDERS[2])]
    assert [(record["call"], record["verdict"], record["by"]) for record in on_disk(ws)] == [(ORDERS[0], "right", "ana"), (ORDERS[1], "wrong", "ana")]
    assert "call 3 of 4" in rater._stage._html
    assert "Where is order 2?" in rater._stage._html


def test_a_verdict_of_a_call_that_is_no_longer_shown_is_not_kept(ws: Workspace) -> None:
    """A key that was pressed twice while the kernel was busy would have judged a call that nobody saw."""
    rater = Rater(ws, QUERY, by="ana")
    stage, answers = rater._stage, list[Any]()
    stage.send = answers.append
    for _ in range(2):
        stage._heard(stage, {"id": "r1", "kind": "right", "call_id": ORDERS[0], "fields": {}}, [])
    assert "no longer shown" in answers[-1]["result"]["said"]
    assert len(on_disk(ws)) == 1


def test_a_call_that_is_gone_meanwhile_is_passed_over_and_never_rated_in_the_place_of_another(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    _, ahead = rater._at()
    get = ahead.get

    def lost(place: int) -> Any:
        if place == 1:
            raise UnknownId("gone")
        return get(place)

    ahead.get = lost  # type: ignore[method-assign]
    press(rater, "right")
    assert rater.call_id == rater._stage._call == ORDERS[2]
    press(rater, "right")
    assert [record["call"] for record in on_disk(ws)] == [ORDERS[0], ORDERS[2]]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process can grow."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_on_a_full_disk_the_call_stays_and_it_is_said(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    press(rater, "right")
    with full_disk():
        reply = press(rater, "wrong", note="not theirs")
    assert "The rating was not kept" in reply["error"]["message"]
    assert (rater.call_id, rater.progress.done) == (ORDERS[1], 1)
    assert len(on_disk(ws)) == 1
    press(rater, "wrong", note="not theirs")
    assert [record.get("note") for record in on_disk(ws)] == [None, "not theirs"]


def test_one_goes_on_where_one_stopped_and_everybody_for_themselves(ws: Workspace) -> None:
    first = Rater(ws, QUERY, by="ana")
    press(first, "right")
    press(first, "wrong")
    assert Rater(anb.open(workspace=str(ws.folder)), QUERY, by="ana").call_id == ORDERS[2]
    assert Rater(ws, QUERY, by="ben").call_id == ORDERS[0]


def test_skip_leaves_a_call_for_later_and_the_end_brings_it_back(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    press(rater, "skip")
    for _ in range(3):
        press(rater, "right")
    assert rater.call_id is None
    assert "That is all for now." in rater._stage._html
    assert "1 call skipped" in rater._stage._html
    press(rater, "again")
    assert rater.call_id == ORDERS[0]
    press(rater, "right")
    assert "That is all." in rater._stage._html
    assert ws.sql("select count(*) from ratings").fetchall() == [(4,)]


def test_back_shows_what_was_said_and_a_changed_mind_is_a_further_rating(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    press(rater, "wrong", **{"answer 0": "delivered", "reason 1": True, "reasons": "too short, made up", "note": "it came"})
    press(rater, "back")
    assert rater.call_id == ORDERS[0]
    assert "by ana · made up, too short · right: &quot;delivered&quot; · it came" in rater._stage._html.replace('"delivered"', "&quot;delivered&quot;")
    shown = fields_of(rater)
    assert (shown["answer 0"], shown["note"]) == ("delivered", "it came")
    press(rater, "right", note="", **{"answer 0": shown["answer 0"], "reason 0": False, "reason 1": False})
    assert [(record["verdict"], record.get("answer"), record.get("note")) for record in on_disk(ws)] == [
        ("wrong", "delivered", "it came"),
        ("right", None, None),
    ]
    assert rater.call_id == ORDERS[1]
    assert "no call before this one" in press(Rater(ws, QUERY, by="ben"), "back")["result"]["said"]


def test_undo_gives_back_what_was_said_before_and_deletes_nothing(ws: Workspace) -> None:
    ws.rate(ORDERS[0], "wrong", answer="delivered", note="it came", reasons=["old"], by="ana")
    rater = Rater(ws, [ORDERS[0], ORDERS[1]], by="ana")
    assert rater.call_id == ORDERS[1]
    press(rater, "right")
    assert press(rater, "undo")["result"]["said"] == "taken back"
    assert ws.sql("select call_id from rated_calls").fetchall() == [(ORDERS[0],)]
    assert rater.call_id == ORDERS[1]
    press(rater, "skip")
    press(rater, "back")
    rater._at()[0]._go(0)
    rater._show({})
    press(rater, "right", note="")
    assert press(rater, "undo")["result"]["said"] == "taken back; wrong holds again"
    assert ws.sql("select verdict, answer, note, reasons from rated_calls").fetchall() == [("wrong", '"delivered"', "it came", ["old"])]
    assert [record["verdict"] for record in on_disk(ws)] == ["wrong", "right", None, "right", "wrong"]
    assert "Nothing was said" in press(rater, "undo")["result"]["said"]


def test_nobody_named_is_asked_first_and_then_known_to_the_workspace(ws: Workspace) -> None:
    rater = Rater(ws, QUERY)
    assert (rater.by, rater.call_id, repr(rater)) == (None, None, "Rater: 4 calls, 0 rated")
    assert "4 calls to rate" in rater._stage._html
    assert "no longer shown" in press(rater, "right")["result"]["said"]
    assert "Nobody is named yet" in press(rater, "skip")["error"]["message"]
    assert "your name" in press(rater, "name", name="  ")["result"]["said"]
    press(rater, "name", name=" ana ")
    assert (rater.by, ws.rater, rater.call_id) == ("ana", "ana", ORDERS[0])
    press(rater, "right")
    assert [record["by"] for record in on_disk(ws)] == ["ana"]


def test_what_others_said_is_hidden_unless_one_asks_for_it(ws: Workspace) -> None:
    ws.rate(ORDERS[0], "wrong", note="not theirs", by="ben")
    blind, seeing = Rater(ws, QUERY, by="ana"), Rater(ws, QUERY, by="ana", blind=False)
    assert "not theirs" not in blind._stage._html + blind._repr_mimebundle_()[0]["text/html"]
    assert "not theirs" in seeing._stage._html
    assert "not theirs" in seeing._repr_mimebundle_()[0]["text/html"]


def test_several_raters_share_a_queue_with_a_part_that_all_get(ws: Workspace) -> None:
    many = workspace_of(conversation(*(plain_turn(at, f"question {at}") for at in range(40))))

    def share(by: str, raters: list[str], seed: int = 0) -> list[str]:
        return [str(each) for each in Rater(many, QUERY, by=by, raters=raters, overlap=0.2, seed=seed)._at()[0].ids]

    names = ["ana", "ben", "cem"]
    shares = {by: share(by, names) for by in names}
    common = set.intersection(*map(set, shares.values()))
    assert len(common) == 8
    assert set().union(*shares.values()) == {str(each) for each in Rater(many, QUERY)._queue}
    assert sum(map(len, shares.values())) == 3 * 8 + 32
    assert share("ana", ["cem", "ben", "ana"]) == shares["ana"]
    assert share("ana", names, seed=1) != shares["ana"]
    assert shares["ana"] == [each for each in (str(one) for one in Rater(many, QUERY)._queue) if each in set(shares["ana"])]


def test_ratings_of_a_draw_carry_its_name(ws: Workspace) -> None:
    drawn = ws.sample(QUERY, 3, seed=1, name="march")
    rater = Rater(ws, drawn, by="ana")
    order = [call_id for (call_id,) in ws.sql("select call_id from sampled_calls order by draw_index").fetchall()]
    assert (rater.call_id, rater.progress.total) == (order[0], 3)
    press(rater, "right")
    assert ws.sql("select sample, call_id from ratings").fetchall() == [("march", order[0])]


def test_reasons_used_before_come_first_and_new_ones_join_them(ws: Workspace) -> None:
    ws.rate(ORDERS[3], "wrong", reasons=["late", "rude"], by="ben")
    ws.rate(ORDERS[2], "wrong", reasons=["rude"], by="ben")
    rater = Rater(ws, QUERY, by="ana", reasons=["my own"])
    assert list(rater._form._reasons) == ["rude", "late", "my own"]
    press(rater, "wrong", reasons="vague, rude", **{"reason 2": True})
    assert on_disk(ws)[-1]["reasons"] == ["my own", "vague", "rude"]
    assert list(rater._form._reasons) == ["rude", "late", "my own", "vague"]


def test_what_is_typed_for_one_call_never_stands_in_the_form_of_the_next(ws: Workspace) -> None:
    """A late word of the browser about a field that was used again would have been the next call's answer."""
    rater = Rater(ws, QUERY, by="ana")
    before = {name: model_id for name, model_id, _ in rater._stage._fields}
    press(rater, "wrong", **{"answer 0": "delivered", "note": "it came"})
    after = {name: model_id for name, model_id, _ in rater._stage._fields}
    assert {name for name in before if before[name] != after[name]} == {"answer 0", "note"}
    assert fields_of(rater)["note"] == ""
    press(rater, "right", **fields_of(rater))
    assert {name: model_id for name, model_id, _ in rater._stage._fields} == after


def test_a_form_that_is_left_as_it_was_is_no_answer(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    assert fields_of(rater)["answer 0"] == "fine"
    press(rater, "wrong", **fields_of(rater))
    assert "answer" not in on_disk(ws)[-1]
    assert rater.progress.without_answer == 1
    press(rater, "right", **{**fields_of(rater), "answer 0": "half an answer"})
    assert (on_disk(ws)[-1]["verdict"], "answer" in on_disk(ws)[-1]) == ("right", False)


def test_an_answer_that_is_none_is_refused_and_the_call_stays(tmp_path: Path) -> None:
    made = TurnMaker(0, "How much?")
    made.tool(made.step("I look."), "price", output='{"amount": 89.9, "paid": true, "lines": [1]}')
    ws = workspace_of(conversation(made.done()), folder=tmp_path / "triage")
    rater = Rater(ws, QUERY, by="ana")
    reply = press(rater, "wrong", **{**fields_of(rater), "answer 0": "89,90"})
    assert reply["error"]["message"] == "amount: '89,90' is no number, such as 89.9. Nothing was kept yet."
    assert (rater.call_id, on_disk(ws) if (tmp_path / "triage" / "ratings").exists() else []) == ("made/turn 0/price 2", [])
    press(rater, "wrong", **{**fields_of(rater), "answer 0": "98.9", "answer 1": 1})
    assert on_disk(ws)[-1]["answer"] == {"amount": 98.9, "paid": False, "lines": [1]}


def test_every_kind_of_call_can_be_rated(tmp_path: Path) -> None:
    ws = workspace_of(conversation(refund_turn(), plain_turn(1, "And now?")), folder=tmp_path / "triage")
    rater = Rater(ws, "from calls order by call_index", by="ana")
    kinds = set()
    while rater.call_id is not None:
        kinds.add(ws.call(rater.call_id).kind)
        assert press(rater, "right")["result"]["said"] == "kept: right"
    assert kinds == {"agent", "model", "tool"}
    assert len(on_disk(ws)) == ws.sql("select count(*) from calls").fetchall()[0][0]


def test_the_page_shows_what_helps_to_judge_and_folds_what_is_long(ws: Workspace) -> None:
    html = Rater(workspace_of(conversation(plain_turn(0, "Hello?"), refund_turn(1))), ["made/turn 1/refund 4"], by="ana")._stage._html
    for words in ("It never arrived. Please refund it.", "payment method does not match", 'data-fold="steps"', 'data-fold="calls"', 'data-fold="decision"'):
        assert words in html
    assert "<b>earlier turns</b> 1 turn" in html
    assert 'data-fold="rules"' in html
    assert "<details open" not in html.split('data-fold="earlier turns"')[1]


def test_without_a_kernel_it_shows_the_call_and_how_far_one_is_and_no_clock(ws: Workspace) -> None:
    rater = Rater(ws, QUERY, by="ana")
    press(rater, "right")
    press(rater, "right")
    assert "a minute" in rater._stage._html
    data = rater._repr_mimebundle_()[0]
    assert data["text/plain"] == "Rater: 4 calls, 2 rated by ana" == plain_progress(rater.progress)
    assert "2 of 4 rated · by ana" in data["text/html"]
    assert "a minute" not in data["text/html"]
    assert data["text/html"] == rater._repr_mimebundle_()[0]["text/html"]
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == rater.box.model_id
    assert len(data["text/html"].encode()) <= 25_000


def test_hostile_recordings_and_reasons_are_no_markup(tmp_path: Path) -> None:
    ws = workspace_of(conversation(hostile_turn(), conversation_id=HOSTILE, title=HOSTILE))
    ws.rate(ws.sql("select call_id from calls where kind = 'tool'").fetchall()[0][0], "wrong", note=HOSTILE, reasons=[HOSTILE], by=HOSTILE)
    rater = Rater(ws, "from calls order by call_index", by="ana", blind=False)
    shown = rater._repr_mimebundle_()[0]["text/html"]
    while rater.call_id is not None:
        shown += rater._stage._html
        press(rater, "skip")
    assert "<script" not in shown
    assert "<img" not in shown


def test_a_secret_is_not_written_into_the_form() -> None:
    made = TurnMaker(0, "The key?")
    made.tool(made.step("I look."), "key", output="sk-ant-api03-" + "a1B2" * 24)
    rater = Rater(workspace_of(conversation(made.done())), QUERY, by="ana")
    assert fields_of(rater)["answer 0"] == ""
    assert "a1B2a1B2" not in rater._stage._html


def test_an_empty_query_says_so(ws: Workspace) -> None:
    rater = Rater(ws, "from calls where name = 'nothing'", by="ana")
    assert "The query yields no call." in rater._repr_mimebundle_()[0]["text/html"]
    assert "no longer shown" in press(rater, "right")["result"]["said"]
    assert ws.sql("from ratings").fetchall() == []
