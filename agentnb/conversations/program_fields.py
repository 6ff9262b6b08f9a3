"""Can a program that was changed go on in a conversation that an older version began? After section 4.3 of FunctAI's conversations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

from agentnb.errors import ConversationError
from agentnb.streams._lifted import list_in, text_in

_MAY_BE_ADDED: Final = frozenset({"reasoning", "tools.calls"})


class _Field(NamedTuple):
    """What an earlier turn relies on of a field."""

    direction: str | None
    purpose: str | None
    shape: Any


def check_fields(fields: Iterable[Mapping[str, Any]], programs: Iterable[Mapping[str, Any]], *, earlier_without: Collection[str] = ()) -> None:
    """Let a program go on after turns of the versions that are given, or refuse it.

    Args:
        fields: of the program as it is now, each with name, direction, purpose and shape.
        programs: the records of the versions that the branch's turns called.
        earlier_without: fields that are left out of earlier turns; an added reasoning or tool calls among them is no change.

    Raises:
        ConversationError: with the code conversation-signature; a field was added, removed or changed.
    """
    now = _by_name(fields)
    for program in programs:
        before = _by_name(list_in(program, "fields"))
        differs = [
            *(f"{name} was removed" for name in before if name not in now),
            *(f"{name} was changed" for name in now if before.get(name, now[name]) != now[name]),
        ]
        differs += [f"{name} was added" for name, field in now.items() if name not in before and not _may_be_added(name, field, earlier_without)]
        if differs:
            name = text_in(program, "name") or "the program"
            raise ConversationError(
                "conversation-signature",
                f"{name} has other fields than in this conversation's earlier turns: {', '.join(differs)}; start a new conversation, or put the fields back",
            )


def _by_name(fields: Iterable[Any]) -> dict[str, _Field]:
    return {name: _Field(text_in(field, "direction"), text_in(field, "purpose"), field.get("shape")) for field in fields if (name := text_in(field, "name"))}


def _may_be_added(name: str, field: _Field, earlier_without: Collection[str]) -> bool:
    return field.direction == "output" and field.purpose in _MAY_BE_ADDED and name in earlier_without
