"""What the benchmarks share: times of competitors taken in turn, so that a busy machine slows all of them alike, and the peak memory of a process."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Times(NamedTuple):
    """The best of several runs, in seconds."""

    wall: float
    cpu: float


def best_times(competitors: Mapping[str, Callable[[], Any]], *, rounds: int = 5) -> dict[str, Times]:
    """Run competitors in turn and return the best times of each.

    Args:
        competitors: what to run, by name.
        rounds: how often each is run.
    """
    best = {name: Times(float("inf"), float("inf")) for name in competitors}
    for _ in range(rounds):
        for name, run in competitors.items():
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            took = Times(time.perf_counter() - wall, time.process_time() - cpu)
            best[name] = Times(*map(min, best[name], took))
    return best


def print_ratios(times: Mapping[str, Times], *, against: str) -> None:
    """Print the times and what they are of the times of one competitor."""
    base = times[against]
    width = max(map(len, times))
    for name, took in times.items():
        ratios = f"{took.wall / base.wall:6.2f} wall {took.cpu / base.cpu:6.2f} cpu"
        sys.stdout.write(f"{name:{width}}  {took.wall:7.3f} s wall {took.cpu:7.3f} s cpu   of {against}: {ratios}\n")


def peak_megabytes(code: str) -> float:
    """Run Python code in a process of its own and return the most memory it held, in 10^6 bytes; only on Linux."""
    # ru_maxrss would do elsewhere too, but a new process inherits that of the one that started it.
    script = f"{code}\nprint(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return int(ran.stdout.split()[-1]) * 1024 / 1e6
