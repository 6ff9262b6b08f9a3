"""What changed from one program to the next: the story of a retry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

MOST_COMPARED: Final = 300
"""Lines on each side up to which the changed middle is compared line by line; a longer middle is shown as replaced, so that the time stays linear."""
CONTEXT: Final = 2
"""Lines shown around a change."""


class Change(NamedTuple):
    """The difference between two programs."""

    diff: str
    """Lines with `-`, `+` or a space in front, and `@@` where lines are left out; empty when the programs are equal."""
    added: int
    """Lines that the second has and the first has not."""
    removed: int
    """Lines that the first has and the second has not."""


def diff_programs(before: str, after: str) -> Change:
    """Compare two programs line by line.

    Args:
        before: the earlier program.
        after: the later program.

    Returns:
        The change; a CRLF counts as an LF.
    """
    if before == after:
        return Change("", 0, 0)
    if "\n" not in before and "\n" not in after:
        return Change(f"-{before}\n+{after}", 1, 1)
    old, new = _lines(before), _lines(after)
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    middle = list(_middle(old[head : len(old) - tail], new[head : len(new) - tail]))
    first, last = max(head - CONTEXT, 0), len(old) - tail
    lines = [*(["@@"] if first else []), *(f" {line}" for line in old[first:head]), *middle, *(f" {line}" for line in old[last : last + CONTEXT])]
    if tail > CONTEXT:
        lines.append("@@")
    return Change("\n".join(lines), sum(line.startswith("+") for line in middle), sum(line.startswith("-") for line in middle))


def are_alike(before: str, after: str) -> bool:
    """Say whether two programs may be two attempts at one thing: they begin or end with the same line, or both are one line with the same first word."""
    if "\n" not in before.strip() and "\n" not in after.strip():
        return before.split(maxsplit=1)[:1] == after.split(maxsplit=1)[:1]
    return before.partition("\n")[0] == after.partition("\n")[0] or before.rpartition("\n")[2] == after.rpartition("\n")[2]


def _lines(program: str) -> list[str]:
    return program.replace("\r\n", "\n").split("\n")


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    return next((at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right), min(len(old), len(new)))


def _middle(old: list[str], new: list[str]) -> Iterator[str]:
    if not old or not new or len(old) > MOST_COMPARED or len(new) > MOST_COMPARED:
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)
        return
    for kind, start, end, begin, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (f" {line}" for line in old[start:end])
        else:
            yield from (f"-{line}" for line in old[start:end])
            yield from (f"+{line}" for line in new[begin:stop])
