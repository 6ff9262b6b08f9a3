"""How long is it from a key press to the next call, on a workspace of a million calls? Beside it, in one run, the bare query for a call, and reading alone.

The time is that of the kernel: from the message of the browser to the next call's HTML, with the rating written and flushed to the disk in between.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import agentnb as anb
from agentnb.workspace import Workspace
from agentnb.workspace._contract import contract

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.bench_ask import calls_table

PRESSES = 200
READING = 0.4
"""Seconds for which a person looks at a call at least."""
BARE = "select * from calls where call_id = $1"


def main(calls: int = 1_000_000) -> None:
    """Print the 50th and 95th percentile in milliseconds, in memory and from the Parquet of a folder, in haste and with time to look."""
    tables = {"calls": calls_table(calls), "turns": _turns(calls // 50)}
    with tempfile.TemporaryDirectory() as folder:
        for name, ws in (("in memory", anb.open([])), ("in a folder", anb.open(workspace=Path(folder, "workspace")))):
            ws._store.add((), tables)
            started = time.perf_counter()
            rater = anb.Rater(ws, "from calls where name = 'refund_order'", by="ana")
            opened = time.perf_counter() - started
            sys.stdout.write(f"{calls:,} calls {name}: a queue of {rater.progress.total:,} is open after {opened:.2f} s\n")
            bare = [_timed(partial(_bare, ws, call_id)) for call_id in _some(ws)]
            _say("the bare query", bare, bare)
            _say("key press to next call, in haste", [_press(rater, 0.0) for _ in range(PRESSES)], bare)
            _say(f"key press to next call, {READING} s to look", [_press(rater, READING) for _ in range(PRESSES // 2)], bare)


def _bare(ws: Workspace, call_id: str) -> None:
    ws.sql(BARE, [call_id]).fetchall()


def _press(rater: Any, wait: float) -> float:
    time.sleep(wait)
    stage, answers = rater._stage, list[Any]()
    stage.send = answers.append
    before = stage._html
    took = _timed(lambda: stage._heard(stage, {"id": "1", "kind": "right", "call_id": stage._call, "fields": {}}, []))
    assert "rating_id" in answers[-1]["result"]
    assert stage._html != before
    return took


def _timed(run: Any) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def _say(what: str, times: list[float], bare: list[float]) -> None:
    half, most = (np.percentile(times, share) * 1000 for share in (50, 95))
    sys.stdout.write(f"  {what:40}  50th {half:7.1f} ms   95th {most:7.1f} ms   95th of the bare query's {most / (np.percentile(bare, 95) * 1000):5.2f}\n")


def _some(ws: Workspace) -> list[str]:
    rows = ws.sql("select call_id from calls using sample reservoir(100 rows) repeatable (1)").fetchall()
    return [call_id for (call_id,) in rows]


def _turns(count: int) -> pa.Table:
    columns: dict[str, Any] = {
        "turn_id": [f"turn-{number}" for number in range(count)],
        "conversation_id": [f"conversation-{number // 100}" for number in range(count)],
        "turn_index": np.arange(count) % 100,
        "prompt": [f"Please refund order {number}." for number in range(count)],
        "source_id": ["benchmark"] * count,
    }
    schema = contract().tables["turns"]
    return pa.table([pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(count, field.type) for field in schema], schema=schema)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
