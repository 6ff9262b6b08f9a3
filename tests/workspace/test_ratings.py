"""Ratings: what can be rated and how, which ratings count, and what is odd about one."""

from __future__ import annotations

import getpass
import json
import logging
import sys
import types
from collections import namedtuple
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.ratings import counted, rating_of, rating_record
from agentnb.render import plain_card, render_card
from agentnb.values import Rating
from agentnb.workspace import Workspace
from tests.workspace.recordings import count, write_session

TURN, CALL = "a-0001", "from tool_calls select call_id order by call_index limit 1"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return anb.open(write_session(tmp_path / "a.jsonl", "a"))


@pytest.fixture(scope="module")
def unrated(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace for what is refused: nothing that is refused is kept."""
    return anb.open(write_session(tmp_path_factory.mktemp("logs") / "a.jsonl", "a"))


@pytest.fixture(params=["memory", "folder"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Workspace:
    path = write_session(tmp_path / "a.jsonl", "a")
    return anb.open(path, workspace=tmp_path / "ws" if request.param == "folder" else None)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))


def one(ws: Workspace, query: str) -> Any:
    (row,) = ws.sql(query).fetchall()
    return row[0] if len(row) == 1 else row


# what can be rated


def test_a_turn_a_step_a_call_a_rating_an_id_and_a_row_can_be_rated(ws: Workspace) -> None:
    turn = ws.turn(TURN)
    call = turn.tool_calls[0]
    assert ws.rate(turn, "right", by="ana").call_id == TURN
    assert ws.rate(turn.steps[1], "right", by="ana").call_id == turn.steps[1].step_id
    assert ws.rate(call, "right", by="ana").call_id == call.call_id
    assert ws.rate(call.call_id, "right", by="ana").call_id == call.call_id
    assert ws.rate(ws.rate(call, "right", by="ana"), "wrong", by="ben").call_id == call.call_id
    assert ws.rate({"call": call.call_id}, "right", by="ana").call_id == call.call_id


def test_a_row_of_a_frame_can_be_rated(ws: Workspace) -> None:
    frame = ws.sql("from tool_errors").df()
    (call_id,) = frame["call_id"]
    assert ws.rate(frame.iloc[0], "wrong", by="ana").call_id == call_id
    assert ws.rate(frame.to_dict("records")[0], "wrong", by="ana").call_id == call_id
    assert [ws.rate(row, "wrong", by="ana").call_id for row in frame.itertuples()] == [call_id]
    assert [ws.rate(row, "wrong", by="ana").call_id for _, row in frame.iterrows()] == [call_id]


def test_of_a_row_with_several_ids_the_nearest_is_rated(ws: Workspace) -> None:
    step = ws.sql("from steps order by call_index limit 1").df().iloc[0]
    assert ws.rate(step, "right", by="ana").call_id == step["step_id"] != step["turn_id"]
    said = ws.sql("from parts where step_id is not null and call_id is null limit 1").df().iloc[0]
    assert ws.rate(said, "right", by="ana").call_id == said["step_id"]
    assert ws.rate(ws.sql("from turn_totals").df().iloc[0], "right", by="ana").call_id == TURN


@pytest.mark.parametrize(
    "target", [None, 7, ("a-0001",), [7], [["a-0001"]], {"name": "Bash"}, {"call_id": None}, object(), b"a-0001", namedtuple("Row", "name")("x")]
)
def test_what_cannot_be_rated_is_refused_by_type(unrated: Workspace, target: Any) -> None:
    with pytest.raises(TypeError, match=r"cannot be rated\. Give a turn, a step, a call"):
        unrated.rate(target, "right", by="ana")
    assert count(unrated, "ratings") == 0


def test_a_row_as_a_tuple_says_how_to_name_its_columns(unrated: Workspace) -> None:
    with pytest.raises(TypeError, match="A row as a tuple does not say which value is the id"):
        unrated.rate(unrated.sql("from tool_errors").fetchall()[0], "wrong", by="ana")
    with pytest.raises(TypeError, match="A row as a tuple does not say which value is the id"):
        unrated.rate(unrated.sql("from tool_errors").fetchall(), "wrong", by="ana")


def test_an_unknown_call_is_refused_and_nothing_is_kept(unrated: Workspace) -> None:
    with pytest.raises(anb.UnknownId, match="The nearest are"):
        unrated.rate("a-9999", "right", by="ana")
    assert count(unrated, "ratings") == 0


# verdict, answer, person


@pytest.mark.parametrize(
    ("verdict", "kept"), [("right", "right"), ("wrong", "wrong"), (None, None), (True, "right"), (False, "wrong"), (1, "right"), (0, "wrong")]
)
def test_a_verdict_is_right_wrong_or_none(both: Workspace, verdict: Any, kept: str | None) -> None:
    rating = both.rate(TURN, verdict, by="ana")
    assert rating.verdict == kept
    assert rating.counts == (kept is not None)
    assert one(both, "from ratings select verdict, counts") == (kept, kept is not None)


@pytest.mark.parametrize("verdict", ["Right", "ok", "", 2, [], {}, float("nan"), object()])
def test_any_other_verdict_is_refused(unrated: Workspace, verdict: Any) -> None:
    with pytest.raises(anb.RatingError, match="is none of 'right', 'wrong'"):
        unrated.rate(TURN, verdict, by="ana")


def test_a_right_answer_alone_says_wrong(ws: Workspace) -> None:
    assert ws.rate(TURN, answer="12 euros", by="ana").verdict == "wrong"
    assert ws.rate(TURN, outputs={"amount": 12}, by="ana").verdict == "wrong"
    with pytest.raises(anb.RatingError, match="needs a verdict"):
        ws.rate(TURN, by="ana")


@pytest.mark.parametrize("verdict", ["right", True, None])
def test_a_right_answer_goes_with_wrong_only(unrated: Workspace, verdict: Any) -> None:
    corrections: list[dict[str, Any]] = [{"answer": 1}, {"answer": None}, {"outputs": {}}]
    for correction in corrections:
        with pytest.raises(anb.RatingError, match="A right answer goes with the verdict 'wrong'"):
            unrated.rate(TURN, verdict, by="ana", **correction)
    assert count(unrated, "ratings") == 0


def test_the_answer_null_is_an_answer(both: Workspace) -> None:
    assert both.rate(TURN, "wrong", answer=None, by="ana").answer == "null"
    assert both.rate(TURN, "wrong", by="ben").answer is None
    assert both.sql("from ratings select answer order by rated_by").fetchall() == [("null",), (None,)]
    (first, _) = both.turn(TURN).ratings
    assert first.answer == "null"


@pytest.mark.parametrize(
    "answer", ["text", "", 0, 1.5, True, [1, [2]], {"b": 1, "a": [None]}, "naïve ☕ 🦀", "\ud83d lone", "a\x00b", "line\r\nline\u2028", 10**30]
)
def test_an_answer_is_anything_that_json_can_hold(both: Workspace, answer: Any) -> None:
    rating = both.rate(TURN, answer=answer, outputs={"x": answer}, note=f"note {answer}", reasons=[f"because {answer}"], by="ana")
    assert json.loads(rating.answer or "") == answer
    assert both.turn(TURN).ratings == (rating,)
    assert json.loads(one(both, "from ratings select outputs")) == {"x": answer}
    assert count(both, "rated_calls") == 1


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), {1, 2}, object(), b"x", datetime(2026, 1, 1, tzinfo=UTC), {"a": float("nan")}, {(1,): 2}])
def test_an_answer_that_json_cannot_hold_is_refused(unrated: Workspace, answer: Any) -> None:
    with pytest.raises(anb.RatingError, match="must be what JSON can hold"):
        unrated.rate(TURN, answer=answer, by="ana")
    assert count(unrated, "ratings") == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"reasons": "wrong amount"}, "reasons= is a list of short texts"),
        ({"reasons": [1]}, "reasons= is a list of short texts"),
        ({"reasons": 5}, "reasons= is a list of short texts"),
        ({"note": 5}, "note= is a text"),
        ({"by": 5}, "by= is the name of a person"),
        ({"outputs": 5}, "outputs= holds right outputs by name"),
        ({"outputs": {1: 2}}, "outputs= holds right outputs by name"),
    ],
)
def test_words_of_the_wrong_kind_are_refused(unrated: Workspace, words: dict[str, Any], message: str) -> None:
    with pytest.raises(anb.RatingError, match=message):
        unrated.rate(TURN, "wrong", **({"by": "ana"} | words))
    assert count(unrated, "ratings") == 0


def test_reasons_and_note_are_kept_without_what_is_blank(both: Workspace) -> None:
    rating = both.rate(TURN, "wrong", reasons=(reason for reason in [" too late ", "", "  "]), note="", by=" ana ")
    assert (rating.reasons, rating.note, rating.rated_by) == (("too late",), None, "ana")
    assert both.turn(TURN).ratings == (rating,)


@pytest.mark.usefixtures("notebook")
def test_in_a_notebook_a_rating_names_a_person(ws: Workspace) -> None:
    for by in (None, "", "  "):
        with pytest.raises(anb.RatingError, match=r"ws\.rater = 'ana'"):
            ws.rate(TURN, "right", by=by)
    ws.rater = "ana"
    assert ws.rate(TURN, "right").rated_by == "ana"
    assert ws.rate(TURN, "right", by="ben").rated_by == "ben"


def test_outside_notebooks_the_account_stands_for_a_person(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(getpass, "getuser", lambda: "shared")
    rating = ws.rate(TURN, "right")
    assert (rating.rated_by, rating.account) == (None, "shared")

    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert ws.rate(TURN, "right").account


# which ratings count


def test_per_person_the_latest_counts_and_none_withdraws(both: Workspace) -> None:
    both.rate(TURN, "right", by="ana")
    both.rate(TURN, "wrong", by="ben")
    both.rate(TURN, "wrong", by="ana", note="looked again")
    assert both.sql("from rated_calls select rated_by, verdict, raters, disputed order by all").fetchall() == [
        ("ana", "wrong", 2, False),
        ("ben", "wrong", 2, False),
    ]
    both.rate(TURN, None, by="ben")
    assert both.sql("from rated_calls select rated_by, verdict").fetchall() == [("ana", "wrong")]
    assert count(both, "ratings") == 4
    both.rate(TURN, "right", by="ben")
    assert both.sql("from disputed_calls select verdicts, raters").fetchall() == [(["wrong", "right"], ["ana", "ben"])]


def test_people_who_give_different_right_answers_differ(ws: Workspace) -> None:
    ws.rate(TURN, answer={"a": 1, "b": 2}, by="ana")
    ws.rate(TURN, answer={"b": 2, "a": 1}, by="ben")
    assert count(ws, "disputed_calls") == 0
    ws.rate(TURN, "wrong", by="eve")
    assert count(ws, "disputed_calls") == 0
    ws.rate(TURN, answer=3, by="ben")
    assert count(ws, "disputed_calls") == 1


def rating(number: int, **fields: Any) -> Rating:
    return Rating.model_validate({"rating_id": f"{number:04}", "call_id": "c", "rated_at": datetime(2026, 1, 1, tzinfo=UTC), "verdict": "right"} | fields)


def test_of_equal_times_the_later_id_counts() -> None:
    found = counted([rating(2, rated_by="ana", verdict="wrong"), rating(1, rated_by="ana"), rating(3, rated_by="ben")])
    assert [(each.rating_id, each.counts) for each in found] == [("0001", False), ("0002", True), ("0003", True)]


def test_the_time_counts_before_the_id_whatever_the_order_of_the_records() -> None:
    later = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=1)
    found = counted([rating(1, rated_by="ana", rated_at=later), rating(2, rated_by="ana")])
    assert [(each.rating_id, each.counts) for each in found] == [("0002", False), ("0001", True)]


def test_ratings_under_an_account_count_each_alone_and_replace_nothing() -> None:
    found = counted([rating(1, account="shared"), rating(2, account="shared", verdict="wrong"), rating(3, account="shared", verdict=None)])
    assert [each.counts for each in found] == [True, True, False]


def test_the_same_rating_in_two_files_is_one() -> None:
    assert len(counted([rating(1, rated_by="ana"), rating(1, rated_by="ana")])) == 1


# records of other tools, and odd ones

FOREIGN = {
    "functai_rating": 1,
    "id": "01926a8e-0001-7000-8000-000000000000",
    "call": TURN,
    "at": "2026-09-26T10:01:00.000000Z",
    "by": "ana",
    "verdict": "right",
}


def test_a_rating_of_another_tool_is_read() -> None:
    found = rating_of(FOREIGN)
    assert found is not None
    assert (found.call_id, found.rated_by, found.verdict, found.origin, found.call_digest) == (TURN, "ana", "right", None, None)
    assert found.rated_at == datetime(2026, 9, 26, 10, 1, tzinfo=UTC)
    edited = rating_of(FOREIGN | {"verdict": "wrong", "answer": None, "outputs": {"b": 1}, "reasons": ["r"], "note": "n", "origin": "edit", "sample": "s"})
    assert edited is not None
    assert (edited.answer, edited.outputs, edited.reasons, edited.note, edited.origin, edited.sample) == ("null", '{"b": 1}', ("r",), "n", "edit", "s")


@pytest.mark.parametrize(
    "record",
    [
        FOREIGN | {"functai_rating": 2},
        {name: value for name, value in FOREIGN.items() if name != "functai_rating"},
        {name: value for name, value in FOREIGN.items() if name != "id"},
        {name: value for name, value in FOREIGN.items() if name != "verdict"},
        FOREIGN | {"verdict": "maybe"},
        FOREIGN | {"verdict": ["right"]},
        FOREIGN | {"at": "yesterday"},
        FOREIGN | {"at": 5},
        FOREIGN | {"at": "0001-01-01T00:00:00+14:00"},
        FOREIGN | {"call": None},
        [],
        None,
        "text",
    ],
)
def test_a_record_that_is_no_rating_of_a_known_format_is_none(record: Any) -> None:
    assert rating_of(record) is None


def test_a_rating_is_the_same_after_it_was_written_and_read() -> None:
    whole = rating(
        7, rated_by="ana", verdict="wrong", answer='{"a": 1}', outputs='{"b": null}', reasons=("x", "y"), note="n", origin="review", call_name="Bash"
    )
    for each in (whole, rating(8), rating(9, verdict=None, account="shared")):
        assert rating_of(json.loads(json.dumps(rating_record(each)))) == each
    assert list(rating_record(rating(1, rated_by="ana"))) == ["functai_rating", "id", "call", "at", "verdict", "by"]


def test_records_of_an_unknown_format_are_skipped_and_said(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=tmp_path / "ws")
    lines = [json.dumps(FOREIGN), json.dumps(FOREIGN | {"functai_rating": 2, "id": "x"}), "not json", "\ud800", "", "[" * 100_000]
    (tmp_path / "ws" / "ratings" / "other.jsonl").write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass"))
    assert ws.turn(TURN).ratings[0].rated_by == "ana"
    assert count(ws, "ratings") == 1
    ((message, excerpt),) = ws.sql("from diagnostics select message, excerpt where code = 'rating_skipped'").fetchall()
    assert message.startswith("4 lines of ratings/other.jsonl")
    assert '"functai_rating": 2' in excerpt


def test_an_odd_text_in_a_record_does_not_keep_the_tables_from_being_asked(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=tmp_path / "ws")
    odd = FOREIGN | {"note": "\ud800", "call": "\ud800", "answer": "\ud800", "reasons": ["\ud800", None, 5], "by": "\x00", "outputs": 5, "sample": [1]}
    (tmp_path / "ws" / "ratings" / "other.jsonl").write_text(json.dumps(odd) + "\n")
    assert ws.sql("from ratings select note, call_id, reasons").fetchall() == [("\\ud800", "\\ud800", ["\\ud800", "None", "5"])]
    assert one(ws, "from diagnostics select code where source_id = 'ratings'") == "rating_without_call"


def test_a_rating_of_a_call_that_changed_is_noted(tmp_path: Path) -> None:
    path = write_session(tmp_path / "a.jsonl", "a")
    ws = anb.open(path, workspace=tmp_path / "ws")
    call_id = one(ws, CALL)
    ws.rate(call_id, "wrong", by="ana")
    ws.rate(TURN, "right", by="ana")
    assert count(ws, "diagnostics where source_id = 'ratings'") == 0
    path.write_text(path.read_text().replace("make task-0", "make something-else"))
    ws.refresh()
    code, message, about = one(ws, "from diagnostics select code, message, call_id where source_id = 'ratings'")
    assert (code, about) == ("rating_of_changed_call", call_id)
    assert message == "The rating wrong by ana was given when the call had another input."
    assert [finding.count for finding in ws.card.findings if "ratings" in finding.word] == [1]
    ws.rate(call_id, "right", by="ana")
    assert count(ws, "diagnostics where source_id = 'ratings'") == 0


def test_a_rating_without_a_call_is_noted_until_the_call_is_read(tmp_path: Path) -> None:
    path = write_session(tmp_path / "a.jsonl", "a")
    first = anb.open(path, workspace=tmp_path / "ws")
    first.rate(TURN, "right", by="ana")
    for batch in (tmp_path / "ws" / "tables").iterdir():
        batch.rename(tmp_path / "away")
    ws = anb.open(workspace=tmp_path / "ws")
    assert one(ws, "from diagnostics select code") == "rating_without_call"
    assert count(ws, "rated_calls") == 0
    ws.read(path)
    assert count(ws, "diagnostics") == 0
    assert count(ws, "rated_calls") == 1


# memory says that it forgets


def test_a_workspace_in_memory_says_once_that_its_ratings_are_not_saved(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a"))
    assert not ws.card.ratings_unsaved
    with caplog.at_level(logging.WARNING, "agentnb"):
        ws.rate(TURN, "right", by="ana")
        ws.rate(TURN, "wrong", by="ana")
    assert [record.getMessage() for record in caplog.records] == [
        "Ratings of this workspace live only as long as it does, since it is kept in memory: ws.save('folder') keeps them, and everything else of it."
    ]
    assert ws.card.ratings_unsaved
    assert "not saved" in render_card(ws.card)
    assert "ratings not saved" in repr(ws)
    ws.save(tmp_path / "ws")
    assert not ws.card.ratings_unsaved
    assert "not saved" not in repr(ws) + render_card(ws.card) + plain_card(ws.card)


def test_a_workspace_in_a_folder_has_nothing_to_say(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=tmp_path / "ws").rate(TURN, "right", by="ana")
    assert caplog.records == []


def test_an_answer_differs_from_one_with_further_outputs(ws: Workspace) -> None:
    ws.rate(TURN, answer=3, by="ana")
    ws.rate(TURN, answer=3.0, by="ben")
    assert count(ws, "disputed_calls") == 0
    ws.rate(TURN, answer=3, outputs={"why": "x"}, by="eve")
    assert count(ws, "disputed_calls") == 1
