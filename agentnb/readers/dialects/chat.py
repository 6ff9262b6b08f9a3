"""One message of Chat Completions: what it says, which tools it asks for, and what it cost; `DIALECT` says whole requests and responses."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

from agentnb.readers._fields import amount_in, as_extra, count_in, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.exchanges import Asking, Dialect, Reply, failed_reply
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.dialects.replies import cut_reply
from agentnb.streams._assembled import Assembled
from agentnb.streams.chat_chunks import assemble_completions, is_chat_chunk
from agentnb.streams.cohere_events import assemble_answers, is_cohere_event

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}
"""Roles of the service, and what they are here."""

_READ_RESPONSE = frozenset({"choices", "message", "usage", "model", "created", "object", "finish_reason"})
_FOREIGN_BLOCKS = frozenset({"tool_use", "tool_result", "server_tool_use", "thinking", "output_text", "input_text"})
_REASONING = ("reasoning_content", "reasoning", "tool_plan")
_READ_KEYS = frozenset({"role", "tool_call_id", "name", "refusal", *_REASONING})
_READ_BLOCKS = {"text": {"type", "text"}, "refusal": {"type", "refusal"}, "image_url": {"type", "image_url"}}


def is_message(item: Any) -> bool:
    """Tell whether a value is a message of this service."""
    return isinstance(item, dict) and isinstance(item.get("role"), str) and item["role"] in ROLES


def is_message_list(values: Any) -> bool:
    """Tell whether most of a list are messages of this service, and none a message of another."""
    if not isinstance(values, list) or any(map(_is_foreign, values[:50])):
        return False
    return sum(map(is_message, values[:50])) * 2 > len(values[:50])


def said_in(message: dict[str, Any], place: int) -> Said:
    """Say a message in no format's terms.

    Args:
        message: one of which `is_message` is true.
        place: its place in the recording, from 1.
    """
    rest = unread_of(message)
    time = read_time(message.get("timestamp") or message.get("created_at"))
    return Said(
        ROLES[message["role"]],
        place,
        pieces=_pieces(message),
        asked=asked_in(message),
        result_of=text_of(message.get("tool_call_id")),
        at=time.micros,
        zone_assumed=time.zone_assumed,
        extra=as_extra(rest),
    )


def unread_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return what `said_in` does not read of a message."""
    read = set(_READ_KEYS)
    read |= {name for name, kind in (("tool_calls", list), ("function_call", dict)) if isinstance(message.get(name), kind)}
    return {name: value for name, value in message.items() if name not in read | {"content"} and value is not None}


def content_of(message: dict[str, Any]) -> str:
    """Return the text of a message, without reasoning."""
    return "".join(piece.text or "" for piece in _pieces(message)).strip()


def asked_in(message: dict[str, Any]) -> tuple[Asked, ...]:
    """Return the tool calls that a message asks for."""
    calls = message.get("tool_calls")
    old = message.get("function_call")
    listed = list(calls) if isinstance(calls, list) else []
    if isinstance(old, dict):
        listed.append({"function": old})
    return tuple(map(_call, listed))


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that a `usage` object tells."""
    if not isinstance(usage, dict):
        return {}
    tokens = _details(usage, "tokens") or usage
    sent, received = _details(usage, "prompt_tokens_details"), _details(usage, "completion_tokens_details")
    found = {
        "input_tokens": _count(tokens, "prompt_tokens", "input_tokens"),
        "output_tokens": _count(tokens, "completion_tokens", "output_tokens"),
        "cached_tokens": _count(sent | usage, "cached_tokens", "prompt_cache_hit_tokens"),
        "cache_write_tokens": _count(sent | usage, "cache_creation_tokens", "cache_creation_input_tokens"),
        "reasoning_tokens": _count(received, "reasoning_tokens"),
        "cost": amount_in(usage.get("cost")),
    }
    return {name: value for name, value in found.items() if value is not None}


def read_request(body: dict[str, Any], place: int | None) -> Asking:
    """Say the messages of a request; with a place they all stand there, else each at its own number."""
    messages = body.get("messages")
    placed = [(place or number, value) for number, value in enumerate(messages, 1)] if isinstance(messages, list) else []
    own = [item for item in placed if is_message(item[1])]
    return Asking(
        tuple(said_in(message, at) for at, message in own),
        beginning=list(itertools.takewhile(lambda message: message["role"] != "assistant", (message for _, message in own))),
        model=body["model"] if isinstance(body.get("model"), str) else None,
        extra={name: value for name, value in body.items() if name != "messages" and value is not None},
        others=tuple(item for item in placed if not is_message(item[1])),
    )


def read_reply(body: dict[str, Any], place: int) -> Reply:
    """Say a completion, also one that tells an error in the place of its message."""
    choice = _choice_of(body)
    message = choice.get("message")
    time = read_time(body.get("created"))
    ids = (body["id"],) if isinstance(body.get("id"), str) else ()
    if not isinstance(message, dict):
        return failed_reply(body, place, model=text_of(body.get("model")), at=time.micros)._replace(ids=ids)
    message = {**message, "role": "assistant"}
    executed = message.pop("executed_tools", None)
    rest = rest_of(body, _READ_RESPONSE) | _unread_of_choices(body)
    if unread := unread_of(message):
        rest["reply"] = unread
    error = choice.get("error") or body.get("error")
    said = said_in(message, place)._replace(
        at=time.micros,
        zone_assumed=time.zone_assumed,
        model=text_of(body.get("model")),
        usage=usage_in(body.get("usage") or _details(_details(body, "x_groq"), "usage")),
        finish_reason=text_of(choice.get("finish_reason")),
        error=text_of(error.get("message") or error) if isinstance(error, dict) else text_of(error),
        extra=as_extra(rest),
    )
    return Reply(tuple(_with_executed(said, executed, place)), ids)


def _with_executed(said: Said, executed: Any, place: int) -> Iterable[Said]:
    """Say a reply with the tools that Groq ran for it: after what the model thought, before what it said."""
    if not isinstance(executed, list) or not executed:
        return [said]
    thought = [piece for piece in said.pieces if piece.type == "reasoning"]
    tools: dict[Any, Any] = {}
    for number, tool in enumerate(executed):
        # A stream tells a tool twice: when it begins and when it has returned.
        index = tool.get("index") if isinstance(tool, dict) and isinstance(tool.get("index"), int) else f"#{number}"
        tools[index] = tools.get(index, {}) | tool if isinstance(tool, dict) else tool
    ran = [item for tool in tools.values() for item in _executed(tool, place)]
    spoken = [piece for piece in said.pieces if piece.type != "reasoning"]
    return cut_reply(said._replace(pieces=(), asked=()), [*thought, *ran, *spoken, *said.asked])


def _executed(tool: Any, place: int) -> tuple[Asked | Said, ...]:
    if not isinstance(tool, dict):
        return (Asked(None, "", to_json(tool)),)
    arguments = read_arguments(tool.get("arguments"))
    rest = extra_of(tool, ("type", "name", "arguments", "output", "index"))
    asked = Asked(None, text_of(tool.get("name") or tool.get("type")) or "", arguments.text, rest, arguments.oddities)
    output = text_of(tool.get("output"))
    return (asked, Said("tool", place, (Piece("text", output),))) if output is not None else (asked,)


def is_request(body: Any) -> bool:
    """Tell whether a value is a request, from the body alone."""
    return isinstance(body, dict) and is_message_list(body.get("messages")) and "system" not in body and "anthropic_version" not in body


def is_reply(body: Any) -> bool:
    """Tell whether a value is a completion, or an answer of Cohere."""
    if not isinstance(body, dict):
        return False
    choices = body.get("choices")
    if isinstance(choices, list) and body.get("object") != "chat.completion.chunk":
        return any(isinstance(choice, dict) and isinstance(choice.get("message"), dict) for choice in choices)
    return isinstance(body.get("message"), dict) and "finish_reason" in body and is_message_list([body["message"]])


def _assemble(events: Iterable[Any]) -> list[Assembled]:
    events = list(events)
    return assemble_answers(events) if any(map(is_cohere_event, events)) else assemble_completions(events)


def _unread_of_choices(body: dict[str, Any]) -> dict[str, Any]:
    """Return what is not read of the choices: further ones, and what the first one says besides its message."""
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        return {}
    first = choices[0] if isinstance(choices[0], dict) else {}
    rest = rest_of(first, ("index", "message", "finish_reason"))
    return ({"choice": rest} if rest else {}) | ({"choices": choices[1:]} if choices[1:] else {})


def _choice_of(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else body


def _is_foreign(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    content = item.get("content")
    kinds = [block.get("type") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return "parts" in item or "message_type" in item or any(isinstance(kind, str) and kind in _FOREIGN_BLOCKS for kind in kinds)


def _pieces(message: dict[str, Any]) -> tuple[Piece, ...]:
    thoughts = [Piece("reasoning", message[key]) for key in _REASONING if isinstance(message.get(key), str) and message[key]]
    refusal = message.get("refusal")
    said = [_piece(block) for block in _blocks(message)]
    return (*thoughts[:1], *said, *([Piece("text", refusal)] if isinstance(refusal, str) and refusal else []))


def _blocks(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    if isinstance(content, list):
        return content
    return [] if content is None or (content == "" and "tool_calls" in message) else [content]


def _piece(block: Any) -> Piece:
    if isinstance(block, str):
        return Piece("text", block)
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in _READ_BLOCKS:
        return Piece("other", text_of(kind), extra=object_of(block))
    extra = extra_of(block, _READ_BLOCKS[kind])
    if kind != "image_url":
        return Piece("text", block[kind], extra=extra) if isinstance(block.get(kind), str) else Piece("other", kind, extra=to_json(block))
    image = block.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    mime = url[5:].replace(",", ";").split(";")[0] if isinstance(url, str) and url.startswith("data:") else None
    return Piece("image", text_of(url), mime or None, extra)


def _call(call: Any) -> Asked:
    if not isinstance(call, dict):
        return Asked(None, "", to_json(call))
    named = call.get("function")
    function = named if isinstance(named, dict) else call
    rest = {name: value for name, value in call.items() if name not in ("id", "type", "function", "index", "name", "arguments")}
    arguments = read_arguments(function.get("arguments"))
    extra = as_extra(rest)
    return Asked(text_of(call.get("id")) or None, text_of(function.get("name")) or "", arguments.text, extra, arguments.oddities)


def _details(fields: dict[str, Any], name: str) -> dict[str, Any]:
    details = fields.get(name)
    return details if isinstance(details, dict) else {}


def _count(usage: dict[str, Any], *names: str) -> int | None:
    return next((count for name in names if (count := count_in(usage.get(name))) is not None), None)


DIALECT = Dialect(
    format="openai_chat",
    prefix="chat",
    path=re.compile(r"/chat/completions\b|/v2/chat\b"),
    is_request=is_request,
    is_reply=is_reply,
    is_event=lambda value: is_chat_chunk(value) or is_cohere_event(value),
    read_request=read_request,
    read_reply=read_reply,
    assemble=_assemble,
)
