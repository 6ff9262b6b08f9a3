"""Steps -> rows of the `decisions` table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from agentnb.decisions import StepTurn, decide_rows
from agentnb.values import control_tools
from agentnb.workspace._columns import columns_table
from agentnb.workspace._database import Database

# A step's text is what `Step.text` is: its texts with a blank line between them.
_STEPS = """
with said as (
    select conversation_id, step_id, string_agg(text, chr(10) || chr(10) order by message_index, part_index) as text
    from parts
    where type = 'text' and text <> '' and step_id is not null and source_id in (select unnest($1))
    group by conversation_id, step_id
), asked as (
    select conversation_id, step_id, list(name order by call_index) as names, list(input order by call_index) as inputs
    from calls
    where kind = 'tool' and step_id is not null and source_id in (select unnest($1))
    group by conversation_id, step_id
)
select c.call_id, c.conversation_id, c.turn_id, c.parent_call_id as agent_call_id, c.call_index, said.text, asked.names, asked.inputs, c.finish_reason, c.error
from calls as c
left join said on c.conversation_id = said.conversation_id and c.call_id = said.step_id
left join asked on c.conversation_id = asked.conversation_id and c.call_id = asked.step_id
where c.kind = 'model' and c.source_id in (select unnest($1))
order by c.conversation_id, c.call_index
"""
_PLACE = ("conversation_id", "turn_id", "agent_call_id", "call_index")


def decisions_of(database: Database, sources: Sequence[str]) -> Mapping[str, pa.Table]:
    """Work out what each model call of some files decided."""
    found = database.cursor().sql(_STEPS, params=[list(sources)]).to_arrow_table()
    rows = found.to_pydict()
    columns: dict[str, list[Any]] = decide_rows(_turns(rows))
    return {"decisions": columns_table("decisions", columns | {name: rows[name] for name in _PLACE})}


def _turns(rows: Mapping[str, Sequence[Any]]) -> Iterator[StepTurn]:
    places = ("call_id", "text", "names", "inputs", "finish_reason", "error")
    for call_id, text, names, inputs, finish_reason, error in zip(*(rows[place] for place in places), strict=True):
        roles = control_tools(zip(names, inputs, strict=True)) if names else None
        yield StepTurn(call_id, text, names or (), inputs or (), "implicit", finish_reason, error, None, roles)
