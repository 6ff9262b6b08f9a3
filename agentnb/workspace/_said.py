"""What people said, as rows: the ratings, and what is odd about them or about what is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from agentnb.readers import is_there, root_of
from agentnb.values import Diagnostic, Rating
from agentnb.workspace._append_log import Passed
from agentnb.workspace._batches import KeptGroup

Damage = Sequence[tuple[Path, Sequence[KeptGroup]]]
"""Folders of tables that cannot be read, with the groups whose rows were in them as far as they are known."""


def rating_oddity(rating: Rating, digest: str | None) -> str | None:
    """Return what is odd about a rating as a code: that its call is not there, or has another input now.

    Args:
        rating: the rating.
        digest: that of its call's input now; None when there is no such call.
    """
    if digest is None:
        return "rating_without_call"
    return "rating_of_changed_call" if rating.call_digest not in (None, digest) else None


def odd_rating(index: int, rating: Rating, code: str) -> Diagnostic:
    """Say what is odd about a rating."""
    what = "is of a call that is not among the recordings that were read" if code == "rating_without_call" else "was given when the call had another input"
    who = rating.rated_by or rating.account
    message = f"The rating {rating.verdict}{f' by {who}' if who else ''} {what}."
    said = rating.note[:200] if rating.note else None
    return Diagnostic(source_id="ratings", diagnostic_index=index, severity="warning", code=code, message=message, call_id=rating.call_id, excerpt=said)


def odd_lines(noun: str, passed: Sequence[Passed], first: int = 0) -> list[Diagnostic]:
    """Say which lines of files are no ratings, or no traces."""
    return [_of_lines(noun, first + index, lines) for index, lines in enumerate(passed)]


def odd_tables(damage: Damage) -> list[Diagnostic]:
    """Say which tables of a folder are damaged, and what to do."""
    return [
        Diagnostic(
            source_id="tables",
            diagnostic_index=index,
            severity="error",
            code="damaged_tables",
            message=f"The tables in {path} are damaged and were left out. {_advice(groups)}",
            excerpt=json.dumps([file.found for group in groups for file in group.files])[:200] if groups else None,
        )
        for index, (path, groups) in enumerate(damage)
    ]


def _of_lines(noun: str, index: int, passed: Passed) -> Diagnostic:
    message = f"{passed.lines:,} line{'' if passed.lines == 1 else 's'} of {noun}s/{passed.file} cut, damaged or of a format that is not known; left out."
    return Diagnostic(source_id=f"{noun}s", diagnostic_index=index, severity="warning", code=f"{noun}_skipped", message=message, excerpt=passed.first)


def _advice(groups: Sequence[KeptGroup]) -> str:
    if not groups:
        return "Read the recordings again (ws.read), then remove that folder."
    gone = [file.found for group in groups for file in group.files if root_of(file.path) is None and not is_there(Path(file.path))]
    return f"Their source {gone[0]} is gone: bring it back, or remove that folder." if gone else "ws.refresh() reads their sources again."
