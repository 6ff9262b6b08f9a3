"""Which program a call ran and what its record proves: worked out for a turn when the first of its calls is shown, and never for a turn that is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from agentnb.scripts import code_tool, rows_of_calls
from agentnb.values import Call, ScriptRow

_READ: Final = ("call_id", "conversation_id", "turn_id", "tool_call_id", "name", "input", "output", "error", "exit_code", "state", "failed", "extra")


class Ran(NamedTuple):
    """The program of a call."""

    row: ScriptRow | None
    """Its script row; None when it never ran."""
    text: str
    """The program."""
    argument: str
    """The argument that carried it."""
    language: str | None
    """Its language, where the recording tells."""
    change: str | None
    """What changed since the attempt before it in its turn; None when there was none."""


class Programs:
    """Programs of calls, looked up by call.

    Args:
        calls: the calls of a turn.
    """

    def __init__(self, calls: Sequence[Call] = ()) -> None:
        self._calls = calls
        self._made: dict[str, Ran] | None = None

    def of(self, call: Call) -> Ran | None:
        """Return the program of a call; None for a call of a tool that runs no code, or without a program in its arguments."""
        if call.kind != "tool" or code_tool(call.name) is None:
            return None
        if self._made is None:
            self._made = _programs_of(self._calls)
        return self._made.get(call.call_id) or _programs_of([call]).get(call.call_id)


def _programs_of(calls: Iterable[Call]) -> dict[str, Ran]:
    running = [call for call in calls if call.kind == "tool" and code_tool(call.name) is not None]
    made = rows_of_calls({name: [getattr(call, name) for call in running] for name in _READ})
    rows = (dict(zip(made.rows, values, strict=True)) for values in zip(*made.rows.values(), strict=True))
    by_call = {row["call_id"]: ScriptRow.model_construct(**row) for row in rows}
    programs = zip(*(made.programs[name] for name in ("call_id", "text", "argument", "diff")), strict=True)
    return {
        call_id: Ran(row := by_call.get(call_id), text, argument, row.language if row is not None else None, change)
        for call_id, text, argument, change in programs
    }
