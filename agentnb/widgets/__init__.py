"""HTML -> A LIVE CELL: a transcript and a call tree that unfold, find, page, and keep what people say; and a place to drop files."""

from __future__ import annotations

from agentnb.widgets.calltree import CallTree
from agentnb.widgets.transcript import Transcript
from agentnb.widgets.upload import Upload

__all__ = ["CallTree", "Transcript", "Upload"]
