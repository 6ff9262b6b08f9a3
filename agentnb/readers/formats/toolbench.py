"""To be written."""

from __future__ import annotations

from agentnb.readers._reader import Reader

READER = Reader(format="toolbench", title="toolbench", matches=lambda sample: False, keys=lambda sample: set(), read=lambda files, rows, on_bytes: None)
