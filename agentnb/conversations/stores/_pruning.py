"""Old days of a log of calls, deleted, and what of them is needed for the ratings that people made."""

from __future__ import annotations

import secrets
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from agentnb.conversations.stores._calls import tree_of
from agentnb.conversations.stores._files import sync_folder, write_new
from agentnb.conversations.stores._texts import json_of


class Pruned(NamedTuple):
    """What became of the old days of a log of calls."""

    days: int
    """Folders that were deleted."""
    deleted: int
    """Records of calls that are gone."""
    kept: int
    """Records of calls that were copied first."""


class _Line(NamedTuple):
    text: bytes
    record: Mapping[str, Any]
    is_old: bool


def prune_folder(folder: Path, days: list[Path], files: Iterable[Path], rated: Iterable[str]) -> Pruned:
    """Delete days, after copying what is needed for ratings to a file at the top.

    Args:
        folder: the log.
        days: its folders that are to go.
        files: all its files.
        rated: ids of calls that are rated elsewhere.

    Raises:
        OSError: nothing was deleted before what is needed was on the disk.
    """
    lines = list(_lines(files, set(days)))
    calls = [line for line in lines if _is_call(line.record)]
    ratings = [line for line in lines if "functai_rating" in line.record and isinstance(line.record.get("call"), str)]
    needed = _needed(calls, {line.record["call"] for line in ratings} | set(rated))
    kept = [line for line in calls if line.is_old and line.record["id"] in needed]
    # A rating whose call is not here may be of a call that is kept elsewhere: it is never the one to lose.
    there = {line.text for line in lines if not line.is_old}
    _write_kept(folder, [line for line in (*kept, *(line for line in ratings if line.is_old)) if line.text not in there])
    for day in days:
        shutil.rmtree(day)
    return Pruned(len(days), sum(line.is_old for line in calls) - len(kept), len(kept))


def _lines(files: Iterable[Path], days: set[Path]) -> Iterator[_Line]:
    for path in files:
        for text in path.read_bytes().split(b"\n"):
            record = json_of(text) if text else None
            if isinstance(record, dict):
                yield _Line(text, record, path.parent in days)


def _needed(calls: list[_Line], rated: set[str]) -> set[str]:
    """Return the ids of the rated calls, of all calls of their trees, and of what any of these was shown, and so on."""
    by_id, by_tree = defaultdict(list), defaultdict(set)
    for line in calls:
        by_id[line.record["id"]].append(line.record)
        by_tree[tree_of(line.record)].add(line.record["id"])
    trees = {tree_of(record) for call in rated for record in by_id.get(call, ())}
    waiting = rated | {call for tree in trees for call in by_tree[tree]}
    needed: set[str] = set()
    while waiting:
        call = waiting.pop()
        needed.add(call)
        waiting |= {shown for record in by_id.get(call, ()) for shown in _shown(record)} - needed
    return needed


def _shown(record: Mapping[str, Any]) -> Iterator[str]:
    saw = record.get("saw")
    for entry in saw if isinstance(saw, list) else ():
        if isinstance(entry, dict):
            yield from (call for name in ("call", "saw_of") if isinstance(call := entry.get(name), str))


def _write_kept(folder: Path, lines: list[_Line]) -> None:
    if not lines:
        return
    write_new(folder / f"kept-{secrets.token_hex(6)}.jsonl", b"".join(line.text + b"\n" for line in lines))
    sync_folder(folder)


def _is_call(record: Mapping[str, Any]) -> bool:
    return record.get("functai_call") in (1, 2) and isinstance(record.get("id"), str) and record["id"] != ""
