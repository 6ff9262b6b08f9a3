"""The record of a call as one line, and what is left out of one that is too long (specs of FunctAI: call log)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentnb.conversations.stores._texts import event_text
from agentnb.errors import ConversationError

MOST_BYTES: Final = 8 * 1024 * 1024
"""Bytes that a line may have; of a longer one requests, replies and steps are left out, then the values."""

_OF_EXCHANGES: Final = ("request", "response")
_VALUES: Final[Mapping[str, Any]] = {"inputs": {}, "outputs": None, "returned": None, "described": {}}


def call_line(record: Mapping[str, Any], *, most_bytes: int = MOST_BYTES) -> str:
    """Write the record of a call; one that had to be shortened says `truncated`.

    Args:
        record: the record.
        most_bytes: how long the line may be.

    Raises:
        ConversationError: it is none, or has no JSON form (`conversation-opaque`).
    """
    tree_of(record)
    line = event_text(record)
    for shorter in (_without_exchanges, _without_values):
        if len(line) <= most_bytes:
            break
        record = shorter(record)
        line = event_text(record)
    return line


def tree_of(record: Mapping[str, Any]) -> str:
    """Return the id of the outermost call above a call, which is its own when nothing is.

    Raises:
        ConversationError: the record names no call.
    """
    call = record.get("id") if isinstance(record, Mapping) else None
    if not isinstance(call, str) or not call:
        raise ConversationError("conversation-opaque", f"the record of a call is an object with the call's id; this is {record!r:.80}. Nothing was written")
    root = record.get("root")
    return root if isinstance(root, str) and root else call


def _without_exchanges(record: Mapping[str, Any]) -> dict[str, Any]:
    exchanges = record.get("exchanges")
    shorter = {name: value for name, value in record.items() if name != "steps"} | {"truncated": True}
    if isinstance(exchanges, list):
        shorter["exchanges"] = [_without(exchange, _OF_EXCHANGES) if isinstance(exchange, Mapping) else exchange for exchange in exchanges]
    return shorter


def _without_values(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _VALUES.get(name, value) for name, value in record.items()}


def _without(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
