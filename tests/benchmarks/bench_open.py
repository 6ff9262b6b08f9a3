"""How long from a Claude Code session of 150 MB to tables that can be asked, against Python's json.loads over the same lines?"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import agentnb as anb

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.measure import best_times, peak_megabytes, print_ratios
from tests.benchmarks.recordings import write_claude_session


def main(megabytes: float = 150) -> None:
    """Print times, ratios and peak memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_claude_session(Path(folder, "session.jsonl"), megabytes=megabytes)
        lines = sum(1 for _ in path.open("rb"))
        sys.stdout.write(f"a session of {path.stat().st_size / 1e6:,.0f} MB, {lines:,} lines\n")
        number = iter(range(1_000_000))
        times = best_times(
            {
                "json.loads": lambda: _parse(path),
                "anb.open in memory": lambda: _open(path, None),
                "anb.open into a folder": lambda: _open(path, Path(folder, f"workspace-{next(number)}")),
            }
        )
        print_ratios(times, against="json.loads")
        _print_memory(path)


def _parse(path: Path) -> None:
    with path.open("rb") as file:
        for line in file:
            json.loads(line)


def _open(path: Path, folder: Path | None) -> None:
    with anb.open(path, workspace=folder) as ws:
        ws.sql("select count(*) from tool_calls").fetchall()


def _print_memory(path: Path) -> None:
    size = path.stat().st_size / 1e6
    empty = peak_megabytes("import agentnb as anb, pyarrow, duckdb; anb.Workspace")
    opened = peak_megabytes(f"import agentnb as anb; anb.open({str(path)!r})")
    parsed = peak_megabytes(f"import json; records = [json.loads(line) for line in open({str(path)!r}, 'rb')]")
    sys.stdout.write(f"peak memory: {opened - empty:,.0f} MB beyond the {empty:,.0f} MB of the libraries, {(opened - empty) / size:.1f} times the file; ")
    sys.stdout.write(f"a list of what json.loads returns takes {parsed / size:.1f} times\n")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 150)
