"""What code ran: one row per call of a tool that runs code."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import AliasGenerator, BeforeValidator, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator
from pydantic.alias_generators import to_camel

from agentnb.values._base import Value

ScriptOutcome = Literal["submitted", "completed", "failed", "raised", "unreported", "answered"]


class ProgramSize(NamedTuple):
    """How large a program is."""

    bytes: int
    """Bytes of UTF-8; a lone surrogate counts three."""
    lines: int
    """Lines separated by LF; 0 for the empty program, and one more for an LF at the end."""


def program_size(text: str) -> ProgramSize:
    """Measure a program the way script rows do: LF alone separates lines, and an LF at the end begins another one."""
    length = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return ProgramSize(length, text.count("\n") + 1 if text else 0)


def _not_a_flag(value: Any) -> Any:
    """Refuse True where a number is meant: in Python it is one."""
    if isinstance(value, bool):
        raise ValueError(f"a number, not {value}")
    return value


Number = Annotated[int, BeforeValidator(_not_a_flag)]
Place = Annotated[int, BeforeValidator(_not_a_flag), Field(ge=1)]
Amount = Annotated[int, BeforeValidator(_not_a_flag), Field(ge=0)]


class Published(Value):
    """A value with a public form of its own: its names in camelCase are accepted and, by alias, written; what is absent is not written at all."""

    model_config = ConfigDict(alias_generator=AliasGenerator(serialization_alias=to_camel))

    @model_validator(mode="before")
    @classmethod
    def _in_our_words(cls, given: Any) -> Any:
        """Take the published names too; a name that is given in both spellings stays and is refused."""
        ours = {to_camel(name): name for name in cls.model_fields}
        if not isinstance(given, dict) or not any(name in ours for name in given):
            return given
        return {name if ours.get(name, name) in given else ours.get(name, name): value for name, value in given.items()}

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, written: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in written(self).items() if value is not None}


class ScriptRow(Published):
    """One call of a tool that runs code; a row of `script_rows`.

    It says which program was submitted (F1) and what its execution record proves (F2). That a program ran is never evidence that its output is right.
    Fields follow the published script row of agentfootprint, whose names in camelCase are accepted and, by alias, written; what is absent is not
    written at all. The outcome words beyond `submitted` are our own design, as are the ids of conversation, turn and call, which a live row has not.

    Raises:
        ValueError: the fields contradict each other; a row that is made is a row that can be.
    """

    kind: Literal["script"] = "script"
    """Always script."""
    conversation_id: str | None = None
    """The conversation it belongs to."""
    turn_id: str | None = None
    """The turn it belongs to."""
    call_id: str | None = None
    """The tool call that ran the program."""
    tool_call_id: str | None = None
    """The provider's id of the call; for display only, since it repeats."""
    dispatch: Place
    """Order of dispatch within its turn, from 1; rows are counted and matched by this."""
    tool: str
    """The name the model called."""
    argument: str
    """The argument that carried the program."""
    language: str | None = None
    """Language of the program, where the tool, an argument or the program's first line tells it; never guessed."""
    bytes: Amount
    """Length of the program in bytes of UTF-8."""
    lines: Amount
    """Lines of the program, separated by LF; 0 for the empty program."""
    text: str | None = None
    """The program while its turn runs; null afterwards, when `script_programs` has it, and over 65,536 bytes."""
    outcome: ScriptOutcome
    """submitted, completed, failed, raised, unreported or answered."""
    exit_code: Annotated[int | None, BeforeValidator(_not_a_flag)] = None
    """Exit code as the runner gave it; null when it gave none."""
    service_error: Literal[True] | None = None
    """True when the service that runs the code failed and there is no exit code; else null."""
    result_withheld: Literal["over-ceiling"] | None = None
    """over-ceiling when the tool's own ceiling kept its result from the model; else null."""
    rewritten: Literal[True] | None = None
    """True when a rule changed the program before it ran; else null."""
    turn: Place
    """Number of the turn in the conversation, from 1."""
    iteration: Place
    """Number of the model call in its turn that asked for it, from 1."""

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        """Keep what every row promises: sizes are those of the text, a failed service gave no exit code, and what has not ended proves nothing."""
        if self.text is not None and program_size(self.text) != (self.bytes, self.lines):
            raise ValueError(f"the text has {program_size(self.text)}, the row says bytes={self.bytes}, lines={self.lines}")
        if (self.bytes == 0) != (self.lines == 0) or self.lines > self.bytes + 1:
            raise ValueError(f"no program has bytes={self.bytes} and lines={self.lines}")
        if self.exit_code is not None and self.service_error:
            raise ValueError("exit_code and service_error exclude each other")
        if self.outcome == "submitted" and (self.exit_code is not None or self.service_error or self.result_withheld):
            raise ValueError("a program that was only submitted has no exit_code, service_error or result_withheld")
        return self


class ScriptProgram(Value):
    """A program that a recorded call asked for; a row of `script_programs`, with what the published script row has no field for."""

    call_id: str
    """The tool call that asked for the program."""
    argument: str
    """The argument that carried it."""
    text: str
    """The program."""
    shape: str | None = None
    """Short name for its form without names, texts and numbers; equal for the same computation written again."""
    cause: Literal["timeout", "interrupted", "running"] | None = None
    """timeout, interrupted or running, where the recording tells why there is no exit code; else null."""
    blocked: Literal["denied", "invalid_arguments", "unknown_tool"] | None = None
    """denied, invalid_arguments or unknown_tool when it never ran; else null."""
    previous_call_id: str | None = None
    """The call with the program before it of the same tool and turn; null for the first."""
    diff: str | None = None
    """What changed from that program, line by line, where that one did not end well or may be an attempt at the same; else null."""
    lines_added: int | None = None
    """Lines that are new against that program; null without diff."""
    lines_removed: int | None = None
    """Lines of that program that are gone; null without diff."""
