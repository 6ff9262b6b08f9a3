"""Counts of tokens in the stream -> usage of the model call before them, each counted once.

A `token_count` holds the total so far and the count of the last model call; it is repeated whenever the limits of the account are told anew.
"""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import counts_in

_COLUMNS = {
    "input_tokens": "input_tokens",
    "cached_input_tokens": "cached_tokens",
    "cache_write_input_tokens": "cache_write_tokens",
    "output_tokens": "output_tokens",
    "reasoning_output_tokens": "reasoning_tokens",
}


def usage_in(counts: Any) -> dict[str, int]:
    """Return the columns of a model call that counts tell."""
    return counts_in(counts, _COLUMNS)


class TokenCounter:
    """Tells what each count adds to the one before."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._total: dict[str, int] = {}

    def read(self, info: dict[str, Any]) -> dict[str, int] | None:
        """Return the columns of the model call that a count is for; None when it repeats what was counted, nothing when it tells no count."""
        last, total = usage_in(info.get("last_token_usage")), usage_in(info.get("total_token_usage"))
        if not total:
            return last
        before, self._total = self._total, total
        if total == before:
            return None
        if any(last.values()):
            return last
        # Only the running total is told: what it grew by.
        added = {column: count - before.get(column, 0) for column, count in total.items()}
        return added if min(added.values()) >= 0 else total
