"""GitHub Copilot CLI: the events of its sessions, one a line, and the conversations that its SDK records (YAML).

A record is an event, or a message of a recorded conversation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.formats.copilot_cli import _snapshots
from agentnb.readers.formats.copilot_cli._session import read_session

_KINDS = ("session.", "user.", "assistant.", "tool.", "subagent.", "hook.", "system.", "permission.", "skill.", "abort")


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        return _snapshots.matches(sample.document)
    events = sum(map(_is_event, sample.values)) if sample.shape == "lines" else 0
    return events > 0 and events * 2 > len(sample.values)


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict) or not isinstance(value.get("type"), str):
        return False
    return value["type"].startswith(_KINDS) and "id" in value and ("parentId" in value or "timestamp" in value)


def _keys(sample: Sample) -> set[str]:
    if sample.shape == "document":
        return {_snapshots.name_of(sample.document)}
    return {_session_of(sample)}


def _session_of(sample: Sample) -> str:
    """Name a session: by its first event, which knows its id; the later part of a session by the id of the event that it begins with."""
    events = [value for value in sample.values if _is_event(value)]
    started: dict[str, Any] = next(
        (value["data"] for value in events if value["type"] in ("session.start", "session.resume") and "sessionId" in value["data"]), {}
    )
    return text_of(started.get("sessionId")) or f"copilot-{text_of(events[0]['id']) if events else ''}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    events = [file for file in files if file.sample.shape != "document"]
    for file in files:
        if file.sample.shape == "document":
            _snapshots.read(file, apart, on_bytes)
    if events:
        read_session(events, apart, _session_of(events[0].sample), on_bytes)


READER = Reader(
    format="copilot_cli",
    title="GitHub Copilot CLI (events.jsonl, SDK snapshots)",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=("${COPILOT_HOME:-~/.copilot}/session-state",),
)
