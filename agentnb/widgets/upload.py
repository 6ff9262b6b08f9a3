"""RECORDINGS FROM WHERE NO FILE SYSTEM REACHES: files are dropped into the cell, and what was read stands beneath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentnb.errors import OptionError, UnknownFormat
from agentnb.render import WorkspaceCard, render_card, render_upload
from agentnb.widgets._cell import STATIC, Answer, Cell, Request
from agentnb.widgets._targets import check_options
from agentnb.workspace import Workspace, open_workspace, read_object

MOST_BYTES = 1 << 30
"""Bytes of one file; a larger one is better put where the kernel can read it by its path."""


class Upload(Cell):
    """Take recordings that are dropped into the cell, or chosen, and read them into a workspace.

    Args:
        ws: the workspace to read into; without it, a new one in memory.

    Raises:
        OptionError: a keyword that is not one of these, or something else than a workspace.

    Example:
        upload = anb.Upload()
        upload.ws                  # what was read, once files were dropped
    """

    _esm = STATIC / "upload.js"

    def __init__(self, ws: Workspace | None = None, **unknown: Any) -> None:
        layout = {"layout": unknown.pop("layout")} if "layout" in unknown else {}
        check_options("Upload", ("layout", "ws"), unknown)
        if ws is not None and not isinstance(ws, Workspace):
            raise OptionError(f"Upload takes a workspace to read into, not a {type(ws).__name__}: anb.Upload(ws), or anb.Upload() for a new one.")
        self.ws = ws if ws is not None else open_workspace([])
        """What was read."""
        self._arriving: dict[str, bytearray] = {}
        super().__init__(**layout)
        self._html = self._card()
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        """Say in one line what was read."""
        return f"Upload into {self.ws!r}"

    def _static(self) -> str:
        return render_upload(self._read_so_far())

    def _card(self) -> str:
        card = self._read_so_far()
        return render_card(card, standalone=False) if card is not None else ""

    def _read_so_far(self) -> WorkspaceCard | None:
        return self.ws.card if self.ws.account.sources else None

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        return {"piece": self._answer_piece, "stop": self._answer_stop}

    def _answer_piece(self, request: Request) -> Answer:
        """Take the next piece of a file; with the last one read it."""
        key = str(request["file"])
        held = self._arriving.setdefault(key, bytearray())
        for piece in request.get("buffers") or ():
            held += piece
        if len(held) > MOST_BYTES:
            del self._arriving[key]
            raise OptionError(f"{request.get('name')} is larger than {MOST_BYTES >> 30} GB. Put it where the kernel runs, and open it by its path.")
        if not request.get("last"):
            return {"taken": len(held)}
        return self._read(str(request.get("name") or ""), bytes(self._arriving.pop(key)))

    def _answer_stop(self, request: Request) -> Answer:
        """Forget a file of which no more will come."""
        self._arriving.pop(str(request["file"]), None)
        return {}

    def _read(self, name: str, data: bytes) -> Answer:
        before = self.ws.account.records_read
        try:
            read_object(data, name=name or None, workspace=self.ws)
        except UnknownFormat as error:
            # The list of what can be read is too long to stand beside each of several files.
            raise UnknownFormat(str(error).partition(" What can be read:")[0]) from error
        self._html = self._card()
        return {"taken": len(data), "records": self.ws.account.records_read - before}
