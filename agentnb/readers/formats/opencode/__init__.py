"""Sessions of opencode: a folder of small files, one each for a session, a message and a piece of a message, one exported document, or printed events.

A record is a session, a message or a part. All files of a session, and of the sub-agents that it started, are read together. A tool's part holds both the
call and what came of it. Which call started a sub-agent stands with the call; the newer layout in a database is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.formats.opencode._session import write_sessions
from agentnb.readers.formats.opencode._store import Store, is_export, kind_of, printed_session


def _matches(sample: Sample) -> bool:
    values = [sample.document] if sample.shape == "document" else sample.values if sample.shape == "lines" else ()
    return any(is_export(value) or kind_of(value) is not None or printed_session(value) is not None for value in values)


def _keys(sample: Sample) -> set[str]:
    values = [sample.document] if sample.shape == "document" else [*sample.values, *sample.last_values]
    return {name for value in values for name in _names_in(value) if isinstance(name, str) and name}


def _names_in(value: Any) -> list[Any]:
    """Return the ids of the sessions that a record is about."""
    if is_export(value):
        return [value["info"].get("id"), value["info"].get("parentID")]
    if (printed := printed_session(value)) is not None:
        return [printed]
    kind = kind_of(value)
    return [value.get("id"), value.get("parentID")] if kind == "session" else [value.get("sessionID")] if kind is not None else []


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    store = Store()
    # A part's file is named so that the names are in order; the parts themselves may have no times.
    for file in sorted(files, key=lambda file: file.name):
        for place, value in read_values(file, on_bytes):
            store.take(value, place, file.account)
    write_sessions(store, rows, READER.format)


READER = Reader(
    format="opencode",
    title="opencode session (storage folder, export, run --format json)",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=("${XDG_DATA_HOME:-~/.local/share}/opencode/storage",),
)
