"""LangSmith: runs as its tracer writes or its API lists them, nested ones, and the bodies with which a client sends them.

A record is a run as it stands in the file; what a later body tells of the same run is merged. The runs of a thread, or of a trace without one, are one
conversation; what every node of a graph repeats of it counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.span_tree import SpanTree
from agentnb.readers.formats.langsmith._runs import Runs, is_part_of_run, nested_runs, runs_in, trace_of
from agentnb.readers.formats.langsmith._spans import span_of


def _matches(sample: Sample) -> bool:
    if sample.shape not in ("document", "lines"):
        return False
    return any(runs_in(value) is not None for value in sample.values)


def _keys(sample: Sample) -> set[str]:
    """Files of the same trace or thread are read together; of lines only their ends are known before they are read."""
    values: Iterable[Any] = sample.values if sample.shape == "document" else (*sample.values, *sample.last_values)
    found: set[str] = set()
    for run in (run for value in values for run in runs_in(value) or () if isinstance(run, dict)):
        metadata = (run.get("extra") or {}).get("metadata") if isinstance(run.get("extra"), dict) else None
        thread = metadata.get("thread_id") if isinstance(metadata, dict) else None
        found |= {name for name in (trace_of(run), thread) if isinstance(name, str)}
    return found


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    runs = Runs()
    for file in files:
        for place, value in read_values(file, on_bytes):
            listed = runs_in(value)
            for number, run in enumerate([value] if listed is None else listed, 1):
                _take(run, runs, file, number if file.sample.shape == "document" else place)
    tree = SpanTree(rows, READER.format)
    for run in runs.link():
        tree.add(span_of(run), run.account)
    tree.finish()


def _take(run: Any, runs: Runs, file: OpenFile, place: int) -> None:
    if not is_part_of_run(run):
        file.account.leave_out("no_run", "It is no run of LangSmith, nor a part of one; it was left out.", line=place, excerpt=run)
        return
    for posted in nested_runs(run):
        runs.add(posted, file.account, place)


READER = Reader(format="langsmith", title="LangSmith runs (tracer, API, ingest)", matches=_matches, keys=_keys, read=_read)
