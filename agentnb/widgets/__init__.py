"""HTML -> A LIVE CELL: a transcript and a call tree that unfold, find, page, and keep what people say about calls."""

from __future__ import annotations

from agentnb.widgets.calltree import CallTree
from agentnb.widgets.transcript import Transcript

__all__ = ["CallTree", "Transcript"]
