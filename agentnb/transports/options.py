"""What a provider is asked for: the options that tools compile to, in no provider's own form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias

from agentnb.errors import AdapterError

ToolChoice: TypeAlias = "str | dict[str, str] | None"
"""None, auto, none, required, or {"name": a name on the wire}."""

COMPILED: Final = ("functions", "json", "tool_choice", "parallel_tool_calls")
"""Names of the options that are compiled from tools; a transport's own options have other names."""
CAMEL: Final = {"toolChoice": "tool_choice", "parallelToolCalls": "parallel_tool_calls"}


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The part of a model's options that a stage's tools decide; what is None is not sent.

    It is a dataclass, since pydantic's own models have a method where the field `json` has to be.
    """

    functions: tuple[Mapping[str, Any], ...] | None = None
    """Functions that are offered, each with name, description and parameters."""
    json: bool | dict[str, Any] | None = None
    """True to ask for JSON, or a JSON schema to ask for JSON that fits it."""
    tool_choice: ToolChoice = None
    """auto, none, required, or {"name": …} for one of the functions."""
    parallel_tool_calls: bool | None = None
    """Whether one answer may hold several calls."""

    def to_dict(self, *, by_alias: bool = False) -> dict[str, Any]:
        """Return the options that are set.

        Args:
            by_alias: whether names are in camelCase.
        """
        names = {ours: theirs for theirs, ours in CAMEL.items()} if by_alias else {}
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: [dict(item) for item in value] if name == "functions" and value is not None else value for name, value in found.items()}
        return {names.get(name, name): value for name, value in plain.items() if value is not None}

    @classmethod
    def read(cls, given: Mapping[str, Any] | ModelOptions) -> ModelOptions:
        """Take the compiled options out of a mapping of options; camelCase is accepted."""
        if isinstance(given, ModelOptions):
            return given
        ours = {CAMEL.get(name, name): value for name, value in given.items()}
        functions = ours.get("functions")
        picked = {name: ours.get(name) for name in COMPILED if name != "functions"}
        return cls(functions=tuple(functions) if functions is not None else None, **picked)


def own_options(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a copy of a transport's own options, such as temperature.

    Raises:
        AdapterError: with the code reserved_option: one of them is compiled from tools.
    """
    options = dict(given or {})
    reserved = sorted(name for name in options if CAMEL.get(name, name) in COMPILED)
    if reserved:
        raise AdapterError("reserved_option", f"{', '.join(reserved)} comes from a stage's tools; options of a transport's own are others, such as temperature")
    return options
