"""Records of calls: kept by every store, shortened when they are too long, and pruned without losing what ratings need."""

from __future__ import annotations

import json
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agentnb.conversations.stores import CallStore, FolderCallLog, calls_of
from agentnb.conversations.stores._calls import call_line
from agentnb.errors import ConversationError
from tests.conversations.stores.places import LASTING, Place


def call(name: str, root: str | None = None, **more: Any) -> dict[str, Any]:
    return {"functai_call": 2, "id": name, "parent": root, "root": root or name, "started": "2026-09-26T23:12:03.123456Z", "saw": [], **more}


def rating(name: str, of: str) -> dict[str, Any]:
    return {"functai_rating": 1, "id": name, "call": of, "at": "2026-09-27T00:00:00.000000Z", "by": "ana", "verdict": "right"}


def calls_at(place: Place) -> CallStore:
    calls = calls_of(place.open())
    assert calls is not None
    return calls


def test_calls_are_read_in_the_order_in_which_they_ended_all_or_those_of_a_tree(place: Place) -> None:
    calls = calls_at(place)
    written = [call("helper", "top"), call("top"), call("other", outputs={"x": "é\x00\ud800"}), call("top", writer=2)]
    for record in written:
        calls.write(record)
    assert calls.read() == written
    assert calls.read("top") == [written[0], written[1], written[3]]
    assert calls.read("nobody") == []
    assert calls.read("a\x00\ud800") == []


@pytest.mark.kinds(*LASTING)
def test_calls_of_one_object_are_read_by_another(place: Place) -> None:
    calls_at(place).write(call("a"))
    calls_at(place).write(call("b"))
    assert sorted(record["id"] for record in calls_at(place).read()) == ["a", "b"]


@pytest.mark.parametrize("record", [{}, {"id": 7}, {"id": ""}, "text", call("a", outputs=object())])
def test_what_is_no_record_of_a_call_is_refused(place: Place, record: Any) -> None:
    calls = calls_at(place)
    with pytest.raises(ConversationError, match="conversation-opaque"):
        calls.write(record)
    assert calls.read() == []


def test_a_record_that_is_too_long_loses_requests_and_steps_then_values_and_says_so() -> None:
    exchange = {"model": "m", "request": "q" * 400, "response": "r" * 400, "usage": {"input": 3}}
    record = call("a", inputs={"x": "i" * 300}, outputs={"y": 1}, sizes={"x": 302}, exchanges=[exchange, "odd"], steps=["s" * 300])
    assert json.loads(call_line(record)) == record
    shorter = json.loads(call_line(record, most_bytes=1000))
    assert shorter == {name: value for name, value in record.items() if name != "steps"} | {
        "exchanges": [{"model": "m", "usage": {"input": 3}}, "odd"],
        "truncated": True,
    }
    assert json.loads(call_line(record, most_bytes=400)) == shorter | {"inputs": {}, "outputs": None}


def test_a_process_writes_to_a_file_of_its_own_in_the_folder_of_the_day(tmp_path: Path) -> None:
    days = iter([date(2026, 9, 26), date(2026, 9, 26), date(2026, 9, 27)])
    log = FolderCallLog(tmp_path / "calls", today=lambda: next(days))
    for name in "abc":
        log.write(call(name))
    files = sorted((tmp_path / "calls").rglob("*.jsonl"))
    assert [file.parent.name for file in files] == ["2026-09-26", "2026-09-27"]
    assert len({file.name for file in files}) == 1
    assert [oct(path.stat().st_mode & 0o777) for path in (files[0], files[0].parent)] == ["0o600", "0o700"]
    assert [record["id"] for record in log.read()] == ["a", "b", "c"]


def test_what_is_no_call_in_the_folder_is_passed_over(tmp_path: Path) -> None:
    log = FolderCallLog(tmp_path, today=lambda: date(2026, 9, 26))
    log.write(call("a"))
    (file,) = tmp_path.rglob("*.jsonl")
    with file.open("a") as stream:
        for line in ("{cut", "[]", json.dumps(rating("r", "a")), json.dumps(call("b") | {"functai_call": 3}), json.dumps(call("c") | {"functai_call": 1}), ""):
            stream.write(line + "\n")
    (tmp_path / "kept-0.jsonl").write_text(json.dumps(call("top")) + "\n")
    (tmp_path / "notes.txt").write_text("hello")
    assert [record["id"] for record in log.read()] == ["top", "a", "c"]
    assert [record["id"] for record in log.read("c")] == ["c"]


def test_pruning_keeps_what_ratings_need_and_nothing_else(tmp_path: Path) -> None:
    def write(day: str, *records: dict[str, Any]) -> None:
        (tmp_path / day).mkdir(exist_ok=True)
        (tmp_path / day / "h-1-abc.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))

    old = [
        call("rated", "top"),
        call("sibling", "top", saw=[{"call": "shown", "steps": True}]),
        call("top"),
        call("shown", saw=[{"saw_of": "before"}]),
        call("before"),
        call("unrelated"),
        call("rated elsewhere"),
    ]
    write("2026-09-01", *old[:4], {"cut": True})
    write("2026-09-02", *old[4:], rating("r1", "rated"))
    write("2026-09-03", call("late"), rating("r2", "before"), rating("r3", "late"))
    log = FolderCallLog(tmp_path)
    pruned = log.prune(date(2026, 9, 3), rated={"rated elsewhere"})
    assert pruned == (2, 1, 6)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["2026-09-03"]
    (kept,) = tmp_path.glob("kept-*.jsonl")
    assert [json.loads(line)["id"] for line in kept.read_text().splitlines()] == [
        *["rated", "sibling", "top", "shown", "before", "rated elsewhere"],
        "r1",
    ]
    assert {record["id"] for record in log.read()} == {record["id"] for record in old} - {"unrelated"} | {"late"}
    assert log.prune(date(2026, 9, 3)) == (0, 0, 0)
    assert list(tmp_path.glob("kept-*.jsonl")) == [kept]


def test_pruning_that_was_cut_short_keeps_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = FolderCallLog(tmp_path, today=lambda: date(2026, 9, 1))
    log.write(call("rated"))

    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", refused)
        with pytest.raises(
            ConversationError, match=r"store-failed: .* cannot be pruned: Permission denied. What ratings need is still there; give this account"
        ):
            log.prune(date(2026, 9, 2), rated={"rated"})
    assert log.prune(date(2026, 9, 2), rated={"rated"}).days == 1
    assert [record["id"] for record in log.read()] == ["rated"]
