"""AI SDK: the messages that a user interface keeps, the messages that are sent to a model, and the stream between server and interface.

A record is a message, or a chunk of a stream. A stream that is cut leaves its last call without an answer. A chat may stand in an object with its id.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import object_of, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import MessageList, Said
from agentnb.readers.dialects import model_messages, ui_messages
from agentnb.streams._assembled import Assembled
from agentnb.streams.ui_chunks import assemble_ui_messages, begins_ui_stream, is_ui_chunk


class _Chat(NamedTuple):
    """Messages of one conversation with their places, and the object that held them."""

    messages: list[tuple[int, Any]]
    record: dict[str, Any]


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        return _is_list(sample.document) or _is_chat(sample.document) or (isinstance(sample.document, list) and any(map(_is_chat, sample.document[:20])))
    return _is_list(list(sample.values)) or any(map(_is_chat, sample.values))


def _is_list(values: Any) -> bool:
    """Tell whether values are the messages or the chunks of one conversation."""
    if not isinstance(values, list) or not values:
        return False
    return _is_stream(values[:20]) or _is_message_list(values)


def _is_stream(values: list[Any]) -> bool:
    return begins_ui_stream(values[0]) and sum(map(is_ui_chunk, values)) * 4 >= len(values) * 3


def _is_message_list(values: Any) -> bool:
    if not isinstance(values, list):
        return False
    return sum(map(ui_messages.is_message, values[:50])) * 2 > len(values[:50]) or model_messages.is_message_list(values)


def _is_chat(value: Any) -> bool:
    return isinstance(value, dict) and _is_message_list(value.get("messages"))


def _keys(sample: Sample) -> set[str]:
    """Return the ids of the conversations of a file, so that equal ones in several files are told apart."""
    values = list(enumerate(sample.document if isinstance(sample.document, list) else [sample.document] if sample.shape == "document" else sample.values, 1))
    plain = [value for _, value in values]
    if _is_list(plain):
        return {_id_of(_Chat(_from_stream(values) if _is_stream(plain[:20]) else values, {}))}
    return {_id_of(_Chat(list(enumerate(value["messages"], 1)), value)) for value in plain if _is_chat(value)}


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        values = list(read_values(file, on_bytes))
        if file.sample.shape == "document" and isinstance(values[0][1], list):
            values = list(enumerate(values[0][1], 1))
        for chat in _chats(values, file.account):
            _read_chat(chat, file.account, apart)


def _chats(values: list[tuple[int, Any]], account: Account) -> Iterator[_Chat]:
    """Yield the conversations of a file: a stream, a list of messages, or objects that hold one."""
    plain = [value for _, value in values]
    if _is_list(plain):
        yield _Chat(_from_stream(values) if _is_stream(plain[:20]) else values, {})
        return
    for place, value in values:
        if _is_chat(value):
            listed = list(enumerate(value["messages"], 1)) if len(values) == 1 else [(place, message) for message in value["messages"]]
            yield _Chat(listed, value)
        else:
            account.leave_out("no_message", "The record is no message and no chat; it was left out.", line=place, excerpt=value)


def _from_stream(values: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Return the messages that chunks make, each where its first chunk is."""
    made = assemble_ui_messages(value for _, value in values)
    return [(values[message.first][0], message) for message in made]


def _read_chat(chat: _Chat, account: Account, apart: Apart) -> None:
    draft = apart.start(_id_of(chat), account, line=chat.messages[0][0])
    reader = MessageList(draft.main, account)
    for place, value in chat.messages:
        reader.read(_said_in(value, place, account))
        _note_state(reader, value)
    reader.finish()
    draft.extra |= rest_of(chat.record, ("id", "messages"))
    draft.finish()


def _said_in(value: Any, place: int, account: Account) -> list[Said]:
    message = value.value if isinstance(value, Assembled) else value
    if ui_messages.is_message(message):
        said = ui_messages.said_of_message(message, place)
    elif model_messages.is_message(message):
        said = model_messages.said_of_message(message, place)
    else:
        account.leave_out("no_message", "It stands among messages and is none; it was left out.", line=place, excerpt=message)
        return []
    if isinstance(value, Assembled):
        said[0] = said[0]._replace(records=value.events)
        if value.unread:
            said[-1] = said[-1]._replace(extra=to_json({"unread_chunks": list(value.unread)}))
        account.note_oddities(value.oddities, line=place)
    return said


def _note_state(reader: MessageList, value: Any) -> None:
    """Note what a message tells of its turn: that it waits for a person, was stopped, or is only half there."""
    turn = reader.thread.turn
    message = value.value if isinstance(value, Assembled) else value
    if turn is None or not isinstance(message, dict):
        return
    parts = message.get("parts")
    states = [part.get("state") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    if "approval-requested" in states:
        turn.state = "waiting"
    elif message.get("aborted"):
        turn.state = "stopped"
    elif isinstance(value, Assembled) and not value.whole:
        turn.state = "interrupted"


def _id_of(chat: _Chat) -> str:
    """Return the chat's own id, else a digest of how it begins, else the id of the message that was streamed."""
    own_id = text_of(chat.record.get("id"))
    if own_id:
        return own_id
    plain = [value.value if isinstance(value, Assembled) else value for _, value in chat.messages]
    before_reply = list(itertools.takewhile(lambda message: not isinstance(message, dict) or message.get("role") != "assistant", plain))
    first = plain[0]
    if not before_reply and isinstance(first, dict) and first.get("id"):
        return str(text_of(first["id"]))
    return f"ai-sdk-{digest_of(['ai_sdk', before_reply or object_of(first)])}"


READER = Reader(format="ai_sdk", title="Vercel AI SDK messages and UI streams", matches=_matches, keys=_keys, read=_read)
