"""Random draws of calls: what may be said of all calls from a few that were rated."""

from __future__ import annotations

from datetime import datetime

from agentnb.values._base import Value


class Sample(Value):
    """One named random draw of calls; a row of the `samples` table. Never edited or drawn again under the same name."""

    sample: str
    """Name of the draw."""
    sample_id: str
    """Id of its record, a UUID version 7."""
    query: str | None = None
    """The query whose calls were drawn from; null when it was no text."""
    seed: int
    """Seed of the draw: the same seed on the same calls draws the same."""
    asked: int
    """How many calls were asked for."""
    drawn: int
    """How many were drawn."""
    population: int
    """How many calls it was drawn from."""
    stratified_by: str | None = None
    """Column whose groups were drawn from each; null for a simple random draw."""
    drawn_by: str | None = None
    """Who drew it; null when only the account is known."""
    account: str | None = None
    """The account of the operating system, when no person was named."""
    drawn_at: datetime
    """When, in UTC."""


class SampledCall(Value):
    """One call of a draw; a row of the `sampled_calls` table."""

    sample: str
    """Name of the draw."""
    call_id: str
    """The call."""
    draw_index: int
    """Place in the draw, from 0: the first of a draw are a random draw themselves."""
    stratum: str | None = None
    """The group it was drawn from; null in a simple random draw."""
    stratum_population: int
    """How many calls its group has; in a simple random draw all."""
