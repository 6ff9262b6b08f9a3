"""The ratings as a table, and what is odd about them, kept up as further ones arrive: a rating costs the same however many there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pyarrow as pa

from agentnb.ratings import Counts
from agentnb.values import Diagnostic, Rating
from agentnb.workspace._call_facts import CallFact, CallFacts
from agentnb.workspace._columns import to_table
from agentnb.workspace._contract import contract
from agentnb.workspace._said import odd_rating, rating_oddity

_MOST_PIECES: Final = 200
"""Pieces of the table that are kept apart before they are put together."""


class Standing:
    """All ratings as they stand now."""

    def __init__(self, facts: CallFacts) -> None:
        """Start with none.

        Args:
            facts: by which ratings know their calls again.
        """
        self._facts = facts
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._counts = Counts()
        self._pieces: list[pa.Table] = []
        self._odd: dict[int, str] = {}

    def add(self, ratings: Iterable[Rating]) -> None:
        """Take in ratings; those that are there already stay as they are."""
        first = len(self._counts.ratings)
        for rating in ratings:
            self._counts.add(rating)
        new = self._counts.ratings[first:]
        if not new:
            return
        self._pieces.append(to_table("ratings", new))
        if len(self._pieces) > _MOST_PIECES:
            self._pieces = [pa.concat_tables(self._pieces).combine_chunks()]
        self._look_at(new, first)

    def table(self) -> pa.Table:
        """Return the rows of the `ratings` table."""
        schema = contract().tables["ratings"]
        if not self._pieces:
            return schema.empty_table()
        flags = pa.array(np.frombuffer(bytes(self._counts.flags), dtype=np.bool_))
        return pa.concat_tables(self._pieces).set_column(schema.get_field_index("counts"), schema.field("counts"), flags)

    def odd(self) -> list[Diagnostic]:
        """Say which ratings that count are of calls that are not there, or whose input is another one now."""
        counting = [(place, code) for place, code in sorted(self._odd.items()) if self._counts.flags[place]]
        return [odd_rating(index, self._counts.ratings[place], code) for index, (place, code) in enumerate(counting)]

    def _look_at(self, ratings: list[Rating], first: int) -> None:
        known = self._facts.of(rating.call_id for rating in ratings)
        codes = ((place, rating_oddity(rating, _digest(known[rating.call_id]))) for place, rating in enumerate(ratings, first))
        self._odd |= {place: code for place, code in codes if code is not None}


def _digest(fact: CallFact | None) -> str | None:
    return None if fact is None else fact.digest
