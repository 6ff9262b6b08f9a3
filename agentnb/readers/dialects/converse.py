"""Requests and responses of Amazon Bedrock's Converse: messages of content blocks, each with one field that says what it is."""

from __future__ import annotations

import itertools
import re
from typing import Any

from agentnb.readers._fields import amount_in, count_in, dict_of, extra_of, list_of, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders.exchanges import Asking, Dialect, Reply
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.dialects.genai import are_blocks, said_of_message
from agentnb.streams.converse_events import assemble_responses, is_converse_event

_ROLES = frozenset({"user", "assistant"})
_READ_RESPONSE = frozenset({"output", "stopReason", "usage", "metrics"})


def is_request(body: Any) -> bool:
    """Tell whether a value is a request, from the body alone."""
    messages = body.get("messages") if isinstance(body, dict) else None
    return isinstance(messages, list) and bool(messages) and all(map(_has_blocks, messages))


def is_reply(body: Any) -> bool:
    """Tell whether a value is a response."""
    return isinstance(body, dict) and "stopReason" in body and _message_of(body) is not None


def read_request(body: dict[str, Any], place: int | None) -> Asking:
    """Say the messages of a request, the system prompt first; with a place they all stand there, else each at its own number."""
    messages = body.get("messages")
    placed = [(place or number, value) for number, value in enumerate(messages, 1)] if isinstance(messages, list) else []
    own = [(at, value) for at, value in placed if _has_blocks(value)]
    prompts = [said for block in list_of(body.get("system")) for said in _prompt(block, place or 1)]
    return Asking(
        (*prompts, *(said for at, message in own for said in _said(message, at))),
        beginning=list(itertools.takewhile(lambda message: message["role"] != "assistant", (message for _, message in own))),
        extra=rest_of(body, ("messages", "system")),
        others=tuple(item for item in placed if not _has_blocks(item[1])),
    )


def read_reply(body: dict[str, Any], place: int) -> Reply:
    """Say a response."""
    message = _message_of(body) or {}
    first, *others = said_of_message({**message, "role": "assistant", "content": list_of(message.get("content"))}, place)
    first = first._replace(usage=_usage_in(body), finish_reason=text_of(body.get("stopReason")), extra=extra_of(body, _READ_RESPONSE))
    return Reply((first, *others))


def _has_blocks(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("role"), str) or item["role"] not in _ROLES:
        return False
    return item.get("content") == [] or are_blocks(item.get("content"))


def _message_of(body: dict[str, Any]) -> dict[str, Any] | None:
    output = body.get("output")
    message = output.get("message") if isinstance(output, dict) else None
    return message if isinstance(message, dict) and isinstance(message.get("content"), list) else None


def _prompt(block: Any, place: int) -> list[Said]:
    text = block.get("text") if isinstance(block, dict) else None
    if isinstance(text, str):
        return [Said("system", place, (Piece("text", text),), records=0)]
    return [] if isinstance(block, dict) and "cachePoint" in block else [Said("system", place, (Piece("other", extra=to_json({"system": block})),), records=0)]


def _said(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message, which is one record whatever it becomes."""
    said = said_of_message(message, place)
    return [said[0]._replace(records=1), *(further._replace(records=0) for further in said[1:])]


def _usage_in(body: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a model call; input that was in the cache is counted apart by the service."""
    usage, metrics = dict_of(body.get("usage")), dict_of(body.get("metrics"))
    fresh, cached, written = (count_in(usage.get(name)) for name in ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"))
    took = amount_in(metrics.get("latencyMs"))
    found = {
        "input_tokens": None if fresh is None else fresh + (cached or 0) + (written or 0),
        "output_tokens": count_in(usage.get("outputTokens")),
        "cached_tokens": cached,
        "cache_write_tokens": written,
        "seconds": None if took is None else took / 1000,
    }
    return {name: value for name, value in found.items() if value is not None}


DIALECT = Dialect(
    format="openai_chat",
    prefix="converse",
    path=re.compile(r"/model/[^/]+/converse(?:-stream)?\b"),
    is_request=is_request,
    is_reply=is_reply,
    is_event=is_converse_event,
    read_request=read_request,
    read_reply=read_reply,
    assemble=assemble_responses,
)
