"""Helpers that remember: what a module's helper is shown of its earlier calls, and the record by which a later turn can show this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentnb.conversations.conversation import Conversation
    from agentnb.conversations.frames import Frame


def recall(frame: Frame) -> None:
    """Show a helper its earlier calls, as far as its module remembers them."""


def remember(frame: Frame, outputs: Mapping[str, Any]) -> None:
    """Record the call of a helper that its module remembers."""


def declares(conversation: Conversation) -> bool:
    """Tell whether the turn in which this code runs declared that it uses a conversation."""
    return False
