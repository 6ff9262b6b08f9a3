"""What an agent can do: a tool's name, description, input schema and function; one value for every part of the kit that offers or runs tools."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, cast, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, WithJsonSchema, create_model
from pydantic.alias_generators import to_camel

from agentnb.values._base import Value
from agentnb.values.model_selections import SelectedCall

ToolEffects = Literal["reads", "changes"]
Function = Annotated[Callable[..., Any], WithJsonSchema({"description": "a function of Python"})]
"""A function: nothing of it can be written as JSON."""

_ARGUMENT = re.compile(r"\s+\*{0,2}(\w+)(?: \([^)]*\))?:\s+(.*)")
_HOLDERS = frozenset({"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"})
_DATA = frozenset({"enum", "const", "default", "examples"})


class _Camel(Value):
    """A value whose fields are also known by their camelCase names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Schema(_Camel):
    """What a tool takes: the JSON schema that the model is shown, and the parser that has the last word.

    Example:
        Schema(json_schema={"type": "object", "properties": {}}, parse=lambda value: value)
    """

    json_schema: InstanceOf[dict[str, Any]]
    """JSON schema of an object; a copy of what was given."""
    parse: Function = Field(repr=False)
    """Takes the arguments as the model wrote them, returns what the tool's function gets, and raises on what it does not accept."""

    def model_post_init(self, context: Any) -> None:
        """Keep a copy: what the caller does to the schema afterwards changes nothing here."""
        self.__dict__["json_schema"] = copy.deepcopy(self.json_schema)


class ToolContext(_Camel):
    """What a tool's function is told beside its arguments, if it asks for it."""

    stage: str | None = None
    """The stage in which it was chosen."""
    tool_id: str
    """The tool."""
    call: SelectedCall | None = None
    """The native call that carried the choice."""
    answer: str | None = None
    """What a person answered to a question of the tool's own, as `anb.Pause` asks it; null before it asked."""


class Tool(_Camel):
    """A tool that an agent can use.

    A catalog for model transports is compiled from tools, and a live conversation runs them. `@anb.tool` makes one of a function.
    """

    name: str
    """Its name, which is its id; on the wire it may be called differently."""
    description: str
    """What it does, for the model."""
    input_schema: Schema
    """What it takes."""
    resolve: Function = Field(repr=False)
    """Does it: takes nothing, the parsed input, or the parsed input and a `ToolContext`; may be a coroutine function."""
    effects: ToolEffects | None = None
    """reads when running it twice does no harm, changes when it does; null is treated as changes."""
    script: InstanceOf[Value] | None = None
    """How it runs code, as `agentnb.scripts` has it: which argument carries the program, and its language; null when it runs none."""
    result_ceiling: InstanceOf[Value] | None = None
    """The longest result that it may return, as `agentnb.scripts` has it; null when there is no limit of its own."""
    function: Function | None = Field(default=None, repr=False)
    """The function that `@anb.tool` made it of."""

    @property
    def id(self) -> str:
        """Its name, as catalogs and selections call it."""
        return self.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function it was made of, as if it were no tool.

        Raises:
            TypeError: it was made of no function.
        """
        if self.function is None:
            raise TypeError(f"tool {self.name!r} was not made of a function by @anb.tool; call its `resolve` with parsed input")
        return self.function(*args, **kwargs)


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    effects: ToolEffects | None = None,
    script: Value | None = None,
    result_ceiling: Value | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effects: ToolEffects | None = None,
    script: Value | None = None,
    result_ceiling: Value | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function: its schema comes from the signature, its description from the docstring, what arguments mean from `Args:`.

    A parameter annotated `ToolContext` is not shown to the model; it gets the context of the call.

    Args:
        function: the function, when the decorator is used without parentheses.
        name: name of the tool; else the function's.
        description: what the model is told; else the docstring up to `Args:`.
        effects: reads or changes.
        script: how it runs code.
        result_ceiling: the longest result that it may return.

    Returns:
        The tool, which can still be called like the function.

    Raises:
        TypeError: the function has no description, or a parameter that no JSON object can carry (`*args`, positional-only).

    Example:
        @anb.tool(effects="reads")
        def lookup(city: str) -> str:
            "Look up the weather for a city."
    """

    def made(of: Callable[..., Any]) -> Tool:
        own = name or of.__name__
        words = description or _words_of(of).partition("\nArgs:")[0].strip()
        if not words:
            raise TypeError(f"tool {own!r} has no description; write a docstring, or give description=…")
        hidden, model = _input_of(of, own)
        return Tool(
            name=own,
            description=words,
            input_schema=schema_from_model(model, strip_titles=True),
            resolve=_bound(of, hidden),
            effects=effects,
            script=script,
            result_ceiling=result_ceiling,
            function=of,
        )

    return made if function is None else made(function)


def schema_from_model(model: type[BaseModel], *, strip_titles: bool = False) -> Schema:
    """Make a schema of a pydantic model: its JSON schema, and its validation as the parser.

    Args:
        model: the model.
        strip_titles: whether the titles that pydantic makes up are left out; a property that is called title stays.
    """
    schema = model.model_json_schema()
    return Schema(json_schema=without_titles(schema) if strip_titles else schema, parse=model.model_validate)


def without_titles(schema: Any) -> Any:
    """Return a JSON schema without its annotations `title`; names of properties, and values in enum, const, default and examples, are left alone."""
    if isinstance(schema, list):
        return [without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _inside(key, value) for key, value in schema.items() if key != "title" or not isinstance(value, str)}


def _inside(key: str, value: Any) -> Any:
    if key in _DATA:
        return value
    if key in _HOLDERS and isinstance(value, dict):
        return {name: without_titles(inner) for name, inner in value.items()}
    return without_titles(value)


class _Input(BaseModel):
    """Arguments of a function; what the function does not know is refused."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def _input_of(function: Callable[..., Any], name: str) -> tuple[str | None, type[_Input]]:
    """Return the parameter that gets the context, and a model of the others, whose fields are numbered: a parameter may have any name."""
    hints = get_type_hints(function, include_extras=True)
    said = _arguments_of(_words_of(function))
    hidden: str | None = None
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"tool {name!r} takes {parameter}; arguments of a tool come by name, so use plain or keyword-only parameters")
        hint = hints.get(parameter.name, Any)
        if hint is ToolContext:
            hidden = parameter.name
            continue
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[f"field_{len(fields)}"] = (hint, Field(default=default, alias=parameter.name, description=said.get(parameter.name)))
    return hidden, cast("type[_Input]", create_model(name, __base__=_Input, __doc__=None, **fields))


def _bound(function: Callable[..., Any], hidden: str | None) -> Callable[..., Any]:
    def called(parsed: _Input) -> Any:
        return function(**_by_name(parsed))

    def called_with(parsed: _Input, context: ToolContext) -> Any:
        return function(**_by_name(parsed), **{str(hidden): context})

    return called if hidden is None else called_with


def _by_name(parsed: _Input) -> dict[str, Any]:
    return {str(info.alias): getattr(parsed, field) for field, info in type(parsed).model_fields.items()}


def _words_of(function: Callable[..., Any]) -> str:
    return inspect.getdoc(function) or ""


def _arguments_of(docstring: str) -> Mapping[str, str]:
    """Return what `Args:` of a docstring says of each parameter."""
    found: dict[str, str] = {}
    latest, margin = "", 0
    for line in docstring.partition("\nArgs:\n")[2].splitlines():
        indent = len(line) - len(line.lstrip())
        if line and not indent:
            break
        match = _ARGUMENT.fullmatch(line)
        if match is not None and (not latest or indent <= margin):
            latest, margin = match[1], indent
            found[latest] = match[2].strip()
        elif latest and line.strip():
            found[latest] += f" {line.strip()}"
    return found
