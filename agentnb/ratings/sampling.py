"""A fair draw: which of these calls are looked at? The same seed draws the same, and the first of a draw are a fair draw themselves."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Drawn(NamedTuple):
    """One call of a draw."""

    call_id: str
    """The call."""
    stratum: str | None
    """The group it was drawn from; None in a simple random draw."""
    stratum_population: int
    """How many calls its group has."""


def draw(calls: Mapping[str, str | None], size: int, *, seed: int, floor: int = 1) -> list[Drawn]:
    """Draw calls at random without replacement, in the order of the draw.

    Calls are ordered by a digest of seed and id, and the first are taken: a larger draw with the same seed begins with the smaller one. From several
    groups each gives its share (largest remainders), and at least `floor` where there is room.

    Args:
        calls: the group of each call by its id; None everywhere for a simple random draw.
        size: how many to draw; all, when there are fewer.
        seed: any whole number.
        floor: the least number of calls of a group.
    """
    populations = Counter(calls.values())
    quota = Counter(_shares(populations, min(size, len(calls)), floor))
    taken = []
    for call_id in sorted(calls, key=lambda call_id: (_ticket(seed, call_id), call_id)):
        stratum = calls[call_id]
        if quota[stratum] > 0:
            quota[stratum] -= 1
            taken.append(Drawn(call_id, stratum, populations[stratum]))
    return taken


def _ticket(seed: int, call_id: str) -> bytes:
    return hashlib.blake2b(f"{seed}\n{call_id}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _shares(populations: Mapping[str | None, int], size: int, floor: int) -> dict[str | None, int]:
    """Divide a size among groups by their share; the sum is the size."""
    total = sum(populations.values())
    groups = sorted(populations, key=lambda group: (group is not None, group or ""))
    least = {group: min(floor, populations[group]) for group in groups} if floor * len(groups) <= size else dict.fromkeys(groups, 0)
    exact = {group: size * populations[group] / total for group in groups}
    shares = {group: max(least[group], int(exact[group])) for group in groups}
    while (spare := size - sum(shares.values())) != 0:
        step = 1 if spare > 0 else -1
        shares[_next(groups, shares, exact, populations, least, step)] += step
    return shares


def _next(
    groups: Iterable[str | None],
    shares: Mapping[str | None, int],
    exact: Mapping[str | None, float],
    populations: Mapping[str | None, int],
    least: Mapping[str | None, int],
    step: int,
) -> str | None:
    """Return the group that is furthest from its share and has room."""
    room = [group for group in groups if (shares[group] < populations[group] if step > 0 else shares[group] > least[group])]
    return max(room, key=lambda group: step * (exact[group] - shares[group]))
