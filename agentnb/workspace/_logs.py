"""What was said of a workspace and is never edited: ratings, traces, draws."""

from __future__ import annotations

from typing import NamedTuple

from agentnb.ratings import rating_of
from agentnb.values import Rating
from agentnb.workspace._append_log import AppendLog
from agentnb.workspace._drawn import KeptSample, sample_log
from agentnb.workspace._stores import Store
from agentnb.workspace._traced import KeptTrace, trace_log


class Logs(NamedTuple):
    """What was said of a workspace, in files beside its tables or in memory."""

    ratings: AppendLog[Rating]
    """What people said about calls."""
    traces: AppendLog[KeptTrace]
    """What became of models' answers."""
    samples: AppendLog[KeptSample]
    """Random draws."""

    def take_over(self, others: Logs) -> None:
        """Keep what other logs hold.

        Raises:
            WorkspaceError: when something could not be written.
        """
        self.ratings.take_over(others.ratings)
        self.traces.take_over(others.traces)
        self.samples.take_over(others.samples)

    def refresh(self) -> tuple[int, int, int]:
        """Read what is new, and return what changes whenever there is something."""
        return self.ratings.refresh(), self.traces.refresh(), self.samples.refresh()


def logs_of(store: Store) -> Logs:
    """Open the logs beside the tables of a store."""
    ratings = AppendLog(None if store.place is None else store.place / "ratings", rating_of, noun="rating")
    return Logs(ratings, trace_log(store), sample_log(store))
