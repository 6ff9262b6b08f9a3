"""To be written."""

from __future__ import annotations

from agentnb.readers._reader import Reader

READER = Reader(format="vscode_chat", title="vscode_chat", matches=lambda sample: False, keys=lambda sample: set(), read=lambda files, rows, on_bytes: None)
