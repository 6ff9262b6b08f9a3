"""What is a turn shown of the turns before it? The done turns of its branch, all or the last few, whole or without some fields, and as hooks change that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agentnb.errors import OptionError
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.turn_log import TurnLog

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program


class EarlierRule(NamedTuple):
    """Which earlier turns a turn is shown, and without which fields."""

    last: int | None = None
    """How many; None for all."""
    without: tuple[str, ...] = ()
    """Fields that are left out of them."""

    @classmethod
    def of(cls, last: int | None, without: Iterable[str], program: Program | None) -> EarlierRule:
        """Return a rule.

        Raises:
            OptionError: `last` is no number of turns, or `without` names what is no field.
        """
        if last is not None and (type(last) is not int or last < 0):
            raise OptionError(f"last is how many earlier turns are shown, or None for all, not {last!r}")
        names = tuple(sorted(without))
        known = {field.name for field in program.interface.fields} if program is not None else set(names)
        wrong = [name for name in names if name not in known]
        if wrong:
            raise OptionError(f"without names {', '.join(wrong)}, and the fields are {', '.join(sorted(known))}")
        return cls(last, names)


class Shown(NamedTuple):
    """What a turn is shown."""

    saw: tuple[dict[str, Any], ...] = ()
    """As entries, for its records."""
    earlier: tuple[dict[str, Any], ...] = ()
    """The turns themselves: inputs, outputs and, where they are shown, steps."""
    sections: tuple[str, ...] = ()
    """Instructions that hooks added."""
    context: dict[str, Any] | None = None
    """What hooks made of it, for its record; None when none ran."""


def show(log: ConversationLog, parent: str | None, rule: EarlierRule, program: Program, hooks: Sequence[Any]) -> Shown:
    """Decide what a turn is shown."""
    turns = [turn for turn in log.branch(parent) if log.turns[turn].is_done]
    if rule.last is not None:
        turns = turns[len(turns) - min(rule.last, len(turns)) :]
    entries = tuple({"call": turn, "steps": True} for turn in turns)
    return Shown(entries, tuple(_earlier(log.turns[turn]) for turn in turns))


def show_recorded(log: ConversationLog, turn: TurnLog, rule: EarlierRule, program: Program) -> Shown:
    """Return what a turn that is resumed was shown."""
    return show(log, turn.parent, rule, program, ())


def turns_of_saw(log: ConversationLog, saw: list[Any] | None) -> list[str]:
    """Return the turns that entries name."""
    return [entry["call"] for entry in saw or [] if entry.get("call") in log.turns]


def _earlier(turn: TurnLog) -> dict[str, Any]:
    steps = (turn.ended or {}).get("lmcc", {}).get("steps", [])
    return {"inputs": turn.inputs, "outputs": turn.outputs, "steps": steps}
