"""What one turn is shown of those before it, decided when it is sent, and shown again as it was when it is resumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from agentnb.conversations.shown import Context, ContextRule, check_context, context_for, earlier_values, read_context, saw_of_context, shown_turns
from agentnb.errors import SettingError
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.saw import read_saw
from agentnb.streams.turn_log import TurnLog

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program


class Shown(NamedTuple):
    """What a turn is shown."""

    saw: tuple[dict[str, Any], ...] = ()
    """As entries, for its records."""
    turns: tuple[dict[str, Any], ...] = ()
    """The turns as a model is shown them: inputs, outputs and, where they are shown, steps."""
    values: tuple[dict[str, Any], ...] = ()
    """The turns as code is shown them: inputs and outputs together."""
    sections: tuple[str, ...] = ()
    """Instructions that hooks added."""
    context: dict[str, Any] | None = None
    """What hooks made of it, for its record; None when none ran."""


def show(log: ConversationLog, parent: str | None, rule: ContextRule, program: Program, hooks: Sequence[Any]) -> Shown:
    """Decide what a turn is shown that is sent now.

    A hook's `context(shown)` is given the turns as rows, each with `turn` and its values, and returns None to change nothing, or a mapping with any of `keep`
    (ids of turns that are shown), `without` (turn to names that are left out of it) and `sections` (texts that are added to the instruction).

    Raises:
        SettingError: with the code context-hook: a hook returned something else.
    """
    context, changed = context_for(log, parent, rule), False
    for hook in hooks:
        change = getattr(hook, "context", None)
        if change is None:
            continue
        rows = [{"turn": turn, **values} for turn, values in zip(context.turns, earlier_values(log, context), strict=True)]
        context, changed = _changed(context, change(rows)), True
    return _shown(log, context, parent, program, recorded=context.as_record() if changed else None)


def show_again(log: ConversationLog, turn: TurnLog, rule: ContextRule, program: Program) -> Shown:
    """Return what a turn that is resumed was shown: what its record says, where hooks ran, else what the rule says now."""
    told = read_context(turn.record)
    return _shown(log, told if told is not None else context_for(log, turn.parent, rule), turn.parent, program, recorded=None)


def turns_shown_to(log: ConversationLog, turn: TurnLog) -> list[str]:
    """Return the earlier turns that a turn was shown, in order; none where that cannot be told."""

    def saw_in(name: str) -> Mapping[str, Any] | None:
        return {"saw": log.turns[name].saw} if name in log.turns else None

    return [entry["call"] for entry in read_saw(turn.id, saw_in).entries if entry["call"] in log.turns]


def check_rule(last: Any, without: Any, program: Program | None) -> ContextRule:
    """Return the rule of a conversation.

    Raises:
        SettingError: with the code context-rule: `last` is no number of turns, or `without` names what is no field of the program.
    """
    rule = check_context(last=last, without=without)
    known = {field.name for field in program.interface.fields} if program is not None else set(rule.without)
    wrong = [name for name in rule.without if name not in known | {"tool_calls", "calls"}]
    if wrong:
        raise SettingError("context-rule", f"without names {', '.join(wrong)}, which is no field of the program; it has {', '.join(sorted(known))}")
    return rule


def _changed(context: Context, change: Any) -> Context:
    if change is None:
        return context
    if not isinstance(change, Mapping) or not set(change) <= {"keep", "without", "sections"}:
        raise SettingError("context-hook", f"a context hook returned {change!r:.120}; it returns None, or a mapping with any of keep, without and sections")
    kept = set(change["keep"]) if "keep" in change else set(context.turns)
    without = {turn: tuple(sorted({*context.without.get(turn, ()), *_names(change.get("without"), turn)})) for turn in context.turns if turn in kept}
    return Context(tuple(turn for turn in context.turns if turn in kept), without, (*context.sections, *change.get("sections", ())))


def _names(without: Any, turn: str) -> Iterable[str]:
    names: Iterable[str] = without.get(turn, ()) if isinstance(without, Mapping) else without or ()
    return names


def _shown(log: ConversationLog, context: Context, parent: str | None, program: Program, *, recorded: dict[str, Any] | None) -> Shown:
    described = {"program_kind": program.kind, "signature": program.signature}
    return Shown(
        tuple(saw_of_context(log, context, parent=parent, program=described)),
        tuple(shown_turns(log, context, described)),
        tuple(earlier_values(log, context)),
        context.sections,
        recorded,
    )
