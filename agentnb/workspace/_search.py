"""Where is a text in what was recorded?"""

from __future__ import annotations

FIND = """
with hits as (
    select 'part' as found_in, conversation_id, turn_id, coalesce(step_id, agent_call_id) as call_id, message_index as place, text
    from parts
    where contains(lower(text), lower($text))
    union all
    select 'input', conversation_id, turn_id, call_id, call_index, input
    from calls
    where contains(lower(input), lower($text))
    union all
    select 'output', conversation_id, turn_id, call_id, call_index, output
    from calls
    where contains(lower(output), lower($text))
    union all
    select 'error', conversation_id, turn_id, call_id, call_index, error
    from calls
    where contains(lower(error), lower($text))
    union all
    select 'name', conversation_id, turn_id, call_id, call_index, name
    from calls
    where contains(lower(name), lower($text))
)
select
    found_in,
    conversation_id,
    turn_id,
    call_id,
    regexp_replace(substr(text, greatest(1, instr(lower(text), lower($text)) - 40), 120), '\\s+', ' ', 'g') as excerpt
from hits
order by conversation_id, turn_id, found_in, place, call_id
limit $limit
"""
"""Every place that holds `$text`, whatever its case, at most `$limit`; each with what stands around it."""
