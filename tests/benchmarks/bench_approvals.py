"""What does watching cost? A widget over 1,000 conversations that wait, tables that follow them, and one conversation of 100,000 records, on SQLite."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import agentnb as anb
from agentnb.conversations.questions import Questions
from agentnb.conversations.stores import SqlStore
from agentnb.readers import LiveDatabase
from agentnb.values.times import time_text
from tests.benchmarks.measure import best_times, print_ratios

CONVERSATIONS: Final = 1_000
TURNS: Final = 20_000
VERSION: Final = "sha256:1"


def main() -> None:
    """Print times beside the bare query for the lengths, and beside a bare read of the same records."""
    with tempfile.TemporaryDirectory() as folder:
        _watch(Path(folder, "many.db"))
        _follow(Path(folder, "many.db"))
        _open_long(Path(folder, "long.db"))


def _watch(database: Path) -> None:
    store = SqlStore(database)
    for number in range(CONVERSATIONS):
        store.append(f"c{number}", _waiting(number))
    first = best_times({"Approvals, first view": lambda: anb.Approvals(store), "lengths()": store.lengths}, rounds=3)
    sys.stdout.write(f"{CONVERSATIONS:,} conversations that wait\n")
    print_ratios(first, against="lengths()")
    questions = Questions(store)
    questions.waiting()
    print_ratios(best_times({"a look, nothing new": questions.waiting, "lengths()": store.lengths}, rounds=50), against="lengths()")


def _follow(database: Path) -> None:
    store, bare = SqlStore(database), LiveDatabase(database)
    print_ratios(best_times({"anb.open": lambda: anb.open(database), "lengths()": bare.lengths}, rounds=3), against="lengths()")
    ws = anb.open(database)

    def append_and(look: Any) -> Any:
        def run() -> None:
            store.append("c7", [_record("entry", plugin="notes", entry="note", data=1)])
            look()

        return run

    idle = {"a query, nothing new": lambda: ws.sql("select 1").fetchall(), "ws.refresh(), nothing new": ws.refresh, "lengths()": bare.lengths}
    print_ratios(best_times(idle, rounds=30), against="lengths()")
    one = {"ws.refresh(), one record more": append_and(ws.refresh), "append and lengths()": append_and(bare.lengths)}
    print_ratios(best_times(one, rounds=10), against="append and lengths()")


def _open_long(database: Path) -> None:
    store = SqlStore(database)
    records = [_record("program", version=VERSION, name="support", program_kind="ai"), *(each for number in range(TURNS) for each in _ended(number))]
    for first in range(0, len(records), 10_000):
        store.append("long", records[first : first + 10_000])
    sys.stdout.write(f"one conversation of {len(records):,} records\n")
    competitors = {"anb.open, in memory": lambda: anb.open(database), "store.read": lambda: store.read("long")}
    print_ratios(best_times(competitors, rounds=2), against="store.read")


def _waiting(number: int) -> list[dict[str, Any]]:
    asked = {"site": "support#1", "invocation": 1, "name": "refund", "path": "support/refund", "input": {"order": f"W{number}"}, "effects": "changes"}
    done = [each for earlier in range(4) for each in _ended(number * 10 + earlier)]
    turn = f"t{number}"
    return [
        _record("program", version=VERSION, name="support", program_kind="ai"),
        *done,
        _record("turn", turn=turn, parent=None, program=VERSION, inputs={"message": f"Refund W{number}"}),
        _record("lease", turn=turn, holder="other:1", until=time_text(1_000_000), attempt=1),
        _record("waiting", turn=turn, approvals=[asked], attempt=1),
    ]


def _ended(number: int) -> Iterable[dict[str, Any]]:
    turn = f"e{number}"
    response = {"message": {"role": "assistant", "parts": [{"type": "text", "text": f"Order W{number} is on its way."}]}, "finish": "stop", "usage": {}}
    yield _record("turn", turn=turn, parent=None, program=VERSION, inputs={"message": f"Where is order W{number}?"})
    yield _record("lease", turn=turn, holder="other:1", until=time_text(1_000_000), attempt=1)
    yield _record("reply", turn=turn, key=f"k{number}", response=response, site="support#1", attempt=1)
    yield _record("entry", turn=turn, plugin="notes", entry="note", data={"order": number})
    yield _record("ended", turn=turn, state="done", outputs={"result": f"Order W{number} is on its way."}, value="on its way", saw=[], attempt=1)


def _record(kind: str, **fields: Any) -> dict[str, Any]:
    return {"functai_conversation": 1, "kind": kind, "at": time_text(1_000_000), **fields}


if __name__ == "__main__":
    main()
