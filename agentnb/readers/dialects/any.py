"""What an unknown value says: traces hold whatever the traced program passed around, in the dialect of its service or framework, often as JSON in JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from agentnb.readers._fields import text_of
from agentnb.readers._json import parse_json
from agentnb.readers._reprs import parse_fields, parse_repr
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.dialects import anthropic, chat, gemini, genai, langchain, model_messages, responses, responses_items
from agentnb.readers.dialects._known import DIALECTS

_DEEPEST = 4
_LISTS = ("messages", "input_messages", "output_messages", "history", "contents", "items")
_INSIDE = ("input", "output", "outputs", "inputs", "response", "message", "new_message", "content", "value", "kwargs", "generations", "return_value")
_LANGCHAIN = {"user": "human", "assistant": "ai", "tool": "tool", "system": "system", "developer": "system", "function": "tool"}
_PROMPTS = ("prompt", "question", "query", "user_input", "user_message")
_SYSTEMS = ("system", "instructions", "system_prompt", "system_instruction")


class _Kind(NamedTuple):
    """A dialect whose messages may stand in a list."""

    is_list: Callable[[Any], bool]
    is_message: Callable[[Any], bool]
    say: Callable[[Any, int], Iterable[Said]]


# The most specific first: the messages of the later ones look like those of the earlier ones, without what is theirs alone.
_KINDS = (
    _Kind(langchain.is_message_list, langchain.is_message, lambda message, place: langchain.said_in([message], place)),
    _Kind(genai.is_message_list, genai.is_message, genai.said_of_message),
    _Kind(gemini.is_content_list, gemini.is_content, gemini.said_of_content),
    _Kind(model_messages.is_message_list, model_messages.is_message, model_messages.said_of_message),
    _Kind(responses.is_item_list, responses_items.is_item, responses_items.said_of_item),
    _Kind(anthropic.is_message_list, anthropic.is_message, anthropic.said_of_message),
    _Kind(chat.is_message_list, chat.is_message, lambda message, place: (chat.said_in(message, place),)),
)


def said_in_any(value: Any, place: int) -> tuple[Said, ...] | None:
    """Say what a value holds in whatever dialect it is.

    Args:
        value: a message, a list of them, a request, a response, an object that wraps any of these, or JSON or Python text of one.
        place: its place in the recording, from 1; all that it says stands there.

    Returns:
        What it says; None when it holds no message, such as a text that is nothing but a text.
    """
    return _said(value, place, _DEEPEST)


def heard_in(value: Any, place: int) -> tuple[Said, ...]:
    """Say what an agent or a model was given: what is no message of any dialect are a person's words."""
    said = said_in_any(value, place)
    return said if said is not None else _words("user", value, place)


def replied_in(value: Any, place: int) -> tuple[Said, ...]:
    """Say what an agent or a model returned: what is no message of any dialect are the agent's words."""
    said = said_in_any(value, place)
    return said if said is not None else _words("assistant", value, place)


def parsed(value: Any, levels: int = 3) -> Any:
    """Return the value of a text that is JSON, or JSON of such a text; anything else as it is."""
    while levels and isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        found = parse_json(value.encode("utf-8", "replace"))
        if not found.ok:
            break
        value, levels = found.value, levels - 1
    return value


def _said(value: Any, place: int, depth: int) -> tuple[Said, ...] | None:
    value = parsed(value)
    if not depth or not value:
        return None
    if isinstance(value, str):
        return _in_text(value, place)
    if isinstance(value, list):
        return _in_list(value, place, depth)
    return _in_object(value, place, depth) if isinstance(value, dict) else None


def _in_text(text: str, place: int) -> tuple[Said, ...] | None:
    messages = langchain.messages_in_text(text)
    if messages is not None:
        return langchain.said_in(messages, place)
    fields = parse_fields(text) if text.startswith("role=") else parse_repr(text) if text.startswith(("{'", '{"', "[{'")) else None
    return _said(fields, place, 2) if isinstance(fields, dict | list) else None


def _in_list(values: list[Any], place: int, depth: int) -> tuple[Said, ...] | None:
    if model_messages.is_call_list(values):
        return tuple(model_messages.said_of_calls(values, place))
    if genai.are_blocks(values) and (role := genai.role_of_blocks(values)) is not None:
        return tuple(genai.said_of_message({"role": role, "content": values}, place))
    if all(map(_is_pair, values)):
        values = [{"role": role, "content": content} for role, content in values]
    if len(values) == 1 and isinstance(values[0], list):
        return _in_list(values[0], place, depth - 1) if depth > 1 else None
    values = [_as_known(value) for value in values]
    kind = next((kind for kind in _KINDS if kind.is_list(values)), None)
    if kind is not None:
        return tuple(said for value in values for said in _say(value, kind, place))
    said = [_said(value, place, depth - 1) for value in values[:1_000]]
    if said and all(item is not None for item in said):
        return tuple(message for item in said for message in item or ())
    return None


def _say(value: Any, kind: _Kind, place: int) -> Iterable[Said]:
    """Say one of a list of messages: in the dialect of the list, else in another, as items of the Responses API stand beside plain messages."""
    own = next((other for other in (kind, *_KINDS) if other.is_message(value)), None)
    return own.say(value, place) if own is not None else _other(value, place)


def _in_object(value: dict[str, Any], place: int, depth: int) -> tuple[Said, ...] | None:
    return _as_completion(value, place) or _as_message(value, place) or _as_exchange(value, place) or _as_wrapper(value, place, depth)


def _as_completion(value: dict[str, Any], place: int) -> tuple[Said, ...] | None:
    """Return the text that a model completed, of which only that and why it stopped is told."""
    text, reason = value.get("text"), value.get("finish_reason")
    if not isinstance(text, str) or not isinstance(reason, str) or value.keys() - {"text", "finish_reason", "index", "logprobs"}:
        return None
    return (Said("assistant", place, (Piece("text", text),), finish_reason=reason),)


def _as_message(value: dict[str, Any], place: int) -> tuple[Said, ...] | None:
    if "messages" in value or ("stop_reason" in value and anthropic.is_reply(value)):
        return None
    value = _as_known(value)
    kind = next((kind for kind in _KINDS if kind.is_message(value) and kind.is_list([value])), None)
    return tuple(kind.say(value, place)) if kind is not None else None


def _as_known(value: Any) -> Any:
    """Return a message that a tracer wrote in words of its own as it was.

    One of LangChain has another role, or content is named text, or it is JSON text of what the service was sent: blocks of Converse, or calls of tools.
    """
    if not isinstance(value, dict) or not isinstance(value.get("role"), str) or "type" in value:
        return value
    kind = _LANGCHAIN.get(value["role"])
    if isinstance(value.get("additional_kwargs"), dict):
        # The role of a tool's message may be the name of the tool.
        return {**value, "type": kind} if kind is not None else {**value, "type": "tool", "name": value["role"]}
    if isinstance(value.get("text"), str) and "content" not in value and "parts" not in value:
        return {("content" if name == "text" else name): item for name, item in value.items()}
    held = parsed(value.get("content"), 1) if isinstance(value.get("content"), str) else None
    if genai.are_blocks(held):
        return {**value, "content": held}
    if isinstance(held, list) and held and all(map(_is_call, held)) and "tool_calls" not in value:
        return {**value, "role": "assistant", "content": None, "tool_calls": held}
    return value


def _is_pair(value: Any) -> bool:
    """Tell whether a value is a message of LangChain as people write it: a role and a text."""
    return isinstance(value, list) and len(value) == 2 and all(isinstance(item, str) for item in value) and value[0] in genai.ROLES


def _is_call(value: Any) -> bool:
    """Tell whether a value is the call of a tool as Chat Completions writes it."""
    return isinstance(value, dict) and value.get("type") == "function" and isinstance(value.get("function"), dict) and "arguments" in value["function"]


def _as_exchange(value: dict[str, Any], place: int) -> tuple[Said, ...] | None:
    """Return what a whole request or response of a service says."""
    for dialect in DIALECTS:
        if dialect.is_reply(value):
            return dialect.read_reply(value, place).said
        if dialect.is_request(value):
            return dialect.read_request(value, place).said
    return None


def _as_wrapper(value: dict[str, Any], place: int, depth: int) -> tuple[Said, ...] | None:
    """Return what an object holds under one of the names that programs give to messages, prompts and answers."""
    system = [said for name in _SYSTEMS if value.get(name) for said in _words("system", value[name], place)]
    for name in _LISTS:
        said = _said(value[name], place, depth - 1) if isinstance(value.get(name), list) else None
        if said is not None:
            return (*system, *said) if said[0].role != "system" else said
    prompt = next((value[name] for name in _PROMPTS if isinstance(value.get(name), str) and value[name]), None)
    if prompt is not None:
        return (*system, *_words("user", prompt, place))
    for name in _INSIDE:
        inside = value.get(name)
        said = _said(inside, place, depth - 1) if isinstance(inside, dict | list) or (isinstance(inside, str) and name != "content") else None
        if said is not None:
            return _with_reason(said, value)
    return None


def _with_reason(said: tuple[Said, ...], value: dict[str, Any]) -> tuple[Said, ...]:
    """Add why the model stopped, where that stands beside the message."""
    reason = value.get("finish_reason")
    if not isinstance(reason, str) or said[-1].role != "assistant" or said[-1].finish_reason:
        return said
    return (*said[:-1], said[-1]._replace(finish_reason=reason))


def _words(role: str, value: Any, place: int) -> tuple[Said, ...]:
    value = parsed(value)
    reason = value.get("finish_reason") if isinstance(value, dict) else None
    if isinstance(value, dict) and isinstance(value.get("message"), str) and not value.keys() - {"message", "finish_reason"}:
        value = parsed(value["message"])
    text = genai.text_of_blocks(value) if genai.are_blocks(value) else text_of(value)
    reason = reason if isinstance(reason, str) and role == "assistant" else None
    return (Said(role, place, (Piece("text", text),), finish_reason=reason),) if text else ()


def _other(value: Any, place: int) -> tuple[Said, ...]:
    """Keep what stands among messages and is none."""
    return (Said("user", place, (Piece("other", text_of(value)),), injected=True),)
