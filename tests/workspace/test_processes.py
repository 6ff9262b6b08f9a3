"""Many processes on one folder, a process that is killed, one that forks, and a disk that is full."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

import agentnb as anb
from tests.processes import finish, start
from tests.workspace.recordings import count, ids, write_session


def test_four_processes_at_once_read_and_rate_and_nothing_is_lost_or_twice(root: Path, tmp_path: Path) -> None:
    logs, folder = tmp_path / "logs", tmp_path / "ws"
    for number in range(8):
        write_session(logs / f"{number}.jsonl", f"s{number}")
    code = """
logs, folder, mine = sys.argv[1:]
for place in (f"{logs}/{mine}.jsonl", f"{logs}/*[0246].jsonl", logs):
    ws = anb.open(place, workspace=folder)
    ws.rate("s" + mine + "-0001", "wrong", note=place, by="person " + mine)
print(ws.sql("select count(*) from ratings").fetchall()[0][0])
"""
    finish([start(root, code, logs, folder, number) for number in range(4)])
    ws = anb.open(workspace=folder)
    whole = anb.open(logs)
    assert ids(ws) == ids(whole)
    assert count(ws, "parts") == count(whole, "parts")
    assert [path.name for path in (folder / "tables").iterdir() if path.name.startswith(".")] == []
    assert ws.sql("from ratings select rated_by, count(*), count(*) filter (counts) group by all order by all").fetchall() == [
        (f"person {number}", 3, 1) for number in range(4)
    ]
    assert len(list((folder / "ratings").iterdir())) == 4


def test_two_processes_may_make_the_folder_at_once(root: Path, tmp_path: Path) -> None:
    code = "print(anb.open(workspace=sys.argv[1]).folder)"
    finish([start(root, code, tmp_path / "deep" / "ws") for _ in range(4)])
    assert sorted(path.name for path in (tmp_path / "deep" / "ws").iterdir()) == ["ratings", "tables", "version"]


def test_a_process_that_is_killed_while_rating_loses_no_rating_that_was_acknowledged(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=folder).close()
    code = """
ws = anb.open(workspace=sys.argv[1])
for number in range(100_000):
    print(ws.rate("a-0001", "wrong", note="x" * 2000, by="ana").rating_id, flush=True)
"""
    acknowledged: list[str] = []
    for _ in range(3):
        process = start(root, code, folder)
        assert process.stdout is not None
        acknowledged += [process.stdout.readline().strip() for _ in range(15)]
        os.kill(process.pid, signal.SIGKILL)
        rest, _ = process.communicate()
        acknowledged += rest.split("\n")[:-1]
    ws = anb.open(workspace=folder)
    kept = {row[0] for row in ws.sql("from ratings select rating_id").fetchall()}
    assert set(acknowledged) <= kept
    # At most the one that was being written when the process died is there without its acknowledgement.
    assert len(kept) <= len(acknowledged) + 3
    assert ws.rate("a-0001", "right", by="ana").counts


def test_a_cut_line_is_skipped_and_nothing_else(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=tmp_path / "ws")
    ws.rate("a-0001", "wrong", by="ana")
    (file,) = (tmp_path / "ws" / "ratings").iterdir()
    whole = file.read_bytes()
    for cut in (1, len(whole) // 2, len(whole) - 1):
        file.with_name("other-1-aa.jsonl").write_bytes(whole.replace(b"ana", b"ben") + whole[:cut])
        assert count(anb.open(workspace=tmp_path / "ws"), "ratings") == 1
        assert count(ws, "ratings") == 1
    assert count(ws, "diagnostics where code = 'rating_skipped'") == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_writes_to_a_file_of_its_own(root: Path, tmp_path: Path) -> None:
    write_session(tmp_path / "a.jsonl", "a")
    code = """
ws = anb.open(sys.argv[1], workspace=sys.argv[2])
ws.rate("a-0001", "right", by="parent")
warnings.simplefilter("ignore", DeprecationWarning)  # that a fork may deadlock where there are threads
child = os.fork()
who = "child" if child == 0 else "parent"
ws._logs.ratings.append({"functai_rating": 1, "id": str(child), "call": "a-0001", "at": "2026-01-01T00:00:00Z", "verdict": "wrong", "by": who})
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(ws.sql("select count(*), count(distinct rated_by) from ratings").fetchall())
"""
    process = start(root, code, tmp_path / "a.jsonl", tmp_path / "ws")
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "[(3, 2)]\n"), error
    files = {path.name.split("-")[1]: path.read_text() for path in (tmp_path / "ws" / "ratings").iterdir()}
    assert len(files) == 2
    assert all('"parent"' not in text or '"child"' not in text for text in files.values())


FULL = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
"""


def test_a_disk_that_is_full_leaves_the_tables_that_were_there(root: Path, tmp_path: Path) -> None:
    logs, folder = tmp_path / "logs", tmp_path / "ws"
    write_session(logs / "small.jsonl", "small")
    anb.open(logs, workspace=folder).close()
    write_session(logs / "large.jsonl", "large", turns=200)
    code = """
ws = anb.open(workspace=sys.argv[2])
limit(3000)
for _ in range(2):
    try:
        ws.read(sys.argv[1])
    except anb.WorkspaceError as error:
        print(error.errno, error)
print(ws.sql("from conversations select conversation_id").fetchall())
limit(resource.RLIM_INFINITY)
print(ws.read(sys.argv[1]).sql("select count(*) from conversations").fetchall())
"""
    (out,) = finish([start(root, FULL + code, logs, folder)])
    first, second, before, after = out.splitlines()
    assert first == second
    assert "cannot be written" in first
    assert "nothing was half written" in first
    assert (before, after) == ("[('small',)]", "[(2,)]")
    assert [path.name for path in (folder / "tables").iterdir() if path.name.startswith(".")] == []


def test_a_disk_that_is_full_leaves_the_ratings_that_were_acknowledged(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=folder).close()
    code = """
ws = anb.open(workspace=sys.argv[1])
limit(2000)
for number in range(30):
    try:
        print(ws.rate("a-0001", "wrong", note=str(number) * 100, by="ana").rating_id)
    except anb.WorkspaceError as error:
        print("refused", error.errno, str(error).startswith("The rating was not kept:"))
        limit(4000)
print(ws.sql("select count(*) from ratings").fetchall()[0][0])
"""
    (out,) = finish([start(root, FULL + code, folder)])
    *lines, seen = out.splitlines()
    acknowledged = {line for line in lines if not line.startswith("refused")}
    assert "refused 27 True" in lines
    assert int(seen) == len(acknowledged)
    ws = anb.open(workspace=folder)
    assert {row[0] for row in ws.sql("from ratings select rating_id").fetchall()} == acknowledged
    # Nothing of a rating that was refused is left, so that every line of every file is whole.
    for file in (folder / "ratings").iterdir():
        assert all(json.loads(line)["call"] == "a-0001" for line in file.read_text().split("\n")[:-1])
        assert file.read_text()[-1:] in ("", "\n")
