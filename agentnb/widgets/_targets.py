"""WHAT WAS ASKED FOR: a workspace and an id, or a value; and which words a widget knows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeAlias

from agentnb.conversations import LiveConversation, LiveTurn
from agentnb.errors import OptionError, UnknownId
from agentnb.values import Call, Conversation, Turn
from agentnb.widgets._recorded import Recorded
from agentnb.widgets._shown import Given, Shown
from agentnb.workspace import Workspace, open_live

Target: TypeAlias = "Conversation | Turn | Call | LiveConversation | LiveTurn | str"


class Wanted(NamedTuple):
    """What a widget shows first."""

    shown: Shown
    """The turns."""
    workspace: Workspace | None
    """Where ratings are kept; None for a value alone."""
    turn_id: str | None
    """The one turn that was asked for; None for a conversation."""
    call_id: str
    """The call that was asked for; empty for a turn or a conversation."""


class _Found(NamedTuple):
    conversation_id: str
    turn_id: str | None
    call_id: str


def resolve(widget: str, source: Any, target: Target | None) -> Wanted:
    """Find what a widget was asked to show.

    Args:
        widget: name of the widget, for messages.
        source: a workspace, or a conversation or turn that is a value.
        target: with a workspace, what to show: a conversation, turn or call, or the id of one.

    Raises:
        UnknownId: the workspace has no such conversation, turn or call.
        TypeError: something else was given.
    """
    if isinstance(source, (Conversation, Turn)):
        return _of_value(widget, source, target)
    if isinstance(source, (LiveConversation, LiveTurn)):
        return _of_live(widget, source, target)
    if not isinstance(source, Workspace):
        raise TypeError(f"{widget} takes a workspace and what to show, {widget}(ws, turn), or a value alone, {widget}(turn), not a {type(source).__name__}.")
    if target is None:
        raise TypeError(
            f"{widget}(ws, …) needs what to show: a turn, a conversation, or the id of one. ws.sql('from turns select turn_id, prompt') lists turns."
        )
    found = _find(widget, source, target)
    shown = Recorded(source, found.conversation_id, found.turn_id)
    return Wanted(shown, source, found.turn_id, found.call_id)


def check_options(widget: str, known: Collection[str], given: Mapping[str, Any]) -> None:
    """Refuse a keyword that the widget does not know, and name the nearest that it does.

    Raises:
        OptionError: there is such a keyword.
    """
    for name in given:
        near = get_close_matches(name, known, n=1, cutoff=0.0)
        raise OptionError(f"{widget} has no option {name!r}; did you mean {near[0]!r}? It knows {', '.join(sorted(known))}.")


def _of_value(widget: str, source: Conversation | Turn, target: Target | None) -> Wanted:
    if target is not None:
        raise TypeError(f"{widget} of a value takes nothing to look up: {widget}({type(source).__name__.lower()}). With a workspace it is {widget}(ws, id).")
    if isinstance(source, Conversation):
        return Wanted(Given(source, source.turns), None, None, "")
    around = Conversation(conversation_id=source.conversation_id, format="", source_id=source.source_id)
    return Wanted(Given(around, (source,)), None, source.turn_id, "")


def _of_live(widget: str, source: LiveConversation | LiveTurn, target: Target | None) -> Wanted:
    """Show what runs by itself: it is read into tables of its own, and nothing said of it could be kept there."""
    if target is not None:
        raise TypeError(f"{widget} of a live {_noun(source)} takes nothing to look up: {widget}({_noun(source)}). With a workspace it is {widget}(ws, id).")
    workspace = open_live(source.live_conversation if isinstance(source, LiveTurn) else source)
    found = _find(widget, workspace, source)
    return Wanted(Recorded(workspace, found.conversation_id, found.turn_id), None, found.turn_id, "")


def _noun(source: LiveConversation | LiveTurn) -> str:
    return "turn" if isinstance(source, LiveTurn) else "conversation"


def _find(widget: str, workspace: Workspace, target: Target) -> _Found:
    if isinstance(target, Conversation):
        return _Found(target.conversation_id, None, "")
    if isinstance(target, Turn):
        return _Found(target.conversation_id, target.turn_id, "")
    if isinstance(target, Call):
        return _Found(target.conversation_id, target.turn_id, "" if target.call_id == target.turn_id else target.call_id)
    if isinstance(target, (LiveConversation, LiveTurn)):
        target = target.id
    if not isinstance(target, str):
        raise TypeError(f"{widget} shows a conversation, a turn or a call, or the id of one, not a {type(target).__name__}.")
    query = """
    select conversation_id, null as turn_id, '' as call_id, 0 as rank
    from conversations
    where conversation_id = $id
    union all
    select conversation_id, turn_id, '' as call_id, 1 as rank
    from turns
    where turn_id = $id
    union all
    select conversation_id, turn_id, call_id, 2 as rank
    from calls
    where call_id = $id and call_id <> turn_id
    order by rank, conversation_id, turn_id
    limit 1
    """
    rows = workspace.sql(query, {"id": target}).fetchall()
    if not rows:
        raise UnknownId(
            f"No conversation, turn or call has the id {target!r}. {_nearest(workspace, target)} "
            "ws.find('some text') finds one by what was said; ws.sql('from turns') lists them."
        )
    return _Found(*rows[0][:3])


def _nearest(workspace: Workspace, target: str) -> str:
    query = """
    with ids as (
        select conversation_id as id
        from conversations
        union
        select turn_id
        from turns
    )
    select id
    from ids
    order by jaro_winkler_similarity(id, $id) desc, id
    limit 3
    """
    rows = workspace.sql(query, {"id": target[:200]}).fetchall()
    return f"The nearest are {', '.join(repr(row[0]) for row in rows)}." if rows else "The workspace is empty."
