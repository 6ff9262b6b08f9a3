"""Sessions of OpenClaw, which is built on pi and writes its sessions as pi does; what it adds of its own are entries whose type names it.

Read as pi's sessions are. The recorded file at hand is small; the rest follows the documentation of pi.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.formats.pi import is_session, keys_of
from agentnb.readers.formats.pi._session import read_sessions


def _matches(sample: Sample) -> bool:
    return is_session(sample) and any(map(_names_it, (*sample.values, *sample.last_values)))


def _names_it(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    named = (value.get("customType"), value.get("provider"), value.get("id") if value.get("type") == "session" else None)
    cwd = value.get("cwd")
    return any(isinstance(name, str) and name.startswith("openclaw") for name in named) or (isinstance(cwd, str) and "/.openclaw" in cwd)


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    read_sessions(files, rows, on_bytes, READER.format)


READER = Reader(format="openclaw", title="OpenClaw session", matches=_matches, keys=keys_of, read=_read, places=("~/.openclaw/agents",))
