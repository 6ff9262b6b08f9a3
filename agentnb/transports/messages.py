"""How is a conversation written to each provider? Messages of parts, in no provider's own form, lowered into its own.

A message is a mapping with `role` (user or assistant or tool) and `parts`: `{"type": "text", "text"}`, `{"type": "tool_call", "id", "name", "input"}` and
`{"type": "tool_result", "id", "name", "output"}`. What has no `parts` is in the provider's form already and passes as it is. The forms follow the public API
documentation of the providers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from agentnb.errors import AdapterError


def lower_messages(messages: Iterable[Any], dialect: str) -> list[Any]:
    """Write messages in a provider's form.

    Args:
        messages: messages of parts, or in the provider's form.
        dialect: openai-chat, openai-responses or anthropic.

    Raises:
        AdapterError: with the code unknown_dialect.
    """
    lower = _LOWER.get(dialect)
    if lower is None:
        raise AdapterError("unknown_dialect", f"there is no form of messages for {dialect!r}; there are {', '.join(_LOWER)}")
    lowered: list[Any] = []
    for message in messages:
        if isinstance(message, Mapping) and "parts" in message:
            lowered.extend(lower(message))
        else:
            lowered.append(message)
    return lowered


def text_of_parts(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return what the text parts say, put together."""
    return "".join(str(part["text"]) for part in parts if part.get("type") == "text")


def _chat(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    parts = message["parts"]
    text = text_of_parts(parts)
    yield from ({"role": "tool", "tool_call_id": part["id"], "content": part["output"]} for part in _of(parts, "tool_result"))
    calls = [{"id": part["id"], "type": "function", "function": {"name": part["name"], "arguments": _arguments(part)}} for part in _of(parts, "tool_call")]
    if calls:
        yield {"role": message["role"], "content": text or None, "tool_calls": calls}
    elif text or not _of(parts, "tool_result"):
        yield {"role": message["role"], "content": text}


def _responses(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    parts = message["parts"]
    yield from ({"type": "function_call_output", "call_id": part["id"], "output": part["output"]} for part in _of(parts, "tool_result"))
    if text := text_of_parts(parts):
        yield {"role": message["role"], "content": text}
    yield from ({"type": "function_call", "call_id": part["id"], "name": part["name"], "arguments": _arguments(part)} for part in _of(parts, "tool_call"))


def _anthropic(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    parts = message["parts"]
    blocks: list[dict[str, Any]] = [{"type": "tool_result", "tool_use_id": part["id"], "content": part["output"]} for part in _of(parts, "tool_result")]
    if text := text_of_parts(parts):
        blocks.append({"type": "text", "text": text})
    blocks += [{"type": "tool_use", "id": part["id"], "name": part["name"], "input": _as_object(part.get("input"))} for part in _of(parts, "tool_call")]
    yield {"role": "assistant" if message["role"] == "assistant" else "user", "content": blocks}


_LOWER: Final[dict[str, Callable[[Mapping[str, Any]], Iterator[dict[str, Any]]]]] = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic": _anthropic,
}


def _of(parts: Iterable[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [part for part in parts if part.get("type") == kind]


def _arguments(part: Mapping[str, Any]) -> str:
    given = part.get("input")
    return given if isinstance(given, str) else json.dumps(given if given is not None else {}, ensure_ascii=False)


def _as_object(given: Any) -> dict[str, Any]:
    """Return arguments as the object that the API wants; what the model wrote and nobody could read stands in it as text."""
    return dict(given) if isinstance(given, Mapping) else {} if given is None else {"unreadable": given}
