"""How long do script rows of 100,000 recorded calls take, against reading their JSON and against the import; and is the evidence check linear?"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agentnb as anb
from agentnb.scripts import Served, check_answer, rows_of_calls

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.measure import Times, best_times, print_ratios
from tests.benchmarks.recordings import write_claude_session

COLUMNS = "call_id, conversation_id, turn_id, tool_call_id, name, input, output, error, exit_code, state, failed, extra"
SIZES = (1, 2, 4)


def main(calls: int = 100_000) -> None:
    """Print times and ratios of both."""
    bench_rows(calls)
    bench_import()
    bench_evidence()


def bench_rows(calls: int) -> None:
    """Make rows of calls that run a program each, against parsing the JSON of their arguments alone."""
    columns = _calls(calls)
    sys.stdout.write(f"script rows of {calls:,} recorded calls\n")
    competitors = {
        "json.loads of the arguments": lambda: [json.loads(given) for given in columns["input"]],
        "rows_of_calls": lambda: rows_of_calls(columns),
    }
    times = best_times(competitors)
    print_ratios(times, against="json.loads of the arguments")
    sys.stdout.write(f"{times['rows_of_calls'].cpu / calls * 1e6:.1f} microseconds of CPU a call\n")


def bench_import() -> None:
    """Make the rows of a session against reading it."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_claude_session(Path(folder, "session.jsonl"), megabytes=20)
        ws = anb.open(path)
        held = ws.sql(f"select {COLUMNS} from calls where kind = 'tool' order by call_index").fetchall()
        columns = {name: [row[place] for row in held] for place, name in enumerate(COLUMNS.split(", "))}
        sys.stdout.write(f"script rows of a session of 20 MB with {len(held):,} tool calls\n")
        print_ratios(best_times({"anb.open": lambda: anb.open(path), "rows_of_calls": lambda: rows_of_calls(columns)}, rounds=3), against="anb.open")


def bench_evidence() -> None:
    """Check an answer against one, two and four times the evidence, all below the caps, with as many values in the answer."""
    competitors = {}
    for size in SIZES:
        words = list(_words(size * 45_000))
        results = [Served(text, "Bash") for text in _texts(words)]
        answer = " ".join(words[: size * 4_000])
        competitors[f"{size}x"] = lambda results=results, answer=answer: check_answer(answer, results)
        sys.stdout.write(f"evidence {size}x: {sum(len(result.text) for result in results) / 1e6:.1f} MB, answer of {size * 4_000:,} tokens\n")
    times = best_times(competitors, rounds=3)
    print_ratios(times, against="1x")
    per_unit = {name: Times(took.wall / int(name[0]), took.cpu / int(name[0])) for name, took in times.items()}
    sys.stdout.write("per unit of size, which is 1.00 where the time is linear:\n")
    print_ratios(per_unit, against="1x")


def _calls(count: int) -> dict[str, list[Any]]:
    chance = random.Random(1)
    programs = [f"cd /home/ana/shop && python -m pytest -q tests/test_{number}.py | tail -{number % 40}" for number in range(2_000)]
    outputs = ["ok\n" * chance.randint(1, 200) for _ in range(200)]
    failed = [chance.random() < 0.08 for _ in range(count)]
    return {
        "call_id": [f"toolu_{number:024x}" for number in range(count)],
        "turn_id": [f"turn-{number // 50}" for number in range(count)],
        "name": [chance.choice(("Bash", "exec_command", "execute_bash", "python")) for _ in range(count)],
        "input": [json.dumps({"command": chance.choice(programs), "description": "Run the tests"}) for _ in range(count)],
        "output": [("Exit code 1\n" if bad else "") + chance.choice(outputs) for bad in failed],
        "failed": failed,
        "state": ["failed" if bad else "done" for bad in failed],
        "exit_code": [None if bad or chance.random() < 0.5 else 0 for bad in failed],
    }


def _words(count: int) -> Iterator[str]:
    chance = random.Random(2)
    for number in range(count):
        yield f"host{number}" if number % 3 else f"{chance.randint(10**4, 10**9)}"


def _texts(words: list[str]) -> Iterator[str]:
    """Write half of the words as JSON and half as lines of text, with words in between that are no values."""
    for start in range(0, len(words), 400):
        own = words[start : start + 400]
        yield (
            json.dumps([{"name": word, "note": "as it was found"} for word in own]) if start % 800 else "\n".join(f"{word} is up and was seen" for word in own)
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
