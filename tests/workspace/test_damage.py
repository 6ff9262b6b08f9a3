"""What became of old, damaged and unfinished things in the folder of a workspace, and of many small ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import agentnb as anb
from agentnb.workspace import Workspace, _folder
from tests.workspace.recordings import batches, count, ids, write_session


def test_a_group_that_was_replaced_stays_readable_for_an_hour(logs: Path, folder: Path, later: Callable[[float], None]) -> None:
    ws = anb.open(logs / "one.jsonl", workspace=folder)
    (old,) = batches(folder)
    relation = ws.sql("from turns")
    write_session(logs / "one.jsonl", "one", turns=2)
    anb.open(logs / "one.jsonl", workspace=folder)
    assert old in batches(folder)
    assert len(relation.fetchall()) >= 1
    later(3500)
    ws.refresh()
    assert old in batches(folder)
    later(200)
    assert count(ws.refresh(), "turns") == 2
    assert old not in batches(folder)
    assert [path for path in (folder / "tables").iterdir() if path.name.startswith(".")] == []


def test_what_a_killed_process_left_half_written_is_never_seen_and_removed_later(logs: Path, folder: Path, later: Callable[[float], None]) -> None:
    ws = anb.open(logs, workspace=folder)
    half = folder / "tables" / ".writing-0123"
    shutil.copytree(batches(folder)[0], half)
    assert count(ws.refresh(), "turns") == 3
    assert half.exists()
    later(4000)
    assert count(ws.refresh(), "turns") == 3
    assert not half.exists()


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    match how:
        case "gone":
            path.unlink()
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "zeros":
            path.write_bytes(bytes(len(data)))
        case "empty":
            path.write_bytes(b"")


@pytest.mark.parametrize(
    ("name", "how"), [("calls.parquet", "gone"), ("calls.parquet", "cut"), ("sources.parquet", "zeros"), ("batch.json", "empty"), ("batch.json", "gone")]
)
def test_damaged_tables_are_read_again_from_their_source(logs: Path, folder: Path, name: str, how: str) -> None:
    before = ids(anb.open(logs, workspace=folder))
    damage(batches(folder)[0] / name, how)
    assert ids(anb.open(logs, workspace=folder)) == before
    assert count(anb.open(workspace=folder), "turns") == 3


def test_damage_to_tables_is_mended_by_opening_the_workspace(logs: Path, folder: Path) -> None:
    before = ids(anb.open(logs, workspace=folder))
    damage(batches(folder)[0] / "calls.parquet", "cut")
    ws = anb.open(workspace=folder)
    assert ids(ws) == before
    assert not ws.is_damaged
    assert count(ws, "diagnostics where code = 'damaged_tables'") == 0


def test_damaged_tables_whose_source_is_gone_are_reported_and_the_rest_is_there(logs: Path, folder: Path) -> None:
    anb.open(logs / "one.jsonl", workspace=folder)
    anb.open(logs / "two.jsonl", workspace=folder)
    damage(batches(folder)[0] / "turns.parquet", "zeros")
    (logs / "one.jsonl").unlink()
    for _ in range(2):
        ws = anb.open(workspace=folder)
        assert ids(ws)["conversations"] == ["two"]
        ((message, severity),) = ws.sql("from diagnostics select message, severity where code = 'damaged_tables'").fetchall()
        assert "one.jsonl is gone" in message
        assert severity == "error"
        assert [row[0] for row in ws.sql("from odd_records select code").fetchall()] == ["damaged_tables"]
        assert [finding.count for finding in ws.card.findings if finding.word == "damaged batch of tables"] == [1]


def test_a_damaged_manifest_is_reported_with_what_to_do(logs: Path, folder: Path) -> None:
    anb.open(logs, workspace=folder)
    (batch,) = batches(folder)
    damage(batch / "batch.json", "cut")
    ws = anb.open(workspace=folder)
    ((message,),) = ws.sql("from diagnostics select message where code = 'damaged_tables'").fetchall()
    assert str(batch) in message
    assert "remove that folder" in message
    shutil.rmtree(batch)
    assert count(ws.read(logs).refresh(), "diagnostics where code = 'damaged_tables'") == 0


def test_damage_that_happens_while_it_is_open_is_mended_by_a_refresh(logs: Path, folder: Path) -> None:
    ws = anb.open(logs, workspace=folder)
    (batches(folder)[0] / "turns.parquet").unlink()
    assert count(ws.refresh(), "turns") == 3


def test_a_strange_thing_among_the_tables_does_no_harm(logs: Path, folder: Path) -> None:
    ws = anb.open(logs, workspace=folder)
    (folder / "tables" / "notes.txt").write_text("mine")
    (folder / "tables" / "empty").mkdir()
    (folder / "ratings" / "notes.txt").write_text("mine")
    assert count(ws.refresh(), "turns") == 3
    manifest = json.loads((batches(folder)[0] / "batch.json").read_text())
    assert manifest["groups"][0]["format"] == "claude_code"


def test_many_small_batches_are_put_together(folder: Path, tmp_path: Path, later: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_folder, "_MANY", 4)
    for number in range(10):
        ws = anb.open(write_session(tmp_path / f"{number}.jsonl", f"s{number}"), workspace=folder)
    before = ids(ws)
    assert len(before["turns"]) == 10
    write_session(tmp_path / "3.jsonl", "s3", turns=2)
    assert count(ws.refresh(), "turns") == 11
    later(4000)
    ws.refresh()
    assert len(batches(folder)) <= 5
    assert set(before["turns"]) < set(ids(ws)["turns"])
    assert ids(anb.open(workspace=folder)) == ids(ws)
    assert ids(ws)["sources"] == before["sources"]


def test_small_groups_that_are_read_at_once_share_a_batch(folder: Path, tmp_path: Path) -> None:
    for number in range(40):
        write_session(tmp_path / "logs" / f"{number}.jsonl", f"s{number}", calls=1)
    ws = anb.open(tmp_path / "logs", workspace=folder)
    assert len(batches(folder)) == 1
    write_session(tmp_path / "logs" / "7.jsonl", "s7", calls=2)
    assert count(ws.refresh(), "conversations") == count(ws, "sources") == 40
    assert count(ws, "tool_calls") == count(anb.open(workspace=folder), "tool_calls") == 41


def test_a_workspace_can_be_used_by_name_of_a_table_that_has_no_rows(folder: Path) -> None:
    ws: Workspace = anb.open(workspace=folder)
    assert ws.sql("from approvals").fetchall() == []
    assert ws.account.sources == ()
