"""HTML -> A LIVE CELL: recordings that unfold, are searched and paged, and keep what people say; a board of programs; a place to drop files."""

from __future__ import annotations

from agentnb.widgets.calltree import CallTree
from agentnb.widgets.rater import Rater
from agentnb.widgets.replay import Replay
from agentnb.widgets.scoreboard import Scoreboard
from agentnb.widgets.transcript import Transcript
from agentnb.widgets.upload import Upload

__all__ = ["CallTree", "Rater", "Replay", "Scoreboard", "Transcript", "Upload"]
