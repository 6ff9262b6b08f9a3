"""What a store need not have, asked for in one way: each function answers for every store, also for one with only its two methods."""

from __future__ import annotations

import time
from typing import cast

from agentnb.conversations.stores.protocols import CallStore, EventStore, Store

_PAUSE = 0.2


def wait_for(store: Store, conversation: str, *, after: int, timeout: float) -> bool:
    """Wait until a conversation has more records than `after`; a store that cannot wait is read again and again.

    Args:
        store: where it is kept.
        conversation: its id.
        after: the number of records that are known.
        timeout: seconds to wait at most.

    Returns:
        Whether there are more.
    """
    wait = getattr(store, "wait", None)
    if wait is not None:
        return bool(wait(conversation, after=after, timeout=timeout))
    deadline = time.monotonic() + timeout
    while not store.read(conversation, after=after):
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        time.sleep(min(left, _PAUSE))
    return True


def is_persistent(store: Store) -> bool:
    """Tell whether records outlive the process; a store that does not say so is taken to keep them."""
    return bool(getattr(store, "persistent", True))


def durability_of(store: Store) -> str | None:
    """Return the store's word for how long records are kept; None when it has none."""
    return cast("str | None", getattr(store, "durability", None))


def events_of(store: Store) -> EventStore | None:
    """Return what keeps the events of turns; None when the store keeps none."""
    return cast("EventStore | None", getattr(store, "events", None))


def calls_of(store: Store) -> CallStore | None:
    """Return what keeps the records of calls; None when the store keeps none."""
    return cast("CallStore | None", getattr(store, "calls", None))


def lengths_of(store: Store) -> dict[str, int] | None:
    """Return how many records each conversation has; None when the store cannot say which conversations there are."""
    lengths, conversations = getattr(store, "lengths", None), getattr(store, "conversations", None)
    if lengths is not None:
        return cast("dict[str, int]", lengths())
    if conversations is not None:
        return {conversation: len(store.read(conversation)) for conversation in conversations()}
    return None
