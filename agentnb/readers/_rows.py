"""Rows while they are being read: the same fields as the values, cheap to make and still open to change.

A file of 150 MB has some hundred thousand rows. A `msgspec.Struct` is made in a fraction of the time of a pydantic model; times are microseconds
since 1970 in UTC, since a `datetime` each would cost more than the rest of the row. `tests/readers/test_rows.py` holds the fields against the values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

Micros = int
"""A time in microseconds since 1970-01-01 in UTC."""

Text = str | bytes | None
"""A text; JSON that is kept as it was stays the UTF-8 bytes it is, which saves turning it into a str and back."""


class SourceRow(msgspec.Struct, gc=False):
    """See `agentnb.values.Source`."""

    source_id: str
    path: str
    format: str | None = None
    state: str = "read"
    reason: str | None = None
    bytes: int = 0
    modified_at: Micros | None = None
    records_read: int = 0
    records_kept: int = 0
    records_merged: int = 0
    records_skipped: int = 0
    skipped: str | None = None
    diagnostics: int = 0


class DiagnosticRow(msgspec.Struct, gc=False):
    """See `agentnb.values.Diagnostic`."""

    source_id: str
    diagnostic_index: int
    severity: str
    code: str
    message: str
    source_line: int | None = None
    conversation_id: str | None = None
    call_id: str | None = None
    excerpt: str | None = None


class ConversationRow(msgspec.Struct, gc=False):
    """See `agentnb.values.Conversation`."""

    conversation_id: str
    format: str
    source_id: str
    title: str | None = None
    agent_name: str | None = None
    agent_version: str | None = None
    model: str | None = None
    parent_conversation_id: str | None = None
    started_at: Micros | None = None
    ended_at: Micros | None = None
    time_zone_assumed: bool = False
    labels: str | None = None
    extra: str | None = None


class TurnRow(msgspec.Struct, gc=False):
    """See `agentnb.values.Turn`."""

    turn_id: str
    conversation_id: str
    turn_index: int
    source_id: str
    source_line: int | None = None
    parent_turn_id: str | None = None
    state: str | None = None
    prompt: str | None = None
    answer: str | None = None
    started_at: Micros | None = None
    ended_at: Micros | None = None
    seconds: float | None = None
    extra: str | None = None


class CallRow(msgspec.Struct, gc=False):
    """See `agentnb.values.Call`."""

    call_id: str
    conversation_id: str
    turn_id: str
    parent_call_id: str | None
    call_index: int
    kind: str
    name: str
    source_id: str
    source_line: int | None = None
    step_id: str | None = None
    state: str | None = None
    failed: bool = False
    input: Text = None
    output: Text = None
    error: str | None = None
    exit_code: int | None = None
    tool_call_id: str | None = None
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    started_at: Micros | None = None
    ended_at: Micros | None = None
    seconds: float | None = None
    extra: Text = None


class PartRow(msgspec.Struct, gc=False):
    """See `agentnb.values.Part`."""

    conversation_id: str
    turn_id: str
    message_index: int
    part_index: int
    role: str
    type: str
    agent_call_id: str
    source_id: str
    source_line: int | None = None
    text: str | None = None
    step_id: str | None = None
    call_id: str | None = None
    injected: bool = False
    mime_type: str | None = None
    said_at: Micros | None = None
    extra: str | None = None


class ApprovalRow(msgspec.Struct, gc=False):
    """See `agentnb.values.Approval`."""

    conversation_id: str
    turn_id: str
    call_id: str
    source_id: str
    source_line: int | None = None
    question: str | None = None
    answer: str | None = None
    answered_by: str | None = None
    reason: str | None = None
    asked_at: Micros | None = None
    answered_at: Micros | None = None


@dataclass
class Rows:
    """The rows of one group of files, table by table, in the order they were met."""

    sources: list[SourceRow] = field(default_factory=list)
    diagnostics: list[DiagnosticRow] = field(default_factory=list)
    conversations: list[ConversationRow] = field(default_factory=list)
    turns: list[TurnRow] = field(default_factory=list)
    calls: list[CallRow] = field(default_factory=list)
    parts: list[PartRow] = field(default_factory=list)
    approvals: list[ApprovalRow] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start without any id given."""
        self.turn_ids: set[str] = set()
        """Ids that turns have: `ws.turn(id)` means one, so that a recording's own id is given once, even when several conversations hold it."""
