"""How much fits: bytes of UTF-8 that are left, and how much of each text is shown when there is less room."""

from __future__ import annotations

from typing import Final, NamedTuple

BUDGET: Final = 25_000
CEILING: Final = 200_000
SMALLEST: Final = 2_000


class Detail(NamedTuple):
    """How many characters of each text are shown."""

    said: int
    """Of what a person or a model said."""
    put: int
    """Of a call's input."""
    got: int
    """Of a call's output."""
    failed: int
    """Of the output of a call that failed."""
    aside: int
    """Of reasoning, system messages and the like, which are folded."""
    colour: bool
    """Whether code is coloured."""
    unfold: bool
    """Whether calls that failed are unfolded."""
    picture: int
    """Of the base64 of an image; one that has more is described and not shown."""


FULL: Final = Detail(said=6_000, put=4_000, got=4_000, failed=4_000, aside=3_000, colour=True, unfold=True, picture=6_000)
HALF: Final = Detail(said=2_400, put=1_200, got=1_200, failed=1_600, aside=800, colour=True, unfold=True, picture=2_400)
BRIEF: Final = Detail(said=700, put=280, got=280, failed=480, aside=240, colour=True, unfold=True, picture=600)
SCANT: Final = Detail(said=160, put=100, got=100, failed=160, aside=80, colour=False, unfold=False, picture=300)
DETAILS: Final = (FULL, HALF, BRIEF, SCANT)


class Room:
    """Bytes that are left for what is shown."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, html: str) -> bool:
        """Take the room that a piece needs; False, and nothing taken, when there is not enough."""
        need = weight(html)
        if need > self.left:
            return False
        self.left -= need
        return True


def weight(html: str) -> int:
    """Return the length in bytes of UTF-8."""
    return len(html) if html.isascii() else len(html.encode("utf-8"))


def within(budget: int) -> int:
    """Return a budget that is kept: never above 200 kB, and not below the 2 kB that a frame needs."""
    return max(SMALLEST, min(budget, CEILING))
