"""Which tools run code, as their author declares it: the argument that carries the program, its language, and a ceiling on the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from pydantic import StrictInt, field_validator

from agentnb.errors import ScriptError
from agentnb.values import Value
from agentnb.values.scripts import Published

MAX_SCRIPT_BYTES: Final = 65_536
"""Bytes up to which the text of a program is kept on its row; the reference has such a limit, its size is our choice."""


class Script(Value):
    """A tool's declaration that it runs code: `Script(argument="code", language="python")`.

    That a declaration names the argument and optionally a language is published; that it is checked against the tool's input schema is our design.
    """

    argument: str = "code"
    """The argument that carries the program."""
    language: str | None = None
    """Language of every program that this tool runs; null when it differs or is not known."""

    @field_validator("argument")
    @classmethod
    def _named(cls, argument: str) -> str:
        if not argument.strip():
            raise ValueError("the argument that carries the program has a name; this one is blank")
        return argument


class Recording(Published):
    """Whether script rows are recorded at all: either option arms them; with neither there is no row, no ledger and no event."""

    code: Literal["match"] | None = None
    """match compares code in the answer with the programs that ran."""
    travels: bool = False
    """Whether the programs of a turn are appended to its answer."""

    @property
    def armed(self) -> bool:
        """Whether rows are filed."""
        return self.code is not None or self.travels


class ResultCeiling(Published):
    """The most characters that a tool may return; what is longer is withheld whole, never cut."""

    max_chars: StrictInt
    """Length of the longest result that passes, in characters."""
    narrow_by: tuple[str, ...] | None = None
    """Arguments by which the model can ask for less; null when there are none."""

    @field_validator("max_chars")
    @classmethod
    def _more_than_none(cls, most: int) -> int:
        if most <= 0:
            raise ValueError(f"a ceiling is at least one character, not {most}")
        return most

    @field_validator("narrow_by")
    @classmethod
    def _all_named(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names is not None and (not names or not all(name.strip() for name in names)):
            raise ValueError("narrow_by names arguments; leave it out where there are none")
        return names


class Withheld(NamedTuple):
    """What is delivered in place of a result over its tool's ceiling, on every channel; no error, and its status is invalid."""

    text: str
    """The refusal that the model reads."""
    event: dict[str, Any]
    """Payload of `agentfootprint.tools.result_refused`, the only place where the size survives."""
    status: str = "invalid"
    """The status that is delivered."""


def check_script(script: Script, input_schema: Mapping[str, Any], *, tool: str) -> Script:
    """Check a declaration against the tool's input schema, when the tool is defined.

    Args:
        script: the declaration.
        input_schema: JSON schema of the tool's arguments.
        tool: name of the tool, for the message.

    Returns:
        The declaration.

    Raises:
        ScriptError: the argument is no string among the properties of the schema.
    """
    properties = input_schema.get("properties")
    declared = properties.get(script.argument) if isinstance(properties, Mapping) else None
    kinds = declared.get("type") if isinstance(declared, Mapping) else None
    if kinds != "string":
        known = ", ".join(sorted(map(str, properties))) if isinstance(properties, Mapping) and properties else "none"
        raise ScriptError(f"Tool {tool!r} says that its argument {script.argument!r} carries a program, but its schema has no such string. It has: {known}.")
    return script


def withhold(ceiling: ResultCeiling, result: Any, *, tool: str, tool_call_id: str | None, iteration: int, status: str | None = None) -> Withheld | None:
    """Measure a result against its tool's own ceiling, after what wraps it was taken off and before any rule sees it.

    Args:
        ceiling: the tool's ceiling.
        result: what the tool returned; what is no text is measured as compact JSON.
        tool: name of the tool.
        tool_call_id: the provider's id of the call.
        iteration: number of the model call that asked for it, from 1.
        status: the status that the tool declared for its result, if any.

    Returns:
        What is delivered instead, or None when the result passes.
    """
    size = len(result) if isinstance(result, str) else len(json.dumps(result, ensure_ascii=False, separators=(",", ":"), default=str))
    if size <= ceiling.max_chars:
        return None
    ask = f" Ask again for less, by {', '.join(ceiling.narrow_by)}." if ceiling.narrow_by else ""
    refusal = f"{tool} returned {size} characters and may return {ceiling.max_chars}: the result was withheld, none of its data is here.{ask}"
    event = {
        "toolName": tool,
        "toolCallId": tool_call_id,
        "iteration": iteration,
        "sizeChars": size,
        "maxChars": ceiling.max_chars,
        "narrowBy": list(ceiling.narrow_by) if ceiling.narrow_by else None,
        "declaredStatus": status,
    }
    return Withheld(refusal, {name: value for name, value in event.items() if value is not None})
