"""Chats of VS Code: sessions as they are stored or exported, the same as a log of changes, and the log that Copilot Chat exports for a replay.

A record is a request of a session, a line of a log of changes, or an entry of a replay log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.formats.vscode_chat import _replay
from agentnb.readers.formats.vscode_chat._changes import is_change, put_together
from agentnb.readers.formats.vscode_chat._session import read_session


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        return _is_session(sample.document) or _replay.matches(sample.document)
    if sample.shape != "lines" or not sample.values:
        return False
    first = sample.values[0]
    return is_change(first) and first["kind"] == 0 and _is_stored(first.get("v")) and all(map(is_change, sample.values[1:]))


def _is_session(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("requests"), list):
        return False
    if not isinstance(value.get("responderUsername"), str):
        return _is_stored(value)
    return all(isinstance(request, dict) and "message" in request for request in value["requests"][:5])


def _is_stored(value: Any) -> bool:
    """Tell whether a value is a session as VS Code stores it."""
    return isinstance(value, dict) and isinstance(value.get("requests"), list) and isinstance(value.get("sessionId"), str) and "version" in value


def _keys(sample: Sample) -> set[str]:
    return {_name_of(sample)}


def _name_of(sample: Sample) -> str:
    """Name a chat by its own id, else by how it begins."""
    value: Any = sample.document if sample.shape == "document" else sample.values[0].get("v") if sample.values else None
    if _replay.matches(value):
        return _replay.name_of(value)
    value = value if isinstance(value, dict) else {}
    requests = value.get("requests")
    first = requests[0] if isinstance(requests, list) and requests and isinstance(requests[0], dict) else {}
    digest = digest_of([first.get("requestId"), first.get("message")])
    return text_of(value.get("sessionId")) or f"vscode-{digest}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        name = _name_of(file.sample)
        if file.sample.shape != "document":
            session = put_together(read_values(file, on_bytes), file.account)
            read_session(session, file.account, apart.start(name, file.account), records=0)
            continue
        for _, document in read_values(file, on_bytes):
            if _replay.matches(document):
                _replay.read(document, file.account, apart.start(name, file.account))
            else:
                read_session(document, file.account, apart.start(name, file.account), records=1)


READER = Reader(
    format="vscode_chat",
    title="VS Code chat (session, export, log of changes, Copilot replay)",
    matches=_matches,
    keys=_keys,
    read=_read,
    # Chats of windows without a folder; those of a folder lie among other files of many other kinds.
    places=(
        "${XDG_CONFIG_HOME:-~/.config}/Code/User/globalStorage/emptyWindowChatSessions",
        "~/Library/Application Support/Code/User/globalStorage/emptyWindowChatSessions",
        "${APPDATA:-~/AppData/Roaming}/Code/User/globalStorage/emptyWindowChatSessions",
    ),
)
