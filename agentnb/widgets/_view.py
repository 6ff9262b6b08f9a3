"""A LIVE CELL: the traits and messages that the widgets share which show what was recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

import traitlets

from agentnb.errors import UnknownId
from agentnb.render import render_image, render_rating_line
from agentnb.values import Part, Turn
from agentnb.widgets._cell import Answer, Cell, Request, css_height
from agentnb.widgets._following import Follower
from agentnb.widgets._growing import Growth
from agentnb.widgets._keeping import rate
from agentnb.widgets._targets import Wanted, check_options
from agentnb.workspace import Workspace

REPLY_BUDGET: Final = 200_000
"""Bytes of one answer to the browser."""
FOLLOW_SECONDS: Final = 0.4
"""Between two looks at a turn that runs."""

_UNSAVED: Final = 'These ratings live only as long as this workspace. ws.save("folder") keeps them, and everything else of it.'

_OPEN: WeakKeyDictionary[Workspace, WeakSet[View]] = WeakKeyDictionary()
"""The widgets of a workspace: what is said in one is shown in the others."""


class View(Cell):
    """What the widgets share that show what was recorded."""

    _page = traitlets.Int(50).tag(sync=True)
    _rates = traitlets.Bool(False).tag(sync=True)
    _follows = traitlets.Bool(False).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)
    """Id of the selected call; empty for none."""

    known: tuple[str, ...] = ("by", "height", "layout", "page", "selected")

    def __init__(self, wanted: Wanted, *, page: int, height: int | str | None, by: str | None, selected: str, unknown: dict[str, Any]) -> None:
        layout = {"layout": unknown.pop("layout")} if "layout" in unknown else {}
        check_options(type(self).__name__, self.known, unknown)
        if not 1 <= page <= 500:
            raise ValueError(f"page is how many lines are fetched at once, from 1 to 500, not {page}.")
        self._wanted = wanted
        self._by = by
        self._said_unsaved = False
        self._growth = Growth.of(wanted)
        self._follower = Follower(self._follow, FOLLOW_SECONDS)
        given = {"_rates": wanted.workspace is not None, "_follows": self._growth is not None and self._growth.goes_on}
        super().__init__(_page=page, _height=css_height(height), selected=selected or wanted.call_id, **given, **layout)
        self._html = self._first_window()
        if wanted.workspace is not None:
            _OPEN.setdefault(wanted.workspace, WeakSet()).add(self)
        self.on_msg(self._heard)

    def _first_window(self) -> str:
        raise NotImplementedError

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        """Return what this widget answers, by kind of request."""
        return {"rate": self._answer_rate, "image": self._answer_image, "here": self._answer_here, "gone": self._answer_gone}

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> str:
        """Refuse an id that is not shown here, where the mistake was made."""
        if proposal.value:
            self._wanted.shown.turn_of(proposal.value)
        return str(proposal.value)

    def _answer_rate(self, request: Request) -> Answer:
        workspace = self._wanted.workspace
        if workspace is None:
            raise ValueError(f"Nothing can be rated without a workspace: {type(self).__name__}(ws, …) keeps ratings.")
        if request.get("by"):
            workspace.rater = str(request["by"]).strip()
        by = str(request.get("by") or self._by or workspace.rater or "").strip()
        if not by:
            return {"need": "name"}
        call_id = str(request["call_id"])
        self._wanted.shown.turn_of(call_id)
        ratings = rate(workspace, call_id, request, by)
        html = render_rating_line(call_id, ratings, live=True)
        for view in sorted(_OPEN[workspace], key=lambda each: str(each.model_id)):
            view._tell_rated(call_id, html)
        self._tell_unsaved(workspace)
        return {"by": by}

    def _answer_here(self, request: Request) -> Answer:
        """Follow what runs while a view is in sight."""
        self._follower.here(str(request.get("view")))
        return {}

    def _answer_gone(self, request: Request) -> Answer:
        self._follower.gone(str(request.get("view")))
        return {}

    def _follow(self) -> bool:
        """Show what has come since the last look; returns whether more may come."""
        if self._growth is None:
            return False
        grown = self._growth.look()
        if grown:
            self._grow(grown)
            self._html = self._first_window()
        return self._growth.goes_on

    def _grow(self, turn_ids: tuple[str, ...]) -> None:
        """Show turns anew that are under way."""

    def _answer_image(self, request: Request) -> Answer:
        """Return the picture of an image part whose line was unfolded."""
        turn = self._wanted.shown.turn(str(request["turn_id"]))
        return {"html": render_image(_image_at(turn, int(request["message_index"]), int(request["part_index"])))}

    def _tell_rated(self, call_id: str, html: str) -> None:
        """Bring every view of this widget up to date, and the window that a new one starts with."""
        try:
            turn_id = self._wanted.shown.turn_of(call_id)
        except UnknownId:
            return
        self.send({"event": "rated", "result": {"call_id": call_id, "html": html}})
        self._html = self._first_window()
        self._renew(turn_id)

    def _renew(self, turn_id: str) -> None:
        """Show anew what else tells of a turn's ratings."""

    def _tell_unsaved(self, workspace: Workspace) -> None:
        if self._said_unsaved or workspace.folder is not None:
            return
        self._said_unsaved = True
        self.send({"event": "notice", "result": {"message": _UNSAVED}})


def whole_number(request: Request, name: str, otherwise: int, most: int) -> int:
    """Return a count of a request, within bounds."""
    return max(0, min(int(request.get(name, otherwise)), most))


def _image_at(turn: Turn, message_index: int, part_index: int) -> Part:
    places = (part for message in turn.messages for part in message.parts if (part.message_index, part.part_index) == (message_index, part_index))
    found = next((part for part in places if part.type == "image"), None)
    if found is None:
        raise UnknownId(f"Part {part_index} of message {message_index} is no image of this turn.")
    return found
