"""Which tools are there? A catalog that is compiled once and never changes, whatever becomes of the values it was made of."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.errors import CatalogError, Issue
from agentnb.transports.canonical import canonical_json, digest_of
from agentnb.transports.wire_names import wire_names
from agentnb.values.tools import Schema, Tool

LONGEST_ID: Final = 128
"""Characters of the longest id of a tool."""

_WORDS: Final = {
    "empty_catalog": "there is no tool",
    "bad_tool": "a tool is a Tool, or a mapping with id, description, input_schema and resolve",
    "bad_tool_id": f"an id is a text of 1 to {LONGEST_ID} characters without control characters and without white space around it",
    "blank_description": "a description says what the tool does",
    "bad_schema": 'an input schema is a Schema, or a mapping of json_schema (a JSON object with "type": "object") and parse (a function)',
    "bad_resolve": "resolve is a function of nothing, of the parsed input, or of the input and a context",
    "duplicate_tool": "ids differ",
    "wire_name_collision": "two ids have the same name on the wire, tags included; rename one",
}


class CatalogTool(NamedTuple):
    """A tool as it was when its catalog was sealed."""

    id: str
    wire_name: str
    """Its name on the wire, in every stage."""
    description: str
    schema_text: str
    """Canonical JSON of its schema."""
    parse: Callable[[Any], Any]
    resolve: Callable[..., Any]
    takes: int
    """How many of input and context `resolve` takes: 0, 1 or 2."""

    @property
    def json_schema(self) -> dict[str, Any]:
        """A copy of its schema."""
        schema: dict[str, Any] = json.loads(self.schema_text)
        return schema

    @property
    def function(self) -> dict[str, Any]:
        """The function that a model is offered, in no provider's own form; a copy."""
        return {"name": self.wire_name, "description": self.description, "parameters": self.json_schema}


class ToolCatalog:
    """Tools in the order of their definition; `define_model_tools` makes it. There is no way to add, remove or change one."""

    __slots__ = ("_by_id", "_by_wire_name", "_digest")

    def __init__(self, tools: Sequence[CatalogTool]) -> None:
        self._by_id = {tool.id: tool for tool in tools}
        self._by_wire_name = {tool.wire_name: tool for tool in tools}
        self._digest = digest_of([[tool.id, tool.wire_name, tool.description, tool.json_schema] for tool in tools])

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids, in order."""
        return tuple(self._by_id)

    @property
    def tool_names(self) -> dict[str, str]:
        """Names on the wire to ids: what a `RawTurn` calls its tool name map."""
        return {name: tool.id for name, tool in self._by_wire_name.items()}

    @property
    def digest(self) -> str:
        """SHA-256 over ids, names on the wire, descriptions and schemas: equal digests, equal tools."""
        return self._digest

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The functions that a model is offered, in no provider's own form."""
        return [tool.function for tool in self]

    def by_wire_name(self, name: str | None) -> CatalogTool | None:
        """Return the tool of a name on the wire, or None."""
        return self._by_wire_name.get(name) if name is not None else None

    def get(self, tool_id: Any) -> CatalogTool | None:
        """Return the tool of an id, or None."""
        return self._by_id.get(tool_id) if isinstance(tool_id, str) else None

    def __getitem__(self, tool_id: str) -> CatalogTool:
        return self._by_id[tool_id]

    def __contains__(self, tool_id: object) -> bool:
        return tool_id in self._by_id

    def __iter__(self) -> Iterator[CatalogTool]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __repr__(self) -> str:
        return f"ToolCatalog({', '.join(self._by_id)})"


class _Given(NamedTuple):
    """A tool as the caller defines it; nothing of it is checked yet."""

    id: Any
    description: Any
    json_schema: Any
    parse: Any
    resolve: Any


def define_model_tools(tools: Iterable[Tool | Mapping[str, Any]]) -> ToolCatalog:
    """Seal tools into a catalog.

    Schemas are copied; what happens to the given values afterwards changes nothing. All that is wrong with the definitions is reported at once.

    Args:
        tools: tools that `@anb.tool` made, or mappings with `id`, `description`, `input_schema` (a `Schema`, or a mapping of `json_schema` and `parse`) and
            `resolve`; camelCase is accepted.

    Returns:
        The catalog, in the same order.

    Raises:
        CatalogError: `issues` holds (code, position, value) of everything that is wrong; it is a ValueError.

    Example:
        define_model_tools([{"id": "greet", "description": "Greet.", "input_schema": schema, "resolve": lambda: "hello"}])
    """
    given = [_read(tool) for tool in tools]
    issues = [Issue("empty_catalog", None, None)] if not given else [issue for at, tool in enumerate(given) for issue in _issues_of(tool, at)]
    seen = Counter[str]()
    for at, tool in enumerate(given):
        if tool is not None and isinstance(tool.id, str):
            seen[tool.id] += 1
            issues += [Issue("duplicate_tool", at, tool.id)] if seen[tool.id] == 2 else []
    names = {} if issues else wire_names([tool.id for tool in given if tool is not None])
    counted = Counter(names.values())
    issues += [Issue("wire_name_collision", at, own) for at, (own, name) in enumerate(names.items()) if counted[name] > 1]
    if issues:
        raise CatalogError(issues[0].code, described(issues, _WORDS), tuple(issues))
    return ToolCatalog([_sealed(tool, names[tool.id]) for tool in given if tool is not None])


def described(issues: Sequence[Issue], words: Mapping[str, str]) -> str:
    """Say what is wrong with definitions: each kind once, with the places and values."""
    told: list[str] = []
    for code in dict.fromkeys(issue.code for issue in issues):
        places = ", ".join(f"{issue.value!r} at {issue.position}" for issue in issues if issue.code == code and issue.position is not None)
        told.append(f"{words[code]} (not {places})" if places else words[code])
    return "; ".join(told)


def sealed_catalog(tools: Any) -> ToolCatalog:
    """Return a catalog that is one.

    Raises:
        CatalogError: with the code unsealed_tools: tools have to be defined first.
    """
    if isinstance(tools, ToolCatalog):
        return tools
    raise CatalogError("unsealed_tools", f"tools come as a catalog that define_model_tools made, not as {type(tools).__name__}")


def positional(function: Callable[..., Any]) -> int | None:
    """Return how many of two positional arguments a function takes; None when it needs others."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return 1
    places = [item for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    needed = sum(item.default is item.empty for item in places)
    if needed > 2 or any(item.kind is item.KEYWORD_ONLY and item.default is item.empty for item in parameters):
        return None
    return 2 if any(item.kind is item.VAR_POSITIONAL for item in parameters) else min(len(places), 2)


def _read(tool: Any) -> _Given | None:
    if isinstance(tool, Tool):
        return _Given(tool.name, tool.description, tool.input_schema.json_schema, tool.input_schema.parse, tool.resolve)
    if not isinstance(tool, Mapping):
        return None
    schema: Any = tool.get("input_schema", tool.get("inputSchema"))
    if isinstance(schema, Schema):
        schema = {"json_schema": schema.json_schema, "parse": schema.parse}
    given = schema if isinstance(schema, Mapping) else {"json_schema": schema}
    json_schema = given.get("json_schema", given.get("jsonSchema"))
    return _Given(tool.get("id", tool.get("name")), tool.get("description"), json_schema, given.get("parse"), tool.get("resolve"))


def _issues_of(tool: _Given | None, at: int) -> list[Issue]:
    if tool is None:
        return [Issue("bad_tool", at, None)]
    found: list[Issue] = []
    if not is_id(tool.id):
        found.append(Issue("bad_tool_id", at, tool.id))
    if not isinstance(tool.description, str) or not tool.description.strip():
        found.append(Issue("blank_description", at, tool.description))
    if not _is_schema(tool.json_schema) or not callable(tool.parse):
        found.append(Issue("bad_schema", at, tool.json_schema))
    if not callable(tool.resolve) or positional(tool.resolve) is None:
        found.append(Issue("bad_resolve", at, type(tool.resolve).__name__))
    return found


def is_id(value: Any) -> bool:
    """Tell whether a value can be the id of a tool or a stage."""
    if not isinstance(value, str) or value != value.strip() or not 0 < len(value) <= LONGEST_ID:
        return False
    return not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in value)


def _is_schema(schema: Any) -> bool:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return False
    try:
        return bool(json.loads(canonical_json(schema)) == schema)
    except (TypeError, ValueError, RecursionError):
        return False


def _sealed(tool: _Given, wire_name: str) -> CatalogTool:
    takes = positional(tool.resolve)
    return CatalogTool(tool.id, wire_name, tool.description, canonical_json(tool.json_schema), tool.parse, tool.resolve, takes if takes is not None else 1)
