"""One event of a sample of an Inspect log.

A log of a long run is mostly what its events repeat: the whole conversation with every model call, every change of the state. Of an event only what is
asked for is decoded; what was sent to a model stays bytes until somebody wants it.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import msgspec

from agentnb.readers._fields import amount_in, count_in, text_of
from agentnb.readers._rows import Micros
from agentnb.readers._times import read_time

_COLUMNS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "input_tokens_cache_read": "cached_tokens",
    "input_tokens_cache_write": "cache_write_tokens",
    "reasoning_tokens": "reasoning_tokens",
}
_T = TypeVar("_T")
_NO_RAW = msgspec.Raw()
_NULL = msgspec.Raw(b"null")
_Failures = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Event(msgspec.Struct, gc=False):
    """One event, in the fields of all kinds that are read."""

    event: Any = None
    timestamp: Any = None
    completed: Any = None
    span_id: Any = None
    id: Any = None
    parent_id: Any = None
    type: Any = None
    name: Any = None
    function: Any = None
    action: Any = None
    cmd: Any = None
    error: Any = None
    model: Any = None
    retries: Any = None
    cache: Any = None
    pending: Any = None
    input_refs: Any = None
    decision: Any = None
    approver: Any = None
    explanation: Any = None
    message: Any = None
    intermediate: Any = None
    file: Any = None
    call: msgspec.Raw = _NO_RAW
    input: msgspec.Raw = _NO_RAW
    output: msgspec.Raw = _NO_RAW
    result: msgspec.Raw = _NO_RAW
    arguments: msgspec.Raw = _NO_RAW
    events: msgspec.Raw = _NO_RAW
    tools: msgspec.Raw = _NO_RAW


class _Named(msgspec.Struct, gc=False):
    id: Any = None


class _Choice(msgspec.Struct, gc=False):
    stop_reason: Any = None
    message: _Named | None = None


class _Output(msgspec.Struct, gc=False):
    """What a model call gave; of its replies no more than their ids."""

    model: Any = None
    usage: Any = None
    time: Any = None
    error: Any = None
    choices: list[_Choice] | None = None


class _AnyOutput(msgspec.Struct, gc=False):
    """The same where something stands that is none of it."""

    model: Any = None
    usage: Any = None
    time: Any = None
    error: Any = None
    choices: msgspec.Raw = _NO_RAW


_seconds: dict[str, Micros | None] = {}


def moment(value: Any) -> Micros | None:
    """Read a time such as `2026-03-02T13:00:00.123456+00:00`, some five times faster than `read_time`: many events share a second."""
    if not isinstance(value, str) or len(value) != 32 or value[19] != ".":
        return read_time(value).micros
    second, micros = value[:19] + value[26:], value[20:26]
    if second not in _seconds:
        if len(_seconds) > 100_000:
            _seconds.clear()
        _seconds[second] = read_time(second).micros
    start = _seconds[second]
    return start + int(micros) if start is not None and micros.isdecimal() and micros.isascii() else read_time(value).micros


class Owner(NamedTuple):
    """In whose name an event took place: the agent, tool or scorer whose span it stands in."""

    key: str = ""
    """Of its span, or of the tool call it is nested in; empty for the run itself."""
    name: str = ""
    type: str = ""
    tool_call_id: str | None = None
    """The tool call inside which it ran."""


class ModelCall(NamedTuple):
    """A call of a model."""

    number: int
    """Place among the events, from 1."""
    event: Event
    owner: Owner
    has_reply: bool
    """Whether it gave a message."""
    reply_id: str | None
    """Id of that message; old logs have none."""
    started: Micros | None
    ended: Micros | None
    usage: dict[str, Any]
    finish_reason: str | None
    model: str | None
    error: str | None
    extra: dict[str, Any]


class ToolRun:
    """What a tool did for one call."""

    __slots__ = ("commands", "event", "number")

    def __init__(self, event: Event, number: int) -> None:
        """Start with nothing run in a sandbox."""
        self.event = event
        self.number = number
        self.commands: list[dict[str, Any]] = []

    @property
    def exit_code(self) -> int | None:
        """The exit code, where it ran exactly one command; of several none is the tool's."""
        if len(self.commands) != 1:
            return None
        code = self.commands[0].get("result")
        return code if type(code) is int and abs(code) < 2**31 else None


def model_call(event: Event, number: int, owner: Owner) -> ModelCall:
    """Say what an event of a model call tells."""
    output = _output_in(event.output)
    choices = output.choices or []
    choice = choices[0] if choices else _Choice()
    started, ended = moment(event.timestamp), moment(event.completed) if event.completed is not None else None
    if ended is None and started is not None and (seconds := amount_in(output.time)) is not None:
        ended = started + round(seconds * 1e6)
    extra = {name: value for name, value in (("retries", event.retries), ("cache", event.cache)) if value} if event.retries or event.cache else {}
    if len(choices) > 1:
        extra["choices"] = _choices_in(event)[1:]
    if bytes(event.tools) == b"[]":
        # Whoever was offered no tools could not have called one; what the tools were is said too often to keep.
        extra["tools"] = []
    reply_id = choice.message.id if choice.message is not None else None
    return ModelCall(
        number,
        event,
        owner,
        choice.message is not None,
        reply_id if isinstance(reply_id, str) else None,
        started,
        ended,
        usage_in(output.usage),
        text_of(choice.stop_reason),
        text_of(output.model or event.model),
        text_of(event.error if event.error is not None else output.error),
        extra,
    )


def reply_in(event: Event) -> msgspec.Raw:
    """Return the message that a model call gave."""
    choices = _choices_in(event)
    fields = _decoded(_raw_fields, choices[0]) if choices else None
    return (fields or {}).get("message", _NO_RAW)


def _output_in(raw: msgspec.Raw) -> _Output:
    found = _decoded(_output, raw)
    if found is not None:
        return found
    other = _decoded(_any_output, raw) or _AnyOutput()
    return _Output(other.model, other.usage, other.time, other.error, [_choice_in(item) for item in raw_items(other.choices)])


def _choice_in(raw: msgspec.Raw) -> _Choice:
    fields = _decoded(_raw_fields, raw) or {}
    return _Choice(decode_raw(fields.get("stop_reason", _NULL)), _decoded(_named, fields.get("message", _NO_RAW)))


def _choices_in(event: Event) -> list[msgspec.Raw]:
    return raw_items((_decoded(_any_output, event.output) or _AnyOutput()).choices)


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call; whether what was cached is among the tokens sent shows in their total."""
    if not isinstance(usage, dict):
        return {}
    found: dict[str, Any] = {_COLUMNS[name]: value for name, value in usage.items() if name in _COLUMNS and count_in(value) is not None}
    apart = found.get("cached_tokens", 0) + found.get("cache_write_tokens", 0)
    sent = found.get("input_tokens")
    if sent is not None and apart and usage.get("total_tokens") == sent + apart + found.get("output_tokens", 0):
        found["input_tokens"] = sent + apart
    if "total_cost" in usage and (cost := amount_in(usage["total_cost"])) is not None:
        found["cost"] = cost
    return found


def decode_raw(raw: msgspec.Raw) -> Any:
    """Decode a field that was left as bytes; None when there is nothing, or nothing that can be decoded."""
    if is_empty(raw):
        return None
    try:
        return _any.decode(raw)
    except _Failures:
        return None


def is_empty(raw: msgspec.Raw) -> bool:
    """Tell whether a field was not there, or is null."""
    return memoryview(raw).nbytes == 0 or raw == _NULL


def raw_items(raw: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """Return the items of a list, each as bytes; none when it is no list."""
    try:
        return _raw_list.decode(raw) if memoryview(raw).nbytes else []
    except _Failures:
        return []


_any = msgspec.json.Decoder()
_raw_list = msgspec.json.Decoder(list[msgspec.Raw])
_event_list = msgspec.json.Decoder(list[Event])
_event = msgspec.json.Decoder(Event)
_output = msgspec.json.Decoder(_Output)
_any_output = msgspec.json.Decoder(_AnyOutput)
_raw_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])
_named = msgspec.json.Decoder(_Named)


def events_in(raw: bytes | msgspec.Raw) -> list[Event]:
    """Decode events at once; where one is no object, one by one, and that one is an event without a kind."""
    try:
        return _event_list.decode(raw) if memoryview(raw).nbytes else []
    except _Failures:
        return [_decoded(_event, item) or Event() for item in raw_items(raw)]


def _decoded(decoder: msgspec.json.Decoder[_T], raw: msgspec.Raw) -> _T | None:
    """Decode what should be an object; None when it is none."""
    try:
        return decoder.decode(raw) if memoryview(raw).nbytes else None
    except _Failures:
        return None
