"""The board of a workspace: its programs by version and model, with what people said of their calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agentnb.ratings import BoardLine, Called, JudgedCall, ProgramVersion, board_lines

if TYPE_CHECKING:
    from agentnb.workspace._workspace import Workspace

# Where nothing is rated yet, the most called programs are shown.
_CALLED: Final = """
select program, version, model, count(*) as calls, avg(cost) as cost, avg(seconds) as seconds
from program_calls
where purpose = 'use' and ($program::varchar is null or program = $program)
group by program, version, model
having $all or $program::varchar is not null or bool_or(call_id in (select call_id from ratings where counts))
order by calls desc, program, version, model
limit $limit
"""
_JUDGED: Final = """
with said as (
    select
        call_id,
        count(*) filter (where verdict = 'right') as "right",
        count(*) filter (where verdict = 'wrong') as wrong,
        bool_or(disputed) as disputed
    from rated_calls
    where verdict is not null
    group by call_id
),
drawn as (
    select call_id, list(distinct sample order by sample) as samples
    from sampled_calls
    group by call_id
)
select p.program, p.version, p.model, p.started_at, s."right", s.wrong, s.disputed, d.samples
from said as s
inner join program_calls as p on s.call_id = p.call_id
left join drawn as d on s.call_id = d.call_id
where p.purpose = 'use' and ($program::varchar is null or p.program = $program)
order by p.started_at, p.call_id
"""
MOST: Final = 100
"""Lines that are made at most."""
UNRATED: Final = 10
"""Lines that are shown while nothing is rated."""


def board_of(workspace: Workspace, program: str | None = None, *, confidence: float = 0.95) -> list[BoardLine]:
    """Return the lines of a workspace's board.

    Args:
        workspace: the workspace.
        program: only this program, agent, tool or model; without it those that were rated, and the most called ones while none was.
        confidence: confidence of the intervals.
    """
    rows = workspace.sql(_JUDGED, {"program": program}).fetchall()
    judged = [JudgedCall(ProgramVersion(*row[:3]), row[3], row[4], row[5], row[6], tuple(row[7] or ())) for row in rows]
    asked = {"program": program, "all": not judged, "limit": MOST if judged or program else UNRATED}
    called = [Called(ProgramVersion(*row[:3]), *row[3:]) for row in workspace.sql(_CALLED, asked).fetchall()]
    return board_lines(called, judged, confidence=confidence)
