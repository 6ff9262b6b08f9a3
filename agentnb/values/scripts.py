"""What code ran: one row per call of a tool that runs code."""

from __future__ import annotations

from typing import Literal

from agentnb.values._base import Value

ScriptOutcome = Literal["submitted", "completed", "failed", "raised", "unreported", "answered"]


class ScriptRow(Value):
    """One call of a tool that runs code; a row of `script_rows`.

    It says which program was submitted and what its execution record proves. That a program ran is never evidence that its output is right.
    Fields follow the published script row of agentfootprint; the outcome words beyond `submitted` are our own, as are the three ids and `step_id`.
    """

    kind: Literal["script"] = "script"
    """Always script."""
    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn it belongs to."""
    call_id: str
    """The tool call that ran the program."""
    tool_call_id: str | None = None
    """The provider's id of the call; for display only, since it repeats."""
    dispatch: int
    """Order of dispatch within its turn, from 1; rows are counted and matched by this."""
    tool: str
    """The name the model called."""
    argument: str
    """The argument that carried the program."""
    language: str | None = None
    """Language of the program, where the tool's name tells it; never guessed."""
    bytes: int
    """Length of the program in bytes of UTF-8."""
    lines: int
    """Lines of the program, separated by LF; 0 for the empty program."""
    text: str | None = None
    """The program while its turn runs; null afterwards, when `script_programs` has it, and over 65,536 bytes."""
    outcome: ScriptOutcome
    """submitted, completed, failed, raised, unreported or answered."""
    exit_code: int | None = None
    """Exit code as the runner gave it; null when it gave none."""
    service_error: Literal[True] | None = None
    """True when the service that runs the code failed and there is no exit code; else null."""
    result_withheld: Literal["over-ceiling"] | None = None
    """over-ceiling when the tool's own ceiling kept its result from the model; else null."""
    rewritten: Literal[True] | None = None
    """True when a rule changed the program before it ran; else null."""
    turn: int
    """Number of the turn in the conversation, from 1."""
    iteration: int
    """Number of the model call in its turn that asked for it, from 1."""
