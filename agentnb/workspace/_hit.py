"""Turns -> rows of the `rule_hits` table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from agentnb.rules import CALL_COLUMNS, PART_COLUMNS, TURN_COLUMNS, hits_of_turns
from agentnb.workspace._columns import columns_table
from agentnb.workspace._database import Database

_FROM_SOURCES = "where conversation_id in (select conversation_id from conversations where source_id in (select unnest($1)))"
_QUERIES = (
    f"select {', '.join(TURN_COLUMNS)} from turns {_FROM_SOURCES} order by conversation_id, turn_index",
    f"select {', '.join(CALL_COLUMNS)} from calls {_FROM_SOURCES} order by conversation_id, call_index",
    f"select {', '.join(PART_COLUMNS)} from parts {_FROM_SOURCES} and role in ('user', 'assistant') and type in ('text', 'image', 'other', 'tool_call') "
    "order by conversation_id, message_index, part_index",
)


def rule_hits_of(database: Database, sources: Sequence[str]) -> Mapping[str, pa.Table]:
    """Work out which nudges of the default rules were due in the turns of some files."""
    turns, calls, parts = (database.cursor().sql(query, params=[list(sources)]).to_arrow_table().to_pydict() for query in _QUERIES)
    return {"rule_hits": columns_table("rule_hits", hits_of_turns(turns, calls, parts))}
