"""Sessions of Google's Agent Development Kit: events, each of a person or of one of the agents.

Which agent spoke is with the model call; a transfer is a call of a tool, after which another agent speaks in the same thread. Early versions keep the
requests and responses apart from the events, in logs that name them; from there come the usage, the model and the instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, text_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import MessageList, Said, joined
from agentnb.readers.dialects.gemini import said_of_content, said_of_response, said_of_system
from agentnb.readers.dialects.gemini_parts import field, unread

_READ_EVENT = frozenset({"id", "author", "content", "timestamp", "usageMetadata", "finishReason", "modelVersion", "partial"})
_READ_SESSION = frozenset({"id", "events", "eventLogs", "lastUpdateTime"})


def is_event(value: Any) -> bool:
    """Tell whether a value is an event."""
    return isinstance(value, dict) and isinstance(value.get("author"), str) and isinstance(field(value, "invocationId"), str)


def is_session(sample: Sample) -> bool:
    """Tell whether a file is a session, or the events of one."""
    if sample.shape == "document":
        return bool(_events_of(sample.document))
    return sample.shape == "lines" and any(is_event(value) or _events_of(value) for value in sample.values)


def session_keys(sample: Sample) -> set[str]:
    """Return the ids of the sessions of a file."""
    values = (sample.document,) if sample.shape == "document" else (*sample.values, *sample.last_values)
    return {str(value["id"]) for value in values if _events_of(value) and isinstance(value, dict) and isinstance(value.get("id"), str)}


def read_sessions(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes, format: str) -> None:
    """Read the files of a group into rows."""
    apart = Apart(rows, format)
    for file in files:
        loose: list[tuple[int, Any]] = []
        for place, value in read_values(file, on_bytes):
            if not _events_of(value):
                loose.append((place, value))
                continue
            session = value if isinstance(value, dict) else {}
            listed = value["events"] if isinstance(value, dict) else value
            places = enumerate(listed, 1) if file.sample.shape == "document" else ((place, event) for event in listed)
            _read_session(session, list(places), apart, file.account)
        if loose:
            _read_session({}, loose, apart, file.account)


def _events_of(value: Any) -> list[Any]:
    """Return the events of a session, or of a list of them; none when it is neither."""
    events = value.get("events") if isinstance(value, dict) else value
    return events if isinstance(events, list) and any(map(is_event, events[:50])) else []


def _read_session(session: dict[str, Any], events: list[tuple[int, Any]], apart: Apart, account: Account) -> None:
    first: dict[str, Any] = next((event for _, event in events if is_event(event)), {})
    wanted = text_of(session.get("id")) or f"session-{text_of(first.get('id')) or text_of(field(first, 'invocationId'))}"
    draft = apart.start(wanted, account, line=events[0][0] if events else None)
    logs = _logs_of(session)
    _note_session(draft, session, logs, events)
    reader = MessageList(draft.main, account)
    reader.read(said_of_system(_instruction_in(logs.values()), 1))
    for place, event in events:
        if not is_event(event):
            account.leave_out("no_event", "It is no event of a session; it was left out.", line=place, excerpt=event)
        elif event.get("partial") is True:
            # A piece of a reply that comes whole later.
            account.merge()
        else:
            said = list(_said(event, place, logs.get(text_of(event.get("id")) or "", {})))
            reader.read(said)
    reader.finish()
    draft.finish()


def _note_session(draft: ConversationDraft, session: dict[str, Any], logs: dict[str, dict[str, Any]], events: list[tuple[int, Any]]) -> None:
    app = text_of(field(session, "appName"))
    if app is not None:
        draft.labels["app"] = app
    draft.row.agent_name = next((event["author"] for _, event in events if is_event(event) and event["author"] != "user"), app)
    draft.row.ended_at = read_time(field(session, "lastUpdateTime")).micros
    draft.extra |= {name: value for name, value in unread(session, _READ_SESSION).items() if value not in ([], {})}
    requests = [field(log, "modelRequest") for log in logs.values()]
    config = next((field(request, "config") for request in reversed(requests) if isinstance(field(request, "config"), dict)), None)
    if config is not None:
        draft.extra["config"] = unread(config, {"systemInstruction"})


def _logs_of(session: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what early versions logged of the model calls, by the event that each became."""
    logs = field(session, "eventLogs")
    listed = [log for log in logs if isinstance(log, dict)] if isinstance(logs, list) else []
    return {named: log for log in listed if isinstance(named := field(log, "eventId"), str)}


def _instruction_in(logs: Iterable[dict[str, Any]]) -> Any:
    configs = (field(field(log, "modelRequest"), "config") for log in logs)
    return next((found for config in configs if (found := field(config, "systemInstruction")) is not None), None)


def _said(event: dict[str, Any], place: int, log: dict[str, Any]) -> Iterator[Said]:
    """Say an event: what a person said, a reply with its model call, or results."""
    time = read_time(event.get("timestamp"))
    author = event["author"]
    content = event.get("content")
    own_id = text_of(event.get("id")) or None
    rest = {name: value for name, value in unread(event, _READ_EVENT).items() if value not in ([], {}, False)}
    rest = {name: _without_empty(value) if name in ("actions", "options") else value for name, value in rest.items()}
    rest = {name: value for name, value in rest.items() if value != {}}
    parts = content.get("parts") if isinstance(content, dict) else None
    said = said_of_content(content, place) if isinstance(content, dict) and isinstance(parts, list) and parts else [Said("assistant", place)]
    replies = said[0].role == "assistant" and author != "user"
    for number, item in enumerate(said):
        item = item._replace(at=time.micros, zone_assumed=time.zone_assumed)
        if number == 0 and replies:
            item = _with_call(item, event, log, own_id)
        elif item.role == "user":
            # What stands in an agent's event in the role of a user is a result, or a note to the model.
            item = item._replace(id=own_id, injected=author != "user")
        if number == 0:
            extra = rest | ({"agent": author} if author != "user" else {})
            item = item._replace(extra=text_of(joined(item.extra, as_extra(extra))), records=1)
        yield item


def _with_call(said: Said, event: dict[str, Any], log: dict[str, Any], own_id: str | None) -> Said:
    """Add what is known of the model call of a reply; an event with an error in the place of words tells why there are none."""
    logged = field(log, "modelResponse")
    told = {"usageMetadata": field(event, "usageMetadata"), "modelVersion": field(event, "modelVersion"), "candidates": [event]}
    response = logged if isinstance(logged, dict) else told
    candidates = field(response, "candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates and isinstance(candidates[0], dict) else {}
    # The words themselves are those of the event, which tells the rest of itself elsewhere.
    candidate = {"finishReason": field(first, "finishReason")} if first is event else unread(first, {"content"})
    call = said_of_response({**response, "candidates": [candidate]}, said.place)[0]
    code, message = text_of(field(event, "errorCode")), text_of(field(event, "errorMessage"))
    error = ": ".join(filter(None, (code, message))) or (call.error if not said.pieces and not said.asked else None)
    model = call.model or text_of(field(field(log, "modelRequest"), "model"))
    extra = text_of(joined(said.extra, call.extra))
    return said._replace(model=model, usage=call.usage, finish_reason=call.finish_reason, id=own_id, error=error, extra=extra)


def _without_empty(value: Any) -> Any:
    return {name: item for name, item in value.items() if item not in (None, [], {}, False)} if isinstance(value, dict) else value
