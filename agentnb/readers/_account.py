"""What became of each record of a file: kept, merged or skipped, and what was odd about it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from agentnb.readers._json import to_json
from agentnb.readers._rows import DiagnosticRow, SourceRow

# More rows of one kind say no more about a file; the last one then gives the full number.
_MOST_OF_A_CODE = 500
_EXCERPT = 200

_ODDITIES = {
    "invalid_utf8": "Bytes that are not UTF-8 are shown as \\xNN.",
    "not_a_number": "NaN or Infinity, which JSON does not have, is kept as text.",
    "long_integer": "An integer of more than 4,000 digits is kept as text.",
    "lone_surrogate": "A lone surrogate, which is no character, is shown as \\udNNN; `extra` has the record as it was.",
    "loose_json": "Not strict JSON: raw control characters in a text, or a number out of range. It was read all the same.",
    "too_deep": "What is nested too deeply to be read was replaced by a note; all around it was read.",
    "arguments_not_json": "Arguments of a tool that are not JSON are kept as one text.",
    "cut_compressed": "What is compressed is cut or damaged; what could be unpacked was read.",
    "too_large": "It unpacks to far more than a recording would hold; only the beginning was read.",
    "encrypted": "It is encrypted.",
    "unknown_compression": "It is compressed in a way that is not known.",
    "cut_archive": "The archive has no list of its members, as after a crash; they were found one after another, and the last may be cut.",
    "cut_document": "The document is cut or damaged; what stands before that place was read.",
}
_WARNINGS = frozenset({"too_deep", "arguments_not_json", "cut_document", "cut_compressed", "too_large", "encrypted", "unknown_compression", "cut_archive"})


class Account:
    """The account of one file; `row` is its row of the `sources` table."""

    def __init__(self, row: SourceRow) -> None:
        """Start with nothing read."""
        self.row = row
        self.diagnostics: list[DiagnosticRow] = []
        self._codes: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()

    def keep(self, count: int = 1) -> None:
        """Count records that are in the tables."""
        self.row.records_read += count
        self.row.records_kept += count

    def merge(self, count: int = 1) -> None:
        """Count records that were met before."""
        self.row.records_read += count
        self.row.records_merged += count

    def skip(self, reason: str, count: int = 1) -> None:
        """Count records that are left out, and why."""
        self.row.records_read += count
        self.row.records_skipped += count
        self._skipped[reason] += count

    def leave_out(self, reason: str, message: str, *, line: int | None = None, severity: str = "warning", excerpt: Any = None) -> None:
        """Count a record that is left out, and note why."""
        self.skip(reason)
        self.diagnose(reason, message, line=line, severity=severity, excerpt=excerpt)

    def skip_unreadable(self, code: str, *, line: int, excerpt: bytes) -> None:
        """Leave out a line of which no JSON value can be made; `code` says why."""
        self.leave_out(code, "The line is not JSON: cut, damaged, or no record at all; it was left out.", line=line, severity="error", excerpt=excerpt)

    def fail(self, reason: str) -> None:
        """Note that nothing of the file is in the tables after all, and why."""
        row = self.row
        row.state, row.reason = "unreadable", reason
        row.records_read = row.records_kept = row.records_merged = row.records_skipped = 0
        self._skipped.clear()
        self.diagnose("unreadable", reason, severity="error")

    def diagnose(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        severity: str = "warning",
        conversation_id: str | None = None,
        call_id: str | None = None,
        excerpt: Any = None,
    ) -> None:
        """Note one thing that is odd.

        Args:
            code: short name of what is odd.
            message: what is odd and what was done about it.
            line: line of the file, or place in its list, from 1.
            severity: info, warning or error.
            conversation_id: the conversation it is about.
            call_id: the call it is about.
            excerpt: the record; its first 200 characters are kept.
        """
        self._codes[code] += 1
        if self._codes[code] <= _MOST_OF_A_CODE:
            row = DiagnosticRow(self.row.source_id, len(self.diagnostics), severity, code, message, line, conversation_id, call_id, _excerpt(excerpt))
            self.diagnostics.append(row)

    def note_oddities(
        self, oddities: tuple[str, ...], *, line: int | None, conversation_id: str | None = None, call_id: str | None = None, excerpt: Any = None
    ) -> None:
        """Note what was odd about the text of a record that could be read nevertheless."""
        for code in oddities:
            severity = "warning" if code in _WARNINGS else "info"
            message = _ODDITIES.get(code, code)
            self.diagnose(code, message, line=line, severity=severity, conversation_id=conversation_id, call_id=call_id, excerpt=excerpt)

    def close(self) -> list[DiagnosticRow]:
        """Finish the row and return the diagnostics."""
        for code, count in self._codes.items():
            if count > _MOST_OF_A_CODE:
                message = f"{count - _MOST_OF_A_CODE:,} more of {code}, {count:,} in all; only the first {_MOST_OF_A_CODE} are listed."
                self.diagnostics.append(DiagnosticRow(self.row.source_id, len(self.diagnostics), "info", code, message))
        self.row.diagnostics = sum(self._codes.values())
        self.row.skipped = to_json(dict(sorted(self._skipped.items()))) if self._skipped else None
        return self.diagnostics


def _excerpt(record: Any) -> str | None:
    if record is None:
        return None
    if isinstance(record, bytes | memoryview):
        return bytes(record[:_EXCERPT]).rstrip(b"\r\n").decode("utf-8", "backslashreplace")
    text = record if isinstance(record, str) else to_json(record)
    return text[:_EXCERPT]
