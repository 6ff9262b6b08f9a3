"""Events of the OpenAI Responses API -> the responses they make.

Items are told apart by `output_index`: a proxy is known that gives an item another id in every event. The last event holds the whole response; of a
stream that is cut, or whose last event leaves the output out, the items are those of the events before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from agentnb.streams._assembled import Assembled, append, index_of, put

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed", "response.cancelled"})
_STATES = frozenset({"in_progress", "searching", "interpreting", "generating", "completed", "failed", "incomplete"})


class _Field(NamedTuple):
    """Where the text of an event belongs in its item: in a field, or in the numbered piece of a list."""

    name: str
    pieces: str | None = None
    place: str = ""
    type: str = ""


_TEXTS = {
    "response.output_text": _Field("text", "content", "content_index", "output_text"),
    "response.refusal": _Field("refusal", "content", "content_index", "refusal"),
    "response.reasoning_text": _Field("text", "content", "content_index", "reasoning_text"),
    "response.reasoning_summary_text": _Field("text", "summary", "summary_index", "summary_text"),
    "response.function_call_arguments": _Field("arguments"),
    "response.mcp_call_arguments": _Field("arguments"),
    "response.custom_tool_call_input": _Field("input"),
    "response.code_interpreter_call_code": _Field("code"),
}
_PARTS = {"response.content_part": ("content", "content_index"), "response.reasoning_summary_part": ("summary", "summary_index")}
_TYPES = {"function_call_arguments": "function_call", "mcp_call_arguments": "mcp_call", "custom_tool_call_input": "custom_tool_call"}


def is_response_event(value: Any) -> bool:
    """Tell whether a value is an event by which a response is streamed; `error`, which other streams have too, is not told by itself."""
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind.startswith("response.")


def assemble_streamed(events: Iterable[Any]) -> list[Assembled]:
    """Put events together, one response from each `response.created` on."""
    found: list[_Response] = []
    for index, event in enumerate(events):
        starts = isinstance(event, dict) and event.get("type") == "response.created"
        if not found or starts or (found[-1].whole and is_response_event(event)):
            found.append(_Response(index))
        found[-1].take(event)
    return [response.assembled() for response in found]


class _Response:
    """A response while its events come in."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.events = 0
        self.whole = False
        self.value: dict[str, Any] = {"object": "response"}
        self.items: dict[int, dict[str, Any]] = {}
        self.unread: list[Any] = []

    def take(self, event: Any) -> None:
        self.events += 1
        kind = event.get("type") if isinstance(event, dict) else None
        if not isinstance(kind, str):
            self.unread.append(event)
        elif isinstance(event.get("response"), dict):
            self._take_response(event, kind)
        elif kind == "error":
            self.value["error"] = event["error"] if isinstance(event.get("error"), dict) else _rest(event, "type", "sequence_number")
        elif kind in _ENDS:
            self.whole = True
            self.value.setdefault("status", kind.rpartition(".")[2])
        elif not self._take_piece(event, kind):
            self.unread.append(event)

    def _take_response(self, event: dict[str, Any], kind: str) -> None:
        self.whole = self.whole or kind in _ENDS
        for key, value in (event["response"] | _rest(event, "type", "response", "sequence_number")).items():
            put(self.value, key, value)

    def _take_piece(self, event: dict[str, Any], kind: str) -> bool:
        """Take an event about one item; False when it is not known."""
        subject, _, what = kind.rpartition(".")
        if kind in ("response.output_item.added", "response.output_item.done"):
            if isinstance(event.get("item"), dict):
                self.items[index_of(event.get("output_index"), len(self.items))] = dict(event["item"])
            return isinstance(event.get("item"), dict)
        item = self._item(event, subject)
        if subject in _TEXTS and what in ("delta", "done"):
            _take_text(item, event, _TEXTS[subject], what)
        elif subject in _PARTS and isinstance(event.get("part"), dict):
            name, index = _PARTS[subject]
            _piece(item, name, event.get(index)).update(event["part"])
        elif subject == "response.output_text.annotation":
            piece = _piece(item, "content", event.get("content_index"))
            piece["annotations"] = [*(piece.get("annotations") or ()), event.get("annotation")]
        elif subject == "response.shell_call_command":
            _take_command(item, event, what)
        elif subject == "response.apply_patch_call_operation_diff":
            operation = item["operation"] = dict(item["operation"]) if isinstance(item.get("operation"), dict) else {}
            _take_text(operation, event, _Field("diff"), what)
        elif what in _STATES and subject.endswith(("_call", "_tools")):
            item["status"] = what
        else:
            return False
        return True

    def _item(self, event: dict[str, Any], subject: str) -> dict[str, Any]:
        """Return the item that an event is about; where its beginning is missing, one of the type that the event tells."""
        index = index_of(event.get("output_index"), max(self.items, default=0))
        name = subject.removeprefix("response.")
        if index in self.items:
            return self.items[index]
        type_ = _TYPES.get(name) or next(
            (type_ for type_ in ("reasoning", "code_interpreter_call", "shell_call", "apply_patch_call") if name.startswith(type_)), None
        )
        if type_ is None and name.endswith(("_call", "_tools")):
            type_ = name
        item = self.items[index] = {"type": type_} if type_ else {"type": "message", "role": "assistant"}
        return item

    def assembled(self) -> Assembled:
        output = self.value.get("output")
        if not isinstance(output, list) or not output:
            self.value["output"] = [self.items[index] for index in sorted(self.items)]
        return Assembled(self.value, self.whole, self.first, self.events, tuple(self.unread))


def _rest(event: dict[str, Any], *read: str) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in read}


def _take_text(item: dict[str, Any], event: dict[str, Any], field: _Field, what: str) -> None:
    target = item if field.pieces is None else _piece(item, field.pieces, event.get(field.place))
    if field.type:
        target.setdefault("type", field.type)
    if what == "delta":
        append(target, field.name, event.get("delta"))
    else:
        put(target, field.name, event.get(field.name))


def _piece(item: dict[str, Any], name: str, index: Any) -> dict[str, Any]:
    """Return a numbered piece of an item, making room for it."""
    pieces = item[name] = list(item[name]) if isinstance(item.get(name), list) else []
    place = min(index_of(index, max(0, len(pieces) - 1)), len(pieces))
    if place == len(pieces):
        pieces.append({})
    pieces[place] = dict(pieces[place]) if isinstance(pieces[place], dict) else {}
    piece: dict[str, Any] = pieces[place]
    return piece


def _take_command(item: dict[str, Any], event: dict[str, Any], what: str) -> None:
    action = item["action"] = dict(item["action"]) if isinstance(item.get("action"), dict) else {}
    commands = action["commands"] = list(action["commands"]) if isinstance(action.get("commands"), list) else []
    place = min(index_of(event.get("command_index"), max(0, len(commands) - 1)), len(commands))
    commands[place:] = commands[place:] or [""]
    if what == "delta":
        commands[place] = f"{commands[place]}{event.get('delta') or ''}"
    elif isinstance(event.get("command"), str):
        commands[place] = event["command"]
