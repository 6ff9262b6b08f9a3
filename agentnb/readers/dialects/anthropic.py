"""One message of Anthropic Messages: what it says, which tools it asks for, what they returned, and what it cost; `DIALECT` says requests and responses.

A message of a person may hold results of tools beside words, and a reply may hold whole runs: tools that the service ran itself, with their results. So
one message becomes several `Said`: results come first, then the words; a reply is cut at each result, and its pieces belong to one model call.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from agentnb.readers._fields import as_extra, count_in, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.exchanges import Asking, Dialect, Reply, failed_reply
from agentnb.readers.builders.message_list import Asked, Piece, Said, joined
from agentnb.readers.dialects.anthropic_blocks import asked_in, is_call, is_result, piece_in, returned_in
from agentnb.readers.dialects.replies import cut_reply
from agentnb.streams.message_events import assemble_messages, is_message_event

ROLES = {"system": "system", "user": "user", "assistant": "assistant"}
"""Roles of the service, and what they are here."""

USAGE = frozenset({"input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"})
"""Fields of a `usage` object that `usage_in` reads whole."""

_OWN_BLOCKS = frozenset(
    {"tool_use", "server_tool_use", "mcp_tool_use", "thinking", "redacted_thinking", "container_upload", "compaction", "document", "search_result"}
)
_READ_KEYS = frozenset({"role", "content"})
_READ_REPLY = frozenset({"type", "id", "model", "stop_reason", "usage"})
# What a client puts between a person's words: each tells the model something that nobody said.
_WRAPPED = re.compile(
    r"\s*<(system[-_]reminder|environment_(?:details|context)|user_instructions|local-command-\w+|ide_\w+|task-notification)\b[^>]*>.*</\1>\s*", re.DOTALL
)


def is_message(item: Any) -> bool:
    """Tell whether a value is a message of this service."""
    return isinstance(item, dict) and isinstance(item.get("role"), str) and item["role"] in ROLES and isinstance(item.get("content"), str | list)


def is_own_message(item: Any) -> bool:
    """Tell whether a message holds a block that no other service has."""
    return is_message(item) and isinstance(item["content"], list) and any(map(_is_own_block, item["content"]))


def is_message_list(values: Any) -> bool:
    """Tell whether most of a list are messages of this service, and one of them at least has a block that no other service has."""
    if not isinstance(values, list) or not any(map(is_own_message, values[:50])):
        return False
    return sum(map(is_message, values[:50])) * 2 > len(values[:50])


def said_of_message(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message in no format's terms; the first of what it becomes stands for its record.

    Args:
        message: one of which `is_message` is true, or a response.
        place: its place in the recording, from 1.
    """
    role = ROLES.get(text_of(message.get("role")) or "", "assistant")
    blocks = _blocks(message.get("content"))
    said = list(_said_reply(message, blocks, place) if role == "assistant" else _said_words(message, role, blocks, place))
    return [said[0], *(item._replace(records=0) for item in said[1:])]


def said_of_system(system: Any, place: int) -> list[Said]:
    """Say the instructions of a request: a text or blocks; they are no message, and no record of their own."""
    blocks = _blocks(system)
    return [Said("system", place, tuple(map(piece_in, blocks)), records=0)] if blocks else []


def read_request(body: dict[str, Any], place: int | None) -> Asking:
    """Say the messages of a request; with a place they all stand there, else each at its own number."""
    messages = body.get("messages")
    placed = [(place or number, value) for number, value in enumerate(messages, 1)] if isinstance(messages, list) else []
    own = [item for item in placed if is_message(item[1])]
    said = [item for at, message in own for item in said_of_message(message, at)]
    return Asking(
        (*said_of_system(body.get("system"), place or 1), *said),
        beginning=list(itertools.takewhile(lambda message: message["role"] != "assistant", (message for _, message in own))),
        model=body["model"] if isinstance(body.get("model"), str) else None,
        extra=rest_of(body, ("messages", "system", "model")),
        others=tuple(item for item in placed if not is_message(item[1])),
    )


def read_reply(body: dict[str, Any], place: int) -> Reply:
    """Say a response, also one that tells an error: in its place, or where a stream broke off."""
    ids = (body["id"],) if isinstance(body.get("id"), str) and body["id"] else ()
    if not isinstance(body.get("content"), list):
        return failed_reply(body, place, model=text_of(body.get("model")))._replace(ids=ids)
    first, *rest = said_of_message({**body, "role": "assistant"}, place)
    error = body.get("error")
    words = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
    return Reply((first._replace(error=words), *rest), ids)


def is_request(body: Any) -> bool:
    """Tell whether a value is a request, from the body alone."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list):
        return False
    tools = body.get("tools")
    described = isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)
    own = "anthropic_version" in body or described or (isinstance(body.get("system"), str | list) and "max_tokens" in body)
    return (own and all(map(is_message, body["messages"]))) or is_message_list(body["messages"])


def is_reply(body: Any) -> bool:
    """Tell whether a value is a response, or the error that stands in its place."""
    if not isinstance(body, dict):
        return False
    if body.get("type") == "error":
        error = body.get("error")
        return isinstance(error, dict) and isinstance(error.get("type"), str) and isinstance(error.get("message"), str)
    whole = body.get("type") == "message" and body.get("role") == "assistant" and isinstance(body.get("content"), list)
    return whole and ("stop_reason" in body or "usage" in body) and not any(map(_is_foreign_block, body["content"]))


def unread_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return what `said_of_message` does not read of a message."""
    read = set(_READ_KEYS)
    if message.get("role", "assistant") == "assistant":
        read |= _READ_REPLY
    rest = {name: value for name, value in message.items() if name not in read | {"timestamp", "created_at"} and value is not None}
    usage = message.get("usage") if "usage" in read else None
    unread = rest_of(usage, USAGE) if isinstance(usage, dict) else {}
    return rest | ({"usage": unread} if unread else {})


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that a `usage` object tells; what was read from the cache or written to it counts as input too."""
    if not isinstance(usage, dict):
        return {}
    fresh, read, written = (count_in(usage.get(name)) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"))
    details = usage.get("output_tokens_details")
    found = {
        "input_tokens": None if fresh is None else fresh + (read or 0) + (written or 0),
        "output_tokens": count_in(usage.get("output_tokens")),
        "cached_tokens": read,
        "cache_write_tokens": written,
        "reasoning_tokens": count_in(details.get("thinking_tokens")) if isinstance(details, dict) else None,
    }
    return {name: value for name, value in found.items() if count_in(value) is not None}


def is_injected(text: str | None) -> bool:
    """Tell whether a text is nothing but what a client puts beside a person's words."""
    return text is not None and text.lstrip()[:1] == "<" and _WRAPPED.fullmatch(text) is not None


def _is_foreign_block(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") in ("output_text", "refusal", "input_text")


def _is_own_block(block: Any) -> bool:
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return False
    kind = block["type"]
    return kind in _OWN_BLOCKS or ("tool_use_id" in block and kind.endswith("tool_result")) or (kind == "image" and isinstance(block.get("source"), dict))


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [] if content is None or content == "" else [content]


def _said_words(message: dict[str, Any], role: str, blocks: list[Any], place: int) -> Iterator[Said]:
    """Say what a person sent: results answer calls first, then the words, then what the client put beside them."""
    time = read_time(message.get("timestamp") or message.get("created_at"))
    results = [_result(block, place) for block in blocks if is_result(block)]
    pieces = [piece_in(block) for block in blocks if not is_result(block)]
    words = tuple(piece for piece in pieces if not is_injected(piece.text))
    beside = tuple(piece for piece in pieces if is_injected(piece.text))
    rest = unread_of(message)
    own_id = text_of(rest.pop("id", None)) or None
    spoken = [Said(role, place, words, id=own_id)] if words or not (results or beside) else []
    injected = [Said(role, place, beside, injected=True)] if beside else []
    # What was not read of the message stands with its words, else with what comes last.
    holder = len(results) if spoken else len(results) + len(injected) - 1
    for number, said in enumerate([*results, *spoken, *injected]):
        extra = joined(said.extra, to_json(rest)) if number == holder and rest else said.extra
        yield said._replace(at=time.micros, zone_assumed=time.zone_assumed, extra=text_of(extra))


def _said_reply(message: dict[str, Any], blocks: list[Any], place: int) -> Iterator[Said]:
    time = read_time(message.get("timestamp") or message.get("created_at"))
    rest = unread_of(message)
    first = Said(
        "assistant",
        place,
        at=time.micros,
        zone_assumed=time.zone_assumed,
        model=text_of(message.get("model")),
        usage=usage_in(message.get("usage")),
        finish_reason=text_of(message.get("stop_reason")),
        extra=as_extra(rest),
        id=text_of(message.get("id")) or None,
    )
    yield from cut_reply(first, (_item(block, place) for block in blocks))


def _item(block: Any, place: int) -> Piece | Asked | Said:
    return _result(block, place) if is_result(block) else asked_in(block) if is_call(block) else piece_in(block)


def _result(block: dict[str, Any], place: int) -> Said:
    told = returned_in(block)
    return Said(
        "tool",
        place,
        told.pieces,
        result_of=text_of(block.get("tool_use_id")) or None,
        error=told.error,
        extra=to_json(told.extra) if told.extra else None,
        failed=told.failed,
        exit_code=told.exit_code,
    )


DIALECT = Dialect(
    format="anthropic_messages",
    prefix="messages",
    path=re.compile(r"/v1/messages(?:\?|$)|anthropic\.claude[^/]*/(?:invoke|invoke-with-response-stream)\b|claude[^/:]*:(?:streamR|r)awPredict\b"),
    is_request=is_request,
    is_reply=is_reply,
    is_event=is_message_event,
    read_request=read_request,
    read_reply=read_reply,
    assemble=assemble_messages,
)
