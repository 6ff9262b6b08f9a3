"""What is a helper shown of its earlier calls? Nothing, unless its module says so."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.errors import SettingError

MemoryMode = Literal["conversation", "turn", "own"]


class Memory(NamedTuple):
    """What a module remembers for one helper."""

    mode: MemoryMode
    """conversation: its calls in the branch's turns and in this one; turn: its calls in this turn; own: a conversation of its own, which keeps itself."""
    steps: bool = True
    """Whether it is shown what it did on the way, or only what it was given and answered."""

    @classmethod
    def of(cls, given: Any) -> Memory:
        """Return a memory from its mode, or as it is.

        Raises:
            SettingError: it is neither.
        """
        if isinstance(given, Memory):
            return given
        if given in ("conversation", "turn", "own"):
            return cls(given)
        raise SettingError("setting", f"a module remembers a helper by 'conversation' or 'turn', and a conversation by 'own', not {given!r}")
