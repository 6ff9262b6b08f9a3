"""What ratings say in numbers, asked of a workspace: agreement, accuracy, comparison. Each says what it cannot know."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentnb.errors import RatingError
from agentnb.ratings import Accuracy, Agreement, Comparison, DrawnCall, Judgements, Program, compare, measure_accuracy, measure_agreement, scored_calls
from agentnb.workspace._database import Params
from agentnb.workspace._known import records_for
from agentnb.workspace._picked import picked
from agentnb.workspace._workspace import Workspace

_VERDICTS: Final = """
select call_id, rated_by, verdict, conversation_id
from rated_calls
where ($1::varchar[] is null or call_id in (select unnest($1::varchar[]))) and ($2::varchar[] is null or rated_by in (select unnest($2::varchar[])))
order by call_id, rated_at, rating_id
"""
_SAID: Final = """
select
    p.call_id, p.purpose = 'use' as in_use,
    list({'rater': coalesce(r.rated_by, r.account, 'someone'), 'verdict': r.verdict} order by r.rated_at, r.rating_id)
        filter (where r.verdict is not null) as verdicts
from program_calls as p
left join (from rated_calls where $by::varchar is null or rated_by = $by) as r on p.call_id = r.call_id
where p.call_id in (select unnest($calls::varchar[]))
    and ($program::varchar is null or p.program = $program) and ($version::varchar is null or p.version = $version)
group by p.call_id, p.purpose
order by p.call_id
"""
_DRAWN: Final = "select call_id, stratum, stratum_population from sampled_calls where sample = $1 order by draw_index"
_NAMED: Final = "select distinct call_id, null as stratum, 1 as stratum_population from rated_calls where sample = $1 order by call_id"


def agreement(
    source: Workspace | Iterable[Mapping[str, Any]] | Any,
    query: Any = None,
    *,
    params: Params = None,
    by: Iterable[str] | None = None,
    draws: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Agreement:
    """Measure how far people agree about calls: Krippendorff's alpha, Fleiss' and Cohen's kappa, with intervals by a bootstrap over conversations.

    Args:
        source: a workspace; or rows with `call_id`, `rated_by`, `verdict` and perhaps `conversation_id`, as dicts or a frame.
        query: of a workspace, only these calls: SQL, a relation, a frame, a list of ids.
        params: values for the query.
        by: only what these people said.
        draws: how often conversations are drawn; 0 for no intervals.
        seed: a whole number; the same seed gives the same intervals.
        confidence: share of the draws that an interval holds.

    Returns:
        The numbers; `.disagreements` are the calls about which people differ, which `from disputed_calls` asks for too.

    Raises:
        RatingError: when rows lack a column.
    """
    judgements = _judgements_of(source, query, params, by) if isinstance(source, Workspace) else _judgements_in(source, by)
    return measure_agreement(judgements, draws=draws, seed=seed, confidence=confidence)


def accuracy(
    ws: Workspace, sample: str | None = None, *, program: str | None = None, version: str | None = None, by: str | None = None, confidence: float = 0.95
) -> Accuracy:
    """Say how good a program is, from the calls of a named random draw; ratings that somebody picked say nothing about the others.

    Of several people most decide; where they are equally many the call is undecided and counts neither way. Calls made to evaluate or optimize are left out.

    Args:
        ws: a workspace.
        sample: name of the draw (`ws.sample`).
        program: only the drawn calls of this program, tool, agent or model.
        version: only those of this version.
        by: only what this person said.
        confidence: confidence of the interval.

    Returns:
        The share of right calls with Wilson's interval, overall and in the eyes of each person.

    Raises:
        RatingError: when no sample is named, there is none of this name, or none of its calls is rated.

    Warns:
        UserWarning: when not all drawn calls are rated, or the draw is not recorded here.
    """
    if sample is None:
        raise RatingError(_no_sample(ws))
    known = ws.sql("select population from samples where sample = $1", [sample]).fetchall()
    drawn = ws.sql(_DRAWN if known else _NAMED, [sample]).fetchall()
    if not drawn:
        raise RatingError(f"There is no sample {sample!r}. {_no_sample(ws)}")
    asked = {"by": by, "calls": [call_id for call_id, *_ in drawn], "program": program, "version": version}
    said = {call_id: (in_use, verdicts or []) for call_id, in_use, verdicts in ws.sql(_SAID, asked).fetchall()}
    calls = [
        DrawnCall(call_id, tuple((one["rater"], one["verdict"]) for one in said[call_id][1]), stratum, population, said[call_id][0])
        for call_id, stratum, population in drawn
        if call_id in said
    ]
    found = measure_accuracy(sample, calls, population=known[0][0] if known else None, confidence=confidence)
    if found.share is None:
        raise RatingError(f"None of the {found.drawn:,} drawn calls of {sample!r} that were asked for has a verdict yet: rate them in the order of the draw.")
    for warning in found.warnings:
        warnings.warn(f"sample {sample!r}: {warning}", UserWarning, stacklevel=2)
    return found


def compare_versions(
    ws: Workspace,
    program: str,
    before: str | None = None,
    after: str | None = None,
    *,
    agent: str | None = None,
    by: str | None = None,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two versions of a program on the same inputs, call by call: what got better, what got worse.

    Args:
        ws: a workspace.
        program: name of the program, tool, agent or model.
        before: the old version; left out, the first of the two that there are.
        after: the new version.
        agent: of imported calls, only those of this agent.
        by: only what this person said.
        confidence: confidence of the range.

    Raises:
        RatingError: when the versions are not clear, or no input was rated in both.
    """
    ws._sync()
    calls = scored_calls(records_for(ws._database, program, agent), Program(program), by=by)
    versions = list(dict.fromkeys(call.version for call in sorted(calls, key=lambda call: call.started)))
    if (before is None or after is None) and len(versions) != 2:
        listed = ", ".join(map(repr, versions[:8])) or "none"
        raise RatingError(f"Rated calls of {program!r} are of {len(versions)} versions ({listed}): name two, before= and after=.")
    old, new = (before, after) if before is not None and after is not None else (versions[0], versions[1])
    found = compare(calls, old, new, confidence=confidence)
    if found is None:
        raise RatingError(f"No input of {program!r} was rated both for {old!r} and for {new!r}: run both on the same inputs, and rate these calls.")
    return found


def _judgements_of(ws: Workspace, query: Any, params: Params, by: Iterable[str] | None) -> Judgements:
    asked = ws.sql(query, params) if isinstance(query, str) else query
    calls = None if asked is None else picked(asked).call_ids
    columns = ws.sql(_VERDICTS, [calls, None if by is None else list(by)]).to_arrow_table().to_pydict()
    return Judgements(columns["call_id"], columns["rated_by"], columns["verdict"], columns["conversation_id"])


def _judgements_in(rows: Any, by: Iterable[str] | None) -> Judgements:
    """Read rows: of one person and call the last one stands, and a row without a verdict says nothing."""
    listed = rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows)
    people = None if by is None else set(by)
    last: dict[tuple[str, Any], tuple[str, str | None, str, str | None]] = {}
    for place, row in enumerate(listed):
        missing = [name for name in ("call_id", "rated_by", "verdict") if name not in row]
        if missing:
            raise RatingError(f"Row {place} has no {', '.join(missing)}: agreement needs call_id, rated_by and verdict, and conversation_id where it is known.")
        name = row["rated_by"] if isinstance(row["rated_by"], str) else None
        if isinstance(row["verdict"], str) and (people is None or name in people):
            conversation = row.get("conversation_id")
            last[str(row["call_id"]), name or place] = (str(row["call_id"]), name, row["verdict"], conversation if isinstance(conversation, str) else None)
    columns = [list(column) for column in zip(*last.values(), strict=True)] or [[], [], [], []]
    return Judgements(columns[0], columns[1], columns[2], columns[3])


def _no_sample(ws: Workspace) -> str:
    names = [row[0] for row in ws.sql("select sample from samples order by drawn_at desc, sample limit 5").fetchall()]
    ((picked_by_hand,),) = ws.sql("select count(distinct call_id) from rated_calls where call_id not in (select call_id from sampled_calls)").fetchall()
    hand = f"{picked_by_hand:,} calls were rated that somebody picked; they say nothing about the others. " if picked_by_hand else ""
    drawn = f"There are samples: {', '.join(map(repr, names))}." if names else "ws.sample(query, 50, seed=1, name='march') draws calls at random: rate these."
    return f"Accuracy comes from a named random draw: anb.accuracy(ws, 'march'). {hand}{drawn}"
