"""Several calls rated alike, open codes, draws: all or nothing, and never anything that was not said."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.render import plain_rating, render_rating
from agentnb.workspace import Workspace
from tests.workspace.recordings import count, write_session

CALLS = "from tool_calls select call_id order by call_index"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return anb.open(write_session(tmp_path / "a.jsonl", "a", turns=3), workspace=tmp_path / "ws")


def rows(ws: Workspace, query: str) -> list[Any]:
    return ws.sql(query).fetchall()


def call_ids(ws: Workspace) -> list[str]:
    return [row[0] for row in rows(ws, CALLS)]


def test_a_list_a_result_and_a_frame_rate_each_of_their_calls(ws: Workspace) -> None:
    wanted = call_ids(ws)
    given: list[Any] = [
        ws.sql(CALLS), ws.sql(CALLS).df(), ws.sql(CALLS).df()["call_id"], wanted, (call_id for call_id in wanted), ws.sql(CALLS).df().to_dict("records"),
    ]  # fmt: skip
    for target in given:
        assert [rating.call_id for rating in ws.rate(target, "wrong", by="ana")] == wanted
    assert count(ws, "ratings") == len(given) * len(wanted)
    assert {rating.call_id for rating in ws.rate(ws.turn("a-0001").tool_calls, "right", by="ana")} <= set(wanted)
    assert [rating.call_id for rating in ws.rate(ws.sql("from turns order by turn_index limit 1"), "right", by="ana")] == ["a-0001"]


def test_a_call_that_is_named_twice_is_rated_once(ws: Workspace) -> None:
    first, *_ = call_ids(ws)
    assert len(ws.rate([first, first], "right", by="ana")) == 1


def test_an_unknown_id_in_a_list_leaves_nothing_of_the_list(ws: Workspace) -> None:
    with pytest.raises(anb.UnknownId, match="a-9999"):
        ws.rate([*call_ids(ws), "a-9999"], "right", by="ana")
    with pytest.raises(TypeError, match="cannot be rated"):
        ws.rate([*call_ids(ws), 7], "right", by="ana")
    with pytest.raises(anb.RatingError, match=r"Row 0 .* names no call"):
        ws.rate(ws.sql("select null::varchar as call_id"), "right", by="ana")
    with pytest.raises(anb.RatingError, match="nothing to rate"):
        ws.rate(ws.sql("from calls where false"), "right", by="ana")
    with pytest.raises(anb.RatingError, match="needs one of call_id"):
        ws.rate(ws.sql("select name from calls"), "right", by="ana")
    assert count(ws, "ratings") == 0


def test_the_ratings_of_a_list_are_one_write(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    write = os.write

    def noted(file: int, data: bytes) -> int:
        written.append(bytes(data))
        return write(file, data)

    monkeypatch.setattr(os, "write", noted)
    ws.rate(ws.sql(CALLS), "wrong", by="ana")
    assert [data.count(b"\n") for data in written] == [6]
    assert all(json.loads(line)["verdict"] == "wrong" for line in written[0].splitlines())


# tags


def test_tags_alone_neither_count_nor_take_a_verdict_back(ws: Workspace) -> None:
    ws.rate("a-0001", "right", by="ana")
    tagged = ws.rate("a-0001", tags=["invented price", " tone "], note="looks odd", by="ana")
    assert (tagged.kind, tagged.verdict, tagged.counts, tagged.tags) == ("tags", None, False, ("invented price", "tone"))
    assert rows(ws, "from rated_calls select verdict, rated_by") == [("right", "ana")]
    assert rows(ws, "from call_tags select tag, rated_by order by tag") == [("invented price", "ana"), ("tone", "ana")]
    assert rows(ws, "from tag_counts order by tag") == [("invented price", 1, 1, 1, 0), ("tone", 1, 1, 1, 0)]


def test_tags_stand_until_the_same_person_gives_others(ws: Workspace) -> None:
    ws.rate("a-0001", "wrong", tags=["tone"], by="ana")
    ws.rate("a-0001", tags=["late"], by="ben")
    ws.rate("a-0001", "right", by="ana")
    ws.rate("a-0001", None, by="ana")
    assert rows(ws, "from call_tags select tag order by tag") == [("late",), ("tone",)]
    ws.rate("a-0001", tags=[], by="ana")
    assert rows(ws, "from call_tags select tag") == [("late",)]
    assert count(ws, "ratings") == 5


def test_a_record_of_tags_is_none_that_another_reader_takes_for_a_withdrawal(ws: Workspace, tmp_path: Path) -> None:
    ws.rate("a-0001", tags=["tone"], by="ana")
    (file,) = (tmp_path / "ws" / "ratings").iterdir()
    record = json.loads(file.read_text())
    assert "functai_rating" not in record
    assert "verdict" not in record
    assert record["agentnb_tags"] == 1


def test_tags_show_themselves(ws: Workspace) -> None:
    tagged = ws.rate("a-0001", tags=["<b>tone</b>"], by="ana")
    assert plain_rating(tagged) == "Rating tagged <b>tone</b> by ana"
    assert "tags, without a verdict" in render_rating(tagged)
    assert "<b>tone" not in render_rating(tagged)
    assert "tags taken back" in render_rating(ws.rate("a-0001", tags=[], by="ana"))


@pytest.mark.parametrize("tags", ["tone", [1], 5])
def test_tags_that_are_no_list_of_texts_are_refused(ws: Workspace, tags: Any) -> None:
    with pytest.raises(anb.RatingError, match="tags= is a list of short texts"):
        ws.rate("a-0001", tags=tags, by="ana")


def test_an_origin_is_one_of_three(ws: Workspace) -> None:
    assert ws.rate("a-0001", "right", by="ana", origin="edit").origin == "edit"
    with pytest.raises(anb.RatingError, match="review, edit, import"):
        ws.rate("a-0001", "right", by="ana", origin="guess")


# draws


def test_a_draw_is_the_same_again_and_recorded_once(ws: Workspace, tmp_path: Path) -> None:
    drawn = ws.sample("from tool_calls", 4, seed=1, name="march", by="ana")
    assert (drawn.drawn, drawn.population, drawn.drawn_by) == (4, 6, "ana")
    assert ws.sample("from tool_calls", 4, seed=1, name="march", by="ben") == drawn
    assert count(ws, "samples") == 1
    first = rows(ws, "from sampled_calls select call_id order by draw_index")
    other = anb.open(workspace=tmp_path / "ws")
    assert rows(other, "from sampled_calls select call_id order by draw_index") == first
    other.sample("from tool_calls", 6, seed=1, name="larger")
    assert rows(other, "from sampled_calls select call_id where sample = 'larger' order by draw_index")[:4] == first
    with pytest.raises(anb.RatingError, match="There is a sample 'march' already"):
        other.sample("from tool_calls", 4, seed=2, name="march")


def test_a_rating_of_a_sample_is_of_a_call_that_was_drawn(ws: Workspace) -> None:
    ws.sample("from tool_calls", 2, seed=1, name="march")
    ((drawn,), *_) = rows(ws, "from sampled_calls select call_id order by draw_index")
    assert ws.rate(drawn, "right", by="ana", sample="march").sample == "march"
    with pytest.raises(anb.RatingError, match="was not drawn in the sample 'march'"):
        ws.rate("a-0001", "right", by="ana", sample="march")
    with pytest.raises(anb.RatingError, match="no sample 'april'"):
        ws.rate(drawn, "right", by="ana", sample="april")


def test_each_group_of_a_stratified_draw_gives_its_share(ws: Workspace) -> None:
    ws.sample("from tool_calls", 4, seed=1, name="both", stratify_by="failed")
    assert rows(ws, "from sampled_calls select stratum, stratum_population, count(*) group by all order by all") == [("False", 3, 2), ("True", 3, 2)]
    with pytest.raises(anb.RatingError, match="stratify_by= names a column"):
        ws.sample("from tool_calls", 4, seed=1, name="none", stratify_by="shape")


@pytest.mark.parametrize(
    ("words", "message"),
    [({"n": 0}, "size n of 1"), ({"name": " "}, "needs a name"), ({"query": "from calls where false"}, "nothing to draw")],
)
def test_a_draw_of_nothing_is_refused(ws: Workspace, words: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"query": "from calls", "n": 3, "seed": 1, "name": "x"} | words
    with pytest.raises(anb.RatingError, match=message):
        ws.sample(given.pop("query"), given.pop("n"), **given)


def test_saving_keeps_draws_and_tags(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "b.jsonl", "b"))
    ws.sample("from tool_calls", 1, seed=1, name="march")
    ws.rate("b-0001", tags=["tone"], by="ana")
    ws.save(tmp_path / "kept")
    again = anb.open(workspace=tmp_path / "kept")
    assert (count(again, "samples"), count(again, "sampled_calls"), count(again, "call_tags")) == (1, 1, 1)


# merges and recorded ratings


def call_record(number: int, **fields: Any) -> dict[str, Any]:
    identity = f"01926a8e-{number:04}-7000-8000-000000000000"
    program = {"name": "team", "kind": "ai", "module": "support", "version": "sha256:1", "signature": "sha256:5", "interface": "sha256:5", "answer": "result"}
    known = {"functai_call": 2, "id": identity, "parent": None, "root": identity, "program": program, "started": f"2026-09-26T10:{number:02}:00.000000Z"}
    known |= {"seconds": 0.4, "content": True, "inputs": {"message": f"m{number}"}, "outputs": {"result": f"r{number}"}, "error": None, "saw": []}
    return known | {"model": "made-1", "usage": {}, "exchanges": [], "caller": {}} | fields


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def test_ratings_that_a_log_of_calls_holds_are_in_the_table(tmp_path: Path) -> None:
    call = call_record(1)
    said = {"functai_rating": 1, "id": "01926a90-0001-7000-8000-000000000000", "call": call["id"], "at": "2026-09-26T11:00:00.000000Z", "verdict": "right"}
    ws = anb.open(write_lines(tmp_path / "calls.jsonl", [call, said | {"by": "ana"}]))
    assert rows(ws, "from rated_calls select call_id, verdict, rated_by, origin") == [(call["id"], "right", "ana", "review")]
    ws.rate(call["id"], None, by="ana")
    assert count(ws, "rated_calls") == 0


def merged_turn(merger: str) -> list[dict[str, Any]]:
    turn = "01926a8e-0009-7000-8000-000000000000"
    at = {"functai_conversation": 1, "at": "2026-09-26T10:30:00.000000Z"}
    program = {"version": "sha256:1", "name": "team", "program_kind": "ai", "interface": "sha256:5", "fields": [], "answer": "result"}
    made = {"name": "vote", "version": "sha256:9", "call": merger}
    return [
        {**at, "kind": "program", "seq": 1, **program},
        {**at, "kind": "turn", "seq": 2, "turn": turn, "parent": None, "program": "sha256:1", "inputs": {"message": "m"}, "reads": ["x"], "made_by": made},
        {**at, "kind": "ended", "seq": 3, "turn": turn, "state": "done", "outputs": {"result": "best"}, "saw": [], "model": None, "attempt": 1},
    ]


def test_a_merged_turn_is_the_call_that_merged(tmp_path: Path) -> None:
    merger = call_record(5)
    log = write_lines(tmp_path / "logs" / "conversation.jsonl", merged_turn(merger["id"]))
    alone = anb.open(log)
    ((turn,),) = rows(alone, "select turn_id from turns")
    assert alone.rate(turn, "right", by="ana").call_id == merger["id"], "the merger is a call, also where only the merge tells of it"
    write_lines(tmp_path / "logs" / "calls.jsonl", [merger])
    both = anb.open(tmp_path / "logs")
    assert both.rate(both.turn(turn), "right", by="ana").call_id == merger["id"]
