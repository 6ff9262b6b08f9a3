"""What a workspace says about the ends of its turns: its rules, what they find, and what people said of the same turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import duckdb

from agentnb.rules import Backtest, Run, backtest, continues, explain_rules, is_go_ahead
from agentnb.values import Rule, RuleExplanation, Turn
from agentnb.values.rules import Counting
from agentnb.workspace._batches import speaking_sources
from agentnb.workspace._database import Database, Params
from agentnb.workspace._hit import runs_of_sources
from agentnb.workspace._stores import Store
from agentnb.workspace._values import load_turn

# A turn is what was said of itself; where nothing was, it is wrong when one of its calls is. Where people differ about it, it is not counted.
_VERDICTS = """
with judged as (
    select
        turn_id,
        list(distinct verdict) filter (where call_id = turn_id) as itself,
        min(verdict) filter (where call_id <> turn_id) as calls_right,
        max(verdict) filter (where call_id <> turn_id) as calls_wrong
    from rated_calls
    where verdict in ('right', 'wrong')
    group by turn_id
)
select turn_id, case when itself is null then calls_wrong when len(itself) = 1 then itself[1] end as verdict
from judged
order by turn_id
"""
_BEFORE = """
select turn_id
from turns
where conversation_id = $1 and turn_index < $2
order by turn_index desc, turn_id
limit 1
"""


class Held(Protocol):
    """What is needed of a workspace."""

    rules: list[Rule]
    _database: Database

    @property
    def _store(self) -> Store: ...

    def sql(self, query: str, params: Params = None) -> duckdb.DuckDBPyRelation:
        """Ask the tables."""
        ...

    def rule_runs(self) -> Iterator[Run]:
        """Yield the runs of all turns."""
        ...

    def _sync(self) -> None: ...


class RuledTurns:
    """Part of a workspace: why its turns ended, and what a rule would have said."""

    rules: list[Rule]
    """The rules that are asked of its turns, in this order: the eleven default ones at first, and those that `%%rule` adds. Change it at will: the table
    `rule_hits` and the views over it follow at the next query."""

    def explain_rules(self: Held, turn: Turn | str, *, counting: Counting = "recorded", agent: str | None = None, **options: Any) -> RuleExplanation:
        """Say for every rule of this workspace at every point of a turn what it came to, and why.

        Args:
            turn: a turn, or its id. One that begins with a nudge continues the turns before it, and their counts go on.
            counting: recorded counts the nudges that are in the recording; counterfactual also those that would have been sent.
            agent: id of a sub-agent's call; without it the turn's own agent.
            options: tool_kinds, limits, scrub, reset_on_tools, delivery_required, audit_mode, as for `anb.explain_rules`.

        Raises:
            UnknownId: there is no such turn, or the turn has no such agent call.
            RuleError: a check raised.
        """
        self._sync()
        shown = load_turn(self._database, turn) if isinstance(turn, str) else turn
        earlier = _continued(self._database, shown)
        return explain_rules(shown, self.rules, counting=counting, agent=agent, earlier=earlier, **options)

    def add_rule(self, rule: Rule, *, first: int = 5) -> Backtest:
        """Try a rule on the turns of this workspace, and take it among `rules`, in the place of one with the same code.

        Args:
            rule: such as `anb.rule_from_cell` makes.
            first: how many hits to show.

        Returns:
            What it did in the turns.

        Raises:
            RuleError: its check raised; then nothing is changed.
            TypeError: its check returned something that is neither a text nor None; then nothing is changed.
        """
        found = backtest(rule, self, first=first)
        places = [at for at, known in enumerate(self.rules) if known.code == rule.code]
        self.rules[:] = [*self.rules[: places[0]], rule, *self.rules[places[0] + 1 :]] if places else [*self.rules, rule]
        return found

    def rule_runs(self: Held) -> Iterator[Run]:
        """Yield the runs of all turns, as `anb.backtest` and `anb.sweep` take them."""
        self._sync()
        for batch in self._store.batches():
            yield from runs_of_sources(self._database, speaking_sources(batch))

    def turn_verdicts(self: Held) -> Mapping[str, str]:
        """Return what people said of turns: right or wrong, by turn.

        A turn is what was said of itself. Where nothing was, it is wrong when one of its calls was rated wrong, else right. Where people differ about a turn,
        it is left out.
        """
        rows = self.sql(_VERDICTS).fetchall()
        return {turn_id: verdict for turn_id, verdict in rows if verdict is not None}


def _continued(database: Database, turn: Turn) -> list[Turn]:
    """Return the turns that one continues, because it begins with a nudge, or the one that it replies to with a mere yes; in order."""
    earlier: list[Turn] = []
    first = turn
    while (nudged := continues(first)) or is_go_ahead(first.prompt):
        rows = database.rows(_BEFORE, [first.conversation_id, first.turn_index])
        if not rows:
            break
        first = load_turn(database, rows[0]["turn_id"])
        earlier.insert(0, first)
        if not nudged:
            break
    return earlier
