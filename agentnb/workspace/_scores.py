"""Do runs decide as people said they should? Cases against the steps of a workspace that were told the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from agentnb.decisions import Case, evaluate_case
from agentnb.errors import CaseError
from agentnb.render import ResultTable, plain_table
from agentnb.render._secrets import mask
from agentnb.render._text import one_line
from agentnb.values import Conversation, Step, Turn, Value
from agentnb.workspace._situations import Situations, said_last, told_in

if TYPE_CHECKING:
    import pandas as pd

    from agentnb.workspace._workspace import Workspace

Outcome = Literal["passed", "failed", "not met"]

_SAID: Final = """
select conversation_id, string_agg(text, chr(10) || chr(10) order by part_index) as said
from parts
where role = 'user' and type = 'text' and text <> '' and not injected
group by conversation_id, turn_id, agent_call_id, message_index
order by conversation_id, message_index
"""


class CaseScore(Value):
    """What one case says of one step, or that no step of the workspace met it."""

    case_id: str
    """The case."""
    agent: str
    """The agent it is about."""
    outcome: Outcome
    """passed, failed, or not met when no step was told the same."""
    score: float | None = None
    """Mean of what was judged, from 0 to 1; null when it was not met."""
    why: str | None = None
    """What is not as expected, or how far the nearest run was told the same; null when it passed."""
    step_id: str | None = None
    """The step that was judged; null when it was not met."""
    turn_id: str | None = None
    """Its turn, or that of the nearest run; null when none is near."""
    conversation_id: str | None = None
    """Its conversation, or that of the nearest run; null when none is near."""


class Scores(Value):
    """Cases against the runs of a workspace: a row for each step that met one, and for each case that none met.

    `assert scores.passed, str(scores)` is a test.
    """

    rows: tuple[CaseScore, ...] = ()
    """The cases in their order, the steps of each in the order of their recordings."""

    @property
    def passed(self) -> bool:
        """Whether every case was met, and nothing failed; where some may be unmet, `not scores.failed` asks for less."""
        return all(row.outcome == "passed" for row in self.rows)

    @property
    def failed(self) -> tuple[CaseScore, ...]:
        """Steps that decided something else than was expected."""
        return tuple(row for row in self.rows if row.outcome == "failed")

    @property
    def not_met(self) -> tuple[CaseScore, ...]:
        """Cases that no step met."""
        return tuple(row for row in self.rows if row.outcome == "not met")

    @property
    def table(self) -> ResultTable:
        """One row each; scores show themselves as this."""
        columns = ("case_id", "outcome", "score", "why", "step_id")
        rows = tuple(tuple(getattr(row, name) for name in columns) for row in self.rows)
        counts = {outcome: sum(row.outcome == outcome for row in self.rows) for outcome in ("passed", "failed", "not met")}
        title = ", ".join(f"{number:,} {outcome}" for outcome, number in counts.items())
        types = tuple("DOUBLE" if name == "score" else "VARCHAR" for name in columns)
        return ResultTable(columns=columns, types=types, rows=rows, total=len(rows), title=title)

    def df(self) -> pd.DataFrame:
        """Return them as a pandas frame, one row each."""
        import pandas as pd

        return pd.DataFrame([row.model_dump() for row in self.rows], columns=list(CaseScore.model_fields))

    def __str__(self) -> str:
        """Return the table as text, with every reason in full."""
        reasons = [f"{row.case_id}: {row.why}" for row in self.rows if row.why is not None]
        return "\n".join([self.table.title or "", plain_table(self.table), *reasons])


class _Met(NamedTuple):
    """A step, and what it had been told."""

    conversation: Conversation
    turn: Turn
    step: Step
    told: Sequence[str]


def score(cases: Case | Iterable[Case], ws: Workspace) -> Scores:
    """Judge the runs of a workspace by cases.

    A case applies to the steps that had been told the same: what people said and what tools returned, in order, from the beginning of the conversation
    (of a sub-agent: of its own), is equal to that of the case's messages. What the agent said itself does not count, nor do ids, models and reminders.

    Args:
        cases: the cases, as `load_cases` reads them.
        ws: the runs.

    Returns:
        A row for each step that a case applies to, passed or failed; and for each case that applies to none a row that says how near the nearest came.

    Raises:
        CaseError: there are no cases.

    Example:
        def test_it_decides_as_people_said():
            scores = anb.score(anb.load_cases("cases"), anb.open("runs/"))
            assert scores.passed, str(scores)
    """
    wanted = (cases,) if isinstance(cases, Case) else tuple(cases)
    if not wanted:
        raise CaseError("There are no cases to score. ws.expect(step) makes one, anb.load_cases('cases') reads those of a folder.")
    near = _steps_near(wanted, ws)
    return Scores(rows=tuple(row for case in wanted for row in _rows_of(case, near)))


def _rows_of(case: Case, near: Sequence[_Met]) -> list[CaseScore]:
    messages = case.input.conversation_messages
    told = told_in(messages)
    met = [one for one in near if len(one.told) == len(told) and tuple(one.told) == told]
    # A model call that failed and was made again decided nothing.
    met = [one for one in met if not one.step.call.failed] or met
    return [_judged(case, one) for one in met] if met else [_unmet(case, told, said_last(messages), near)]


def _judged(case: Case, met: _Met) -> CaseScore:
    evaluation = evaluate_case(case, met.step.raw)
    return CaseScore(
        case_id=case.id,
        agent=case.agent,
        outcome="passed" if evaluation.passed else "failed",
        score=evaluation.score,
        why=None if evaluation.passed else "; ".join(evaluation.messages),
        step_id=met.step.step_id,
        turn_id=met.turn.turn_id,
        conversation_id=met.conversation.conversation_id,
    )


def _unmet(case: Case, told: Sequence[str], last: str | None, near: Sequence[_Met]) -> CaseScore:
    nearest = max(near, key=lambda one: (_common(told, one.told), -abs(len(told) - len(one.told))), default=None)
    common = 0 if nearest is None else _common(told, nearest.told)
    if nearest is None or not common:
        return CaseScore(case_id=case.id, agent=case.agent, outcome="not met", why=f"no run begins like it; it ends with {_short(last or 'nothing')}")
    wanted = _short(told[common]) if common < len(told) else "the step"
    found = _short(nearest.told[common]) if common < len(nearest.told) else "nothing more"
    return CaseScore(
        case_id=case.id,
        agent=case.agent,
        outcome="not met",
        why=f"the nearest run was told the first {common} of {len(told)} things, then {found} where {wanted} was expected",
        turn_id=nearest.turn.turn_id,
        conversation_id=nearest.conversation.conversation_id,
    )


def _steps_near(cases: Sequence[Case], ws: Workspace) -> list[_Met]:
    """Return the steps of every agent call that may meet a case: in conversations in which one of them begins."""
    firsts = {told_in(case.input.conversation_messages)[:1] for case in cases}
    wanted = {conversation_id for conversation_id, said in ws.sql(_SAID).fetchall() if (f"said: {mask(said)}",) in firsts}
    if not all(first and first[0].startswith("said: ") for first in firsts):
        wanted |= {row[0] for row in ws.sql("select distinct conversation_id from turns where prompt is null order by all").fetchall()}
    return [met for conversation_id in sorted(wanted) for met in _steps_in(ws.conversation(conversation_id))]


def _steps_in(conversation: Conversation) -> list[_Met]:
    situations = Situations(conversation.turns)
    return [
        _Met(conversation, turn, step, told)
        for turn in conversation.turns
        for agent_call_id in (call.call_id for call in turn.calls if call.kind == "agent")
        for step, told in zip(turn.steps_of(agent_call_id), situations.told(turn, agent_call_id), strict=True)
    ]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many of the first things are the same."""
    return next((place for place, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), min(len(one), len(other)))


def _short(text: str) -> str:
    return repr(one_line(text, 60))
