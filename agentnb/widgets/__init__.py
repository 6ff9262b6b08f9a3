"""HTML -> A LIVE CELL: transcript and call tree that unfold, find, page and keep what people say; questions to answer, files to drop, an answer replayed."""

from __future__ import annotations

from agentnb.widgets.approvals import Approvals
from agentnb.widgets.calltree import CallTree
from agentnb.widgets.replay import Replay
from agentnb.widgets.transcript import Transcript
from agentnb.widgets.upload import Upload

__all__ = ["Approvals", "CallTree", "Replay", "Transcript", "Upload"]
