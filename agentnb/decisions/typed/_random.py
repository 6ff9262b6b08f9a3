"""Chance that is the same on every machine: the public generator mulberry32."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Any, Final

SEED: Final = 20260929

_MASK: Final = 0xFFFFFFFF


def mulberry32(seed: int = SEED) -> Callable[[], float]:
    """Return a generator of numbers from 0 up to, but not including, 1.

    Args:
        seed: 32 bits of it count.
    """
    state = seed & _MASK

    def draw() -> float:
        nonlocal state
        state = (state + 0x6D2B79F5) & _MASK
        mixed = ((state ^ (state >> 15)) * (state | 1)) & _MASK
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & _MASK
        return ((mixed ^ (mixed >> 14)) & _MASK) / 4294967296

    return draw


def shuffle(items: MutableSequence[Any], draw: Callable[[], float]) -> None:
    """Put items into a random order in place, from the end (Fisher and Yates)."""
    for last in range(len(items) - 1, 0, -1):
        other = int(draw() * (last + 1))
        items[last], items[other] = items[other], items[last]
