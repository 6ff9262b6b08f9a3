"""How a live conversation reads as text: a line for the conversation, one for each turn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agentnb.conversations.conversation import Conversation
    from agentnb.conversations.turn import Turn

_INPUT: Final = 50
_RESULT: Final = 70


def conversation_text(conversation: Conversation) -> str:
    """Return the text of a conversation."""
    turns = conversation.turns
    name = conversation.program.name if conversation.program is not None else "no program"
    head = f"<Conversation {conversation.id} with {name}: {len(turns)} turn{'' if len(turns) == 1 else 's'}>"
    return "\n".join([head, *(f"{number:>3}. {_line(turn)}" for number, turn in enumerate(turns, 1))])


def short(value: Any, most: int) -> str:
    """Return a value in one line, at most so long: text as it is, anything else as JSON."""
    text = " ".join(as_text(value).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def as_text(value: Any) -> str:
    """Return a value as a person reads it: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def _line(turn: Turn) -> str:
    inputs = ", ".join(short(value, _INPUT) for value in turn.inputs.values())
    return f"{inputs} → {short(turn.result, _RESULT)}" if turn.state == "done" else f"{inputs} [{turn.state}]"
