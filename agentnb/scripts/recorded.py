"""RECORDED CALLS -> SCRIPT ROWS, in columns: one row per call of a tool that runs code, whatever agent recorded it.

The bulk path: a call costs a few microseconds, nothing is made per call but tuples, and the columns go to Arrow as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple

from agentnb.scripts.changes import are_alike, diff_programs
from agentnb.scripts.declaration import MAX_SCRIPT_BYTES
from agentnb.scripts.programs import program_in
from agentnb.scripts.shapes import SHELLS, shape_hash
from agentnb.scripts.tools import CodeTool, code_tool
from agentnb.scripts.verdicts import Verdict, verdict_of
from agentnb.values import ScriptRow
from agentnb.values.scripts import program_size

TAKEN: Final = (
    "call_id", "conversation_id", "turn_id", "tool_call_id", "name", "input", "output", "error", "exit_code", "state", "failed", "extra", "turn", "iteration",
)  # fmt: skip
"""Columns that are read of the calls, in conversation and file order; `turn` and `iteration` are numbers from 1. Only call_id, name and input must be there."""
ROW_COLUMNS: Final = tuple(ScriptRow.model_fields)
"""Columns of `script_rows`: the fields of the value, in their order."""
PROGRAM_COLUMNS: Final = ("call_id", "argument", "text", "shape", "cause", "blocked", "previous_call_id", "diff", "lines_added", "lines_removed")
"""Columns of `script_programs`."""

_NO_CHANGE: Final = (None, None, None, None)

Columns = dict[str, list[Any]]


class ScriptColumns(NamedTuple):
    """What becomes of recorded calls, as columns of two tables."""

    rows: Columns
    """`script_rows`: programs that were submitted. `text` is null: the text of a recorded program is in `script_programs`."""
    programs: Columns
    """`script_programs`: every program that was asked for, those that never ran included (`blocked` says what stopped them)."""


def rows_of_calls(calls: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]], *, limit: int = MAX_SCRIPT_BYTES) -> ScriptColumns:
    """Make script rows of recorded calls, of any format.

    Args:
        calls: columns by name, or one mapping per call; see `TAKEN`. Calls of other tools may be among them.
        limit: bytes up to which programs are compared and given a shape; the text is kept whatever its length.

    Returns:
        The columns of both tables. Numbers run from 1 in each turn, in the order given; calls that never ran have none.

    Raises:
        ValueError: columns of different lengths, or without call_id, name or input.

    Example:
        >>> made = rows_of_calls([{"call_id": "a", "name": "Bash", "input": '{"command": "ls"}', "exit_code": 0}])
        >>> made.rows["bytes"], made.rows["outcome"]
        ([2], ['completed'])
    """
    filing = _Filing(limit)
    for call in zip(*_columns(calls), strict=True):
        tool = code_tool(call[4]) if isinstance(call[4], str) else None
        if tool is not None:
            filing.file(call, tool)
    rows, programs = zip(*filing.rows, strict=True) if filing.rows else (), zip(*filing.programs, strict=True) if filing.programs else ()
    return ScriptColumns(_named(ROW_COLUMNS, rows), _named(PROGRAM_COLUMNS, programs))


class _Filing:
    """Rows as they are made, with what the next one needs to know of those before it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.rows: list[tuple[Any, ...]] = []
        self.programs: list[tuple[Any, ...]] = []
        self._dispatched: dict[Any, int] = {}
        self._last: dict[Any, tuple[Any, str, str]] = {}

    def file(self, call: tuple[Any, ...], tool: CodeTool) -> None:
        """File one call of a code-running tool; a call whose arguments hold no program has no row."""
        call_id, conversation_id, turn_id, tool_call_id, name, given, output, error, exit_code, state, failed, extra, turn, iteration = call
        program = program_in(given, tool, name=name)
        if program is None:
            return
        text, argument, language = program
        size = program_size(text)
        ending = verdict_of(state=state, failed=failed, exit_code=exit_code, output=_text(output), error=_text(error), extra=_text(extra), hosted=tool.hosted)
        if ending.outcome is not None:
            dispatch = self._dispatched[turn_id] = self._dispatched.get(turn_id, 0) + 1
            flags = (ending.exit_code, True if ending.service_error else None, None, None)
            known = (conversation_id, turn_id, call_id, tool_call_id, dispatch, name, argument, language)
            self.rows.append(("script", *known, *size, None, ending.outcome, *flags, turn, iteration))
        shape = shape_hash(text if size.bytes <= self.limit else None, language or ("shell" if _is_shell(argument, tool) else None))
        before = self._before((turn_id, name), call_id, text, ending, size.bytes)
        self.programs.append((call_id, argument, _storable(text), shape, ending.cause, ending.blocked, *before))

    def _before(self, key: tuple[Any, Any], call_id: Any, text: str, ending: Verdict, size: int) -> tuple[Any, ...]:
        """Compare a program with the one before it of the same tool and turn: what changed is kept of a retry, and of what may be one."""
        if ending.outcome is None:
            return _NO_CHANGE
        last = self._last.get(key)
        self._last[key] = (call_id, text, ending.outcome)
        if last is None:
            return _NO_CHANGE
        previous, earlier, outcome = last
        again = outcome in ("failed", "raised") or (outcome != "completed" and are_alike(earlier, text))
        if not again or size > self.limit or len(earlier) > self.limit:
            return (previous, None, None, None)
        change = diff_programs(earlier, text)
        return (previous, _storable(change.diff), change.added, change.removed)


def _columns(calls: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]]) -> list[Iterable[Any]]:
    if not isinstance(calls, Mapping):
        listed = list(calls)
        calls = {name: [call.get(name) for call in listed] for name in TAKEN if name in ("call_id", "name", "input") or any(name in call for call in listed)}
    missing = [name for name in ("call_id", "name", "input") if name not in calls]
    lengths = {name: len(calls[name]) for name in TAKEN if name in calls}
    if missing or len(set(lengths.values())) > 1:
        raise ValueError(f"Calls are columns of one length, with call_id, name and input among them; missing: {missing}, lengths: {lengths}.")
    count = len(calls["call_id"])
    absent = {"turn": 1, "iteration": 1, "failed": False}
    return [calls[name] if name in calls else repeat(absent.get(name), count) for name in TAKEN]


def _named(names: Sequence[str], columns: Iterable[Sequence[Any]]) -> Columns:
    filled = [list(column) for column in columns]
    return dict(zip(names, filled, strict=True)) if filled else {name: [] for name in names}


def _text(value: Any) -> str | None:
    """Take a text as it is kept in rows that are not yet stored: JSON may still be the bytes it was."""
    if value is None or type(value) is str:
        return value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) if isinstance(value, str) else None


def _storable(text: str) -> str:
    """Write lone surrogates, which no table holds, as backslash escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _is_shell(argument: str, tool: CodeTool) -> bool:
    return tool.language in SHELLS or argument in ("command", "cmd", "commands", "keystrokes")
