"""A CELL OF OUR OWN: what the browser asks is answered, and what is shown is shown as plain HTML too, for where no kernel answers."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import anywidget
import traitlets
from IPython.display import display

from agentnb.errors import AgentnbError
from agentnb.render import css

STATIC: Final = Path(__file__).parent.parent / "static"

_HEIGHT: Final = re.compile(r"none|\d+(?:\.\d+)?(?:px|em|rem|ch|vh|%)")

Request: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = "dict[str, Any]"

_log = logging.getLogger("agentnb.widgets")


class Cell(anywidget.AnyWidget):
    """What every widget of agentnb is.

    The browser asks with a message `{id, kind, …}` and is answered with `{id, result}` or `{id, error: {message}}`; `{event, result}` tells
    every view of the model something, such as a rating that one of them made. Bytes that come with a message are in its `buffers`.
    """

    _css = css()

    _html = traitlets.Unicode("").tag(sync=True)
    _height = traitlets.Unicode("").tag(sync=True)

    def __repr__(self) -> str:
        """Say in one line what is shown."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the live view, and the same as plain HTML for wherever no kernel answers."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if bundle is not None else ({"text/plain": repr(self)}, {})
        return {**data, "text/html": self._static()}, metadata

    def _ipython_display_(self) -> None:
        display_twice(*self._repr_mimebundle_())

    def _static(self) -> str:
        raise NotImplementedError

    def _answers(self) -> dict[str, Callable[[Request], Answer]]:
        """Return what this widget answers, by kind of request."""
        raise NotImplementedError

    def _heard(self, _widget: Any, content: Any, buffers: Any) -> None:
        """Answer a request of the browser; what goes wrong is answered, too, and logged."""
        request = {**(content if isinstance(content, dict) else {}), "buffers": buffers}
        try:
            answer = self._answers().get(str(request.get("kind")), _no_such_kind)
            reply = {"id": request.get("id"), "result": answer(request)}
        except Exception as error:
            _log.warning("%s could not answer %r", type(self).__name__, request.get("kind"), exc_info=not isinstance(error, AgentnbError))
            reply = {"id": request.get("id"), "error": {"message": _words(error)}}
        self.send(reply)


def display_twice(data: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Show the plain HTML and the live view as two outputs, of which one is seen.

    In one output the plain HTML would be lost where it is needed: JupyterLab prefers the live view whenever it trusts a notebook, and after the
    kernel is gone says "model not found" in its place. Beside it, the plain HTML stays and the style sheet hides what is not wanted.
    """
    html = data["text/html"].replace(" data-view=", " data-fallback data-view=", 1)
    live = {kind: shown for kind, shown in data.items() if kind != "text/html"}
    display({"text/html": html, "text/plain": data["text/plain"]}, raw=True)  # type: ignore[no-untyped-call]
    display({**live, "text/plain": ""}, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]


def css_height(height: int | str | None) -> str:
    """Return a height as CSS writes it; empty for the usual one.

    Raises:
        ValueError: it is none.
    """
    written = "" if height is None else f"{height}px" if isinstance(height, int) else height
    if written and not _HEIGHT.fullmatch(written):
        raise ValueError(f"height is a number of pixels, a CSS length such as '60vh', or 'none' for no limit, not {height!r}.")
    return written


def _no_such_kind(request: Request) -> Answer:
    raise ValueError(f"No request of kind {request.get('kind')!r} is known. The notebook may show a widget of another agentnb: run its cell again.")


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, AgentnbError) else f"{type(error).__name__}: {error}"
