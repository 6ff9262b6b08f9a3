"""Events of `codex exec --json`: a thread, its turns, and items that are started, updated and completed; without times, and without what was asked.

Usage is told once for a turn: it stands with the last model call of it. A record is an event.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agentnb.readers._fields import object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.formats.codex._calls import Moment, Told
from agentnb.readers.formats.codex._rollout import Rollout
from agentnb.readers.formats.codex._tokens import usage_in
from agentnb.readers.formats.codex._told import command_told, content_text, patch_told

_EVENTS = frozenset({"thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated", "item.completed", "error"})


def matches(values: Sequence[Any]) -> bool:
    """Tell whether values are events of this kind."""
    kinds = [value.get("type") if isinstance(value, dict) and "payload" not in value else None for value in values]
    own = [kind for kind in kinds if isinstance(kind, str) and kind in _EVENTS]
    return any(kind != "error" for kind in own) and len(own) * 2 > len(kinds) and any(map(_is_own, values))


def thread_of(values: Sequence[Any]) -> str | None:
    """Return the id of the thread that events begin."""
    return next((text_of(value.get("thread_id")) for value in values if isinstance(value, dict) and value.get("type") == "thread.started"), None)


def events_in(document: Any) -> list[Any]:
    """Return the events that a document holds, as a list or in a field of its own; none of any other."""
    events = document.get("events") if isinstance(document, dict) else document
    return events if isinstance(events, list) and events and matches(events[:20]) else []


def read(file: OpenFile, apart: Apart, wanted: str, on_bytes: OnBytes) -> None:
    """Read the events of a file."""
    draft = apart.start(wanted, file.account)
    draft.row.agent_name = "codex"
    run = _Run(Rollout(draft.main, file.account))
    for place, event in _values_of(file, on_bytes):
        run.read(event, Moment(place, None))
    run.finish()
    draft.finish()


def _values_of(file: OpenFile, on_bytes: OnBytes) -> Iterable[tuple[int, Any]]:
    if file.sample.shape != "document":
        return read_values(file, on_bytes)
    return [item for _, document in read_values(file, on_bytes) for item in enumerate(events_in(document), 1)]


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    item = value.get("item")
    return (value.get("type") == "thread.started" and isinstance(value.get("thread_id"), str)) or (
        isinstance(item, dict) and isinstance(item.get("type"), str) and "id" in item
    )


class _Run:
    """Reads the events of one thread."""

    def __init__(self, rollout: Rollout) -> None:
        self._rollout = rollout
        self._begun: set[str] = set()
        self._turns = 0

    def read(self, event: Any, moment: Moment) -> None:
        rollout = self._rollout
        kind = event.get("type") if isinstance(event, dict) else None
        if kind == "thread.started":
            rollout.account.keep()
        elif kind == "turn.started":
            self._turns += 1
            rollout.start_turn({"turn_id": str(self._turns)}, moment)
        elif kind in ("turn.completed", "turn.failed"):
            self._end(event, moment)
        elif kind == "error":
            rollout.fail(event, moment, text_of(event.get("message")))
        elif isinstance(kind, str) and kind.startswith("item.") and isinstance(event.get("item"), dict):
            self._item(kind, event["item"], moment)
        else:
            rollout.note(text_of(kind) or "event", event, moment)

    def finish(self) -> None:
        """End what is still open."""
        self._rollout.finish()

    def _end(self, event: dict[str, Any], moment: Moment) -> None:
        usage, rollout = usage_in(event.get("usage")), self._rollout
        turn_id = str(self._turns)
        rest = {name: value for name, value in event.items() if name not in ("type", "usage")} | {"turn_id": turn_id}
        rollout.end_turn(rest, moment, aborted=False)
        if usage:
            rollout.use(usage, moment, {}, records=0)

    def _item(self, kind: str, item: dict[str, Any], moment: Moment) -> None:
        rollout, type_ = self._rollout, item.get("type")
        ended = kind == "item.completed"
        if type_ in ("agent_message", "reasoning"):
            if not ended:
                rollout.account.skip("streamed_piece")
                return
            piece = Piece("text" if type_ == "agent_message" else "reasoning", text_of(item.get("text")) or "")
            rollout.stream.say(Said("assistant", moment.place, (piece,)))
        elif type_ == "error":
            rollout.note("error", item, moment, text_of(item.get("message")))
        elif isinstance(type_, str) and type_ in _TOLD:
            self._call(_TOLD[type_](item), item, moment, ended=ended)
        else:
            rollout.note(text_of(type_) or "item", item, moment)

    def _call(self, told: Told, item: dict[str, Any], moment: Moment, *, ended: bool) -> None:
        """Read a tool call: it is asked for where it begins, else where it ends, and a change in between repeats it."""
        rollout, item_id = self._rollout, text_of(item.get("id")) or ""
        records = 1
        if item_id not in self._begun:
            self._begun.add(item_id)
            rollout.calls.ask(Said("assistant", moment.place, asked=(Asked(item_id or None, told.name, told.input),)))
            records = 0
        if ended:
            pieces = (Piece("text", told.output),) if told.output is not None else ()
            extra = to_json(told.extra) if told.extra else None
            self._begun.discard(item_id)
            rollout.stream.say(
                Said(
                    "tool",
                    moment.place,
                    pieces,
                    (),
                    item_id or None,
                    exit_code=told.exit_code,
                    failed=told.failed,
                    error=told.error,
                    extra=extra,
                    records=records,
                )
            )
        elif records:
            rollout.account.merge()


def _command(item: dict[str, Any]) -> Told:
    told = command_told(item)
    if item.get("status") == "declined":
        return told._replace(failed=True, error=told.error or "declined")
    return told


def _patch(item: dict[str, Any]) -> Told:
    return patch_told(item)._replace(extra=None)


def _mcp(item: dict[str, Any]) -> Told:
    error = item.get("error")
    words = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
    name = ".".join(text for part in ("server", "tool") if (text := text_of(item.get(part))))
    output = words if words is not None else content_text(item.get("result"))
    failed = words is not None or item.get("status") == "failed"
    result = item.get("result")
    structured = {"structured_content": result["structured_content"]} if isinstance(result, dict) and result.get("structured_content") else None
    return Told(name or "mcp", read_arguments(item.get("arguments")).text, output, None, failed, words or output if failed else None, None, structured)


def _search(item: dict[str, Any]) -> Told:
    rest = rest_of(item, ("id", "type", "query"))
    return Told("web_search", to_json({"query": item.get("query")}), None, None, None, None, None, {"web_search": rest} if rest else None)


def _plan(item: dict[str, Any]) -> Told:
    return Told("update_plan", to_json({"items": item.get("items")}), failed=None)


def _agents(item: dict[str, Any]) -> Told:
    asked = rest_of(item, ("id", "type", "tool", "status", "agents_states"))
    failed = item.get("status") == "failed" or None
    return Told(text_of(item.get("tool")) or "collab", to_json(asked), None, None, failed, None, None, {"agents": object_of(item.get("agents_states"))})


_TOLD = {
    "command_execution": _command,
    "file_change": _patch,
    "mcp_tool_call": _mcp,
    "web_search": _search,
    "todo_list": _plan,
    "collab_tool_call": _agents,
}
"""What each kind of item tells of a tool call."""
