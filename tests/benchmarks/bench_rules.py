"""What do the rules find in runs with known faults, what do they accuse wrongly, and how long do they take beside reading the same file?"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import agentnb as anb

sys.path.insert(0, str(Path(__file__).parents[2]))

from agentnb.rules import CALL_COLUMNS, PART_COLUMNS, TURN_COLUMNS, hits_of_turns, lists_remaining_work
from tests.benchmarks.recordings import write_claude_session
from tests.rules import fault_kinds
from tests.rules.faults import labelled_runs, measure

assert fault_kinds

SAID = "role in ('user', 'assistant') and type in ('text', 'image', 'other', 'tool_call')"


def main(megabytes: float = 30, each: int = 24) -> None:
    """Print precision and recall per rule, and times."""
    print_measure(each)
    with tempfile.TemporaryDirectory() as folder:
        print_times(write_claude_session(Path(folder, "session.jsonl"), megabytes=megabytes))
    print_growth()


def print_measure(each: int) -> None:
    """Print how the rules do on generated runs."""
    runs = list(labelled_runs(each=each))
    healthy = sum(not run.made.rules for run in runs)
    sys.stdout.write(f"{len(runs):,} generated runs, {healthy:,} of them healthy, half English, half French\n")
    sys.stdout.write(f"{'rule':22} {'faults':>6} {'found':>6} {'recall':>7} {'precision':>9} {'healthy accused':>16}\n")
    for found in measure(runs):
        recall, precision = (f"{share:.2f}" if share is not None else "–" for share in (found.recall, found.precision))
        sys.stdout.write(f"{found.rule:22} {found.labelled:6} {found.found:6} {recall:>7} {precision:>9} {found.healthy_accused:16}\n")


def print_times(path: Path) -> None:
    """Print the time of the rules beside that of reading the same file, in one run."""
    reading = took(lambda: anb.open(path).__exit__(None, None, None))
    with anb.open(path) as ws:
        fetching = time.process_time()
        turns = columns(ws, f"select {', '.join(TURN_COLUMNS)} from turns order by conversation_id, turn_index")
        calls = columns(ws, f"select {', '.join(CALL_COLUMNS)} from calls order by turn_id, call_index")
        parts = columns(ws, f"select {', '.join(PART_COLUMNS)} from parts where {SAID} order by turn_id, message_index, part_index")
        fetching = time.process_time() - fetching
    hits = took(lambda: hits_of_turns(turns, calls, parts))
    tools = calls["kind"].count("tool")
    size = sum(len(text or "") for text in (*calls["input"], *calls["output"], *parts["text"])) / 1e3
    sys.stdout.write(f"{path.stat().st_size / 1e6:,.0f} MB, {tools:,} tool calls: read {reading:.2f} s cpu, columns {fetching:.2f} s, rules {hits:.2f} s ")
    sys.stdout.write(f"({hits / reading:.2f} of reading), {hits / tools * 1e6:.1f} µs a call, {hits / size * 1e6:.1f} µs a kB\n")


def print_growth() -> None:
    """Print what a text of 1 MB and one of 10 MB cost to judge."""
    sentence = "The parser keeps every place, and that will hold whether the remaining budget is first spent or not. "
    small, large = (took(partial(judge, sentence, size // len(sentence)), rounds=1) for size in (1_000_000, 10_000_000))
    sys.stdout.write(f"a text of 1 MB is judged in {small:.2f} s cpu, one of 10 MB in {large:.2f} s: {large / small:.1f} times\n")


def judge(sentence: str, times: int) -> bool:
    """Judge a long text."""
    return lists_remaining_work(sentence * times + "Nothing.")


def columns(ws: anb.Workspace, query: str) -> dict[str, list[Any]]:
    """Return the result of a query as columns."""
    found: dict[str, list[Any]] = ws.sql(query).to_arrow_table().to_pydict()
    return found


def took(run: Callable[[], Any], rounds: int = 3) -> float:
    """Return the best of some times in seconds of this process."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 30)
