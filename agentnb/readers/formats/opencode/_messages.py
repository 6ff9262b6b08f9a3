"""One message of opencode with its parts: what was said, which tools ran and what came of them, what it cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, as_extra, count_in, dict_of, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.message_list import Asked, Piece, Said, joined
from agentnb.readers.formats.opencode._store import Record

_READ_MESSAGE = frozenset({"id", "sessionID", "role", "time", "modelID", "model", "parentID", "finish", "error", "tokens", "cost"})
_READ_PART = frozenset({"id", "sessionID", "messageID", "type", "text", "time"})
_READ_STATE = frozenset({"status", "input", "output", "error", "time"})


class Told(NamedTuple):
    """A piece of a message in no format's terms, and the account of the file that it stands in."""

    said: Said
    account: Account


def told_of(message: Record, parts: list[Record]) -> list[Told]:
    """Say a message with its parts; none of it counts a record, since each may stand in a file of its own."""
    told = _reply(message, parts) if message.value["role"] == "assistant" else _words(message, parts)
    return [Told(item.said._replace(records=0), item.account) for item in told]


def error_of(error: Any) -> str | None:
    """Return an error as a text: what it says, else its name."""
    if not isinstance(error, dict):
        return text_of(error)
    data = error.get("data")
    words = data.get("message") if isinstance(data, dict) else None
    return text_of(words) or text_of(error.get("name")) or to_json(error)


def model_of(value: dict[str, Any]) -> str | None:
    """Return the model of a message."""
    model = value.get("model")
    return text_of(value.get("modelID") or (model.get("modelID") if isinstance(model, dict) else model))


def _words(message: Record, parts: list[Record]) -> list[Told]:
    """Say a person's message: the words first, then what the tool put beside them."""
    beside = [part for part in parts if part.value.get("synthetic") is True or part.value.get("ignored") is True]
    spoken = [part for part in parts if part not in beside]
    first = Said("user", message.place, at=message.time("created"), id=message.value["id"], extra=_rest(message.value, _READ_MESSAGE))
    told = [Told(Said("user", part.place, (_piece(part),), at=first.at), part.account) for part in spoken]
    told += [Told(Said("user", part.place, (_piece(part),), at=first.at, injected=True), part.account) for part in beside]
    if not told:
        return [Told(first, message.account)]
    opening = told[0].said
    return [told[0]._replace(said=opening._replace(id=first.id, extra=first.extra)), *told[1:]]


def _reply(message: Record, parts: list[Record]) -> list[Told]:
    """Say a reply: each step of it is a model call, and a tool's part is both the call and its result."""
    told: list[Told] = []
    in_step = False
    for part in parts:
        starts = part.value["type"] == "step-start"
        for said in _part(part):
            told.append(Told(said._replace(same_step=said.role == "assistant" and not (starts and in_step)), part.account))
        in_step = in_step or starts
    replies = [place for place, item in enumerate(told) if item.said.role == "assistant"]
    if not replies:
        return [Told(_end(_begin(Said("assistant", message.place), message), message, parts), message.account)]
    first, last = replies[0], replies[-1]
    told[first] = told[first]._replace(said=_begin(told[first].said, message))
    told[last] = told[last]._replace(said=_end(told[last].said, message, parts))
    return told


def _begin(said: Said, message: Record) -> Said:
    """Let the first piece of a reply open its model call."""
    value = message.value
    unread = None if amount_in(value.get("cost")) is not None or value.get("cost") is None else to_json({"cost": value["cost"]})
    extra = text_of(joined(joined(said.extra, _rest(value, _READ_MESSAGE)), unread))
    return said._replace(started=message.time("created"), model=model_of(value), id=value["id"], extra=extra, same_step=False)


def _end(said: Said, message: Record, parts: list[Record]) -> Said:
    """Put on the last piece of a reply what the message tells of all of it; what its steps tell they count themselves."""
    value = message.value
    counted = {} if any(part.value["type"] == "step-finish" and usage_in(part.value) for part in parts) else usage_in(value)
    # A message is complete when its tools are; the model had ended before the last of them began.
    ended = None if any(part.value["type"] == "tool" for part in parts) else message.time("completed")
    return said._replace(
        at=ended or said.at or (None if parts else message.time("created")),
        error=error_of(value["error"]) if value.get("error") is not None else None,
        usage=counted | said.usage,
        finish_reason=text_of(value.get("finish")),
    )


def _part(part: Record) -> Iterator[Said]:
    value, kind = part.value, part.value["type"]
    if kind == "tool":
        yield from _tool(part)
        return
    usage = usage_in(value) if kind == "step-finish" else {}
    yield Said("assistant", part.place, (_piece(part),), at=part.time("end") or part.time("start"), usage=usage)


def _tool(part: Record) -> Iterator[Said]:
    """Say the call of a tool, then its result if it has one."""
    value = part.value
    state = value["state"] if isinstance(value.get("state"), dict) else {}
    metadata = state["metadata"] if isinstance(state.get("metadata"), dict) else {}
    status, times = state.get("status"), state["time"] if isinstance(state.get("time"), dict) else {}
    begun, ended = read_time(times.get("start")).micros, read_time(times.get("end")).micros
    call_id = text_of(value.get("callID")) or value["id"]
    rest = rest_of(value, (*_READ_PART, "callID", "tool", "state"))
    rest |= rest_of(state, _READ_STATE)
    arguments = read_arguments(state.get("input"))
    running = "running" if status == "running" else None
    asked = Asked(call_id, text_of(value.get("tool")) or "", arguments.text, as_extra(rest), arguments.oddities, state=running)
    yield Said("assistant", part.place, (), (asked,), at=begun)
    if status not in ("completed", "error"):
        return
    code = metadata.get("exit")
    exit_code = code if type(code) is int and abs(code) < 2**31 else None
    error = text_of(state.get("error")) if status == "error" else None
    output = text_of(state.get("output")) if state.get("output") is not None else error
    failed = status == "error" or (False if exit_code is None else None)
    pieces = (Piece("text", output),) if output is not None else ()
    yield Said("tool", part.place, pieces, result_of=call_id, at=ended, error=error, failed=failed, exit_code=exit_code)


def usage_in(value: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a model call that a message or the end of a step tells; what was cached is counted beside the other input."""
    tokens = dict_of(value.get("tokens"))
    cache = tokens["cache"] if isinstance(tokens.get("cache"), dict) else {}
    counts = [count_in(tokens.get("input")), count_in(cache.get("read")), count_in(cache.get("write"))]
    found: dict[str, Any] = {"output_tokens": count_in(tokens.get("output")), "reasoning_tokens": count_in(tokens.get("reasoning"))}
    if any((*counts, *found.values())):
        sent = [count for count in counts if count is not None]
        found |= {"input_tokens": sum(sent) if sent else None, "cached_tokens": counts[1], "cache_write_tokens": counts[2]}
    else:
        # A reply that never came is counted as nothing.
        found = {}
    cost = value.get("cost")
    found["cost"] = amount_in(cost) if found or cost else None
    return {column: count for column, count in found.items() if count is not None}


def _piece(part: Record) -> Piece:
    value, kind = part.value, part.value["type"]
    if kind in ("text", "reasoning") and isinstance(value.get("text"), str):
        return Piece(kind, value["text"], extra=_rest(value, _READ_PART))
    mime = value.get("mime")
    if kind == "file" and isinstance(mime, str) and mime.startswith("image/"):
        return Piece("image", text_of(value.get("url")), mime, _rest(value, _READ_PART | {"url", "mime"}))
    return Piece("other", kind, text_of(mime), object_of(value))


def _rest(value: dict[str, Any], read: frozenset[str]) -> str | None:
    return extra_of(value, read)
