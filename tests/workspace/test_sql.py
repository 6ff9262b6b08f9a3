"""Questions in SQL: parameters, errors that help, threads, and what a query may not see."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.workspace import Workspace
from tests.workspace.recordings import write_session


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("logs")
    for name in ("one", "two", "three"):
        write_session(folder / f"{name}.jsonl", name, turns=2)
    return anb.open(folder)


def test_values_go_in_by_place_or_by_name(ws: Workspace) -> None:
    assert ws.sql("from tool_calls select count(*) where name = $1 and failed = $2", ["Bash", True]).fetchall() == [(6,)]
    assert ws.sql("from tool_calls select count(*) where name = ?", ("Bash",)).fetchall() == [(12,)]
    assert ws.sql("from tool_calls select count(*) where name = $tool", {"tool": "Bash"}).fetchall() == [(12,)]
    assert ws.sql("select $1", ["'; drop view calls; --"]).fetchall() == [("'; drop view calls; --",)]


def test_a_relation_is_a_pandas_frame_with_whole_numbers(ws: Workspace) -> None:
    frame = ws.sql("from turn_totals order by turn_id").df()
    assert frame["input_tokens"].tolist() == [30] * 6
    assert frame["input_tokens"].dtype.kind == "i"


@pytest.mark.parametrize(
    ("query", "params", "hint"),
    [
        ("from cals", None, "ws.tables"),
        ("from calls select nam", None, "ws.columns"),
        ("select by from calls", None, "reserved"),
        ("selec 1", None, "DuckDB's SQL"),
        ("select $a", {}, "by parameter"),
        ("select $a", {"a": 1, "b": 2}, "by parameter"),
        ("select $a", {"a": object()}, "by parameter"),
        ("select $a", {"a": "\ud800"}, "by parameter"),
        ("select 1", [1], "ws.tables"),
        ("", None, "There is no query"),
        ("  -- nothing\n", None, "There is no query"),
    ],
)
def test_a_query_that_is_refused_comes_with_a_hint(ws: Workspace, query: str, params: Any, hint: str) -> None:
    with pytest.raises(anb.QueryError, match=hint) as caught:
        ws.sql(query, params)
    assert isinstance(caught.value, ValueError)


def test_a_query_that_was_refused_leaves_the_next_one_alone(ws: Workspace) -> None:
    with pytest.raises(anb.QueryError):
        ws.sql("from nothing")
    assert ws.sql("select count(*) from turns").fetchall() == [(6,)]


def test_a_statement_without_a_result_says_that_it_is_done(ws: Workspace) -> None:
    assert ws.sql("create or replace table noted as select 1 as number").fetchall() is not None
    assert ws.sql("insert into noted values (2)").fetchall() is not None
    assert ws.sql("from noted order by number").fetchall() == [(1,), (2,)]
    assert ws.sql("set threads = 2").columns
    ws.sql("drop table noted")


def test_a_variable_of_the_caller_is_no_table(ws: Workspace) -> None:
    mine = ws.sql("from turns").df()
    with pytest.raises(anb.QueryError):
        ws.sql("from mine")
    assert len(mine) == 6


def test_a_relation_shows_what_was_added_since(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a"))
    relation = ws.sql("select count(*) from turns")
    assert relation.fetchall() == [(1,)]
    ws.read(write_session(tmp_path / "b.jsonl", "b"))
    assert relation.fetchall() == [(2,)]


def test_eight_threads_ask_at_once(ws: Workspace) -> None:
    def ask(number: int) -> list[tuple[Any, ...]]:
        answers = [tuple(ws.sql("from tool_calls select count(*) where name = $1", ["Bash"]).fetchall()) for _ in range(5)]
        return [*answers, tuple(ws.turn(ws.sql("from turns select turn_id order by all").fetchall()[0][0]).turn_id)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    assert all(answer == found[0] for answer in found)


def test_threads_ask_while_others_rate_and_read(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "first.jsonl", "first"), workspace=tmp_path / "ws")
    (turn_id,) = ws.sql("from turns select turn_id").fetchall()[0]

    def work(number: int) -> int:
        if number == 0:
            for place in range(4):
                ws.read(write_session(tmp_path / f"more-{place}.jsonl", f"more-{place}"))
        elif number == 1:
            for place in range(8):
                ws.rate(turn_id, "right", note=str(place), by="ana")
        else:
            for _ in range(8):
                # A turn and its calls are seen together, or neither.
                assert ws.sql("from turns select count(*) where turn_id not in (from calls select call_id)").fetchall() == [(0,)]
        return number

    with ThreadPoolExecutor(5) as pool:
        assert list(pool.map(work, range(5))) == [0, 1, 2, 3, 4]
    assert ws.sql("select (select count(*) from turns), (select count(*) from ratings)").fetchall() == [(5, 8)]


def test_a_text_is_found_wherever_it_was_said_whatever_its_case(ws: Workspace) -> None:
    assert ws.find("TASK 0 OF one").fetchall()[0][:2] == ("part", "one")
    assert {row[0] for row in ws.find("make task").fetchall()} == {"input"}
    assert {row[0] for row in ws.find("bash").fetchall()} == {"name"}
    assert {row[0] for row in ws.find("result 1").fetchall()} >= {"output", "error"}
    assert ws.find("no such text").fetchall() == []
    assert len(ws.find("task", limit=3).fetchall()) == 3
    assert ws.find("100%'_\\").fetchall() == []


def test_a_closed_workspace_says_so(tmp_path: Path) -> None:
    with anb.open(write_session(tmp_path / "a.jsonl", "a")) as ws:
        assert "1 turns" in repr(ws)
    for ask in (
        lambda: ws.sql("from turns"),
        lambda: ws.turn("x"),
        lambda: ws.rate("x", "right"),
        ws.refresh,
        lambda: ws.account,
        lambda: ws.save(tmp_path / "ws"),
    ):
        with pytest.raises(anb.WorkspaceError, match="is closed"):
            ask()
    assert repr(ws) == "<Workspace in memory: closed>"
    ws.close()
