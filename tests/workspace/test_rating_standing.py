"""The table of ratings is kept up one by one, and is at any moment what counting all of them anew gives."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.ratings import Counts, counted, rating_record
from agentnb.values import Rating
from agentnb.workspace import Workspace
from tests.workspace.recordings import count, write_session


def made(seed: int, number: int) -> list[Rating]:
    chance = random.Random(seed)
    ratings = []
    for place in range(number):
        person = chance.choice(["ana", "ben", None])
        kind = chance.choice(["verdict", "verdict", "tags"])
        fields: dict[str, Any] = {"verdict": chance.choice(["right", "wrong", None]) if kind == "verdict" else None, "tags": ("x",) if kind == "tags" else None}
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(20))
        who = {"rated_by": person} if person else {"account": "shared"}
        known = {"rating_id": f"{place:04}", "call_id": chance.choice(["a-0001", "a-0002", "gone"]), "kind": kind, "rated_at": at}
        ratings.append(Rating.model_validate(known | fields | who))
    chance.shuffle(ratings)
    return ratings


@pytest.mark.parametrize("seed", range(20))
def test_counting_one_by_one_in_any_order_is_counting_all(seed: int) -> None:
    ratings = made(seed, 60)
    counts = Counts()
    for place, rating in enumerate(ratings):
        assert counts.add(rating)
        assert not counts.add(rating)
        now = {each.rating_id for each, flag in zip(counts.ratings, counts.flags, strict=True) if flag}
        latest: dict[Any, Rating] = {}
        for each in sorted(ratings[: place + 1], key=lambda each: (each.rated_at, each.rating_id)):
            if each.kind == "verdict":
                latest[(each.call_id, each.rated_by) if each.rated_by else each.rating_id] = each
        assert now == {each.rating_id for each in latest.values() if each.verdict is not None}
    assert {each.rating_id for each in counted(ratings) if each.counts} == now


def table(ws: Workspace) -> list[Any]:
    return ws.sql("from ratings select rating_id, call_id, verdict, counts, tags order by rating_id").fetchall()


def test_the_table_of_a_workspace_that_saw_each_rating_is_that_of_one_that_saw_all_at_once(tmp_path: Path) -> None:
    session = write_session(tmp_path / "a.jsonl", "a")
    ws = anb.open(session, workspace=tmp_path / "ws")
    file = tmp_path / "ws" / "ratings" / "other-1-aa.jsonl"
    for rating in made(3, 300):
        with file.open("a") as lines:
            lines.write(json.dumps(rating_record(rating)) + "\n")
        count(ws, "ratings")
    assert table(ws) == table(anb.open(workspace=tmp_path / "ws"))
    assert len(table(ws)) == 300
    odd = "from diagnostics select code, call_id, diagnostic_index where source_id = 'ratings' order by all"
    assert ws.sql(odd).fetchall() == anb.open(workspace=tmp_path / "ws").sql(odd).fetchall()
    assert 0 < len(ws.sql(odd).fetchall()) < 300


def test_a_file_that_is_gone_or_replaced_takes_back_what_it_said(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=tmp_path / "ws")
    ws.rate("a-0001", "right", by="eve")
    first, second = made(1, 40)[:20], made(2, 30)
    other = tmp_path / "ws" / "ratings" / "other-1-aa.jsonl"
    other.write_text("".join(json.dumps(rating_record(rating)) + "\n" for rating in first))
    assert count(ws, "ratings") == 21
    other.write_text("".join(json.dumps(rating_record(rating)) + "\n" for rating in second[:5]))
    assert count(ws, "ratings") == 6
    other.unlink()
    assert ws.sql("from ratings select rated_by, counts").fetchall() == [("eve", True)]


def test_a_workspace_that_takes_over_another_log_shows_both(tmp_path: Path) -> None:
    session = write_session(tmp_path / "a.jsonl", "a")
    kept = anb.open(session, workspace=tmp_path / "ws")
    kept.rate("a-0001", "right", by="ana")
    memory = anb.open(session)
    memory.rate("a-0001", "wrong", by="ben")
    memory.save(tmp_path / "ws")
    assert count(memory, "ratings") == count(kept, "ratings") == 2
