"""Records as text and back: JSON in ASCII, so that no database and no file system has an opinion on a character of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from agentnb.conversations.stores.protocols import Record
from agentnb.errors import ConversationError
from agentnb.garbage import without_garbage_collection

_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_decode = msgspec.json.Decoder().decode


def record_text(record: Mapping[str, Any]) -> str:
    """Write a record as one line of ASCII; its `seq`, which is the store's to give, is left out.

    Raises:
        ConversationError: it has no JSON form (`conversation-opaque`).
    """
    if not isinstance(record, Mapping):
        raise ConversationError("conversation-opaque", f"a record is a JSON object, not {type(record).__name__}; nothing was written")
    try:
        return _encode({name: value for name, value in record.items() if name != "seq"})
    except (TypeError, ValueError, RecursionError) as error:
        what = f"a record of kind {record.get('kind')!r}" if "kind" in record else "a record"
        raise ConversationError("conversation-opaque", f"{what} has no JSON form: {error}. Give it JSON values; nothing was written") from error


def event_text(event: Mapping[str, Any]) -> str:
    """Write an event, or the record of a call, as one line of ASCII.

    Raises:
        ConversationError: it has no JSON form (`conversation-opaque`).
    """
    try:
        return _encode(dict(event))
    except (TypeError, ValueError, RecursionError) as error:
        raise ConversationError("conversation-opaque", f"{str(event)[:60]} has no JSON form: {error}. Nothing was written") from error


def numbered(text: str, place: int) -> str:
    """Put the place of a record into its text, as the last key."""
    return f'{text[:-1]}{"," if len(text) > 2 else ""}"seq":{place}}}'


def read_records(texts: Iterable[tuple[int, str | bytes]]) -> list[Record]:
    """Read records with their places; what is none keeps its place as an unreadable one."""
    with without_garbage_collection():
        return [_read(text, place) for place, text in texts]


def read_objects(texts: Iterable[str | bytes]) -> list[Record]:
    """Read JSON objects; what is none is passed over."""
    with without_garbage_collection():
        return [value for text in texts if isinstance(value := json_of(text), dict)]


def json_of(text: str | bytes) -> Any:
    """Return the JSON value of a text; None when there is none."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass_on = text
    # Lone surrogates and numbers beyond what a float holds are texts of JSON too.
    try:
        return json.loads(pass_on)
    except (ValueError, RecursionError):
        return None


def _read(text: str | bytes, place: int) -> Record:
    value = json_of(text)
    if not isinstance(value, dict):
        return {"unreadable": True, "seq": place}
    value["seq"] = place
    return value
