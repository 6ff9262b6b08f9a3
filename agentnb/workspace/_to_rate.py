"""Calls as a person judges them: each with its turn and what came before it, several of them for the price of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from agentnb.errors import UnknownId
from agentnb.render import CallToRate, EarlierTurn
from agentnb.values import Call, Rating, Turn
from agentnb.workspace._database import Database
from agentnb.workspace._values import load_call, load_turns

if TYPE_CHECKING:
    from agentnb.workspace._workspace import Workspace

EARLIER: Final = 3
"""Turns before a call that are shown with it."""

_PLACES: Final = """
select call_id, turn_id
from calls
where call_id in (select unnest($1))
order by call_id, conversation_id
"""
_ABOUT: Final = """
select conversation_id, title, format
from conversations
where conversation_id in (select unnest($1))
order by conversation_id
"""
_CHAIN: Final = """
select conversation_id, turn_id, parent_turn_id, turn_index
from turns
where conversation_id in (select unnest($1))
order by conversation_id, turn_index, turn_id
"""
_SAID: Final = """
select turn_id, turn_index, prompt, answer
from turns
where turn_id in (select unnest($1))
order by turn_index, turn_id
"""


def calls_to_rate(workspace: Workspace, call_ids: Sequence[str], *, by: str | None) -> list[CallToRate]:
    """Return calls with what a person who judges them looks at, in the order of their ids.

    Args:
        workspace: where they are.
        call_ids: their ids, or those of turns. Each table is asked once for all of them.
        by: who is to rate them.

    Raises:
        UnknownId: when one is not there.
    """
    workspace._sync()
    database = workspace._database
    # Whoever rates one of them need not wait for what a rating keeps of its call.
    workspace._mirror.facts.of(call_ids)
    turn_of = {row["call_id"]: row["turn_id"] for row in reversed(database.rows(_PLACES, [list(call_ids)]))}
    missing = next((call_id for call_id in call_ids if call_id not in turn_of), None)
    if missing is not None:
        raise UnknownId(f"No call has the id {missing!r}. ws.sql('from calls') lists them.")
    turns = {turn.turn_id: turn for turn in load_turns(database, sorted(set(turn_of.values())))}
    turns |= {turn_of[call_id]: _around(load_call(database, call_id)) for call_id in call_ids if turn_of[call_id] not in turns}
    conversations = sorted({turn.conversation_id for turn in turns.values()})
    about = {row["conversation_id"]: row for row in database.rows(_ABOUT, [conversations])}
    before = _before(database, turns, conversations)
    return [_page(call_id, turns[turn_of[call_id]], about, before[turn_of[call_id]], by) for call_id in call_ids]


def _page(call_id: str, turn: Turn, about: Mapping[str, Mapping[str, Any]], before: Sequence[EarlierTurn | None], by: str | None) -> CallToRate:
    known = about.get(turn.conversation_id, {})
    return CallToRate.model_construct(
        call=next(call for call in turn.calls if call.call_id == call_id),
        turn=turn,
        title=known.get("title"),
        format=known.get("format"),
        earlier=tuple(earlier for earlier in before if earlier is not None),
        earlier_total=len(before),
        ratings=_of_call(turn, call_id),
        rated_by=by,
        told=None,
    )


def _around(call: Call) -> Turn:
    """Return a turn around a call whose recording has none."""
    return Turn(turn_id=call.turn_id, conversation_id=call.conversation_id, turn_index=0, source_id=call.source_id, calls=(call,))


def _of_call(turn: Turn, call_id: str) -> tuple[Rating, ...]:
    return tuple(rating for rating in turn.ratings if rating.call_id == call_id)


def _before(database: Database, turns: Mapping[str, Turn], conversations: Sequence[str]) -> dict[str, list[EarlierTurn | None]]:
    """Return for each turn those before it, of which only the last ones are loaded."""
    rows = database.rows(_CHAIN, [list(conversations)])
    parents = {row["turn_id"]: row["parent_turn_id"] for row in rows}
    order: dict[str, list[str]] = {}
    for row in rows:
        order.setdefault(row["conversation_id"], []).append(row["turn_id"])
    chains = {turn_id: _chain(turn, parents, order.get(turn.conversation_id, ())) for turn_id, turn in turns.items()}
    wanted = sorted({turn_id for chain in chains.values() for turn_id in chain[-EARLIER:]})
    said = {row.pop("turn_id"): EarlierTurn.model_construct(**row) for row in database.rows(_SAID, [wanted])} if wanted else {}
    return {turn_id: [said.get(each) if at >= len(chain) - EARLIER else None for at, each in enumerate(chain)] for turn_id, chain in chains.items()}


def _chain(turn: Turn, parents: Mapping[str, str | None], order: Sequence[str]) -> list[str]:
    """Return the turns that a turn continues, in order: by their parents where the recording has these, else all that stand before it."""
    if turn.turn_id not in parents:
        return []
    if not any(parents.values()):
        return list(order[: order.index(turn.turn_id)])
    chain: list[str] = []
    parent = parents.get(turn.turn_id)
    while parent is not None and parent in parents and parent not in chain:
        chain.append(parent)
        parent = parents[parent]
    return chain[::-1]
