"""FILE -> ROWS: what format a file has, which files belong together, and what is in them.

A format is one module with a `READER` (see `_reader.Reader`) and one line in `_register`. It stands over one of the builders, which do pairing,
nesting and totals for all formats. Nothing here raises on recorded data: what is odd becomes a diagnostic, what is left out has a reason in the account.
"""

from __future__ import annotations

from agentnb.readers._discover import Found, default_places, find_files
from agentnb.readers._garbage import without_garbage_collection
from agentnb.readers._groups import Candidate, Group, SourceFile
from agentnb.readers._read import Survey, read_group, survey_files
from agentnb.readers._reader import Reader
from agentnb.readers._register import READERS
from agentnb.readers._rows import Rows

__all__ = [
    "READERS",
    "Candidate",
    "Found",
    "Group",
    "Reader",
    "Rows",
    "SourceFile",
    "Survey",
    "default_places",
    "find_files",
    "read_group",
    "survey_files",
    "without_garbage_collection",
]
