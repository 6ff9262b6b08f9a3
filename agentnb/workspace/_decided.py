"""Steps -> rows of the `decisions` table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from agentnb.decisions import StepTurn, decide_rows, recorded_protocol
from agentnb.values import control_tools
from agentnb.values.calls import RecordedProtocol
from agentnb.workspace._columns import columns_table
from agentnb.workspace._database import Database

# A step's text is what `Step.text` is: its texts with a blank line between them. They may stand in other files than the call itself.
_STEPS = """
with own as (
    select distinct conversation_id
    from calls
    where source_id in (select unnest($1))
), said as (
    select conversation_id, step_id, string_agg(text, chr(10) || chr(10) order by message_index, part_index) as text
    from parts
    where type = 'text' and text <> '' and step_id is not null and conversation_id in (select conversation_id from own)
    group by conversation_id, step_id
), asked as (
    select conversation_id, step_id, list(name order by call_index) as names, list(input order by call_index) as inputs
    from calls
    where kind = 'tool' and step_id is not null and conversation_id in (select conversation_id from own)
    group by conversation_id, step_id
)
select c.call_id, c.conversation_id, c.turn_id, c.parent_call_id as agent_call_id, c.call_index, said.text, asked.names, asked.inputs, c.finish_reason, c.error
from calls as c
left join said on c.conversation_id = said.conversation_id and c.call_id = said.step_id
left join asked on c.conversation_id = asked.conversation_id and c.call_id = asked.step_id
where c.kind = 'model' and c.source_id in (select unnest($1))
order by c.conversation_id, c.call_index
"""
_ENVELOPES = """
with asked as (
    select distinct step_id
    from calls
    where kind = 'tool' and step_id is not null and conversation_id = $1
)
select string_agg(text, chr(10) || chr(10) order by message_index, part_index) as text
from parts
where type = 'text' and text <> '' and step_id is not null and conversation_id = $1 and step_id not in (select step_id from asked)
group by step_id
having bool_or(contains(text, 'taskComplete') or contains(text, 'nextStep') or contains(text, 'payloadChangeRequest'))
order by step_id
"""
"""Texts in which an envelope may be; which are, `recorded_protocol` says."""
_PLACE = ("conversation_id", "turn_id", "agent_call_id", "call_index")


def decisions_of(database: Database, sources: Sequence[str]) -> Mapping[str, pa.Table]:
    """Work out what each model call of some files decided."""
    found = database.cursor().sql(_STEPS, params=[list(sources)]).to_arrow_table()
    rows = found.to_pydict()
    columns: dict[str, list[Any]] = decide_rows(_turns(rows))
    return {"decisions": columns_table("decisions", columns | {name: rows[name] for name in _PLACE})}


def protocol_in(database: Database, conversation_id: str) -> RecordedProtocol:
    """Tell how the agent of a conversation answers; by the same rule as its rows."""
    return recorded_protocol(row["text"] for row in database.rows(_ENVELOPES, [conversation_id]))


def _turns(rows: Mapping[str, Sequence[Any]]) -> Iterator[StepTurn]:
    protocols = _protocols(rows)
    places = ("conversation_id", "call_id", "text", "names", "inputs", "finish_reason", "error")
    for conversation_id, call_id, text, names, inputs, finish_reason, error in zip(*(rows[place] for place in places), strict=True):
        roles = control_tools(zip(names, inputs, strict=True)) if names else None
        yield StepTurn(call_id, text, names or (), inputs or (), protocols[conversation_id], finish_reason, error, None, roles)


def _protocols(rows: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Tell how the agent of each conversation answers."""
    texts: defaultdict[str, list[str | None]] = defaultdict(list)
    for conversation_id, text, names in zip(rows["conversation_id"], rows["text"], rows["names"], strict=True):
        texts[conversation_id].append(None if names else text)
    return {conversation_id: recorded_protocol(own) for conversation_id, own in texts.items()}
