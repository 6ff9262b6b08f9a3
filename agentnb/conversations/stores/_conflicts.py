"""The one question that every conditional append asks: is the conversation as long as its writer thinks?"""

from __future__ import annotations

from agentnb.errors import StoreConflict


def check_length(conversation: str, length: int | None, expect: int | None) -> None:
    """Refuse an append to a conversation that has grown, or is not the one that was read.

    Args:
        conversation: its id.
        length: how many records it has; None when it is not known, which no expectation fits.
        expect: how many its writer has read; None when it does not matter.

    Raises:
        StoreConflict: they differ.
    """
    if expect is not None and length != expect:
        has = "another number of" if length is None else f"{length}"
        detail = f"the conversation {conversation} has {has} records and not {expect}: somebody else appended first, or it is not the one that was read"
        raise StoreConflict(f"{detail}. Nothing was written; read it and decide again", length=length)
