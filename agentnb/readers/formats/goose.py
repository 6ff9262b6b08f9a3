"""Sessions of goose: a line about the session, then one message a line, or one document with both; and what it prints when it runs without a screen.

A record is a message, or the line about the session. A call and its result are contents of messages and say whether they succeeded. Printed messages may
come in pieces with the same id; what the run took is told at its end, and stands with the last model call.
Built from its documentation; no recorded file was at hand.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from agentnb.readers._fields import as_extra, count_in, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said

_CALLS = ("toolRequest", "frontendToolRequest")
_ROLES = ("user", "assistant")
_ABOUT = ("message_count", "description", "total_tokens", "accumulated_total_tokens", "conversation")
_USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_input_tokens": "cached_tokens",
    "cache_write_input_tokens": "cache_write_tokens",
}
_READ_MESSAGE = frozenset({"id", "role", "created", "content"})


def _matches(sample: Sample) -> bool:
    return any(_is_header(value) or _is_own_message(value) for value in _records_in(sample)[:50])


def _records_in(sample: Sample) -> list[Any]:
    document = sample.document
    return list(map(_unwrapped, sample.values)) if document is None else [item for _, item in _records_of(document)]


def _unwrapped(value: Any) -> Any:
    """Return the message of an event that was printed; any other value as it is."""
    printed = isinstance(value, dict) and value.get("type") == "message" and "role" not in value and _is_message(value.get("message"))
    return value["message"] if printed else value


def _records_of(document: Any) -> list[tuple[int, Any]]:
    """Return the records of a document with their places: what it says about the session, and the messages."""
    if _is_header(document) and isinstance(document.get("conversation"), list):
        header = {name: value for name, value in document.items() if name != "conversation"} | {"message_count": len(document["conversation"])}
        return list(enumerate([header, *document["conversation"]]))
    if isinstance(document, dict) and isinstance(document.get("messages"), list) and any(map(_is_own_message, document["messages"][:50])):
        return list(enumerate(document["messages"], 1))
    return list(enumerate(document if isinstance(document, list) else [document], 1))


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("working_dir"), str) and "role" not in value and any(name in value for name in _ABOUT)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") in _ROLES and isinstance(value.get("content"), list)


def _is_own_message(value: Any) -> bool:
    if not _is_message(value):
        return False
    return any(isinstance(part, dict) and part.get("type") in (*_CALLS, "toolResponse") and isinstance(part.get("id"), str) for part in value["content"])


def _keys(sample: Sample) -> set[str]:
    return {_conversation_id(sample)}


def _conversation_id(sample: Sample) -> str:
    records = _records_in(sample)
    own = next((value["id"] for value in records if _is_header(value) and isinstance(value.get("id"), str) and value["id"]), None)
    said = filter(_is_message, records)
    before_reply = list(itertools.takewhile(lambda value: value["role"] == "user", said))
    return own or f"goose-{digest_of(['goose', before_reply])}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        draft = apart.start(_conversation_id(file.sample), file.account)
        draft.row.agent_name = "goose"
        messages = MessageList(draft.main, file.account)
        for place, value in _values_of(file, on_bytes):
            _read_record(value, place, draft, messages)
        messages.finish()
        draft.finish()


def _values_of(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    held: tuple[int, Any] | None = None
    for place, value in read_values(file, on_bytes):
        if file.sample.shape == "document":
            yield from _records_of(value)
            continue
        message = _unwrapped(value)
        if held is not None and message is not value and _goes_on(held[1], message):
            held = held[0], held[1] | {"content": _joined(held[1]["content"], message["content"])}
            file.account.merge()
            continue
        if held is not None:
            yield held
        held = place, message
    if held is not None:
        yield held


def _goes_on(held: Any, message: dict[str, Any]) -> bool:
    """Tell whether a message that was printed is a further piece of the one before."""
    return _is_message(held) and isinstance(message.get("id"), str) and held.get("id") == message["id"] and held["role"] == message["role"]


def _joined(first: list[Any], then: list[Any]) -> list[Any]:
    """Put the contents of two pieces of a message together; words that go on are one content."""
    last, following = (first or [None])[-1], (then or [None])[0]
    for name in ("text", "thinking"):
        if all(isinstance(part, dict) and part.get("type") == name and isinstance(part.get(name), str) for part in (last, following)):
            return [*first[:-1], last | {name: last[name] + following[name]}, *then[1:]]
    return [*first, *then]


def _read_record(value: Any, place: int, draft: ConversationDraft, messages: MessageList) -> None:
    if isinstance(value, dict) and value.get("type") == "complete" and "role" not in value:
        _end(value, place, messages)
    elif _is_header(value):
        draft.row.title = text_of(value.get("description") or value.get("name")) or draft.row.title
        draft.labels.setdefault("cwd", value["working_dir"])
        draft.extra |= rest_of(value, ("id", "description", "working_dir"))
        messages.account.keep()
    elif _is_message(value):
        messages.read(_said_in(value, place))
    else:
        messages.account.leave_out("no_message", "It is no message and tells nothing of the session; it was left out.", line=place, excerpt=value)


def _end(value: dict[str, Any], place: int, messages: MessageList) -> None:
    """Read how a run ended and what it took."""
    for name, column in _USAGE.items():
        if messages.step is not None and (count := count_in(value.get(name))) is not None:
            setattr(messages.step, column, count)
    messages.note(Said("system", place, (Piece("other", "complete", extra=to_json(value)),), injected=True))
    messages.thread.draft.ended = True


def _said_in(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message: results first, which a message of the user holds, then the words."""
    time = read_time(message.get("created"))
    content = message["content"]
    results = [_result(part, place)._replace(at=time.micros) for part in content if _is_part(part, ("toolResponse",))]
    asked = tuple(_asked(part) for part in content if _is_part(part, _CALLS))
    pieces = tuple(_piece(part) for part in content if not _is_part(part, ("toolResponse", *_CALLS)))
    shown = message.get("metadata")
    hidden = isinstance(shown, dict) and shown.get("userVisible") is False
    said = results
    if pieces or asked or not results:
        own_id, extra = text_of(message.get("id")) or None, extra_of(message, _READ_MESSAGE)
        said = [*results, Said(message["role"], place, pieces, asked, at=time.micros, id=own_id, extra=extra, injected=hidden and not asked)]
    return [said[0], *(item._replace(records=0) for item in said[1:])]


def _is_part(part: Any, kinds: tuple[str, ...]) -> bool:
    return isinstance(part, dict) and part.get("type") in kinds


def _asked(part: dict[str, Any]) -> Asked:
    """Return a call; one that could not be made out holds the error in its place."""
    held = part.get("toolCall")
    value = held.get("value") if isinstance(held, dict) else None
    call = value if isinstance(value, dict) else {}
    arguments = read_arguments(call.get("arguments"))
    rest = rest_of(part, ("type", "id", "toolCall"))
    if isinstance(held, dict):
        rest |= rest_of(held, ("status", "value"))
    return Asked(text_of(part.get("id")) or None, text_of(call.get("name")) or "", arguments.text, as_extra(rest), arguments.oddities)


def _result(part: dict[str, Any], place: int) -> Said:
    held = part.get("toolResult")
    told = held if isinstance(held, dict) else {"value": held}
    value = told.get("value")
    listed = value.get("content") if isinstance(value, dict) else value
    failed = told.get("status") == "error" or (isinstance(value, dict) and value.get("isError") is True)
    error = text_of(told.get("error")) if told.get("status") == "error" else None
    pieces = tuple(map(_piece, listed)) if isinstance(listed, list) else () if listed is None else (Piece("text", text_of(listed)),)
    rest = rest_of(value, ("content", "isError")) if isinstance(value, dict) else {}
    return Said(
        "tool", place, pieces or ((Piece("text", error),) if error else ()), result_of=text_of(part.get("id")) or None,
        failed=failed if "status" in told else None, error=error, extra=as_extra(rest),
    )  # fmt: skip


def _piece(part: Any) -> Piece:
    kind = part.get("type") if isinstance(part, dict) else None
    for type, name, read in (("text", "text", "text"), ("thinking", "thinking", "reasoning"), ("image", "data", "image")):
        if kind == type and isinstance(part.get(name), str):
            return Piece(read, part[name], text_of(part.get("mimeType")), extra_of(part, ("type", name, "mimeType")))
    return Piece("other", text_of(kind), extra=object_of(part))


READER = Reader(format="goose", title="goose session", matches=_matches, keys=_keys, read=_read, places=("~/.local/share/goose/sessions",))
