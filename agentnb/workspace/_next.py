"""Where to look next: what people differ about, what a rule found and nobody rated, and what nobody has looked at at all."""

from __future__ import annotations

from typing import Final

NEXT: Final = """
with known as (
    select distinct p.call_id, p.turn_id, p.program, p.version, p.failed, r.call_id is not null as rated
    from wanted as w
    inner join program_calls as p on w.call_id = p.call_id
    left join (select distinct call_id from rated_calls) as r on p.call_id = r.call_id
),
differing as (
    select k.call_id, 1 as priority, 'people differ' as reason, list_aggregate(list_sort(d.verdicts), 'string_agg', ', ') as detail
    from known as k
    inner join disputed_calls as d on k.call_id = d.call_id
),
ruled as (
    select k.call_id, 2 as priority, 'a rule fired' as reason, string_agg(distinct h.rule, ', ' order by h.rule) as detail
    from known as k
    inner join rule_hits as h on k.turn_id = h.turn_id
    where not k.rated and k.call_id in (h.turn_id, h.step_id, h.agent_call_id)
    group by k.call_id
),
uncovered as (
    select min_by(call_id, md5(call_id)) as call_id, 3 as priority, 'nothing like it is rated' as reason,
        concat_ws(', ', program, version, case when failed then 'failed' end) as detail
    from known
    group by program, version, failed
    having not bool_or(rated)
)
select call_id, min_by(reason, priority) as reason, min_by(detail, priority) as detail, min(priority) as priority
from (from differing union all by name from ruled union all by name from uncovered)
group by call_id
order by priority, call_id
"""
"""Asked of a relation `wanted` with a column call_id."""
