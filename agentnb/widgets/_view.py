"""A LIVE CELL: the traits and messages that every widget shares, and how it shows itself where no kernel answers."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

import anywidget
import traitlets
from IPython.display import display

from agentnb.errors import AgentnbError, UnknownId
from agentnb.render import css, render_rating_line
from agentnb.widgets._keeping import rate
from agentnb.widgets._targets import Wanted, check_options
from agentnb.workspace import Workspace

STATIC: Final = Path(__file__).parent.parent / "static"
REPLY_BUDGET: Final = 200_000
"""Bytes of one answer to the browser."""

Request: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = "dict[str, Any]"

_UNSAVED: Final = 'These ratings live only as long as this workspace. ws.save("folder") keeps them, and everything else of it.'
_HEIGHT: Final = re.compile(r"none|\d+(?:\.\d+)?(?:px|em|rem|ch|vh|%)")

_OPEN: WeakKeyDictionary[Workspace, WeakSet[View]] = WeakKeyDictionary()
"""The widgets of a workspace: what is said in one is shown in the others."""

_log = logging.getLogger("agentnb.widgets")


class View(anywidget.AnyWidget):
    """What the widgets of agentnb share.

    The browser asks with a message `{id, kind, …}` and is answered with `{id, result}` or `{id, error: {message}}`; `{event, result}` tells
    every view of the model something, such as a rating that one of them made.
    """

    _css = css()

    _html = traitlets.Unicode("").tag(sync=True)
    _height = traitlets.Unicode("").tag(sync=True)
    _page = traitlets.Int(50).tag(sync=True)
    _rates = traitlets.Bool(False).tag(sync=True)
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
        super().__init__(_page=page, _height=_css_height(height), _rates=wanted.workspace is not None, selected=selected or wanted.call_id, **layout)
        self._html = self._first_window()
        if wanted.workspace is not None:
            _OPEN.setdefault(wanted.workspace, WeakSet()).add(self)
        self.on_msg(self._heard)

    def __repr__(self) -> str:
        """Say in one line what is shown."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, and the same as plain HTML for wherever no kernel answers."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if bundle is not None else ({"text/plain": repr(self)}, {})
        return {**data, "text/html": self._static()}, metadata

    def _ipython_display_(self) -> None:
        """Show the plain HTML and the live view as two outputs, of which one is seen.

        In one output the plain HTML would be lost where it is needed: JupyterLab prefers the live view whenever it trusts a notebook, and after the
        kernel is gone says "model not found" in its place. Beside it, the plain HTML stays and the style sheet hides what is not wanted.
        """
        data, metadata = self._repr_mimebundle_()
        html = data.pop("text/html").replace(" data-view=", " data-fallback data-view=", 1)
        display({"text/html": html, "text/plain": data["text/plain"]}, raw=True)  # type: ignore[no-untyped-call]
        display({**data, "text/plain": ""}, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]

    def _first_window(self) -> str:
        raise NotImplementedError

    def _static(self) -> str:
        raise NotImplementedError

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        """Return what this widget answers, by kind of request."""
        return {"rate": self._answer_rate}

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> str:
        """Refuse an id that is not shown here, where the mistake was made."""
        if proposal.value:
            self._wanted.shown.turn_of(proposal.value)
        return str(proposal.value)

    def _heard(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Answer a request of the browser; what goes wrong is answered, too, and logged."""
        request = content if isinstance(content, dict) else {}
        try:
            answer = self._answers().get(str(request.get("kind")), _no_such_kind)
            reply = {"id": request.get("id"), "result": answer(request)}
        except Exception as error:
            _log.warning("%s could not answer %r", type(self).__name__, request.get("kind"), exc_info=not isinstance(error, AgentnbError))
            reply = {"id": request.get("id"), "error": {"message": _words(error)}}
        self.send(reply)

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


def _no_such_kind(request: Request) -> Answer:
    raise ValueError(f"No request of kind {request.get('kind')!r} is known. The notebook may show a widget of another agentnb: run its cell again.")


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, AgentnbError) else f"{type(error).__name__}: {error}"


def _css_height(height: int | str | None) -> str:
    written = "" if height is None else f"{height}px" if isinstance(height, int) else height
    if written and not _HEIGHT.fullmatch(written):
        raise ValueError(f"height is a number of pixels, a CSS length such as '60vh', or 'none' for no limit, not {height!r}.")
    return written
