"""What time is it in a story? It starts at a fixed moment and moves only when told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """A clock that stands still between ticks."""

    def __init__(self, start: datetime) -> None:
        self.now = start.astimezone(UTC)

    def tick(self, seconds: float) -> str:
        """Move on and return the new time."""
        self.now += timedelta(seconds=seconds)
        return self.text

    @property
    def text(self) -> str:
        """The time as JavaScript writes it, to the millisecond."""
        return iso(self.now)

    @property
    def epoch(self) -> int:
        """The time in whole seconds since 1970."""
        return int(self.now.timestamp())


def iso(moment: datetime) -> str:
    """Write a time as JavaScript does, to the millisecond."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
