"""The cyclic garbage collector, out of the way while many small values are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Pause the cyclic garbage collector.

    Rows and values make no cycles, and the collector's passes over hundreds of thousands of them cost as much as making them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
