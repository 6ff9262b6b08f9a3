"""A rated call as an example to teach with, in the form that OpenAI takes for fine-tuning a chat model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from agentnb.ratings.rated import RatedCall

Message = dict[str, Any]


def chat_example(call: RatedCall, *, system: str | None = None) -> dict[str, list[Message]]:
    """Return the messages of an example: what was said before, the question, and the right answer last.

    A model call has its own messages. Of anything else one text input is said as it is and several as JSON; so is the answer.
    """
    before: list[Message] = [] if system is None else [{"role": "system", "content": system}]
    told = call.inputs.get("messages")
    if list(call.inputs) == ["messages"] and isinstance(told, list):
        return {"messages": [*before, *_messages(told), *_messages([_answer(call.outputs)])]}
    for turn in call.context.get("earlier", ()):
        before += [{"role": "user", "content": _said(turn["inputs"])}, {"role": "assistant", "content": _said(turn["outputs"])}]
    return {"messages": [*before, {"role": "user", "content": _said(call.inputs)}, {"role": "assistant", "content": _said(call.outputs)}]}


def _answer(outputs: Mapping[str, Any]) -> Message:
    message = outputs.get("message")
    return {**message, "role": "assistant"} if isinstance(message, dict) else {"role": "assistant", "content": _text(message)}


def _said(values: Mapping[str, Any]) -> str:
    alone = [*values.values()]
    return _text(alone[0]) if len(alone) == 1 else _text(dict(values))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _messages(told: Iterable[Any]) -> Iterator[Message]:
    """Yield messages of a case as chat messages: calls as functions, each result as a message of its own."""
    for message in told:
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            blocks = content if isinstance(content, list) else []
            yield from ({"role": "tool", "tool_call_id": block.get("toolCallId"), "content": _text(block.get("content", ""))} for block in blocks)
            continue
        written: Message = {"role": role, "content": content}
        if message.get("toolCalls"):
            written["tool_calls"] = [_function(asked) for asked in message["toolCalls"]]
        yield written


def _function(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": asked.get("id"), "type": "function", "function": {"name": asked.get("name"), "arguments": _text(asked.get("arguments"))}}
