"""NEWS FOR WHO LOOKS: something is looked at again and again as long as a view of a widget is in sight, and not a moment longer."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

FORGET_SECONDS: Final = 300.0
"""After which a view that was not heard of is taken for closed; a browser slows down the clocks of pages in the background."""

_log = logging.getLogger("agentnb.widgets")


class Follower:
    """Looks for news in a thread of its own.

    Args:
        look: looks, and tells who has to know; returns whether there may be more to come.
        pause: seconds between two looks.
    """

    def __init__(self, look: Callable[[], bool], pause: float) -> None:
        self._look, self._pause = look, pause
        self._views: dict[str, float] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def here(self, view: str) -> None:
        """Note that a view is in sight."""
        with self._lock:
            self._views[view] = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="agentnb-follower", daemon=True)
                self._thread.start()

    def gone(self, view: str) -> None:
        """Note that a view was closed."""
        with self._lock:
            self._views.pop(view, None)

    def _run(self) -> None:
        while self._goes_on():
            time.sleep(self._pause)

    def _goes_on(self) -> bool:
        more = False
        try:
            more = self._look()
        except Exception:
            # What cannot be looked at now is looked at again when a view says that it is still in sight.
            _log.warning("There may be news that are not shown", exc_info=True)
        with self._lock:
            late = time.monotonic() - FORGET_SECONDS
            self._views = {view: seen for view, seen in self._views.items() if seen > late}
            if not more or not self._views:
                self._thread = None
            return self._thread is not None
