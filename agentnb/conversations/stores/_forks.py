"""A process that forks leaves its child locks that other threads hold and connections that are not its own: both are made anew there."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    """Something that a child of the process must not take over as it is."""

    def renew(self) -> None:
        """Replace what belongs to the parent, without touching it."""
        ...


_known: WeakSet[Renewable] = WeakSet()


def renew_after_fork(value: Renewable) -> None:
    """Have a value renewed in every child of this process."""
    _known.add(value)


def _renew_all() -> None:
    for value in list(_known):
        value.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
