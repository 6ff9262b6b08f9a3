"""How long does a group by over a million tool calls take, against pandas on the same rows?"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

import agentnb as anb
from agentnb.workspace._contract import contract

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.measure import best_times, print_ratios

QUERY = "select name, count(*) as calls, avg(failed::int) as share, avg(seconds) as seconds from tool_calls group by name order by calls desc, name"


def main(calls: int = 1_000_000) -> None:
    """Print times and ratios, in memory and from the Parquet of a folder."""
    table = calls_table(calls)
    frame = table.select(["name", "failed", "seconds"]).to_pandas()
    plain = frame.astype({"name": "object"})
    with tempfile.TemporaryDirectory() as folder:
        memory, kept = anb.open([]), anb.open(workspace=Path(folder, "workspace"))
        for ws in (memory, kept):
            ws._store.add((), {"calls": table})
        expected = _group(frame)["calls"].tolist()
        assert [row[1] for row in memory.sql(QUERY).fetchall()] == [row[1] for row in kept.sql(QUERY).fetchall()] == expected
        sys.stdout.write(f"a group by over {calls:,} tool calls\n")
        competitors = {
            "pandas, strings": lambda: _group(frame),
            "pandas, objects": lambda: _group(plain),
            "ws.sql in memory": lambda: memory.sql(QUERY).fetchall(),
            "ws.sql in a folder": lambda: kept.sql(QUERY).fetchall(),
        }
        print_ratios(best_times(competitors), against="pandas, strings")


def calls_table(count: int) -> pa.Table:
    """Make the rows of tool calls, fifty to a turn."""
    chance = np.random.default_rng(1)
    names = np.array(["Bash", "Read", "Edit", "Grep", "Write", "Task", "WebFetch", "refund_order"])
    columns = {
        "call_id": [f"toolu_{number:024x}" for number in range(count)],
        "conversation_id": [f"conversation-{number // 5000}" for number in range(count)],
        "turn_id": [f"turn-{number // 50}" for number in range(count)],
        "call_index": np.arange(count),
        "kind": ["tool"] * count,
        "name": names[chance.choice(len(names), count)].tolist(),
        "failed": chance.random(count) < 0.07,
        "seconds": chance.exponential(2.0, count),
        "source_id": ["benchmark"] * count,
    }
    schema = contract().tables["calls"]
    return pa.table([pa.array(columns[field.name], field.type) if field.name in columns else pa.nulls(count, field.type) for field in schema], schema=schema)


def _group(frame: pd.DataFrame) -> pd.DataFrame:
    grouped = frame.groupby("name", sort=False).agg(calls=("failed", "size"), share=("failed", "mean"), seconds=("seconds", "mean")).reset_index()
    return grouped.sort_values(["calls", "name"], ascending=[False, True])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
