"""Is it an event? The envelope and, per kind, the keys that an event must have (specs of FunctAI: events, format 2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeGuard

FORMAT: Final = 2
"""Version of the form of events."""

_TREE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_KIND = re.compile(r"[a-z][a-z0-9_]*")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


class _Keys(NamedTuple):
    always: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    """Keys of an event whose content was kept; one that says `content: false` has none of them."""
    may_be_reduced: bool = True


_KINDS: Final = {
    "started": _Keys(("parent", "root", "program", "saw")),
    "request": _Keys(("request", "model"), may_be_reduced=False),
    "text": _Keys(("field", "answer", "text"), may_be_reduced=False),
    "thinking": _Keys(("text",), may_be_reduced=False),
    "tool_call": _Keys(("id", "name"), ("input",)),
    "tool_result": _Keys(("id", "name"), ("output",)),
    "retry": _Keys(("wait",), ("reason",)),
    "done": _Keys((), ("value",)),
    "failed": _Keys(("error",)),
    "approval": _Keys(("id", "invocation", "name", "effects", "path", "to"), ("input",)),
    "approved": _Keys(("id", "invocation", "verdict", "by")),
}


def malformed(event: Any) -> str | None:
    """Say what of an event is not as it must be; None when all is. Kinds and keys that are not known are nobody's fault.

    Args:
        event: what is given as one.
    """
    if not isinstance(event, Mapping):
        return f"it is {type(event).__name__}, not an object"
    if event.get("functai_event") != FORMAT or isinstance(event.get("functai_event"), bool):
        return f"functai_event is {event.get('functai_event')!r}, not {FORMAT}"
    for name, (fits, wanted) in _ENVELOPE.items():
        if name not in event:
            return f"{name} is missing"
        if not fits(event[name]):
            return f"{name} is {event[name]!r:.80}, not {wanted}"
    return _malformed_kind(event, _KINDS.get(event["kind"], _Keys()))


def _malformed_kind(event: Mapping[str, Any], keys: _Keys) -> str | None:
    kind = event["kind"]
    if kind == "started":
        if not isinstance(event.get("content"), bool):
            return "content of a started event is true or false"
        keys = _Keys((*keys.always, "inputs" if event["content"] else "omitted"))
    elif "content" in event and (event["content"] is not False or not keys.may_be_reduced):
        return f"content of a {kind} event is false or not there" if keys.may_be_reduced else f"a {kind} event has no content"
    whole = keys.whole if "content" not in event else ()
    for name in (*keys.always, *whole):
        if name not in event:
            return f"{name} of a {kind} event is missing"
    extra = [name for name in keys.whole if name in event] if "content" in event else []
    if extra:
        return f"a {kind} event with content false has no {extra[0]}"
    return _malformed_value(event, keys)


def _malformed_value(event: Mapping[str, Any], keys: _Keys) -> str | None:
    for name in {*keys.always, *keys.whole, "invocation"} & _VALUES.keys() & event.keys():
        fits, wanted = _VALUES[name]
        if not fits(event[name]):
            return f"{name} is {event[name]!r:.80}, not {wanted}"
    return None


def is_tree_id(value: Any) -> bool:
    """Tell whether a text can be the id of a tree; it may become the name of a file."""
    return isinstance(value, str) and _TREE.fullmatch(value) is not None


def position_of(event: Any) -> dict[str, int] | None:
    """Return the position `{writer, seq}` of an event; None when it names none."""
    if not isinstance(event, Mapping):
        return None
    position = {"writer": event.get("writer"), "seq": event.get("seq")}
    return position if is_position(position) else None


def is_position(value: Any) -> TypeGuard[dict[str, int]]:
    """Tell whether a value names a place in a log of events."""
    return isinstance(value, Mapping) and value.keys() == {"writer", "seq"} and all(map(_is_number, value.values()))


def _is_number(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


_Check = tuple[Callable[[Any], bool], str]

_ENVELOPE: Final[Mapping[str, _Check]] = {
    "kind": (_matches(_KIND), "a word in small letters"),
    "tree": (is_tree_id, "the id of a call"),
    "writer": (_is_number, "a number from 1"),
    "seq": (_is_number, "a number from 1"),
    "after": (lambda value: value is None or is_position(value), "null or {writer, seq}"),
    "at": (_matches(_TIME), "a time like 2026-09-26T23:12:03.123456Z"),
    "call": (_is_text, "the id of a call"),
    "function": (_is_text, "the name of a function"),
}
_VALUES: Final[Mapping[str, _Check]] = {
    "parent": (lambda value: value is None or _is_text(value), "null or the id of a call"),
    "root": (_is_text, "the id of a call"),
    "program": (_is_object, "an object"),
    "inputs": (_is_object, "an object"),
    "omitted": (_is_object, "an object"),
    "saw": (lambda value: value is None or isinstance(value, list), "null or a list"),
    "request": (_is_number, "a number from 1"),
    "model": (lambda value: value is None or isinstance(value, str), "null or a text"),
    "field": (_is_text, "the name of a field"),
    "answer": (lambda value: isinstance(value, bool), "true or false"),
    "text": (_is_text, "a text"),
    "id": (_is_text, "a text"),
    "name": (_is_text, "a text"),
    "output": (lambda value: isinstance(value, str), "a text"),
    "reason": (lambda value: value is None or isinstance(value, str), "null or a text"),
    "wait": (lambda value: value is None or (isinstance(value, int | float) and not isinstance(value, bool) and value >= 0), "null or seconds"),
    "error": (_is_object, "an object"),
    "invocation": (_is_number, "a number from 1"),
    "effects": (lambda value: value in ("reads", "changes", None), "reads, changes or null"),
    "path": (_is_text, "a text"),
    "to": (lambda value: value in ("owner", "caller"), "owner or caller"),
    "verdict": (lambda value: value in ("yes", "no"), "yes or no"),
    "by": (lambda value: value is None or isinstance(value, str), "null or a text"),
}
