"""What does agreement on 100,000 ratings cost beside the library alone, and a rating beside a raw write with fsync?"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import krippendorff
import numpy as np

import agentnb as anb

sys.path.insert(0, str(Path(__file__).parents[2]))

from agentnb.ratings import Judgements, measure_agreement, rating_record
from agentnb.workspace._append_log import AppendLog
from tests.benchmarks.measure import best_times, print_ratios
from tests.benchmarks.recordings import write_claude_session

RATERS = 5


def main(ratings: int = 100_000, appended: int = 300) -> None:
    """Print both."""
    print_agreement(made_judgements(ratings))
    with tempfile.TemporaryDirectory() as folder:
        print_appends(Path(folder), appended)


def made_judgements(count: int) -> Judgements:
    """Make judgements of five people about calls of 2,000 conversations, a fifth of them missing."""
    chance = random.Random(1)
    rows = []
    for call in range(count * 5 // 4 // RATERS):
        truth = chance.random() < 0.7
        for person in range(RATERS):
            if chance.random() < 0.8:
                verdict = "right" if truth != (chance.random() < 0.1) else "wrong"
                rows.append((f"call-{call}", f"person {person}", verdict, f"conversation {call % 2000}"))
    return Judgements(*(list(column) for column in zip(*rows, strict=True)))


def print_agreement(judgements: Judgements) -> None:
    """Print the time of alpha, Fleiss' and Cohen's kappa with and without intervals beside that of alpha alone from a matrix."""
    calls = {call: place for place, call in enumerate(dict.fromkeys(judgements.call_ids))}
    people = {person: place for place, person in enumerate(sorted({str(person) for person in judgements.raters}))}
    matrix = np.full((len(people), len(calls)), np.nan)
    for call, person, value, _ in zip(*judgements, strict=True):
        matrix[people[str(person)], calls[call]] = value == "right"
    print(f"{len(judgements.call_ids):,} ratings of {len(calls):,} calls by {len(people)} people")
    competitors: dict[str, Callable[[], object]] = {
        "krippendorff.alpha of a matrix": lambda: krippendorff.alpha(reliability_data=matrix, level_of_measurement="nominal"),
        "alpha, Fleiss, ten pairs": lambda: measure_agreement(judgements, draws=0),
        "the same with 1,000 draws": lambda: measure_agreement(judgements),
    }
    times = best_times(competitors, rounds=3)
    print_ratios(times, against="krippendorff.alpha of a matrix")
    started = time.perf_counter()
    for draw in range(3):
        places = np.random.default_rng(draw).integers(0, matrix.shape[1], matrix.shape[1])
        krippendorff.alpha(reliability_data=matrix[:, places], level_of_measurement="nominal")
    each = (time.perf_counter() - started) / 3
    ours = times["the same with 1,000 draws"].wall
    print(f"the library 1,000 times: {1000 * each:,.0f} s (three were run); ours is {ours / (1000 * each):.3f} of it, with all coefficients")


def print_appends(folder: Path, count: int) -> None:
    """Print the time of a rating, and of its log alone, beside a raw write and fsync of the same bytes."""
    ws = anb.open(write_claude_session(folder / "session.jsonl", megabytes=1), workspace=folder / "ws")
    (call,) = ws.sql("from tool_calls select call_id order by call_index limit 1").fetchall()[0]
    record = rating_record(ws.rate(call, "wrong", answer=12, note="too much", by="ana"))
    line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    log = AppendLog(folder / "log", lambda read: read, noun="rating")

    def repeated(action: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(count):
                action()

        return run

    with raw(folder / "raw") as write:
        times = best_times(
            {
                "raw write and fsync": repeated(lambda: write(line)),
                "the log alone": repeated(lambda: log.append(record)),
                "ws.rate": repeated(lambda: ws.rate(call, "wrong", answer=12, note="too much", by="ana")),
            },
            rounds=2,
        )
    print(f"{count:,} ratings of {len(line)} bytes, one after the other; {1000 * times['ws.rate'].wall / count:.2f} ms each")
    print_ratios(times, against="raw write and fsync")
    ws.close()


@contextmanager
def raw(path: Path) -> Iterator[Callable[[bytes], None]]:
    """Open a file that is appended to and flushed to the disk line by line."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(line: bytes) -> None:
        os.write(file, line)
        os.fsync(file)

    yield write
    os.close(file)


if __name__ == "__main__":
    main()
