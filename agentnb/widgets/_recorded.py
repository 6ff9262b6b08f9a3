"""TURNS OF A WORKSPACE, A WINDOW AT A TIME: the questions that widgets ask of the tables."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from agentnb.errors import RuleError, UnknownId
from agentnb.ratings import rating_of_row
from agentnb.render import TurnLine
from agentnb.values import Conversation, Rating, RuleExplanation, Turn
from agentnb.widgets._shown import EVERY, LONGEST_TOLD, Question, in_json

if TYPE_CHECKING:
    from agentnb.workspace import Workspace

_log = logging.getLogger("agentnb")

_MATCHING: Final = """
    t.conversation_id = $conversation
    and ($only is null or t.turn_id = $only)
    and (
        not $errors
        or t.turn_id in (
            select turn_id
            from tool_calls
            where conversation_id = $conversation and (failed or state in ('denied', 'unanswered'))
        )
    )
    and (
        $find = ''
        or t.turn_id in (
            select turn_id
            from parts
            where conversation_id = $conversation and contains(lower(text), $find)
            union all
            select turn_id
            from calls
            where
                conversation_id = $conversation
                and (
                    contains(lower(name), $find)
                    or contains(lower(cast(input as varchar)), $find)
                    or contains(lower(cast(input as varchar)), $find_in_json)
                    or contains(lower(output), $find)
                    or contains(lower(error), $find)
                )
        )
    )
"""

_COUNT: Final = f"select count(*) from turns as t where {_MATCHING}"

_LINES: Final = f"""
with page as (
    select t.turn_id, t.turn_index, t.prompt, t.state, t.seconds
    from turns as t
    where {_MATCHING}
    order by t.turn_index, t.turn_id
    limit $count
    offset $first
),
called as (
    select
        turn_id,
        count(*) filter (where kind = 'tool' and failed) as failed_calls,
        count(*) filter (where kind = 'tool' and state = 'unanswered') as unanswered_calls,
        count(*) filter (where kind = 'model' and parent_call_id = turn_id) as steps,
        count(*) filter (where kind = 'tool') as tool_calls,
        sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) filter (where input_tokens is not null or output_tokens is not null) as total_tokens
    from calls
    where conversation_id = $conversation and turn_id in (select turn_id from page)
    group by turn_id
),
rated as (
    select
        turn_id,
        count(*) filter (where verdict = 'right') as "right",
        count(*) filter (where verdict = 'wrong') as wrong
    from rated_calls
    where conversation_id = $conversation and turn_id in (select turn_id from page)
    group by turn_id
)
select
    p.turn_id,
    p.turn_index,
    p.prompt,
    p.state,
    coalesce(c.failed_calls, 0),
    coalesce(c.unanswered_calls, 0),
    coalesce(c.steps, 0),
    coalesce(c.tool_calls, 0),
    p.seconds,
    cast(c.total_tokens as bigint),
    coalesce(r."right", 0),
    coalesce(r.wrong, 0)
from page as p
left join called as c on p.turn_id = c.turn_id
left join rated as r on p.turn_id = r.turn_id
order by p.turn_index, p.turn_id
"""

_PLACE: Final = """
select count(*)
from turns as t
inner join turns as here on here.turn_id = $turn
where t.conversation_id = $conversation and (t.turn_index, t.turn_id) < (here.turn_index, here.turn_id)
"""


class Recorded:
    """Turns of one conversation of a workspace, or one of them."""

    def __init__(self, workspace: Workspace, conversation_id: str, only: str | None = None) -> None:
        self.workspace = workspace
        self.conversation = _conversation(workspace, conversation_id)
        self._only = only

    def count(self, question: Question = EVERY) -> int:
        """Return how many turns match."""
        return int(self._rows(_COUNT, self._matching(question))[0][0])

    def lines(self, question: Question, *, first: int, count: int) -> tuple[TurnLine, ...]:
        """Return a window of the turns that match, in order."""
        rows = self._rows(_LINES, {**self._matching(question), "first": first, "count": count})
        return tuple(TurnLine(**dict(zip(TurnLine.model_fields, row, strict=True))) for row in rows)

    def turn(self, turn_id: str) -> Turn:
        """Return a turn with its messages, calls and ratings."""
        return self.workspace.turn(turn_id)

    def told(self, turn: Turn) -> RuleExplanation | None:
        """Return what the rules of the workspace said in a turn; a rule that raises is logged, and nothing is said."""
        return told_in(self.workspace, turn)

    def turn_of(self, call_id: str) -> str:
        """Return the id of the turn that a call belongs to."""
        return _turn_of(self.workspace, call_id, self.conversation.conversation_id, self._only)

    def place(self, turn_id: str) -> int:
        """Return how many turns stand before this one."""
        if self._only is not None:
            return 0
        return int(self._rows(_PLACE, {"turn": turn_id, "conversation": self.conversation.conversation_id})[0][0])

    def _rows(self, query: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
        return self.workspace.sql(query, params).fetchall()

    def _matching(self, question: Question) -> dict[str, Any]:
        find = question.find.lower()
        return {
            "conversation": self.conversation.conversation_id,
            "only": self._only,
            "errors": question.errors,
            "find": find,
            "find_in_json": in_json(find),
        }


def told_in(workspace: Workspace, turn: Turn) -> RuleExplanation | None:
    """Return what the rules of a workspace said in a turn; None where it is too long to wait for, or where a rule raised, which is logged."""
    if len(turn.calls) > LONGEST_TOLD:
        return None
    try:
        return workspace.explain_rules(turn, counting="counterfactual")
    except (RuleError, TypeError, ValueError) as error:
        _log.warning("%s; the turn is shown without what the rules said", error)
        return None


def ratings_of(workspace: Workspace, call_id: str) -> tuple[Rating, ...]:
    """Return the ratings of one call or turn, oldest first."""
    columns = tuple(Rating.model_fields)
    query = f"select {', '.join(columns)} from ratings where call_id = $call order by rated_at, rating_id"
    rows = workspace.sql(query, {"call": call_id}).fetchall()
    return tuple(rating_of_row(dict(zip(columns, row, strict=True))) for row in rows)


def _conversation(workspace: Workspace, conversation_id: str) -> Conversation:
    columns = tuple(name for name in Conversation.model_fields if name != "turns")
    query = f"select {', '.join(columns)} from conversations where conversation_id = $conversation order by conversation_id limit 1"
    rows = workspace.sql(query, {"conversation": conversation_id}).fetchall()
    if not rows:
        raise UnknownId(f"No conversation of this workspace has the id {conversation_id!r}. ws.sql('from conversations') lists them.")
    return Conversation(**dict(zip(columns, rows[0], strict=True)))


def _turn_of(workspace: Workspace, call_id: str, conversation_id: str, only: str | None) -> str:
    query = """
    select turn_id
    from calls
    where call_id = $call and conversation_id = $conversation
    union all
    select turn_id
    from turns
    where turn_id = $call and conversation_id = $conversation
    order by turn_id
    limit 1
    """
    rows = workspace.sql(query, {"call": call_id, "conversation": conversation_id}).fetchall()
    if not rows or (only is not None and rows[0][0] != only):
        raise UnknownId(f"No call or turn shown here has the id {call_id!r}. ws.call(…) and ws.turn(…) look in the whole workspace.")
    return str(rows[0][0])
