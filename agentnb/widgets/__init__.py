"""HTML -> A LIVE CELL: runs that unfold, are searched and paged, and keep what people say; questions to answer; a board of programs; files to drop."""

from __future__ import annotations

from agentnb.widgets.approvals import Approvals
from agentnb.widgets.calltree import CallTree
from agentnb.widgets.rater import Rater
from agentnb.widgets.replay import Replay
from agentnb.widgets.scoreboard import Scoreboard
from agentnb.widgets.transcript import Transcript
from agentnb.widgets.upload import Upload

__all__ = ["Approvals", "CallTree", "Rater", "Replay", "Scoreboard", "Transcript", "Upload"]
