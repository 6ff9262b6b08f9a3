"""One line of a rollout, of whatever age -> the handler of its kind."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import as_extra, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.formats.codex._calls import Moment
from agentnb.readers.formats.codex._events import read_event
from agentnb.readers.formats.codex._rollout import Rollout

_READ_META = frozenset({"id", "session_id", "timestamp", "cwd", "git", "cli_version", "base_instructions", "instructions", "forked_from_id"})


def read_line(rollout: Rollout, value: Any, place: int) -> None:
    """Read one record."""
    if not isinstance(value, dict):
        rollout.account.leave_out("no_record", "It is no record of Codex: not an object; it was left out.", line=place, excerpt=value)
        return
    payload = value.get("payload")
    kind = value.get("type")
    if not isinstance(payload, dict):
        _read_flat(rollout, value, place)
        return
    moment = Moment(place, rollout.when(value.get("timestamp")))
    if kind == "response_item":
        rollout.item(payload, moment)
    elif kind == "event_msg":
        read_event(rollout, payload, moment)
    elif kind == "turn_context":
        rollout.context(payload, moment)
    elif kind == "session_meta":
        _read_meta(rollout, payload, moment)
    elif kind == "compacted":
        _read_compacted(rollout, payload, moment)
    else:
        rollout.note(text_of(kind) or "record", payload, moment)


def _read_flat(rollout: Rollout, value: dict[str, Any], place: int) -> None:
    """Read a line of the older form: an item without anything around it."""
    moment = Moment(place, rollout.when(value.get("timestamp")))
    if value.get("record_type") == "state":
        rest = {name: field for name, field in value.items() if name != "record_type"}
        if rest:
            rollout.note("state", rest, moment)
        else:
            rollout.account.skip("mark_of_a_state")
    elif isinstance(value.get("type"), str) or "role" in value:
        rollout.item(value, moment)
    elif isinstance(value.get("id"), str) and value["id"] == rollout.thread.draft.row.conversation_id:
        _read_meta(rollout, value, moment)
    else:
        rollout.note("record", value, moment)


def _read_meta(rollout: Rollout, meta: dict[str, Any], moment: Moment) -> None:
    """Read what is said of the session; of a sub-agent it stands with the sub-agent's call."""
    draft = rollout.thread.draft
    rest = rest_of(meta, _READ_META)
    rollout.account.keep()
    if rollout.thread.agent_call is not None:
        rollout.thread.agent_call.extra = to_json({"session_meta": rest | {"id": meta.get("id")}})
    elif "session_meta" in draft.extra:
        draft.extra["later_session_metas"] = [*draft.extra.get("later_session_metas", []), meta]
        return
    else:
        draft.extra["session_meta"] = rest
        draft.row.agent_version = text_of(meta.get("cli_version"))
        git = meta.get("git")
        for name, field in (("cwd", meta.get("cwd")), ("git", git)):
            if field is not None:
                draft.labels[name] = field
    started = rollout.when(meta.get("timestamp"))
    if started is not None and rollout.thread.agent_call is None and (draft.row.started_at is None or started < draft.row.started_at):
        draft.row.started_at = started
    told = meta.get("base_instructions", meta.get("instructions"))
    text = text_of(told.get("text")) if isinstance(told, dict) else text_of(told)
    if text:
        rollout.stream.say(Said("system", moment.place, (Piece("text", text),), at=moment.at, injected=True, records=0))


def _read_compacted(rollout: Rollout, payload: dict[str, Any], moment: Moment) -> None:
    """Read that the history was replaced by a shorter one: what that holds was said before, but for the summary."""
    rollout.flush()
    history = payload.get("replacement_history")
    rest = rest_of(payload, ("message", "replacement_history"))
    if isinstance(history, list):
        rest["replaced_by"] = len(history)
        if hidden := [item for item in history if isinstance(item, dict) and item.get("type") not in ("message", None)]:
            rest["replacement_history"] = hidden
    text = text_of(payload.get("message"))
    piece = Piece("text", text) if text else Piece("other", "compacted")
    rollout.stream.end_step()
    rollout.stream.say(Said("user", moment.place, (piece._replace(extra=as_extra(rest)),), at=moment.at, injected=True))
