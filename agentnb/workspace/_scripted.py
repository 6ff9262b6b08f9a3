"""Calls of tools that run code -> rows of the `script_rows` and `script_programs` tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from agentnb.readers import without_garbage_collection
from agentnb.scripts import rows_of_calls
from agentnb.workspace._columns import columns_table
from agentnb.workspace._database import Database

_CALLS = """
with models as (
    select conversation_id, call_id, row_number() over (partition by conversation_id, turn_id, parent_call_id order by call_index) as iteration
    from calls
    where kind = 'model' and source_id in (select unnest($1))
)
select
    c.call_id, c.conversation_id, c.turn_id, c.tool_call_id, c.name, c.input, c.output, c.error, c.exit_code, c.state, c.failed, c.extra,
    t.turn_index + 1 as turn,
    coalesce(m.iteration, 1) as iteration
from calls as c
inner join turns as t on c.turn_id = t.turn_id and c.conversation_id = t.conversation_id
left join models as m on c.step_id = m.call_id and c.conversation_id = m.conversation_id
where c.kind = 'tool' and c.source_id in (select unnest($1))
order by c.conversation_id, c.call_index
"""


def scripts_of(database: Database, sources: Sequence[str]) -> Mapping[str, pa.Table]:
    """Work out which programs the calls of some files submitted, and how these ended."""
    # Rows are many small tuples, none of which is in a circle.
    with without_garbage_collection():
        made = rows_of_calls(database.cursor().sql(_CALLS, params=[list(sources)]).to_arrow_table().to_pydict())
    return {"script_rows": columns_table("script_rows", made.rows), "script_programs": columns_table("script_programs", made.programs)}
