"""Codex: what OpenAI's coding agent keeps of its sessions, in every form it has had.

- rollouts, `{timestamp,type,payload}` a line, also as one array; each file is one agent, and a sub-agent or a fork names the session it came from;
- the older flat form, a line with the session's id followed by bare items, and the oldest, one document `{session,items}`;
- events of `codex exec --json`, one a line or in one document (`_execute`);
- the log of the screen (`_screen`), most of which is redraws.

A record is a line, or an item of a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._ids import digest_of
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.formats.codex import _execute, _screen
from agentnb.readers.formats.codex._sessions import Sessions, head_of, is_item, is_line

_ITEMS_ONLY = frozenset({"items", "session"})


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        document = sample.document
        lines = isinstance(document, list) and bool(document) and all(map(is_line, document[:20]))
        return _is_items(document) or lines or bool(_execute.events_in(document))
    if sample.shape != "lines" or not sample.values:
        return False
    first = sample.values[0]
    return _is_rollout(sample.values) or _is_flat(first, sample.values[1:]) or _execute.matches(sample.values) or _screen.matches(sample.values)


def _is_rollout(values: Sequence[Any]) -> bool:
    lines = sum(map(is_line, values))
    return lines > 0 and lines * 2 >= len(values)


def _is_flat(first: Any, rest: Sequence[Any]) -> bool:
    """Tell the older form: the session's own line, then bare items and marks of a state."""
    if not isinstance(first, dict) or not isinstance(first.get("id"), str) or "timestamp" not in first or "type" in first:
        return False
    known = "instructions" in first or "git" in first or (set(first) == {"id", "timestamp"} and any(map(is_item, rest)))
    return known and all(isinstance(value, dict) and (value.get("record_type") == "state" or is_item(value)) for value in rest)


def _is_items(document: Any) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("items"), list) or set(document) - _ITEMS_ONLY:
        return False
    return bool(document["items"]) and all(map(is_item, document["items"][:20]))


def _keys(sample: Sample) -> set[str]:
    values = _head_values(sample)
    head = head_of(values)
    named = {head.session_id, head.group_id, head.parent_id, head.forked_from, _execute.thread_of(values), _screen.session_of(values)}
    return {name for name in named if name} or {_digest_of(values)}


def _digest_of(values: Sequence[Any]) -> str:
    """Name a session that has no id by how it begins."""
    return f"codex-{digest_of(list(values[:2]))}"


def _head_values(sample: Sample) -> Sequence[Any]:
    document = sample.document
    if events := _execute.events_in(document) if sample.shape == "document" else []:
        return events[:20]
    if isinstance(document, dict):
        return [document.get("session"), *document.get("items", [])[:20]] if _is_items(document) else [document]
    return document[:20] if isinstance(document, list) else sample.values


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    sessions = Sessions(apart)
    for file in files:
        values = _head_values(file.sample)
        if _execute.matches(values):
            _execute.read(file, apart, _execute.thread_of(values) or _digest_of(values), on_bytes)
        elif _screen.matches(values):
            _screen.read(file, apart, _screen.session_of(values) or _digest_of(values), on_bytes)
        else:
            sessions.add(file, head_of(values), _digest_of(values))
    sessions.read(on_bytes)


READER = Reader(
    format="codex",
    title="Codex (rollouts, exec --json, log of the screen)",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=("${CODEX_HOME:-~/.codex}/sessions", "${CODEX_HOME:-~/.codex}/archived_sessions"),
)
