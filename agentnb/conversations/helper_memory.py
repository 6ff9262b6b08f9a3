"""What does a helper inside a module remember of its earlier calls? After section 4.4 of FunctAI's conversations: nothing, unless the module says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, cast

from agentnb.errors import SettingError
from agentnb.streams._lifted import object_in, text_in
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.saw import show
from agentnb.streams.turn_log import TurnLog, count_in

MemoryMode = Literal["conversation", "turn"]
MODES: Final[tuple[MemoryMode, ...]] = ("conversation", "turn")


class Remember(NamedTuple):
    """How a helper remembers."""

    mode: MemoryMode
    """Its calls in the whole conversation, or those of the running turn only."""
    steps: bool = False
    """With what it and its tools said, or its values only."""


class Helper(NamedTuple):
    """Which program a helper is."""

    name: str
    """Its name."""
    module: str | None
    """Where it is defined."""
    signature: str | None
    """Its fields, as a digest; of an earlier call with other fields only the values are remembered."""


class Remembered(NamedTuple):
    """An earlier call of a helper, as it is remembered."""

    entry: dict[str, Any]
    """What the record of the next call says about it."""
    turn: dict[str, Any]
    """Its signature, inputs, steps and outputs."""


def check_remember(value: Any) -> Remember:
    """Return how a helper remembers, as given: conversation, turn, or a `Remember`.

    Raises:
        SettingError: with the code remembers; it is none of these.
    """
    given = Remember(cast(MemoryMode, value)) if isinstance(value, str) else value
    if isinstance(given, Remember) and given.mode in MODES and isinstance(given.steps, bool):
        return given
    raise SettingError("remembers", f'{value!r:.120} is no memory of a helper; use "conversation", "turn", or Remember("conversation", steps=True)')


def remembered_calls(
    log: ConversationLog, helper: Helper, remember: Remember, *, parent: str | None, current: Iterable[Mapping[str, Any]] = ()
) -> list[Remembered]:
    """Return what a helper remembers when it is called now.

    Args:
        log: the conversation.
        helper: the program.
        remember: how it remembers.
        parent: the turn that the running turn continues.
        current: the records of kind `call` of the running turn's present attempt, in order.
    """
    before = [log.turns[turn] for turn in log.branch(parent)] if remember.mode == "conversation" else []
    records = [record for turn in before if turn.is_done for record in _final_calls(turn)]
    return [_remembered(record, helper, steps=remember.steps) for record in [*records, *current] if _is_call_of(record, helper)]


def _final_calls(turn: TurnLog) -> list[dict[str, Any]]:
    """Return the calls of a turn's last attempt: those of earlier ones were made again."""
    return [record for record in turn.calls if count_in(record, "attempt") in (None, turn.attempt)]


def _is_call_of(record: Mapping[str, Any], helper: Helper) -> bool:
    program = object_in(record, "program")
    return (text_in(program, "name"), text_in(program, "module")) == (helper.name, helper.module) and text_in(record, "call") is not None


def _remembered(record: Mapping[str, Any], helper: Helper, *, steps: bool) -> Remembered:
    signature = text_in(object_in(record, "program"), "signature")
    with_steps = steps and signature is not None and signature == helper.signature
    entry = {"call": record["call"], "steps": True} if with_steps else {"call": record["call"]}
    return Remembered(entry, show(object_in(record, "lmcc"), entry).turn or {})
