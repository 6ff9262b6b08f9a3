"""The card of a workspace: what it holds, what looks wrong, what was not understood."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from agentnb.render import Finding, WorkspaceCard
from agentnb.render._pages import FindingLevel
from agentnb.workspace._account import Account
from agentnb.workspace._database import Database


class _Question(NamedTuple):
    mark: str
    one: str
    many: str
    level: FindingLevel
    query: str
    needs: str | None = None
    """A table that is worked out; before it is there the question is not asked."""


# One line a finding; the query is what the person is shown to ask next.
_QUESTIONS = (
    _Question("✕", "failed call", "failed calls", "bad", "from tool_errors"),
    _Question("✕", "failed model call", "failed model calls", "bad", "from steps where failed"),
    _Question("↻", "call repeated without a change", "calls repeated without a change", "warn", "from repeated_calls where outputs = 1 and calls > 2"),
    _Question("?", "call without an answer", "calls without an answer", "warn", "from unanswered_calls"),
    _Question("⊘", "denied call", "denied calls", "warn", "from denied_calls"),
    _Question("▲", "turn ended too early", "turns ended too early", "warn", "from ended_too_early", "rule_hits"),
    _Question("▲", "turn done with a red check", "turns done with a red check", "bad", "from false_done", "rule_hits"),
    _Question("↻", "point without progress", "points without progress", "warn", "from loops", "rule_hits"),
    _Question("?", "answer after an unchecked change", "answers after an unchecked change", "warn", "from unverified_writes", "rule_hits"),
    _Question("?", "decision that cannot be read", "decisions that cannot be read", "warn", "from unreadable_decisions", "decisions"),
    _Question("≠", "call that people judge differently", "calls that people judge differently", "warn", "from disputed_calls"),
    _Question("?", "oddity among the ratings", "oddities among the ratings", "warn", "from diagnostics where source_id = 'ratings'"),
    _Question("✕", "damaged batch of tables", "damaged batches of tables", "bad", "from diagnostics where code = 'damaged_tables'"),
)

# The turn with the most trouble is the one to look at first.
_EXAMPLE = """
select turn_id
from turn_totals
order by failed_calls desc, unanswered_calls desc, steps desc, turn_id
limit 1
"""


def make_card(database: Database, account: Account, *, kept_in: str, ratings_unsaved: bool, filled: Collection[str] = ()) -> WorkspaceCard:
    """Make the card of a workspace; what is worked out is asked only where it is there."""
    (counts,) = database.rows(
        "select (select count(*) from conversations) as conversations, (select count(*) from turns) as turns, (select count(*) from tool_calls) as tool_calls"
    )
    findings = [_finding(database, question) for question in _QUESTIONS if question.needs is None or question.needs in filled]
    example = database.rows(_EXAMPLE)
    read = [source for source in account.sources if source.state == "read"]
    return WorkspaceCard(
        sources=len(read),
        bytes=sum(source.bytes for source in read),
        kept_in=kept_in,
        ratings_unsaved=ratings_unsaved,
        findings=tuple(finding for finding in findings if finding.count),
        records_read=account.records_read,
        records_kept=account.records_kept,
        records_merged=account.records_merged,
        records_skipped=account.records_skipped,
        skipped=account.skipped,
        not_read=tuple((source.path, source.reason or source.state) for source in account.not_read),
        example=example[0]["turn_id"] if example else None,
        **counts,
    )


def _finding(database: Database, question: _Question) -> Finding:
    (row,) = database.rows(f"select count(*) as count from ({question.query})")
    return Finding(
        mark=question.mark, word=question.one if row["count"] == 1 else question.many, level=question.level, query=question.query, count=row["count"]
    )
