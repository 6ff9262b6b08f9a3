"""What people said outlives a kill, another notebook, a full disk, a source that grew, moved or was read again; and nothing is ever overwritten."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.workspace import Workspace
from tests.processes import finish, start
from tests.workspace.recordings import count, session_lines, write_session
from tests.workspace.test_processes import FULL

KILLED = """
import random, signal, time
warnings.simplefilter("ignore", DeprecationWarning)  # that a fork may deadlock where there are threads
folder, times, patience = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
chance = random.Random(times)

def rate_on(writing, number):
    ws = anb.open(workspace=folder)
    calls = ["k-0001", *(row[0] for row in ws.sql("from tool_calls select call_id order by call_index").fetchall())]
    while True:
        said = ws.rate(calls, "wrong", answer="x" * 300, tags=["killed"], by=f"person {number}")
        os.write(writing, "".join(f"{rating.rating_id}\\n" for rating in said).encode())
        if not patience:
            os.kill(os.getpid(), signal.SIGKILL)

for number in range(times):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        rate_on(writing, number)
    os.close(writing)
    with os.fdopen(reading) as acknowledged:
        print(acknowledged.readline(), end="")
        if patience:
            time.sleep(chance.random() * patience)
            os.kill(child, signal.SIGKILL)
        print(acknowledged.read(), end="", flush=True)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
"""


def kill(root: Path, tmp_path: Path, times: int, patience: float) -> None:
    """Kill a process that rates, many times, and look for every rating that it was told of.

    Args:
        root: the folder of the project.
        tmp_path: where the workspace is.
        times: how many processes are killed.
        patience: seconds in which the kill comes at some moment; 0 for right after `rate` has returned.
    """
    folder = tmp_path / "ws"
    anb.open(write_session(tmp_path / "k.jsonl", "k"), workspace=folder).close()
    process = start(root, KILLED, folder, times, patience)
    out, error = process.communicate(timeout=1200)
    assert (process.returncode, error) == (0, "")
    acknowledged = [line for line in out.splitlines() if line]
    ws = anb.open(workspace=folder)
    kept = {row[0] for row in ws.sql("from ratings select rating_id").fetchall()}
    assert len(acknowledged) == len(set(acknowledged)) >= 3 * times
    assert set(acknowledged) <= kept
    assert ws.sql("select count(distinct rated_by) from ratings").fetchall() == [(times,)]
    # Of each process at most the list that was being written when it died is there without its acknowledgement.
    assert len(kept) <= len(acknowledged) + 3 * times
    assert ws.rate("k-0001", "right", by="ana").counts
    assert count(ws, "diagnostics where severity = 'error'") == 0


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


@needs_fork
@pytest.mark.parametrize("patience", [0, 0.05])
def test_a_rating_outlives_a_kill_right_after_it_was_acknowledged_and_at_any_moment(root: Path, tmp_path: Path, patience: float) -> None:
    kill(root, tmp_path, 5, patience)


@needs_fork
@pytest.mark.torture
@pytest.mark.parametrize(("patience", "times"), [(0, 200), (0.02, 100)])
def test_ratings_outlive_hundreds_of_kills(root: Path, tmp_path: Path, patience: float, times: int) -> None:
    kill(root, tmp_path, times, patience)


def test_two_notebooks_that_rate_lists_at_once_lose_none_and_see_each_other(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    anb.open(write_session(tmp_path / "k.jsonl", "k", turns=5), workspace=folder).close()
    code = """
ws = anb.open(workspace=sys.argv[1])
for number in range(8):
    ws.rate(ws.sql("from tool_calls"), "wrong", by=sys.argv[2])
    ws.sample("from tool_calls", 3, seed=number, name=f"draw {number}", by=sys.argv[2])
print(ws.sql("select count(*) from ratings").fetchall()[0][0] >= 80)
"""
    assert finish([start(root, code, folder, name) for name in ("ana", "ben")]) == ["True\n", "True\n"]
    ws = anb.open(workspace=folder)
    assert ws.sql("from ratings select rated_by, count(*), count(*) filter (counts) group by all order by all").fetchall() == [
        ("ana", 80, 10),
        ("ben", 80, 10),
    ]
    # Both drew the same calls under the same names, so there is one draw of each.
    assert (count(ws, "samples"), count(ws, "sampled_calls"), count(ws, "call_tags")) == (8, 24, 0)


def test_two_notebooks_that_draw_differently_under_one_name_do_not_both_believe_it(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    anb.open(write_session(tmp_path / "k.jsonl", "k", turns=5), workspace=folder).close()
    code = """
ws = anb.open(workspace=sys.argv[1])
try:
    print(ws.sample("from tool_calls", 3, seed=int(sys.argv[2]), name="march").seed)
except anb.RatingError as error:
    print("refused:", "is never edited" in str(error))
"""
    said = finish([start(root, code, folder, seed) for seed in (1, 2, 3)])
    assert sorted(one == "refused: True\n" for one in said) == [False, True, True]
    ((seed,),) = anb.open(workspace=folder).sql("from samples select seed").fetchall()
    assert f"{seed}\n" in said


def test_a_full_disk_leaves_nothing_of_a_list_and_everything_that_was_acknowledged(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    anb.open(write_session(tmp_path / "k.jsonl", "k", turns=5), workspace=folder).close()
    code = """
ws = anb.open(workspace=sys.argv[1])
limit(4000)
for number in range(6):
    try:
        print(len(ws.rate(ws.sql("from tool_calls"), "wrong", by=f"person {number}")))
    except anb.WorkspaceError as error:
        print("refused", "make room" in str(error))
try:
    ws.sample("from calls", 100, seed=1, name="x" * 5000)
except anb.WorkspaceError as error:
    print("no sample:", str(error).startswith("The sample was not kept"))
limit(resource.RLIM_INFINITY)
ws.sample("from calls", 100, seed=1, name="march")
print(ws.sql("select count(*), count(distinct rated_by) from ratings").fetchall(), ws.sql("select count(*) from samples").fetchall())
"""
    (out,) = finish([start(root, FULL + code, folder)])
    *lists, no_sample, last = out.splitlines()
    kept = lists.count("10")
    assert 0 < kept < 6
    assert lists.count("refused True") == 6 - kept
    assert (no_sample, last) == ("no sample: True", f"[({10 * kept}, {kept})] [(1,)]")
    for file in [*(folder / "ratings").iterdir(), *(folder / "samples").iterdir()]:
        assert all(json.loads(line) for line in file.read_text().splitlines())


# sources that change


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_session(tmp_path / "logs" / "k.jsonl", "k", turns=2)


def said(ws: Workspace) -> list[Any]:
    return ws.sql("from rated_calls select call_id, verdict, rated_by, note order by all").fetchall()


def rate_all(ws: Workspace) -> list[Any]:
    for number, call in enumerate(ws.sql("from calls select call_id order by call_id").fetchall()):
        ws.rate(call[0], "wrong", note=str(number), by="ana", tags=["looked at"])
    return said(ws)


def test_ratings_hold_when_a_file_grows(source: Path, tmp_path: Path) -> None:
    ws = anb.open(source, workspace=tmp_path / "ws")
    before = rate_all(ws)
    source.write_text("".join(json.dumps(line) + "\n" for line in session_lines("k", turns=4)))
    ws.refresh()
    assert count(ws, "turns") == 4
    assert said(ws) == before
    assert count(ws, "diagnostics where source_id = 'ratings'") == 0


def test_ratings_hold_when_a_source_moves_or_goes(source: Path, tmp_path: Path) -> None:
    ws = anb.open(source, workspace=tmp_path / "ws")
    before = rate_all(ws)
    moved = source.rename(tmp_path / "moved.jsonl")
    ws.read(moved)
    assert said(ws) == before
    moved.unlink()
    ws.refresh()
    assert said(anb.open(workspace=tmp_path / "ws")) == before


def test_ratings_hold_when_everything_is_read_again(source: Path, tmp_path: Path) -> None:
    before = rate_all(anb.open(source, workspace=tmp_path / "ws"))
    shutil.rmtree(tmp_path / "ws" / "tables")
    (tmp_path / "ws" / "tables").mkdir()
    assert said(anb.open(source, workspace=tmp_path / "ws")) == before
    other = anb.open(shutil.copytree(source.parent, tmp_path / "copy"), workspace=tmp_path / "other")
    shutil.copytree(tmp_path / "ws" / "ratings", tmp_path / "other" / "ratings", dirs_exist_ok=True)
    assert said(other) == before


def test_nothing_that_was_written_is_ever_written_again(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    ws = anb.open(source, workspace=folder)
    seen: dict[Path, bytes] = {}

    def look() -> None:
        for path in [*(folder / "ratings").iterdir(), *(folder / "samples").glob("*")]:
            assert path.read_bytes().startswith(seen.get(path, b""))
            seen[path] = path.read_bytes()

    for step in (
        lambda: ws.rate("k-0001", "right", by="ana"),
        lambda: ws.rate("k-0001", None, by="ana"),
        lambda: ws.rate("k-0001", tags=["x"], by="ana"),
        lambda: ws.sample("from calls", 2, seed=1, name="march"),
        lambda: ws.sample("from calls", 2, seed=1, name="march"),
        lambda: ws.import_ratings([{"call_id": "k-0001", "verdict": "wrong", "rated_by": "ben"}]),
        lambda: ws.refresh(),
        lambda: anb.open(source, workspace=folder).rate("k-0001", "wrong", by="eve"),
    ):
        step()
        look()
    assert sorted(path.parent.name for path in seen) == ["ratings", "samples"]
