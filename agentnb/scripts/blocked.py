"""Programs that never ran: stopped before the tool was entered, kept on a list of their own, since a script row means that a program was submitted."""

from __future__ import annotations

from typing import Literal

from agentnb.scripts.declaration import Script
from agentnb.values.scripts import Amount, Place, Published, program_size

BlockedReason = Literal["denied", "declined", "halted", "invalid_arguments", "refused", "unknown_tool", "not_dispatched"]


class BlockedScript(Published):
    """A program that was asked for and not submitted; our own design, beside the published rows."""

    tool_call_id: str | None = None
    """The provider's id of the call; for display only."""
    tool: str
    """The name the model called."""
    argument: str
    """The argument that carried the program."""
    language: str | None = None
    """Language of the program, where the tool declares one."""
    bytes: Amount
    """Length of the program in bytes of UTF-8."""
    lines: Amount
    """Lines of the program, separated by LF."""
    text: str
    """The program."""
    reason: BlockedReason
    """What stopped it: denied by permission, declined by a person, halted, invalid arguments, refused, unknown tool, or a sibling that paused."""
    turn: Place
    """Number of the turn, from 1."""
    iteration: Place
    """Number of the model call that asked for it, from 1."""


def blocked_script(
    program: object, reason: BlockedReason, *, script: Script, tool: str, tool_call_id: str | None, turn: int, iteration: int
) -> BlockedScript | None:
    """Note a program that was stopped on its way to the tool; None when the argument holds no text, so that no program is invented."""
    if not isinstance(program, str):
        return None
    size = program_size(program)
    return BlockedScript(
        tool_call_id=tool_call_id,
        tool=tool,
        argument=script.argument,
        language=script.language,
        bytes=size.bytes,
        lines=size.lines,
        text=program,
        reason=reason,
        turn=turn,
        iteration=iteration,
    )
