"""A progress bar for what takes more than a second, and nothing for what does not."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

_DELAY_SECONDS = 1.0


class Progress:
    """Counts what is done; the bar, and the widget library it needs in a notebook, come only after a second."""

    def __init__(self, total: int, what: str, *, unit: str = "B") -> None:
        """Count up to a total; `what` stands before the bar, and the unit, bytes or such as ` turns`, behind the numbers."""
        self._total = total
        self._what = what
        self._unit = unit
        self._done = 0
        self._bar: Any = None
        self._start = time.monotonic()

    def __enter__(self) -> Progress:
        """Start counting."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()

    def add(self, count: int) -> None:
        """Count what is done since the last call."""
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
        elif self._done < self._total and time.monotonic() - self._start > _DELAY_SECONDS:
            self._bar = _bar(self._total, self._done, self._what, self._unit)


def _bar(total: int, done: int, what: str, unit: str) -> Any:
    from tqdm.auto import tqdm

    return tqdm(total=total, initial=done, desc=what, unit=unit, unit_scale=True, leave=False)
