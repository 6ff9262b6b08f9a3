"""HTML -> A LIVE CELL: recordings that unfold, are searched and paged, and keep what people say; a place to drop files, and a slider over an answer."""

from __future__ import annotations

from agentnb.widgets.calltree import CallTree
from agentnb.widgets.rater import Rater
from agentnb.widgets.replay import Replay
from agentnb.widgets.transcript import Transcript
from agentnb.widgets.upload import Upload

__all__ = ["CallTree", "Rater", "Replay", "Transcript", "Upload"]
