"""One call of AutoGen's model client: the messages it was given, and the result."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import counts_in, extra_of, object_of, read_arguments, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers.builders.exchanges import Asking, Exchange, Reply
from agentnb.readers.builders.message_list import Asked, Piece, Said

USAGE = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
"""Counts of a model call, and the columns into which they go."""

_ROLES = {"SystemMessage": "system", "UserMessage": "user", "AssistantMessage": "assistant"}
_RESULTS = "FunctionExecutionResultMessage"
_READ_MESSAGE = frozenset({"type", "content", "thought"})
_READ_RESPONSE = frozenset({"content", "finish_reason", "usage", "thought"})
_READ_RECORD = frozenset({"mode", "messages", "response"})


def is_exchange(value: Any) -> bool:
    """Tell whether a value is a recorded call of the client."""
    return isinstance(value, dict) and value.get("mode") in ("create", "create_stream") and isinstance(value.get("messages"), list)


def exchange_in(value: dict[str, Any], place: int, account: Account) -> Exchange:
    """Say a recorded call: the record stands for the reply, and what it was given for nothing more."""
    given = [said for message in value["messages"] for said in said_in(message, place)]
    return Exchange(place, account, Asking(tuple(given)), Reply((_reply(value, place),)), name_of_exchange(value))


def name_of_exchange(value: dict[str, Any]) -> str:
    """Name the conversation that begins with a recorded call, by what it was given up to the first reply."""
    before_reply = list(itertools.takewhile(lambda message: not isinstance(message, dict) or message.get("type") != "AssistantMessage", value["messages"]))
    return f"autogen-{digest_of(['autogen', before_reply])}"


def said_in(message: Any, place: int) -> Iterator[Said]:
    """Say a message that the client was given."""
    kind = message.get("type") if isinstance(message, dict) else None
    if not isinstance(message, dict) or (kind not in _ROLES and kind != _RESULTS):
        yield Said("user", place, (Piece("other", text_of(kind), extra=object_of(message)),), injected=True, records=0)
        return
    content = message.get("content")
    if kind == _RESULTS:
        yield from (said_of_result(result, place) for result in (content if isinstance(content, list) else [content]))
        return
    pieces, asked = _thoughts(message) + pieces_in(content), asked_in(content)
    yield Said(_ROLES[str(kind)], place, pieces, asked, extra=extra_of(message, _READ_MESSAGE), records=0)


def said_of_result(result: Any, place: int) -> Said:
    """Say what a function returned."""
    fields = result if isinstance(result, dict) else {"content": result}
    failed = fields.get("is_error")
    extra = extra_of(fields, ("content", "call_id", "is_error", "name"))
    pieces = (Piece("text", text_of(fields.get("content"))),)
    name = text_of(fields.get("name"))
    own_id = text_of(fields.get("call_id")) or None
    return Said("tool", place, pieces, result_of=own_id, failed=failed if isinstance(failed, bool) else None, result_name=name, extra=extra, records=0)


def _reply(value: dict[str, Any], place: int) -> Said:
    response = value.get("response")
    fields = response if isinstance(response, dict) else {}
    counts = counts_in(fields.get("usage"), USAGE)
    content = fields.get("content")
    if content is None and isinstance(response, str):
        content = response
    extra = extra_of({**fields, "record": {name: item for name, item in value.items() if name not in _READ_RECORD and item} or None}, _READ_RESPONSE)
    error = None if content is not None else "There is no reply."
    reason, pieces = text_of(fields.get("finish_reason")), _thoughts(fields) + pieces_in(content)
    return Said("assistant", place, pieces, asked_in(content), usage=counts, finish_reason=reason, error=error, extra=extra)


def _thoughts(fields: dict[str, Any]) -> tuple[Piece, ...]:
    thought = fields.get("thought")
    return (Piece("reasoning", thought),) if isinstance(thought, str) and thought else ()


def pieces_in(content: Any) -> tuple[Piece, ...]:
    """Return the texts and images that content holds."""
    if content is None or isinstance(content, str):
        return (Piece("text", content),) if content else ()
    items = content if isinstance(content, list) else [content]
    return tuple(Piece("text", item) if isinstance(item, str) else _other(item) for item in items if not _is_call(item))


def _other(item: Any) -> Piece:
    data = item.get("data") if isinstance(item, dict) else None
    return Piece("image", data) if isinstance(data, str) else Piece("other", None, extra=object_of(item))


def asked_in(content: Any) -> tuple[Asked, ...]:
    """Return the calls that content asks for."""
    return tuple(map(_call, filter(_is_call, content))) if isinstance(content, list) else ()


def _is_call(item: Any) -> bool:
    return isinstance(item, dict) and "name" in item and "arguments" in item


def _call(item: dict[str, Any]) -> Asked:
    arguments = read_arguments(item.get("arguments"))
    extra = extra_of(item, ("id", "name", "arguments"))
    return Asked(text_of(item.get("id")) or None, text_of(item.get("name")) or "", arguments.text, extra, arguments.oddities)
