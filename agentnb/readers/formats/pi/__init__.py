"""Sessions of pi, a coding agent: a header, then messages, with what the tool notes between them.

A record is a line. In newer sessions an entry names its parent, so a file is a tree: its branches are turns with the same parent. A session that was
branched off another repeats what came before, which is merged where both files are read. A command that a person ran is a tool call of no model call.
What it prints as it runs without a screen is read by the end of each message; the pieces before it are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.formats.pi._session import id_of, parent_of, read_sessions

_OWN_ROLES = frozenset({"toolResult", "bashExecution"})


def is_session(sample: Sample) -> bool:
    """Tell whether lines are a session, or the rest of one whose header is missing."""
    return sample.shape == "lines" and (any(map(_is_header, sample.values)) or any(map(_is_own_message, sample.values)))


def keys_of(sample: Sample) -> set[str]:
    """Return the ids of the sessions of a file, and of those they were branched off."""
    headers = [value for value in (*sample.values, *sample.last_values) if _is_header(value)]
    return {name for value in headers for name in (id_of(value), parent_of(value)) if name is not None}


def _is_header(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "session" and isinstance(value.get("id"), str) and isinstance(value.get("cwd"), str)


def _is_own_message(value: Any) -> bool:
    message = value.get("message") if isinstance(value, dict) and value.get("type") == "message" else None
    if not isinstance(message, dict) or "sessionId" in value:
        return False
    role = message.get("role")
    return (isinstance(role, str) and role in _OWN_ROLES) or (role == "assistant" and "stopReason" in message and "usage" in message)


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    read_sessions(files, rows, on_bytes, READER.format)


READER = Reader(format="pi", title="pi session", matches=is_session, keys=keys_of, read=_read, places=("~/.pi/agent/sessions",))
