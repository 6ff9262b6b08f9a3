"""Which calls of a program have a known answer? Asked of a workspace, or of records as FunctAI writes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, Final

from agentnb.errors import RatingError
from agentnb.ratings import Program, rated_calls
from agentnb.workspace._known import records_for
from agentnb.workspace._rated_rows import RatedRows
from agentnb.workspace._workspace import Workspace

_FINGERPRINTS: Final = ("module", "file", "signature", "interface")


def rated(
    source: Workspace | Iterable[Any],
    program: Any,
    *,
    agent: str | None = None,
    module: str | None = None,
    file: str | None = None,
    signature: str | None = None,
    interface: str | None = None,
    by: str | None = None,
) -> RatedRows:
    """Return the calls of a program whose right answer people know: 'right' makes the call's own answer the known one, a correction the corrected one.

    What was imported has no fingerprints: its calls belong together by name and agent. A turn is a call of its agent with the input `prompt` and the output
    `answer`, a model call one with `messages` and `message`, a tool call one with its arguments and `output`.

    Args:
        source: a workspace, or call and rating records (FunctAI's formats) in any order.
        program: name of the program, tool, agent or model; or what has a `name` and, where known, the fingerprints below, such as a program.
        agent: of imported calls, only those of this agent.
        module: the module that defines the program.
        file: the file that defines it, where two notebooks have programs of one name.
        signature: fingerprint of all its fields.
        interface: fingerprint of its inputs and outputs.
        by: only what this person said.

    Returns:
        The rows, oldest first; `.left_out` counts the rated calls that make none.

    Raises:
        RatingError: when there is no row at all.

    Warns:
        UserWarning: when rated calls were left out, with counts and reasons.
    """
    wanted = _program(program, {"module": module, "file": file, "signature": signature, "interface": interface})
    records = _records(source, wanted.name, agent) if isinstance(source, Workspace) else source
    found = rated_calls(records, wanted, by=by)
    rows = RatedRows(found.calls, name=wanted.name, left_out=found.left_out, excluded=found.excluded)
    if not rows:
        raise RatingError(_nothing(rows, by))
    if rows.excluded:
        warnings.warn(f"{len(rows.excluded):,} rated calls of {wanted.name} make no row: {rows.why_left_out}.", UserWarning, stacklevel=2)
    return rows


def _program(program: Any, given: dict[str, str | None]) -> Program:
    if isinstance(program, str):
        return Program(program, **given)
    name = getattr(program, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"A program is given by its name, or by what has a name, not by a {type(program).__name__}.")
    own = {key: value for key in _FINGERPRINTS if isinstance(value := getattr(program, key, None), str)}
    return Program(name, **{**own, **{key: value for key, value in given.items() if value is not None}})


def _records(workspace: Workspace, name: str, agent: str | None) -> list[dict[str, Any]]:
    workspace._sync()
    return records_for(workspace._database, name, agent)


def _nothing(rows: RatedRows, by: str | None) -> str:
    if rows.excluded:
        return f"None of the {len(rows.excluded):,} rated calls of {rows.name!r} makes a row: {rows.why_left_out}. ws.rate(call, answer=…) gives an answer."
    who = f" by {by}" if by else ""
    return (
        f"No call of {rows.name!r} is rated{who}: ws.rate(call, 'right'). ws.sql('from rated_calls select distinct name order by name') lists those that are."
    )
