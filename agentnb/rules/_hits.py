"""Which nudges were due in many turns? The rows of `rule_hits`, from columns to columns, without a value per step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from agentnb.rules._defaults import default_rules
from agentnb.rules._evaluate import assert_one_code_each, evaluate_rules
from agentnb.rules._replay import begins_with_nudge, last_text, points_of
from agentnb.rules._runs import Columns, Run, runs_of_columns, runs_of_turn
from agentnb.rules._tracker import Tracker
from agentnb.values import Turn
from agentnb.values.rules import Counting, Nudge, Rule, RuleHit

HIT_COLUMNS: Final = tuple(RuleHit.model_fields)
COUNTINGS: Final[tuple[Counting, ...]] = ("recorded", "counterfactual")


def hits_of_turns(
    turns: Columns,
    calls: Columns,
    parts: Columns,
    rules: Sequence[Rule] | None = None,
    *,
    countings: Sequence[Counting] = COUNTINGS,
    **options: Any,
) -> dict[str, list[Any]]:
    """Return the rule hits of many turns, as columns of the table `rule_hits`.

    Args:
        turns: columns `TURN_COLUMNS`, ordered by conversation_id and turn_index.
        calls: columns `CALL_COLUMNS` of calls of all kinds, ordered by call_index within their turn; `USAGE_COLUMNS` too where limits are given, and
            `OFFER_COLUMN` where it is known.
        parts: columns `PART_COLUMNS` of what users and assistants said (types text, image, other and tool_call), ordered by message_index and part_index
            within their turn.
        rules: asked in this order; without them the eleven default rules.
        countings: which nudges count as sent: recorded those of the recording, counterfactual also those that would have been sent.
        options: tool_kinds, limits, scrub, reset_on_tools, delivery_required, audit_mode, as for `explain_rules`.

    Returns:
        Lists of equal length by name of column, in the order of `HIT_COLUMNS`: the hits that `explain_rules` shows as fired.

    Raises:
        KeyError: a column is missing.
        RuleError: a check raised.
    """
    hits = list(hits_of_runs(runs_of_columns(turns, calls, parts), rules, countings=countings, **options))
    return dict(zip(HIT_COLUMNS, map(list, zip(*hits, strict=True)), strict=True)) if hits else {name: [] for name in HIT_COLUMNS}


def hits_of_runs(
    runs: Iterable[Run], rules: Sequence[Rule] | None = None, *, countings: Sequence[Counting] = COUNTINGS, **options: Any
) -> Iterator[tuple[Any, ...]]:
    """Yield the rule hits of runs as rows of `HIT_COLUMNS`; a turn that begins with a nudge continues the one before it."""
    asked = default_rules() if rules is None else list(rules)
    assert_one_code_each(asked)
    tracker: Tracker | None = None
    conversation = said = None
    own: dict[Counting, Counter[str]] = {}
    for run in runs:
        if run.own:
            if tracker is None or run.conversation_id != conversation or not begins_with_nudge(run):
                tracker, own = Tracker(**options), {counting: Counter() for counting in countings}
                tracker.previous_text = said if run.conversation_id == conversation else None
            conversation, said = run.conversation_id, last_text(run)
            yield from _hits(run, asked, tracker, own)
        else:
            yield from _hits(run, asked, Tracker(**options), {counting: Counter() for counting in countings})


def runs_in(turns: Iterable[Turn | Run]) -> Iterator[Run]:
    """Yield the runs of turns; runs pass."""
    for turn in turns:
        if isinstance(turn, Run):
            yield turn
        else:
            yield from runs_of_turn(turn)


def _hits(run: Run, rules: Sequence[Rule], tracker: Tracker, own: Mapping[Counting, Counter[str]]) -> list[tuple[Any, ...]]:
    least = _least(rules)
    rows: list[tuple[Any, ...]] = []
    index = -1
    for index, place in enumerate(points_of(run, tracker)):
        if place.phase == "tools" and least is not None and not any(getattr(tracker, field) >= value for field, value in least):
            continue
        ctx = tracker.at(place.phase)
        for counting, sent in own.items():
            nudge = evaluate_rules(rules, ctx if not sent else tracker.at(place.phase, sent))
            if nudge is not None:
                step = place.step.step_id or run.agent_call_id
                rows.append(
                    (
                        f"{step}:{nudge.code}:{counting}", run.conversation_id, run.turn_id, run.agent_call_id, place.step.step_id, place.call_index, index,
                        False, nudge.code, place.phase, counting, nudge.prompt, _evidence(nudge, tracker),
                    )
                )  # fmt: skip
                if counting == "counterfactual":
                    sent[nudge.code] += 1
    return [(*row[:7], row[6] == index, *row[8:]) for row in rows]


def _least(rules: Sequence[Rule]) -> list[tuple[str, float]] | None:
    """Return the least values of fields of which a point after tools must have one; None when a rule does not say what it needs."""
    asked = [rule for rule in rules if rule.phase == "tools"]
    return [need for rule in asked for need in rule.needs.items()] if all(rule.needs for rule in asked) else None


def _evidence(nudge: Nudge, tracker: Tracker) -> str:
    found = {**nudge.evidence, **tracker.evidence(nudge.code)}
    return json.dumps(found, ensure_ascii=True, default=str, sort_keys=True)
