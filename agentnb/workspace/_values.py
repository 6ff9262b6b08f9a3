"""Rows of the tables -> values, when somebody asks for one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, TypeVar

from agentnb.errors import UnknownId
from agentnb.ratings import rating_of_row, spelled
from agentnb.readers import without_garbage_collection
from agentnb.values import Approval, Call, Conversation, Message, Part, Rating, Turn, Value
from agentnb.workspace._database import Database
from agentnb.workspace._decided import protocol_in
from agentnb.workspace._progress import Progress

V = TypeVar("V", bound=Value)


def load_conversation(database: Database, conversation_id: str) -> Conversation:
    """Make the value of a conversation, with its turns.

    Raises:
        UnknownId: when there is none with this id.
    """
    rows = database.rows("select * from conversations where conversation_id = $1", [spelled(str(conversation_id))])
    if not rows:
        raise unknown(database, "conversation", conversation_id)
    with without_garbage_collection():
        turns = _turns(database, "conversation_id", [conversation_id])
    return Conversation.model_construct(**rows[0], turns=turns)


def load_turn(database: Database, turn_id: str) -> Turn:
    """Make the value of a turn, with its messages, calls, approvals and ratings.

    Raises:
        UnknownId: when there is none with this id.
    """
    turns = _turns(database, "turn_id", [turn_id])
    if not turns:
        raise unknown(database, "turn", turn_id)
    return turns[0]


def load_turns(database: Database, turn_ids: Sequence[str]) -> tuple[Turn, ...]:
    """Make the values of several turns, in the order of the recording; one that is not there is left out."""
    return _turns(database, "turn_id", turn_ids)


def load_call(database: Database, call_id: str) -> Call:
    """Make the value of a call.

    Raises:
        UnknownId: when there is none with this id.
    """
    rows = database.rows("select * from calls where call_id = $1", [spelled(str(call_id))])
    if not rows:
        raise unknown(database, "call", call_id)
    return Call.model_construct(**rows[0])


def unknown(database: Database, kind: str, wanted: str) -> UnknownId:
    """Return the error for an id that is not there, which names what is there."""
    column = f"{kind}_id"
    query = f"select {column} from {kind}s order by jaro_winkler_similarity(left({column}, 200), $1) desc, {column} limit 3"
    nearest = ", ".join(map(_quoted, (row[column] for row in database.rows(query, [spelled(str(wanted))[:200]]))))
    known = f"The nearest are {nearest}." if nearest else "The workspace is empty: anb.open reads recordings."
    return UnknownId(f"No {kind} has the id {_quoted(str(wanted))}. {known} ws.sql('from {kind}s') lists them.")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 200 else f"{text[:200]}…")


def _turns(database: Database, column: str, values: Sequence[str]) -> tuple[Turn, ...]:
    wanted = [spelled(str(value)) for value in values]
    # One value is compared, which is faster than looking it up in a list.
    is_wanted, value = (f"{column} = $1", wanted[0]) if len(wanted) == 1 else (f"{column} in (select unnest($1))", wanted)
    turns = database.rows(f"select * from turns where {is_wanted} order by turn_index", [value])
    calls = _by_turn(database, f"select * from calls where {is_wanted} order by call_index", value)
    parts = _by_turn(database, f"select * from parts where {is_wanted} order by message_index, part_index", value)
    approvals = _by_turn(database, f"select * from approvals where {is_wanted} order by call_id, answered_at", value)
    ratings = _by_turn(
        database,
        f"select c.turn_id, r.* from ratings as r inner join calls as c using (call_id) where c.{is_wanted} order by r.rated_at, r.rating_id",
        value,
    )
    protocols = {identity: protocol_in(database, identity) for identity in {row["conversation_id"] for row in turns}}
    made = []
    with Progress(len(turns), "making values", unit=" turns") as progress:
        for row in turns:
            own = row["turn_id"]
            made.append(
                Turn.model_construct(
                    **row,
                    calls=_made(Call, calls[own]),
                    messages=_messages(parts[own]),
                    approvals=_made(Approval, approvals[own]),
                    ratings=_ratings(ratings[own]),
                    protocol=protocols[row["conversation_id"]],
                )
            )
            progress.add(1)
    return tuple(made)


def _by_turn(database: Database, query: str, value: str | list[str]) -> defaultdict[str, list[dict[str, Any]]]:
    rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in database.rows(query, [value]):
        rows[row["turn_id"]].append(row)
    return rows


def _made(kind: type[V], rows: list[dict[str, Any]]) -> tuple[V, ...]:
    return tuple(kind.model_construct(**row) for row in rows)


def _messages(rows: list[dict[str, Any]]) -> tuple[Message, ...]:
    parts: Iterable[Part] = (Part.model_construct(**row) for row in rows)
    grouped = ((index, tuple(own)) for index, own in groupby(parts, key=lambda part: part.message_index))
    return tuple(Message.model_construct(message_index=index, role=own[0].role, said_at=own[0].said_at, parts=own) for index, own in grouped)


def _ratings(rows: list[dict[str, Any]]) -> tuple[Rating, ...]:
    return tuple(rating_of_row({name: value for name, value in row.items() if name != "turn_id"}) for row in rows)
