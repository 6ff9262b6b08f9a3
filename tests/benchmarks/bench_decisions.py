"""What does it cost to say what every step of a long session decided, beside parsing the same text and beside reading the file?"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import agentnb as anb

sys.path.insert(0, str(Path(__file__).parents[2]))

from agentnb.decisions import StepTurn, decide_rows
from tests.benchmarks.measure import best_times, print_ratios
from tests.benchmarks.recordings import write_claude_session

ACTION = {"name": "search", "params": {"query": "lamp " * 30}}
ENVELOPE = {"taskComplete": False, "message": "Looking. " * 20, "nextStep": {"type": "Actions", "actions": [ACTION]}}


def main(megabytes: float = 30) -> None:
    """Print times of one run: a session of a coding tool in memory, then envelopes as a model writes them."""
    with tempfile.TemporaryDirectory() as folder:
        print_session(write_claude_session(Path(folder, "session.jsonl"), megabytes=megabytes))
    print_envelopes(20_000)


def print_session(path: Path) -> None:
    """Print what filling `decisions` takes, and what it is of reading the file."""
    reading = took(lambda: anb.open(path).close())
    filling, steps, size = float("inf"), 0, 0
    texts: list[str] = []
    for _ in range(3):
        with anb.open(path) as ws:
            texts = said(ws)
            start = time.process_time()
            ((steps,),) = ws.sql("select count(*) from decisions").fetchall()
            filling = min(filling, time.process_time() - start)
            size = sum(map(len, texts))
    parsing = took(lambda: [json.loads(text) for text in texts])
    print(f"{path.stat().st_size / 1e6:,.0f} MB, {steps:,} steps that say {size / 1e6:.1f} MB, in memory, cpu:")
    print(f"  decisions {filling:.3f} s: {filling / steps * 1e6:.0f} µs a step, {filling / size * 1e9:.1f} µs a kB")
    print(f"  {filling / reading:.2f} of reading the file ({reading:.2f} s), {filling / parsing:.1f} times json.loads of the same texts ({parsing:.3f} s)")


def print_envelopes(steps: int) -> None:
    """Print what the rows of steps that are envelopes take, beside json.loads of the same envelopes."""
    text = json.dumps(ENVELOPE)
    turns = [StepTurn(str(place), text, protocol="envelope") for place in range(steps)]
    times = best_times({"json.loads": lambda: [json.loads(text) for _ in range(steps)], "decisions": lambda: decide_rows(turns)})
    took = times["decisions"].cpu
    print(f"{steps:,} envelopes of {len(text):,} bytes: {took / steps * 1e6:.1f} µs a step, {took / len(text) / steps * 1e9:.1f} µs a kB")
    print_ratios(times, against="json.loads")


def said(ws: anb.Workspace) -> list[str]:
    """Return what the steps said and asked for, as JSON texts: arguments as they are, words as JSON strings."""
    words = ws.sql("select text from parts where type = 'text' and step_id is not null order by message_index, part_index").fetchall()
    inputs = ws.sql("select input from calls where kind = 'tool' and input is not null order by call_index").fetchall()
    return [*(json.dumps(text) for (text,) in words), *(given for (given,) in inputs)]


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
