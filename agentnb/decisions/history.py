"""How does a history with tool calls look to a model that is given none?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentnb.decisions._json import write_json
from agentnb.decisions._text import is_blank, text_of_content

RESULT: Final = "[Action Result]"


def render_history(messages: Iterable[Any], *, native_results: bool = False) -> list[Any]:
    """Render a history that is stored once, with tool calls and results, for one protocol.

    Args:
        messages: chat messages as mappings; assistant messages with `toolCalls`, tool messages with blocks of type `tool_result`.
        native_results: whether the protocol returns results natively; then nothing changes.

    Returns:
        Messages: of an assistant with calls its prose alone, of a tool one message of the user for each result; what has nothing to say is left out, and
        every other message is the same object.
    """
    given = list(messages)
    return given if native_results else [shown for message in given for shown in _rendered(message)]


def _rendered(message: Any) -> list[Any]:
    role = message.get("role") if isinstance(message, Mapping) else None
    if role == "assistant" and (message.get("toolCalls") or message.get("tool_calls")):
        prose = text_of_content(message.get("content"))
        return [] if is_blank(prose) else [{"role": "assistant", "content": prose}]
    return [{"role": "user", "content": text} for text in _results(message.get("content"))] if role == "tool" else [message]


def _results(content: Any) -> list[str]:
    blocks = content if isinstance(content, (list, tuple)) else []
    results = [block for block in blocks if isinstance(block, Mapping) and block.get("type") == "tool_result"]
    if results:
        return [_result(block) for block in results]
    prose = text_of_content(content)
    return [] if prose is None or is_blank(prose) else [f"{RESULT} {prose}"]


def _result(block: Mapping[str, Any]) -> str:
    name = block.get("toolName")
    ended = "failed" if block.get("isError") is True else "succeeded"
    return f"{RESULT} {name if isinstance(name, str) and name else 'tool'} {ended}. {_content(block.get('content'))}"


def _content(content: Any) -> str:
    text = text_of_content(content)
    return text if text is not None else "" if content is None else write_json(content)
