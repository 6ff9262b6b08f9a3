"""WHICH CALLS, IN WHICH ORDER, FOR WHOM: a queue that holds ids and nothing else, since it may be a million calls long."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from agentnb.errors import OptionError, RatingError, UnknownId
from agentnb.values import Sample
from agentnb.workspace._picked import IDS, target_id

if TYPE_CHECKING:
    from agentnb.workspace import Workspace

Ids: TypeAlias = "pa.Array[Any]"
"""Ids of calls, as Arrow holds them: a million take the room of their letters."""

ID_COLUMNS: Final = (*IDS, "id")
"""Columns that say which call a row is about, the nearest first."""

_DRAWN: Final = "select call_id from sampled_calls where sample = $1 order by draw_index"
_EXAMPLE: Final = "anb.Rater(ws, \"from calls where name = 'refund'\")"


def queue_of(workspace: Workspace, query: Any) -> Ids:
    """Return the ids of the calls that a person is to rate, each once, in the order in which they were given.

    Args:
        workspace: where the calls are.
        query: SQL, a relation or a data frame with a column of ids; a list of ids, calls, turns or rows; or a random draw of `ws.sample`.

    Raises:
        RatingError: no column says which calls are meant.
        UnknownId: an id is of no call.
        TypeError: it is none of these.
    """
    ids: Ids = pc.unique(_given(workspace, query).drop_null().cast(pa.string()))
    _check_known(workspace, ids)
    return ids


def share_of(ids: Ids, person: str, raters: Sequence[str], overlap: float, seed: int) -> Ids:
    """Return the part of a queue that is one person's: what everybody gets, and a share of the rest, in the order of the queue.

    Args:
        ids: the queue.
        person: one of the raters.
        raters: all of them; their order does not matter.
        overlap: share of the queue that everybody gets, from 0 to 1.
        seed: another one gives another assignment; the same queue, raters and seed give the same.

    Raises:
        OptionError: the person is none of the raters, or the overlap no share.
    """
    names = sorted(set(raters))
    if person not in names:
        raise OptionError(f"{person!r} is none of the raters of this queue: {', '.join(names)}. Name yourself with by=, or add the name to raters=.")
    if not 0 <= overlap <= 1:
        raise OptionError(f"overlap is the share of the queue that everybody gets, from 0 to 1, not {overlap!r}.")
    drawn = sorted(range(len(ids)), key=lambda place: _drawn(str(ids[place]), seed))
    shared = math.ceil(overlap * len(ids))
    own = drawn[:shared] + drawn[shared:][names.index(person) :: len(names)]
    mine: Ids = ids.take(pa.array(sorted(own), pa.int64()))
    return mine


def _given(workspace: Workspace, query: Any) -> Ids:
    if isinstance(query, Sample):
        return _column_of(workspace.sql(_DRAWN, [query.sample]))
    if isinstance(query, str):
        return _column_of(workspace.sql(query))
    if isinstance(query, duckdb.DuckDBPyRelation):
        return _column_of(query)
    if hasattr(query, "columns") and hasattr(query, "__getitem__"):
        listed: Ids = pa.array(list(query[_id_column(query.columns)]), from_pandas=True)
        return listed
    if isinstance(query, Iterable) and not isinstance(query, bytes | dict):
        return pa.array([target_id(each) for each in query], pa.string())
    raise TypeError(f"Rater takes SQL, a list of ids, a relation or a data frame, not a {type(query).__name__}: {_EXAMPLE}.")


def _column_of(relation: duckdb.DuckDBPyRelation) -> Ids:
    name = _id_column(relation.columns)
    column: Ids = relation.select(duckdb.ColumnExpression(name)).to_arrow_table().column(0).combine_chunks()
    return column


def _id_column(columns: Iterable[Any]) -> str:
    known = [str(name) for name in columns]
    found = next((name for name in ID_COLUMNS if name in known), None)
    if found is None:
        raise RatingError(f"The query says of no call what it is about: it has {', '.join(known[:8])}, and needs one of {', '.join(ID_COLUMNS)}. {_EXAMPLE}.")
    return found


def _check_known(workspace: Workspace, ids: Ids) -> None:
    known = workspace.sql("select call_id from calls").to_arrow_table().column(0)
    lost = ids.filter(pc.invert(pc.is_in(ids, value_set=known.cast(pa.string()))))
    if len(lost):
        more = f", nor have {len(lost) - 1:,} others" if len(lost) > 1 else ""
        raise UnknownId(f"No call has the id {str(lost[0])!r}{more}. ws.sql('from calls') lists them; {_EXAMPLE} takes them from there.")


def _drawn(call_id: str, seed: int) -> bytes:
    """Return by what a call is drawn: the same for the same id and seed, on every machine."""
    return hashlib.blake2b(f"{seed}\0{call_id}".encode("utf-8", "backslashreplace"), digest_size=16).digest()
