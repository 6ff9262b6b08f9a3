"""Which earlier turns is a new turn shown, and how? After section 4.2 of FunctAI's conversations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from agentnb.errors import SettingError
from agentnb.streams._lifted import list_in, object_in, text_in
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.saw import shorten, show
from agentnb.streams.turn_log import TurnLog


class ContextRule(NamedTuple):
    """What a conversation shows its turns: every earlier turn of the branch, unless it says otherwise."""

    last: int | None = None
    """Only that many; 0 for none; None for all."""
    without: tuple[str, ...] = ()
    """Fields of earlier turns that are left out."""


class Context(NamedTuple):
    """What one turn is shown."""

    turns: tuple[str, ...] = ()
    """Earlier turns, in order."""
    without: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Fields that are left out, by turn."""
    sections: tuple[str, ...] = ()
    """What is added to the instruction."""

    def as_record(self) -> dict[str, Any]:
        """Return it as it stands in the record of a turn, so that resuming the turn shows exactly this again."""
        return {"turns": list(self.turns), "without": {turn: sorted(names) for turn, names in self.without.items() if names}, "sections": list(self.sections)}


EVERYTHING: Final = ContextRule()
"""Every earlier turn of the branch, whole."""


def check_context(*, last: Any = None, without: Any = ()) -> ContextRule:
    """Return a rule as it is kept.

    Raises:
        SettingError: with the code context-rule; `last` is no whole number from 0, or `without` no list of names.
    """
    if last is not None and (type(last) is not int or last < 0):
        raise SettingError("context-rule", f"last={last!r:.80} is no number of turns; use a whole number from 0, or None for all")
    if isinstance(without, str) or not isinstance(without, Collection) or not all(isinstance(name, str) and name for name in without):
        raise SettingError("context-rule", f'without={without!r:.80} is no list of fields; use names such as ["photo"]')
    return ContextRule(last, tuple(sorted(set(without))))


def context_for(log: ConversationLog, parent: str | None, rule: ContextRule = EVERYTHING) -> Context:
    """Return what a turn is shown that is sent now.

    Args:
        log: the conversation.
        parent: the turn that it continues.
        rule: of the conversation.
    """
    done = [turn for turn in log.branch(parent) if log.turns[turn].is_done]
    turns = done if rule.last is None else done[len(done) - rule.last :] if rule.last < len(done) else done
    return Context(tuple(turns), dict.fromkeys(turns, rule.without) if rule.without else {})


def read_context(turn: Mapping[str, Any]) -> Context | None:
    """Return what the record of a turn says it was shown; None when it does not say, because its conversation's rule alone decided."""
    told = turn.get("context")
    if not isinstance(told, dict):
        return None
    turns = tuple(each for each in list_in(told, "turns") if isinstance(each, str))
    without = {each: tuple(name for name in list_in(told["without"], each) if isinstance(name, str)) for each in object_in(told, "without")}
    return Context(turns, without, tuple(each for each in list_in(told, "sections") if isinstance(each, str)))


def saw_of_context(log: ConversationLog, context: Context, *, parent: str | None, program: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what is recorded about what a turn saw, as short as can be.

    Args:
        log: the conversation.
        context: what the turn is shown.
        parent: the turn that it continues.
        program: the record of the program that is called.
    """

    def saw_in(turn: str) -> Mapping[str, Any] | None:
        return {"saw": log.turns[turn].saw} if turn in log.turns else None

    entries = [_entry(log.turns[turn], context.without.get(turn, ()), program) for turn in context.turns if turn in log.turns]
    return shorten(entries, parent, saw_in)


def earlier_values(log: ConversationLog, context: Context) -> list[dict[str, Any]]:
    """Return the values of the turns that are shown: each one's inputs and outputs in one object, without what is left out."""
    known = [(log.turns[turn], context.without.get(turn, ())) for turn in context.turns if turn in log.turns]
    return [{name: value for name, value in {**turn.inputs, **turn.outputs}.items() if name not in without} for turn, without in known]


def shown_turns(log: ConversationLog, context: Context, program: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the turns as the model is shown them: each with its inputs and outputs, and its steps where the same program is shown everything of them."""
    known = [log.turns[turn] for turn in context.turns if turn in log.turns]
    found = [show(_values_of(turn), _entry(turn, context.without.get(turn.id, ()), program)).turn for turn in known]
    return [turn for turn in found if turn is not None]


def _entry(turn: TurnLog, without: Collection[str], program: Mapping[str, Any]) -> dict[str, Any]:
    dropped = sorted(_fields_of(turn) & set(without))
    if dropped:
        return {"call": turn.id, "without": dropped}
    own, other = text_in(turn.program, "signature"), text_in(program, "signature")
    with_steps = program.get("program_kind") == "ai" and own is not None and own == other and bool(_steps_of(turn))
    return {"call": turn.id, "steps": True} if with_steps else {"call": turn.id}


def _fields_of(turn: TurnLog) -> set[str]:
    named = {name for field in list_in(turn.program, "fields") if (name := text_in(field, "name")) is not None}
    return named.union(turn.inputs, turn.outputs, *(object_in(step, "outputs") for step in _steps_of(turn)))


def _steps_of(turn: TurnLog) -> list[Any]:
    return list_in(object_in(turn.ended, "lmcc"), "steps")


def _values_of(turn: TurnLog) -> dict[str, Any]:
    return {"inputs": turn.inputs, "outputs": turn.outputs, "steps": [], **object_in(turn.ended, "lmcc")}
