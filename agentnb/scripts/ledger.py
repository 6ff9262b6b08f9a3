"""The live ledger: script rows are filed when a program is handed to its tool, kept current when it settles, and lose their text with their turn.

One writer, in two steps: `file_script` when the tool is entered, `settle_script` when its call has ended. A ledger is plain data that also holds
rows of other kinds; every write gives a new list, so that who holds an older one sees it unchanged. That a row is kept current, and what it holds, is
published by agentfootprint; what to do with a lost handle, an unknown number or a second settlement is our design.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import ValidationError

from agentnb.errors import ScriptError
from agentnb.scripts.declaration import MAX_SCRIPT_BYTES, Recording, Script
from agentnb.scripts.endings import Ending
from agentnb.values import ScriptRow
from agentnb.values.scripts import program_size

LedgerRow: TypeAlias = ScriptRow | dict[str, Any]
Ledger: TypeAlias = Sequence[LedgerRow]

OTHER_KINDS: Final = frozenset(
    {"argument", "basis", "call", "conflict", "contingent", "grounded", "judgment", "judgment-error", "standing", "steps-unfinished", "unsettled-by-absence"}
)
"""Kinds of rows that stand beside script rows on one ledger."""


class Filed(NamedTuple):
    """A ledger after a program was handed to its tool."""

    ledger: Ledger | None
    """The ledger; None, as before, where there is none and nothing was filed."""
    dispatch: int | None
    """The number that this call keeps, also across a pause; None when no row was filed."""


def file_script(
    ledger: Ledger | None,
    arguments: Any,
    *,
    script: Script | None,
    recording: Recording,
    tool: str,
    tool_call_id: str | None,
    turn: int,
    iteration: int,
    proposed: Any = None,
    limit: int = MAX_SCRIPT_BYTES,
) -> Filed:
    """File a row, at the moment at which the tool is entered and not before: a call that was stopped on the way has no row and no number.

    Args:
        ledger: the rows so far; None where there are none.
        arguments: the arguments the tool is called with, after every rule.
        script: the tool's declaration; without one nothing is filed.
        recording: whether rows are recorded; unarmed nothing is filed.
        tool: the name the model called.
        tool_call_id: the provider's id, for display.
        turn: number of the turn, from 1.
        iteration: number of the model call in this run, from 1.
        proposed: the arguments as the model wrote them; None when no rule could change them.
        limit: bytes up to which the text is kept.

    Returns:
        A new ledger and the number of this call. In a parallel batch rows are filed in the model's order before the batch starts.
    """
    program = arguments.get(script.argument) if script is not None and isinstance(arguments, Mapping) else None
    if script is None or not recording.armed or not isinstance(program, str):
        return Filed(ledger, None)
    size = program_size(program)
    changed = isinstance(proposed, Mapping) and proposed.get(script.argument) != program
    dispatch = 1 + sum(1 for row in _scripts(ledger) if row.turn == turn)
    row = ScriptRow(
        tool_call_id=tool_call_id,
        dispatch=dispatch,
        tool=tool,
        argument=script.argument,
        language=script.language,
        bytes=size.bytes,
        lines=size.lines,
        text=program if size.bytes <= limit else None,
        outcome="submitted",
        rewritten=True if changed else None,
        turn=turn,
        iteration=iteration,
    )
    return Filed([*(ledger or ()), row], dispatch)


def settle_script(ledger: Ledger, ending: Ending, *, turn: int, dispatch: int, strict: bool = False) -> Ledger:
    """Write how a call ended on its own row, found by turn and dispatch and never by the provider's id.

    Args:
        ledger: the rows so far.
        ending: how it ended.
        turn: number of the turn in which it was filed.
        dispatch: the number it was given.
        strict: whether an unknown number and a second settlement are errors; a run goes on without, as a record must never fail it.

    Returns:
        A new ledger with the row in its old place; the same one when there is nothing to write.

    Raises:
        ScriptError: with `strict`, the row does not exist or has settled already; the first settlement stands.
    """
    place = next((at for at, row in enumerate(ledger) if isinstance(row, ScriptRow) and (row.turn, row.dispatch) == (turn, dispatch)), None)
    if place is None:
        return _refused(ledger, f"There is no script row {dispatch} in turn {turn}; file_script gives the number to settle.", strict=strict)
    row = ledger[place]
    if not isinstance(row, ScriptRow) or row.outcome != "submitted":
        return _refused(ledger, f"Script row {dispatch} of turn {turn} has settled already; the first settlement stands.", strict=strict)
    facts = {
        "outcome": ending.outcome,
        "exit_code": ending.exit_code,
        "service_error": True if ending.service_error else None,
        "result_withheld": "over-ceiling" if ending.withheld else None,
    }
    settled = ScriptRow.model_validate(row.model_dump() | facts)
    return [*ledger[:place], settled, *ledger[place + 1 :]]


def open_dispatch(ledger: Ledger | None, *, turn: int, tool_call_id: str | None) -> int | None:
    """Return the number of a paused call whose handle was lost: the last unsettled row of this turn with its id; None means that it is filed anew."""
    rows = [row for row in _scripts(ledger) if row.turn == turn and row.tool_call_id == tool_call_id and row.outcome == "submitted"]
    return rows[-1].dispatch if rows else None


def start_turn(ledger: Ledger | None, turn: int) -> Ledger | None:
    """Let the texts of earlier turns go as a new turn begins; all other fields stay, and what never settled stays submitted.

    A resumed turn is the same turn: its texts stay.
    """
    if ledger is None:
        return None
    return [row.model_copy(update={"text": None}) if isinstance(row, ScriptRow) and row.turn < turn and row.text is not None else row for row in ledger]


def turn_number(roles: Iterable[str], *, known: int = 0) -> int:
    """Return the number of the turn: the messages of the person so far, at least 1, and not below what a store already knows.

    Args:
        roles: roles of the messages of this run.
        known: the highest number that a store has for this conversation; skipping a number is harmless, giving one twice is not.
    """
    return max(1, known, sum(1 for role in roles if role == "user"))


def script_event(row: ScriptRow) -> dict[str, Any]:
    """Return what an event may say about a row: every published field but the program, which quotes the data it was given."""
    return row.model_dump(by_alias=True, exclude={"text"})


def script_row_is_well_formed(stored: Any, *, limit: int = MAX_SCRIPT_BYTES) -> bool:
    """Say whether a stored row can be one: all that holds for a row by itself, with flags that are true or absent and never null.

    Args:
        stored: a row as a checkpoint holds it, in either spelling.
        limit: bytes up to which a text is kept.
    """
    if not isinstance(stored, Mapping) or stored.get("kind") != "script" or any(value is None for value in stored.values()):
        return False
    try:
        row = ScriptRow.model_validate(dict(stored), strict=True)
    except ValidationError:
        return False
    return row.text is None or row.bytes <= limit


def restore_ledger(stored: Iterable[Any], *, limit: int = MAX_SCRIPT_BYTES) -> list[LedgerRow]:
    """Read a ledger back from a checkpoint: a plain copy of its rows, each checked at the door.

    Raises:
        ScriptError: a row of an unknown kind, a script row that cannot be, or numbers that do not run from 1 in their turn.
    """
    rows: list[LedgerRow] = []
    numbers: dict[int, int] = {}
    for place, row in enumerate(stored):
        kind = row.get("kind") if isinstance(row, Mapping) else None
        if kind in OTHER_KINDS:
            rows.append(dict(row))
            continue
        if not script_row_is_well_formed(row, limit=limit):
            raise ScriptError(f"Row {place} of the stored ledger, of kind {kind!r}, is none that can be; the ledger was not restored.")
        made = ScriptRow.model_validate(dict(row))
        numbers[made.turn] = numbers.get(made.turn, 0) + 1
        if made.dispatch != numbers[made.turn]:
            raise ScriptError(f"Row {place} of the stored ledger is dispatch {made.dispatch} of turn {made.turn}, where {numbers[made.turn]} is due.")
        rows.append(made)
    return rows


def _scripts(ledger: Ledger | None) -> list[ScriptRow]:
    return [row for row in ledger or () if isinstance(row, ScriptRow)]


def _refused(ledger: Ledger, message: str, *, strict: bool) -> Ledger:
    if strict:
        raise ScriptError(message)
    return ledger
