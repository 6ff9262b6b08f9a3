"""The log that Codex's screen keeps when asked to: events that came to it and what it sent back, among thousands of redraws.

What tells something is read: events, as in a rollout, and operations of the person (words, answers to approvals, interruptions). Redraws, keys and searches
in files are left out with their reason. A record is a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._fields import extra_of, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.formats.codex._calls import Moment
from agentnb.readers.formats.codex._events import read_event
from agentnb.readers.formats.codex._rollout import Rollout
from agentnb.readers.formats.codex._words import Words

_DIRECTIONS = frozenset({"to_tui", "from_tui", "meta"})
_SAID = frozenset({"user_input", "user_turn"})
_DECIDED = frozenset({"exec_approval", "patch_approval"})
_ANSWERS = {"approved": "yes", "approved_for_session": "yes", "denied": "no", "abort": "no"}


def matches(values: Sequence[Any]) -> bool:
    """Tell whether values are lines of this log."""
    return bool(values) and sum(map(_is_line, values)) * 2 > len(values)


def session_of(values: Sequence[Any]) -> str | None:
    """Return the id of the session, where the first lines tell it."""
    for value in values:
        message = _message_of(value) if _is_line(value) else None
        if message is not None and message.get("type") == "session_configured":
            return text_of(message.get("session_id") or message.get("thread_id"))
    return None


def read(file: OpenFile, apart: Apart, wanted: str, on_bytes: OnBytes) -> None:
    """Read the log of a file."""
    draft = apart.start(wanted, file.account)
    draft.row.agent_name = "codex"
    rollout = Rollout(draft.main, file.account)
    for place, value in read_values(file, on_bytes):
        _read_record(rollout, value, place)
    rollout.finish()
    draft.finish()


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict) or "ts" not in value or not isinstance(value.get("kind"), str):
        return False
    return isinstance(value.get("dir"), str) and value["dir"] in _DIRECTIONS


def _message_of(value: dict[str, Any]) -> dict[str, Any] | None:
    payload = value.get("payload")
    message = payload.get("msg") if isinstance(payload, dict) else None
    return message if isinstance(message, dict) else None


def _read_record(rollout: Rollout, value: Any, place: int) -> None:
    if not _is_line(value):
        rollout.account.leave_out("no_record", "It is no line of the log; it was left out.", line=place, excerpt=value)
        return
    moment = Moment(place, rollout.when(value["ts"]))
    message = _message_of(value)
    payload = value.get("payload")
    if message is not None and message.get("type") == "session_configured":
        _configure(rollout, message)
    elif message is not None:
        read_event(rollout, message, moment)
    elif value["kind"] == "op" and isinstance(payload, dict):
        _read_operation(rollout, payload, moment)
    elif value["kind"] == "session_start":
        draft = rollout.thread.draft
        rollout.model = text_of(value.get("model"))
        if value.get("cwd") is not None:
            draft.labels["cwd"] = value["cwd"]
        draft.extra["session_start"] = {name: field for name, field in value.items() if name not in ("ts", "dir", "kind", "cwd", "model")}
        rollout.account.keep()
    else:
        rollout.account.skip("end_of_the_log" if value["kind"] == "session_end" else "terminal_redraw")


def _configure(rollout: Rollout, message: dict[str, Any]) -> None:
    rollout.model = text_of(message.get("model")) or rollout.model
    rest = rest_of(message, ("type", "model"))
    rollout.thread.draft.extra.setdefault("session_configured", rest)
    rollout.account.keep()


def _read_operation(rollout: Rollout, operation: dict[str, Any], moment: Moment) -> None:
    kind = operation.get("type")
    if isinstance(kind, str) and kind in _SAID:
        items = operation.get("items")
        pieces = tuple(map(_piece, items if isinstance(items, list) else []))
        rollout.model = text_of(operation.get("model")) or rollout.model
        text = "\n".join(piece.text for piece in pieces if piece.type == "text" and piece.text)
        rollout.hear(Words("user", text, Said("user", moment.place, pieces, at=moment.at, extra=extra_of(operation, ("type", "items", "model")))))
    elif isinstance(kind, str) and kind in _DECIDED:
        decision = operation.get("decision")
        answer = _ANSWERS.get(decision, "yes") if isinstance(decision, str) else "yes" if decision is not None else None
        if rollout.calls.decide(text_of(operation.get("id")) or "", answer, moment):
            rollout.account.merge()
        else:
            rollout.note(kind, operation, moment)
    else:
        rollout.note(text_of(kind) or "op", operation, moment)


def _piece(item: Any) -> Piece:
    if isinstance(item, dict) and item.get("type") == "text":
        return Piece("text", text_of(item.get("text")))
    if isinstance(item, dict) and item.get("type") in ("image", "local_image"):
        return Piece("image", text_of(item.get("image_url", item.get("path"))))
    return Piece("other", None, extra=to_json(item if isinstance(item, dict) else {"value": item}))
