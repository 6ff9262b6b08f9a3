"""What a FunctAI program and its model said to each other, from whichever record tells it: exchanges, steps, events, replies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from agentnb.readers._fields import as_extra, count_in, extra_of, object_in, object_of, read_arguments, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.formats.functai._turns import Row, objects_in, text_in

_USAGE = {
    "input_tokens": ("input_tokens",),
    "output_tokens": ("output_tokens",),
    "cached_tokens": ("cached_tokens", "cache_read_tokens"),
    "cache_write_tokens": ("cache_write_tokens",),
    "reasoning_tokens": ("reasoning_tokens",),
}
_READ_EXCHANGE = frozenset({"model", "started", "seconds", "finish", "usage", "error", "response"})
_READ_STEP = frozenset({"kind", "message", "outputs"})


def error_of(error: Any) -> str | None:
    """Return an error as a text: its type and what it says."""
    if not isinstance(error, dict):
        return text_of(error)
    named = [text for name in ("type", "message") if (text := text_of(error.get(name)))]
    return ": ".join(named) or to_json(error)


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that counts tell."""
    if not isinstance(usage, dict):
        return {}
    found = {column: next((count for name in names if (count := count_in(usage.get(name))) is not None), None) for column, names in _USAGE.items()}
    return {column: count for column, count in found.items() if count is not None}


def said_of_record(record: dict[str, Any], place: int) -> list[Said]:
    """Say what a record with steps or exchanges holds: an exchange is a model call, and a step tells what it was and what tools returned."""
    exchanges = objects_in(record, "exchanges")
    steps = objects_in(record, "steps")
    if not steps:
        return list(_said_of_exchanges(exchanges, place))
    return list(_said_of_steps(steps, exchanges, place))


def said_of_events(events: Sequence[Row]) -> list[Said]:
    """Say what the events of one call tell."""
    said: list[Said] = []
    for row in events:
        value, kind = row.value, row.value.get("kind")
        reply = said[-1] if said and said[-1].role == "assistant" else None
        if kind == "request":
            said.append(Said("assistant", row.place, started=row.at, at=row.at, model=text_in(value, "model"), records=0))
        elif kind in ("text", "thinking", "tool_call", "retry"):
            if reply is None:
                said.append(Said("assistant", row.place, at=row.at, same_step=bool(said), records=0))
            said[-1] = _with_event(said[-1], value)._replace(at=row.at)
        elif kind == "tool_result":
            text = value.get("output")
            pieces = (Piece("text", text),) if isinstance(text, str) else ()
            said.append(Said("tool", row.place, pieces, result_of=text_in(value, "id"), at=row.at, records=0))
        elif kind == "failed" and reply is not None and not reply.asked:
            said[-1] = reply._replace(error=error_of(value.get("error")), at=row.at)
    return said


def said_of_replies(rows: Iterable[Row], replayed: Collection[int]) -> list[Said]:
    """Say the replies and results of tools that were recorded while a turn ran.

    Args:
        rows: the lines.
        replayed: the places of replies that were recorded before, and again when a resumed turn replayed them.
    """
    said: list[Said] = []
    for row in rows:
        value = row.value
        if value.get("kind") == "reply":
            if row.place not in replayed:
                said.append(_reply_of(object_in(value, "response"), {}, row.place)._replace(at=row.at))
        elif value.get("state") in ("done", "given"):
            output = value.get("output")
            pieces = (Piece("text", output),) if isinstance(output, str) else ()
            said.append(Said("tool", row.place, pieces, result_of=text_in(value, "id"), at=row.at, records=0))
    return said


def _said_of_steps(steps: list[dict[str, Any]], exchanges: list[dict[str, Any]], place: int) -> Iterator[Said]:
    waiting = list(exchanges)
    for step in steps:
        if step.get("kind") == "tool":
            rest = _rest(step, {"kind", "id", "name", "output"})
            yield Said("tool", place, _pieces(step.get("output")), result_of=text_in(step, "id"), extra=rest, records=0)
            continue
        while waiting and waiting[0].get("error") is not None and len(waiting) > 1:
            yield _said_of_exchange(waiting.pop(0), place)
        exchange = waiting.pop(0) if waiting else {}
        said = _reply_of(object_in(exchange, "response"), step, place)
        yield _measured(said, exchange, _rest(step, _READ_STEP))
    yield from _said_of_exchanges(waiting, place)


def _said_of_exchanges(exchanges: list[dict[str, Any]], place: int) -> Iterator[Said]:
    """Say exchanges; what a tool returned stands in the request of the next one."""
    open_ids: set[str] = set()
    for exchange in exchanges:
        for message in objects_in(exchange.get("request"), "messages"):
            for part in objects_in(message, "parts"):
                named = text_in(part, "id")
                if part.get("type") == "tool_result" and named in open_ids:
                    open_ids.discard(named)
                    yield Said("tool", place, _pieces(part.get("output", part.get("content"))), result_of=named, records=0)
        said = _said_of_exchange(exchange, place)
        open_ids |= {call.tool_call_id for call in said.asked if call.tool_call_id}
        yield said


def _said_of_exchange(exchange: dict[str, Any], place: int) -> Said:
    return _measured(_reply_of(object_in(exchange, "response"), {}, place), exchange, None)


def _measured(said: Said, exchange: dict[str, Any], extra: str | None) -> Said:
    """Add what an exchange tells of the model call; one that came from a cache cost nothing now."""
    started, seconds = read_time(exchange.get("started")).micros, exchange.get("seconds")
    took = seconds if isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < 1e9 else None
    cached = exchange.get("cached") is True
    rest = {name: item for name, item in exchange.items() if name not in _READ_EXCHANGE and item not in (None, False)}
    if cached and exchange.get("usage"):
        rest["usage"] = exchange["usage"]
    whole = rest | ({"step": extra} if extra else {})
    return said._replace(
        started=started,
        at=started + round(took * 1e6) if started is not None and took is not None else started,
        model=text_of(exchange.get("model")),
        usage={} if cached else usage_in(exchange.get("usage")),
        finish_reason=text_of(exchange.get("finish")),
        error=error_of(exchange["error"]) if exchange.get("error") is not None else None,
        extra=as_extra(whole),
    )


def _reply_of(response: dict[str, Any], step: dict[str, Any], place: int) -> Said:
    """Say what a model answered: its message, else the outputs that were read from it."""
    message = object_in(step, "message") or object_in(response, "message")
    parts = objects_in(message, "parts")
    if not parts and isinstance(step.get("outputs"), dict):
        return _said_of_outputs(step["outputs"], text_in(step, "calls_field") or "tool_calls", place)
    calls = tuple(_asked(part) for part in parts if part.get("type") == "tool_call")
    return Said("assistant", place, tuple(_piece(part) for part in parts if part.get("type") != "tool_call"), calls, records=0)


def _said_of_outputs(outputs: dict[str, Any], calls_field: str, place: int) -> Said:
    said = {name: value for name, value in outputs.items() if name not in (calls_field, "reasoning")}
    thought = outputs.get("reasoning")
    pieces = [Piece("reasoning", text_of(thought))] if thought is not None else []
    if said:
        pieces.append(Piece("text", text_of(next(iter(said.values())) if len(said) == 1 else said)))
    return Said("assistant", place, tuple(pieces), tuple(map(_asked, objects_in(outputs, calls_field))), records=0)


def _with_event(said: Said, event: dict[str, Any]) -> Said:
    """Add a streamed piece to a reply; a retry takes back what was streamed so far."""
    kind, text = event.get("kind"), event.get("text")
    if kind == "retry":
        return said._replace(pieces=(), extra=to_json({"retry": {name: event.get(name) for name in ("reason", "wait")}}))
    if kind == "tool_call":
        return said._replace(asked=(*said.asked, _asked(event)))
    field = event.get("field")
    type = "reasoning" if kind == "thinking" or field == "reasoning" else "text"
    extra = to_json({"field": field}) if kind == "text" and event.get("answer") is not True else None
    last = said.pieces[-1] if said.pieces else None
    if last is not None and last.type == type and last.extra == extra:
        return said._replace(pieces=(*said.pieces[:-1], last._replace(text=(last.text or "") + (text_of(text) or ""))))
    return said._replace(pieces=(*said.pieces, Piece(type, text_of(text), extra=extra)))


def _asked(call: dict[str, Any]) -> Asked:
    arguments = read_arguments(call.get("input"))
    return Asked(text_in(call, "id"), text_of(call.get("name")) or "", arguments.text, None, arguments.oddities)


def _pieces(content: Any) -> tuple[Piece, ...]:
    if isinstance(content, list):
        return tuple(map(_piece, content))
    return () if content is None else (Piece("text", text_of(content)),)


def _piece(part: Any) -> Piece:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("text", "thinking") and isinstance(part.get("text"), str):
        return Piece("text" if kind == "text" else "reasoning", part["text"], extra=_rest(part, {"type", "text"}))
    return Piece("other", text_of(kind), extra=object_of(part))


def _rest(record: dict[str, Any], known: Any) -> str | None:
    return extra_of(record, known)
