"""Runs that end badly in known ways, as chat messages: what the views about rules are tried on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agentnb as anb

Call = tuple[str, dict[str, Any], str]

RED = "Exit code 1\nFAILED tests/test_a.py::test_b\n1 failed, 3 passed in 0.10s"
GREEN = "4 passed in 0.10s"
EDIT: Call = ("Edit", {"file_path": "a.py", "old_string": "1", "new_string": "2"}, "The file a.py has been updated.")
TESTS = ("Bash", {"command": "pytest -q"})

RUNS: dict[str, tuple[tuple[Call, ...], str]] = {
    "loop": ((("Fetch", {"page": 1}, "same"),) * 8, "The page says nothing new."),
    "polling": ((("Fetch", {"page": 1}, "a"), ("Fetch", {"page": 2}, "b"), ("Fetch", {"page": 1}, "c")), "The pages differ."),
    "unchecked": (((*TESTS, GREEN), EDIT), "The default is 2 now."),
    "never-checked": ((EDIT,), "The default is 2 now."),
    "checked": ((EDIT, (*TESTS, GREEN)), "The default is 2 now, and the tests pass."),
    "red": ((EDIT, (*TESTS, RED)), "All is well."),
    "red-then-green": (((*TESTS, RED), EDIT, (*TESTS, GREEN)), "All is well."),
}


def messages_of(calls: tuple[Call, ...], answer: str, asked: str = "See to it") -> Iterator[dict[str, Any]]:
    """Yield a turn as chat messages."""
    yield {"role": "user", "content": asked}
    for number, (name, put, got) in enumerate(calls):
        call = {"id": f"{name}-{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(put)}}
        yield {"role": "assistant", "content": None, "tool_calls": [call]}
        yield {"role": "tool", "tool_call_id": call["id"], "content": got}
    yield {"role": "assistant", "content": answer}


def unended_workspace(folder: Path) -> anb.Workspace:
    """Open a workspace with a file per run, and one whose second turn announces work and does none."""
    for name, (calls, answer) in RUNS.items():
        (folder / f"{name}.json").write_text(json.dumps(list(messages_of(calls, answer, f"See to {name}"))), "utf-8")
    said = [*messages_of((EDIT, (*TESTS, GREEN)), "Done.", "Change it"), *messages_of((), "I'll run the linter next.", "And the linter?")]
    (folder / "announced.json").write_text(json.dumps(said), "utf-8")
    return anb.open(folder)
