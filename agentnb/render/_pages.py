"""What the renderers take when it is not one recorded value: a page of a conversation, the result of a query, what a workspace holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict, Field

from agentnb.values import Call, Conversation, Rating, RuleExplanation, Turn, Value
from agentnb.values.turns import TurnState

FindingLevel = Literal["bad", "warn", "info"]


class TurnLine(Value):
    """One turn as one line of a transcript."""

    turn_id: str
    """Id of the turn."""
    turn_index: int
    """Place in the conversation, from 0."""
    prompt: str | None = None
    """What the person said."""
    state: TurnState | None = None
    """State of the turn; null when the recording does not tell."""
    failed_calls: int = 0
    """Tool calls that failed."""
    unanswered_calls: int = 0
    """Tool calls without an answer."""
    steps: int = 0
    """Model calls of the turn's own agent."""
    tool_calls: int = 0
    """Tool calls, sub-agents' included."""
    seconds: float | None = None
    """How long it took, in seconds."""
    total_tokens: int | None = None
    """Input and output tokens of all its model calls."""
    right: int = 0
    """Ratings that count and say right, of the turn and its calls."""
    wrong: int = 0
    """Ratings that count and say wrong, of the turn and its calls."""


class TranscriptPage(Value):
    """A window of a conversation's turns, with those that are unfolded."""

    conversation: Conversation
    """The conversation; its own `turns` may be empty."""
    lines: tuple[TurnLine, ...] = ()
    """The turns of this window, in order."""
    first: int = 0
    """Place of the first line among all turns that match."""
    total: int
    """How many turns match."""
    size: int = 50
    """How many turns the next page has."""
    turns: Mapping[str, Turn] = Field(default_factory=dict)
    """Turns that are loaded, by id: only these can be shown unfolded."""
    told: Mapping[str, RuleExplanation] = Field(default_factory=dict)
    """What the rules said in loaded turns, by id; a turn that is not among them is shown without."""


class EarlierTurn(Value):
    """A turn that came before, as what was said and answered."""

    turn_index: int
    """Place in the conversation, from 0."""
    prompt: str | None = None
    """What the person said."""
    answer: str | None = None
    """The last text the agent gave."""


class CallToRate(Value):
    """One call that waits for a verdict, with what is known around it."""

    call: Call
    """The call."""
    turn: Turn
    """The turn that it is part of, with its messages and calls."""
    title: str | None = None
    """Title of the conversation; null when it has none."""
    format: str | None = None
    """Format of the recording."""
    earlier: tuple[EarlierTurn, ...] = ()
    """The last turns before it, in order."""
    earlier_total: int = 0
    """How many turns were before it."""
    told: RuleExplanation | None = None
    """What the rules said in the turn; null where they were not asked."""
    ratings: tuple[Rating, ...] = ()
    """Ratings of the call, oldest first."""
    rated_by: str | None = None
    """The person who is to rate it."""


class RatingProgress(Value):
    """How far a person has come with a queue of calls."""

    total: int
    """Calls of the queue that are this person's to rate."""
    done: int = 0
    """How many of them the person has rated."""
    place: int = 0
    """Place of the call that is shown, from 1; 0 where none is."""
    right: int = 0
    """Rated right."""
    wrong: int = 0
    """Rated wrong."""
    without_answer: int = 0
    """Rated wrong, and the right answer is not known."""
    rated_by: str | None = None
    """The person; null while nobody is named."""
    per_minute: float | None = None
    """Ratings a minute in this sitting; null at its beginning."""
    minutes_left: float | None = None
    """Minutes for the rest at this pace."""


class ResultTable(Value):
    """Columns and rows of a query's result."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    columns: tuple[str, ...]
    """Names of the columns."""
    types: tuple[str, ...] = ()
    """SQL types of the columns, such as BIGINT; empty when they are not known."""
    rows: tuple[tuple[Any, ...], ...] = ()
    """The first rows."""
    total: int | None = None
    """How many rows there are; null when they were not counted and may be more than these."""
    title: str | None = None
    """What is shown."""


class Finding(Value):
    """One thing that a workspace noticed."""

    mark: str
    """Its mark, such as ✕."""
    word: str
    """What was found, in words, such as failed calls."""
    count: int
    """How often."""
    level: FindingLevel = "warn"
    """bad, warn or info."""
    query: str | None = None
    """The SQL that lists them."""


class WorkspaceCard(Value):
    """What a workspace holds, what looks wrong, and what became of every record."""

    sources: int = 0
    """Files that were read."""
    conversations: int = 0
    """Conversations in them."""
    turns: int = 0
    """Turns of these."""
    tool_calls: int = 0
    """Tool calls of these."""
    bytes: int = 0
    """Size of the files."""
    kept_in: str = "memory"
    """Where the tables and ratings are kept: memory, or a folder."""
    ratings_unsaved: bool = False
    """Whether there are ratings that would be lost with the workspace."""
    findings: tuple[Finding, ...] = ()
    """What looks wrong, worst first."""
    records_read: int = 0
    """Records met."""
    records_kept: int = 0
    """Records in the tables."""
    records_merged: int = 0
    """Records met before and not kept again."""
    records_skipped: int = 0
    """Records left out."""
    skipped: Mapping[str, int] = Field(default_factory=dict)
    """Why they were left out, with counts."""
    not_read: tuple[tuple[str, str], ...] = ()
    """Files that were not read, each with the reason."""
    example: str | None = None
    """Id of a turn worth looking at first, for the next step that the card proposes."""
