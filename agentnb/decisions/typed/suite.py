"""Which runs does an evaluation consist of, by what ids, and what may they cost?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentnb.errors import CaseError
from agentnb.values import Value

REPEATS = 5
OVERHEAD_TOKENS = 600
COMPLETION_TOKENS = 120


class PlannedRun(Value):
    """One point in one cell."""

    id: str
    """The same for the same point and cell, on every machine."""
    name: str
    """Name of the record: the point's id and the cell in brackets."""
    case_id: str
    """The point."""
    cell: str
    """The cell's label."""
    repeats: int
    """How often it is asked."""


class TokenEstimate(Value):
    """Tokens that an evaluation will take, roughly."""

    prompt_tokens: int
    """Tokens sent."""
    completion_tokens: int
    """Tokens received."""


def plan_runs(case_ids: Iterable[str], cells: Sequence[str], *, repeats: int = REPEATS) -> tuple[PlannedRun, ...]:
    """Plan every point in every cell.

    Raises:
        CaseError: a cell's label holds a bracket or is there twice.
    """
    for label in cells:
        if "[" in label or "]" in label:
            raise CaseError(f"the label {label!r} of a cell holds a bracket; the name of a record could not be read back")
        if cells.count(label) > 1:
            raise CaseError(f"two cells are labelled {label!r}; labels are unique")
    return tuple(
        PlannedRun(id=stable_id(case_id, label), name=f"{case_id} [{label}]", case_id=case_id, cell=label, repeats=repeats)
        for case_id in case_ids
        for label in cells
    )


def stable_id(first: str, second: str) -> str:
    """Return an id in the form of a UUID that depends on two texts alone: FNV-1a of both, spread over 32 digits."""
    start = 0x811C9DC5
    units = f"{first}::{second}".encode("utf-16-le", "surrogatepass")
    for place in range(0, len(units), 2):
        start = ((start ^ int.from_bytes(units[place : place + 2], "little")) * 0x01000193) & 0xFFFFFFFF
    words = [start, *(((start + step) * 0x01000193) & 0xFFFFFFFF for step in (1, 2, 3))]
    digits = "".join(f"{word:08X}" for word in words)
    return f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-A{digits[15:18]}-{digits[18:30]}"


def estimate_tokens(prompts: Iterable[str], *, repeats: int = REPEATS) -> TokenEstimate:
    """Estimate tokens: a quarter of the characters and 600 besides for each prompt, 120 for each answer."""
    lengths = [len(prompt) for prompt in prompts]
    sent = sum(-(-length // 4) + OVERHEAD_TOKENS for length in lengths)
    return TokenEstimate(prompt_tokens=sent * repeats, completion_tokens=COMPLETION_TOKENS * len(lengths) * repeats)
