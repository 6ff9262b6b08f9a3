"""How does a provider's reply become a raw turn?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from agentnb.decisions._json import parse_json
from agentnb.decisions._text import text_of_content
from agentnb.values.decisions import ControlToolRole, RawToolCall, RawTurn

FAILED: Final = "the model call failed, and the response does not say why"


class ResponseTurn(NamedTuple):
    """A raw turn with what else a reply says about its own use."""

    turn: RawTurn
    """What the model put out."""
    finish_reason: str | None
    """Why it stopped, in the provider's word."""
    execution_error: str | None
    """What went wrong; null on success."""


def raw_turn_from_response(
    response: Any,
    *,
    tool_calling: Literal["envelope", "native"] = "envelope",
    control_flow: str | None = None,
    tool_name_map: Mapping[str, str] | None = None,
    control_tool_map: Mapping[str, ControlToolRole] | None = None,
) -> ResponseTurn:
    """Make a raw turn of a reply in the form of OpenAI's Chat Completions.

    Arguments that are JSON texts are decoded here, because the normalizer takes objects; a text that is none stays and counts as no arguments.

    Args:
        response: the reply as a mapping, as an object of the provider's library, or as the plain text of the output.
        tool_calling: how the model was told to call tools.
        control_flow: `implicit` when a plain answer was to complete the task; only with native calls.
        tool_name_map: names on the wire to names of Actions.
        control_tool_map: names of control tools to their roles.

    Returns:
        Turn, finish reason and error; nothing in the reply raises.
    """
    reply = _mapping(response)
    choice = _mapping(next(iter(_list(reply.get("choices"))), None))
    message = _mapping(choice.get("message"))
    text = text_of_content(message.get("content"))
    if text is None:
        text = response if isinstance(response, str) else _string(reply.get("rawResult")) or _string(reply.get("raw_result")) or ""
    calls = [call for entry in _list(message.get("tool_calls") or message.get("toolCalls")) if (call := _call(entry)) is not None]
    turn = RawTurn(
        text=text,
        tool_calls=tuple(calls) or None,
        tool_name_map=None if tool_name_map is None else dict(tool_name_map),
        protocol=protocol_of(tool_calling, control_flow),
        control_tool_map=None if control_tool_map is None else dict(control_tool_map),
    )
    return ResponseTurn(turn, _string(choice.get("finish_reason") or choice.get("finishReason")), _error_of(reply))


def protocol_of(tool_calling: str, control_flow: str | None = None) -> str:
    """Return the protocol of a turn: envelope, implicit, or hybrid for native calls beside control tools."""
    if tool_calling != "native":
        return "envelope"
    return "implicit" if control_flow == "implicit" else "hybrid"


def _error_of(reply: Mapping[str, Any]) -> str | None:
    told = reply.get("error") or reply.get("errorMessage") or reply.get("error_message")
    if reply.get("success") is True or (not told and reply.get("success") is not False):
        return None
    message = told.get("message") if isinstance(told, Mapping) else told
    return message if isinstance(message, str) and message else FAILED


def _call(entry: Any) -> RawToolCall | None:
    call = _mapping(entry)
    if not call:
        return None
    function = _mapping(call.get("function")) or call
    arguments = next((function[key] for key in ("arguments", "input", "args") if function.get(key) is not None), None)
    if isinstance(arguments, str):
        parsed = parse_json(arguments)
        arguments = parsed.value if parsed.error is None else arguments or None
    return RawToolCall(name=_string(function.get("name")) or "", arguments=arguments)


def _mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
