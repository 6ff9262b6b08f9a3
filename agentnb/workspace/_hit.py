"""Turns -> rows of the `rule_hits` table, and what the rules need of the turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from agentnb.rules import CALL_COLUMNS, OFFER_COLUMN, PART_COLUMNS, TURN_COLUMNS, USAGE_COLUMNS, Run, hits_of_turns, runs_of_columns
from agentnb.values import Rule
from agentnb.workspace._columns import columns_table
from agentnb.workspace._database import Database

_FROM_SOURCES = "where conversation_id in (select conversation_id from conversations where source_id in (select unnest($1)))"
_OFFERS_NONE = f"""case when kind = 'model' and {OFFER_COLUMN} like '%"tools":[]%' then {OFFER_COLUMN} end as {OFFER_COLUMN}"""
_QUERIES = (
    f"select {', '.join(TURN_COLUMNS)} from turns {_FROM_SOURCES} order by conversation_id, turn_index",
    f"select {', '.join((*CALL_COLUMNS, *USAGE_COLUMNS))}, {_OFFERS_NONE} from calls {_FROM_SOURCES} order by conversation_id, call_index",
    f"select {', '.join(PART_COLUMNS)} from parts {_FROM_SOURCES} and role in ('user', 'assistant') and type in ('text', 'image', 'other', 'tool_call') "
    "order by conversation_id, message_index, part_index",
)


def rule_hits_of(database: Database, sources: Sequence[str], rules: Sequence[Rule]) -> Mapping[str, pa.Table]:
    """Work out which nudges of some rules were due in the turns of some files."""
    turns, calls, parts = _columns(database, sources)
    return {"rule_hits": columns_table("rule_hits", hits_of_turns(turns, calls, parts, rules))}


def runs_of_sources(database: Database, sources: Sequence[str]) -> Iterator[Run]:
    """Yield the runs of the turns of some files."""
    turns, calls, parts = _columns(database, sources)
    return runs_of_columns(turns, calls, parts)


def _columns(database: Database, sources: Sequence[str]) -> list[dict[str, list[Any]]]:
    return [database.cursor().sql(query, params=[list(sources)]).to_arrow_table().to_pydict() for query in _QUERIES]
