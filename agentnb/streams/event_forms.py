"""The forms of an event: what is written down of it, and what somebody outside may see of it. What a form does not know it leaves out.

After section 10.2 of FunctAI's conversations. `writer` and `seq` never change; `after` is linked anew in every form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from agentnb.streams._lifted import list_in, object_in, text_in
from agentnb.streams.call_events import Links, Position, position_of
from agentnb.streams.turn_log import count_in

_ENVELOPE: Final = ("functai_event", "kind", "tree", "writer", "seq", "after", "at", "call", "function", "content")
_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "started": ("parent", "root", "program", "inputs", "omitted", "saw", "invocation"),
    "request": ("request", "model"),
    "text": ("field", "answer", "text"),
    "thinking": ("text",),
    "tool_call": ("id", "name", "input", "invocation"),
    "tool_result": ("id", "name", "output", "invocation"),
    "approval": ("id", "invocation", "name", "input", "effects", "path", "to", "plugin", "question"),
    "approved": ("id", "invocation", "plugin", "verdict", "by", "reason"),
    "retry": ("reason", "wait"),
    "done": ("value",),
    "failed": ("error",),
}
# What quotes a value of the call, by kind.
_QUOTING: Final = {"tool_call": {"input"}, "approval": {"input", "question"}, "tool_result": {"output"}, "approved": {"reason"}, "retry": {"reason"}}
_ERROR: Final = ("type", "message", "code")
_PROGRAM_OUTSIDE: Final = ("name", "kind", "module", "version", "signature", "interface", "answer")
_PROGRAM: Final = (*_PROGRAM_OUTSIDE, "saved", "remote", "file", "line")
_SAW: Final = frozenset({"call", "steps", "without", "slot"})


class Content(NamedTuple):
    """Which fields of a call are written down, and which are not."""

    inputs: tuple[str, ...] = ()
    """Inputs that are written."""
    outputs: tuple[str, ...] = ()
    """Outputs that are written, with those that were added to the program's own."""
    omitted_inputs: tuple[str, ...] = ()
    """Inputs that are not."""
    omitted_outputs: tuple[str, ...] = ()
    """Outputs that are not."""
    whole: bool = False
    """Whether everything is written."""

    @property
    def omitted(self) -> dict[str, list[str]]:
        """The names of what is not written, as a record holds them."""
        return {"inputs": list(self.omitted_inputs), "outputs": list(self.omitted_outputs)}


WHOLE: Final = Content(whole=True)
"""Everything is written."""


class _Call(NamedTuple):
    """What a form has to know of a call to write its events."""

    content: Content
    program: dict[str, Any]


class KeptForm:
    """Writes down the events of one tree, each as far as its call's content may be kept.

    Args:
        content_of: tells of the first event of each call what may be kept of the call.
        after: the last event that was kept before, where a log is continued.
    """

    def __init__(self, content_of: Callable[[dict[str, Any]], Content], *, after: Position | None = None) -> None:
        self._content_of = content_of
        self._calls: dict[str, _Call] = {}
        self._links = Links(after)

    def keep(self, event: Any) -> dict[str, Any] | None:
        """Return an event as it is kept, linked to the one before it; None when nothing of it is."""
        known = _known(event)
        if known is None:
            return None
        call = self._call_of(known)
        kept = known if call.content.whole else _redacted(known, call)
        return None if kept is None else self._links.link(kept)

    def know(self, started: Any) -> None:
        """Learn of a call that started before the log was continued; without that, of a function that drops a field no value is kept at its end."""
        known = _known(started)
        if known is not None:
            self._call_of(known)

    def _call_of(self, event: dict[str, Any]) -> _Call:
        call_id = event["call"]
        if call_id not in self._calls:
            self._calls[call_id] = _Call(self._content_of(event), object_in(event, "program"))
        return self._calls[call_id]


def kept_events(events: Iterable[Any], content_of: Callable[[dict[str, Any]], Content]) -> list[dict[str, Any]]:
    """Return the events of a log as they are kept.

    Args:
        events: as they happened, in order.
        content_of: tells of the first event of each call what may be kept of the call.
    """
    form = KeptForm(content_of)
    return [kept for event in events if (kept := form.keep(event)) is not None]


class OutsideForm:
    """Shows the events of one tree to somebody outside: its boundary, and what a caller is asked. Nothing of helpers, tools or thinking.

    Args:
        answer_from: the helper whose answer is the module's; its text is shown as the module's own.
    """

    def __init__(self, answer_from: str | None = None) -> None:
        self._answer_from = answer_from
        self._root: dict[str, Any] | None = None
        self._answering: set[str] = set()
        self._asked: set[tuple[str, int, str]] = set()
        self._requests = 0
        self._links = Links()

    def show(self, event: Any) -> dict[str, Any] | None:
        """Return an event as it is shown, linked to the one before it; None when it is not."""
        shown = self._shown(event)
        return None if shown is None else self._links.link(shown)

    def _shown(self, event: Any) -> dict[str, Any] | None:
        known = _known(event)
        if known is None:
            return None
        if self._root is None:
            self._root = known if known["kind"] == "started" and known["call"] == known.get("tree") else None
            return None if self._root is None else _started_outside(known)
        if known["kind"] in ("approval", "approved"):
            return self._asked_outside(known)
        if known["call"] != self._root["call"]:
            return self._answer_outside(known)
        return _root_outside(known, is_ai=self._root["program"].get("kind") == "ai")

    def _asked_outside(self, event: dict[str, Any]) -> dict[str, Any] | None:
        key = (event["call"], count_in(event, "invocation") or 0, text_in(event, "plugin") or "approval")
        if event["kind"] == "approval" and event.get("to") == "caller":
            self._asked.add(key)
        elif event["kind"] == "approval" or key not in self._asked:
            return None
        return self._as_root(event)

    def _answer_outside(self, event: dict[str, Any]) -> dict[str, Any] | None:
        """Show an event of the helper whose answer is the module's."""
        root, kind = self._root or {}, event["kind"]
        if kind == "started" and event.get("function") == self._answer_from and event.get("parent") == root["call"] and root["program"].get("kind") != "ai":
            self._answering.add(event["call"])
        if event["call"] not in self._answering:
            return None
        if kind in ("started", "request", "retry"):
            self._requests += 1
            return self._as_root({**_envelope(event), "kind": "request", "request": self._requests, "model": None})
        if kind == "text" and event.get("answer") is True:
            return self._as_root({**event, "field": root["program"].get("answer")})
        return None

    def _as_root(self, event: dict[str, Any]) -> dict[str, Any]:
        root = self._root or {}
        return {**event, "call": root["call"], "function": root.get("function")}


def outside_events(events: Iterable[Any], answer_from: str | None = None) -> list[dict[str, Any]]:
    """Return the events of a log as somebody outside may see them.

    Args:
        events: as they happened or as they were kept, in order, from the first one.
        answer_from: the helper whose answer is the module's.
    """
    form = OutsideForm(answer_from)
    return [shown for event in events if (shown := form.show(event)) is not None]


def _known(event: Any) -> dict[str, Any] | None:
    """Return what a form knows of an event; None for one of a kind that it does not."""
    kind = text_in(event, "kind")
    if kind not in _KEYS or position_of(event) is None or text_in(event, "call") is None:
        return None
    known = {name: value for name, value in event.items() if name in _ENVELOPE or name in _KEYS[kind]}
    if kind == "started":
        known["program"] = _only(event.get("program"), _PROGRAM)
        known["saw"] = [_known_saw(entry) for entry in list_in(event, "saw")]
    elif kind == "failed":
        known["error"] = _only(event.get("error"), _ERROR)
    return known


def _known_saw(entry: Any) -> dict[str, Any]:
    return entry if isinstance(entry, dict) and (set(entry) <= _SAW or set(entry) == {"saw_of"}) else {}


def _only(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: value[name] for name in names if name in value} if isinstance(value, dict) else {}


def _envelope(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name in _ENVELOPE and name != "content"}


def _redacted(event: dict[str, Any], call: _Call) -> dict[str, Any] | None:
    kind, content = event["kind"], call.content
    if kind == "started":
        inputs = {name: value for name, value in object_in(event, "inputs").items() if name in content.inputs}
        return {**event, "inputs": inputs, "content": False, "omitted": content.omitted}
    if kind == "thinking" or (kind == "text" and event.get("field") not in content.outputs):
        return None
    if kind == "done" and not _keeps_value(call):
        return _without(event, {"value"})
    if kind == "failed":
        return _without_message(event)
    return _without(event, _QUOTING.get(kind, set()))


def _keeps_value(call: _Call) -> bool:
    if call.program.get("kind") == "ai":
        return call.program.get("answer") in call.content.outputs
    return bool(call.content.outputs) and not call.content.omitted_outputs


def _without(event: dict[str, Any], names: set[str]) -> dict[str, Any]:
    if not names & event.keys():
        return event
    return {**{name: value for name, value in event.items() if name not in names}, "content": False}


def _without_message(event: dict[str, Any]) -> dict[str, Any]:
    error = object_in(event, "error")
    return {**event, "error": _only(error, ("type", "code")), "content": False} if "message" in error else event


def _started_outside(event: dict[str, Any]) -> dict[str, Any]:
    return {**{name: value for name, value in event.items() if name != "invocation"}, "program": _only(event["program"], _PROGRAM_OUTSIDE)}


def _root_outside(event: dict[str, Any], *, is_ai: bool) -> dict[str, Any] | None:
    kind = event["kind"]
    if kind == "done" or (is_ai and (kind == "request" or (kind == "text" and event.get("answer") is True))):
        return event
    if kind == "failed":
        return _without_message(event)
    return _without(event, {"reason"}) if is_ai and kind == "retry" else None
