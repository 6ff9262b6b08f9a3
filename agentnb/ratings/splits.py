"""Which rows are kept apart to judge by? Whole groups, so that nothing that was learnt from is judged by."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from agentnb.errors import RatingError

_FEWEST: Final = 2


def split_groups(groups: Sequence[str | None], *, test: float = 0.2, seed: int = 0) -> list[bool]:
    """Say of each row whether it is kept apart.

    Args:
        groups: the group of each row; None is a group of its own.
        test: share of the groups that are kept apart, between 0 and 1; at least one group is on each side.
        seed: a whole number.

    Raises:
        RatingError: when the share is none, or there are fewer than two groups.
    """
    if not 0 < test < 1:
        raise RatingError(f"test= is the share of groups to judge by, between 0 and 1, such as 0.2; not {test!r}.")
    keys = [(place, None) if group is None else (-1, group) for place, group in enumerate(groups)]
    distinct = sorted(set(keys), key=lambda key: (key[0], key[1] or ""))
    if len(distinct) < _FEWEST:
        raise RatingError(f"There {'is one group' if distinct else 'are no rows'} to split, and each side needs one: rate calls of other conversations too.")
    random.Random(seed).shuffle(distinct)
    kept_apart = set(distinct[: min(max(round(test * len(distinct)), 1), len(distinct) - 1)])
    return [key in kept_apart for key in keys]
