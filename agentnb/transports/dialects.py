"""How does each provider want to be asked? Compiled options lowered into its own payload, and what it cannot be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from agentnb.errors import AdapterError
from agentnb.transports.canonical import char_count
from agentnb.transports.interaction import PreparedModelInteraction
from agentnb.transports.options import ModelOptions


class Lowered(NamedTuple):
    """Options in a provider's own form."""

    payload: dict[str, Any]
    """What goes into the request's body."""
    notes: tuple[str, ...] = ()
    """Guarantees that are not on the wire: forced_choice_dropped, json_flag_not_sent, parallel_flag_not_sent."""


def lower_options(options: ModelOptions | Mapping[str, Any], dialect: str, *, thinking: bool = False) -> Lowered:
    """Write compiled options in a provider's form, as its public API documentation has it.

    Args:
        options: what a prepared interaction has as `options`; of a mapping the other options are ignored.
        dialect: openai-chat, openai-responses, anthropic or gemini.
        thinking: whether the model thinks; Anthropic then refuses a choice that is forced.

    Returns:
        The payload and notes; without functions no tools, choice or parallel flag are in it.

    Raises:
        AdapterError: with the code unknown_dialect.
    """
    lower = _LOWER.get(dialect)
    if lower is None:
        raise AdapterError("unknown_dialect", f"there is no dialect {dialect!r}; there are {', '.join(_LOWER)}")
    return lower(ModelOptions.read(options), thinking)


def wire_chars(prepared: PreparedModelInteraction, dialect: str) -> int:
    """Count the characters of the tools as a provider gets them; 0 when it gets none."""
    tools = lower_options(prepared.options, dialect).payload.get("tools")
    return char_count(tools) if tools else 0


def _chat(options: ModelOptions, thinking: bool) -> Lowered:
    payload: dict[str, Any] = {}
    if options.functions:
        payload["tools"] = [{"type": "function", "function": dict(function)} for function in options.functions]
        _set(payload, "tool_choice", _named(options.tool_choice, lambda name: {"type": "function", "function": {"name": name}}))
        _set(payload, "parallel_tool_calls", options.parallel_tool_calls)
    if options.json:
        as_schema = {"type": "json_schema", "json_schema": {"name": "answer", "schema": options.json}}
        payload["response_format"] = as_schema if isinstance(options.json, dict) else {"type": "json_object"}
    return Lowered(payload)


def _responses(options: ModelOptions, thinking: bool) -> Lowered:
    payload: dict[str, Any] = {}
    if options.functions:
        payload["tools"] = [{"type": "function", **function} for function in options.functions]
        _set(payload, "tool_choice", _named(options.tool_choice, lambda name: {"type": "function", "name": name}))
        _set(payload, "parallel_tool_calls", options.parallel_tool_calls)
    if options.json:
        as_schema = {"type": "json_schema", "name": "answer", "schema": options.json}
        payload["text"] = {"format": as_schema if isinstance(options.json, dict) else {"type": "json_object"}}
    return Lowered(payload)


def _anthropic(options: ModelOptions, thinking: bool) -> Lowered:
    payload: dict[str, Any] = {}
    notes: list[str] = []
    if options.functions:
        payload["tools"] = [_renamed(function, "parameters", "input_schema") for function in options.functions]
        wanted = _anthropic_choice(options.tool_choice)
        if wanted is not None and thinking and wanted["type"] in ("any", "tool"):
            wanted = {"type": "auto"}
            notes.append("forced_choice_dropped")
        if wanted is None and options.parallel_tool_calls is False:
            wanted = {"type": "auto"}
        if wanted is not None and wanted["type"] != "none" and options.parallel_tool_calls is not None:
            wanted = {**wanted, "disable_parallel_tool_use": not options.parallel_tool_calls}
        _set(payload, "tool_choice", wanted)
    if options.json:
        notes.append("json_flag_not_sent")
    return Lowered(payload, tuple(notes))


def _anthropic_choice(choice: Any) -> dict[str, Any] | None:
    if isinstance(choice, dict):
        return {"type": "tool", "name": choice["name"]}
    return {"type": {"required": "any"}.get(choice, choice)} if choice is not None else None


def _gemini(options: ModelOptions, thinking: bool) -> Lowered:
    payload: dict[str, Any] = {}
    notes: list[str] = []
    if options.functions:
        payload["tools"] = [{"functionDeclarations": [dict(function) for function in options.functions]}]
        choice = options.tool_choice
        words = {"required": "ANY", "auto": "AUTO", "none": "NONE"}
        if choice is not None:
            wanted = {"mode": "ANY", "allowedFunctionNames": [choice["name"]]} if isinstance(choice, dict) else {"mode": words[choice]}
            payload["toolConfig"] = {"functionCallingConfig": wanted}
        if options.parallel_tool_calls is not None:
            notes.append("parallel_flag_not_sent")
    if options.json:
        payload["generationConfig"] = {"responseMimeType": "application/json"}
        if isinstance(options.json, dict):
            payload["generationConfig"]["responseJsonSchema"] = options.json
    return Lowered(payload, tuple(notes))


_LOWER: Final[dict[str, Callable[[ModelOptions, bool], Lowered]]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
DIALECTS: Final = tuple(_LOWER)
"""The dialects that there are."""


def _named(choice: Any, named: Callable[[str], dict[str, Any]]) -> Any:
    return named(choice["name"]) if isinstance(choice, dict) else choice


def _renamed(function: Mapping[str, Any], name: str, other: str) -> dict[str, Any]:
    return {other if key == name else key: value for key, value in function.items()}


def _set(payload: dict[str, Any], name: str, value: Any) -> None:
    if value is not None:
        payload[name] = value
