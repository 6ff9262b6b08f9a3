"""Where it was read: files, what became of their records, and what was odd in them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from agentnb.values._base import Value

SourceState = Literal["read", "unknown_format", "empty", "binary", "unreadable", "duplicate"]
Severity = Literal["info", "warning", "error"]


class Source(Value):
    """One file, with the account of its records; a row of the `sources` table.

    The account adds up: records_read = records_kept + records_merged + records_skipped.
    """

    source_id: str
    """Id of the file in this workspace."""
    path: str
    """Path of the file as it was found, continued inside of an archive; of an object, which is in no file, its name in angle brackets."""
    format: str | None = None
    """Format found by content; null when it is none that can be read."""
    state: SourceState
    """read, unknown_format, empty, binary, unreadable or duplicate."""
    reason: str | None = None
    """Why it was not read, in words."""
    bytes: int
    """Size in bytes when it was read."""
    modified_at: datetime | None = None
    """When the file was last changed, in UTC."""
    records_read: int = 0
    """Records met: lines of a line format, else messages, steps or the like."""
    records_kept: int = 0
    """Records that are in the tables."""
    records_merged: int = 0
    """Records met before, in this file or another, and therefore not kept again."""
    records_skipped: int = 0
    """Records left out; `skipped` has the reasons."""
    skipped: str | None = None
    """JSON object of the reasons for leaving records out, with their counts."""
    diagnostics: int = 0
    """Number of diagnostics about it."""


class Diagnostic(Value):
    """One thing that was odd, with its place; a row of the `diagnostics` table."""

    source_id: str
    """The file it is about."""
    diagnostic_index: int
    """Place among the file's diagnostics, from 0."""
    severity: Severity
    """info, warning or error."""
    code: str
    """Short name of what is odd, such as not_json or orphan_result."""
    message: str
    """What is odd, what was done about it, and what to do."""
    source_line: int | None = None
    """Line of the file, from 1; in a file that is one document, the place of the record in its list, from 1."""
    conversation_id: str | None = None
    """The conversation it is about, if one."""
    call_id: str | None = None
    """The call it is about, if one."""
    excerpt: str | None = None
    """The first 200 characters of the record."""
