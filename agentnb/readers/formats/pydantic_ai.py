"""Pydantic AI: the messages of a run as its type adapter writes them, requests and responses in turn.

A record is a request or a response, which holds several parts. Versions differ: a retry is a part of its own in 1.x, and a tool's result with the outcome
`retried` in 2.x. One file may hold several conversations, which their id tells apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, count_in, extra_of, object_of, read_arguments, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.replies import cut_reply

_READ_MESSAGE = frozenset({"kind", "parts", "timestamp", "usage", "model_name", "finish_reason", "conversation_id", "provider_response_id", "instructions"})
_READ_PART = frozenset({"part_kind", "content", "timestamp", "tool_name", "tool_call_id", "args", "outcome"})
_READ_MEDIA = frozenset({"kind", "url", "data", "media_type"})
_CALLS = frozenset({"tool-call", "builtin-tool-call"})
_RESULTS = frozenset({"tool-return", "builtin-tool-return", "retry-prompt"})
_USAGE = {
    "input_tokens": ("input_tokens", count_in),
    "request_tokens": ("input_tokens", count_in),
    "output_tokens": ("output_tokens", count_in),
    "response_tokens": ("output_tokens", count_in),
    "cache_read_tokens": ("cached_tokens", count_in),
    "cache_write_tokens": ("cache_write_tokens", count_in),
    "output_reasoning_tokens": ("reasoning_tokens", count_in),
    "cost": ("cost", amount_in),
}


def _matches(sample: Sample) -> bool:
    return any(map(_is_message, _items(sample.document)[:20] if sample.shape == "document" else sample.values))


def _items(document: Any) -> list[Any]:
    """Return the messages of a document: a list, or an object that holds one."""
    if isinstance(document, dict):
        document = next((document[name] for name in ("messages", "all_messages", "new_messages") if isinstance(document.get(name), list)), [])
    return document if isinstance(document, list) else []


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("kind") not in ("request", "response") or not isinstance(value.get("parts"), list):
        return False
    return all(isinstance(part, dict) and isinstance(part.get("part_kind"), str) for part in value["parts"])


def _keys(sample: Sample) -> set[str]:
    """Return the ids of the conversations of a file."""
    values = _items(sample.document) if sample.shape == "document" else (*sample.values, *sample.last_values)
    messages = [value for value in values if _is_message(value)]
    named = {str(text_of(value["conversation_id"])) for value in messages if value.get("conversation_id") is not None}
    return named or {_digest(messages)}


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    conversations: dict[str, list[_Met]] = {}
    for file in files:
        alone = f"{file.path}"
        for place, message in _messages_of(file, on_bytes):
            conversations.setdefault(text_of(message.get("conversation_id")) or alone, []).append(_Met(file.account, place, message))
    apart = Apart(rows, READER.format)
    for met in conversations.values():
        _Conversation(met, apart).read()


def _messages_of(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the messages of a file; what is none is in the account."""
    values = read_values(file, on_bytes)
    items = values if file.sample.shape == "lines" else enumerate(_items(next(values)[1]), 1)
    for place, value in items:
        if _is_message(value):
            yield place, value
            continue
        file.account.leave_out("no_message", "The record is no request and no response; it was left out.", line=place, excerpt=value)


class _Met(NamedTuple):
    """A message, and where it was met."""

    account: Account
    place: int
    message: dict[str, Any]


class _Conversation:
    """Reads the messages of one conversation."""

    def __init__(self, met: list[_Met], apart: Apart) -> None:
        self.met = met
        self.draft = apart.start(text_of(met[0].message.get("conversation_id")) or _digest([item.message for item in met]), met[0].account, line=met[0].place)
        self.reader = MessageList(self.draft.main, met[0].account)
        self.instructions: str | None = None

    def read(self) -> None:
        """Read the messages into the tables; a later file that repeats what an earlier one held is merged."""
        known: dict[str, Account] = {}
        for account, place, message in self.met:
            if known.setdefault(to_json(message), account) is not account:
                account.merge()
                continue
            self.reader.account = self.draft.main.account = account
            self.reader.read(self._said(message, place))
            if message.get("state") == "interrupted" and self.draft.main.turn is not None:
                self.draft.main.turn.state = "interrupted"
        self.reader.finish()
        self.draft.finish()

    def _said(self, message: dict[str, Any], place: int) -> Iterator[Said]:
        """Say a message; the first of what it is made of stands for the record."""
        parts = _response(message, place) if message["kind"] == "response" else self._request(message, place)
        said = [*parts] or [Said("user", place, injected=True)]
        rest = extra_of(message, _READ_MESSAGE)
        first = said[0]
        time = read_time(message.get("timestamp"))
        yield first._replace(extra=first.extra or rest, zone_assumed=time.zone_assumed)
        yield from (later._replace(records=0) for later in said[1:])

    def _request(self, message: dict[str, Any], place: int) -> Iterator[Said]:
        at = read_time(message.get("timestamp")).micros
        instructions = message.get("instructions")
        if isinstance(instructions, str) and instructions != self.instructions:
            # They are sent again with every request.
            self.instructions = instructions
            yield Said("system", place, (Piece("text", instructions),), at=at)
        for part in message["parts"]:
            said_at = read_time(part.get("timestamp")).micros or at
            if part["part_kind"] in _RESULTS and (part.get("tool_name") is not None or part["part_kind"] != "retry-prompt"):
                yield _result(part, place)._replace(at=said_at)
                continue
            role = "system" if part["part_kind"] in ("system-prompt", "instruction") else "user"
            injected = part["part_kind"] != "user-prompt"
            own_id = text_of(message.get("run_id")) if not injected else None
            yield Said(role, place, _pieces(part), at=said_at, injected=injected, id=own_id, extra=extra_of(part, _READ_PART))


def _response(message: dict[str, Any], place: int) -> Iterator[Said]:
    """Say a response: one model call, with the calls that the provider ran itself answered inside it."""
    usage = message.get("usage")
    columns = {column: count for name, (column, read) in _USAGE.items() if isinstance(usage, dict) and (count := read(usage.get(name))) is not None}
    first = Said(
        "assistant",
        place,
        at=read_time(message.get("timestamp")).micros,
        model=text_of(message.get("model_name")),
        usage=columns,
        finish_reason=text_of(message.get("finish_reason")),
        id=text_of(message.get("provider_response_id")),
    )
    yield from cut_reply(first, (item for part in message["parts"] for item in _said_items(part, place)))


def _said_items(part: dict[str, Any], place: int) -> tuple[Piece | Asked | Said, ...]:
    if part["part_kind"] in _CALLS:
        return (_asked(part),)
    return (_result(part, place),) if part["part_kind"] in _RESULTS else _pieces(part)


def _asked(part: dict[str, Any]) -> Asked:
    arguments = read_arguments(part.get("args"))
    extra = extra_of(part, _READ_PART - {"content", "outcome"})
    return Asked(text_of(part.get("tool_call_id")) or None, text_of(part.get("tool_name")) or "", arguments.text, extra, arguments.oddities)


def _result(part: dict[str, Any], place: int) -> Said:
    """Say a tool's result; one that asks the model to try again has failed, and one that a person refused was denied."""
    outcome = "retried" if part["part_kind"] == "retry-prompt" else text_of(part.get("outcome"))
    failed = None if outcome is None else outcome not in ("success", "denied")
    question = Question(answer="no", line=place) if outcome == "denied" else None
    result_of = text_of(part.get("tool_call_id")) or None
    extra = extra_of(part, _READ_PART - {"args"})
    return Said("tool", place, _pieces(part), result_of=result_of, failed=failed, question=question, extra=extra)


def _pieces(part: dict[str, Any]) -> tuple[Piece, ...]:
    content, kind = part.get("content"), part["part_kind"]
    if kind in ("text", "thinking"):
        extra = extra_of(part, _READ_PART)
        return (Piece("reasoning" if kind == "thinking" else "text", text_of(content), extra=extra),)
    if kind == "file":
        return (_media(content),)
    if isinstance(content, list) and kind != "retry-prompt" and any(isinstance(item, str) or _is_media(item) for item in content):
        return tuple(Piece("text", item) if isinstance(item, str) else _media(item) for item in content)
    if kind not in (*_RESULTS, "user-prompt", "system-prompt", "instruction"):
        return (Piece("other", kind, extra=object_of(part)),)
    return () if content is None else (Piece("text", text_of(content)),)


def _is_media(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("kind"), str) and ("url" in item or "data" in item)


def _media(item: Any) -> Piece:
    """Return an image as an image, and any other medium with its kind."""
    if not isinstance(item, dict):
        return Piece("other", None, extra=object_of(item))
    kind, mime = text_of(item.get("kind")), text_of(item.get("media_type"))
    if kind == "image-url" or str(mime).startswith("image/"):
        return Piece("image", text_of(item.get("url") or item.get("data")), mime, extra_of(item, _READ_MEDIA))
    return Piece("other", kind, mime, object_of(item))


def _digest(messages: list[dict[str, Any]]) -> str:
    """Name a conversation without an id by how it begins."""
    begin = [[part.get("content") for part in item["parts"]] for item in itertools.takewhile(lambda item: item["kind"] == "request", messages)]
    return f"pydantic-ai-{digest_of(['pydantic_ai', begin])}"


READER = Reader(format="pydantic_ai", title="Pydantic AI messages", matches=_matches, keys=_keys, read=_read)
