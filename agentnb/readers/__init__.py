"""FILE -> ROWS: what format a file has, which files belong together, and what is in them.

A format is one module with a `READER` (see `_reader.Reader`) and one line in `_register`. It stands over one of the builders, which do pairing,
nesting and totals for all formats. Nothing here raises on recorded data: what is odd becomes a diagnostic, what is left out has a reason in the account.

A format of your own needs no change here. A distribution names its reader as an entry point, and `anb.open` asks it before the readers of this package:

    [project.entry-points."agentnb.readers"]
    diary = "agent_diary.reader"          # a module with a READER, or the Reader itself

    from agentnb.readers import Apart, Asked, MessageList, OnBytes, OpenFile, Piece, Reader, Rows, Said, Sample, read_values

    def matches(sample: Sample) -> bool:  # from content alone; whatever values hold, it never raises
        return sample.shape == "lines" and any(isinstance(value, dict) and "diary" in value for value in sample.values)

    def keys(sample: Sample) -> set[str]:  # files that share one are read together; none: each file is read alone
        return {str(value["diary"]) for value in sample.values if isinstance(value, dict) and "diary" in value}

    def read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
        apart = Apart(rows, "diary")
        for file in files:
            draft = apart.start(file.name, file.account)
            messages = MessageList(draft.main, file.account)
            for line, value in read_values(file, on_bytes):
                messages.read([Said(str(value["who"]), line, (Piece("text", str(value["words"])),))])
            messages.finish()
            draft.finish()

    READER = Reader(format="diary", title="Agent diary", matches=matches, keys=keys, read=read)

`MessageList` counts a record as kept for each `Said`; what a reader leaves out itself it says with `file.account.skip(reason)`.
"""

from __future__ import annotations

from agentnb.garbage import without_garbage_collection
from agentnb.readers._account import Account
from agentnb.readers._archive import member_names, read_member, read_members
from agentnb.readers._clashes import TakenIds
from agentnb.readers._containers import with_members
from agentnb.readers._content import Held, Origin, is_there, root_of
from agentnb.readers._discover import Found, default_places, find_files
from agentnb.readers._groups import Candidate, Group, SourceFile
from agentnb.readers._lines import read_lines, read_text, read_values
from agentnb.readers._objects import Given, as_files, is_content, text_as_file
from agentnb.readers._read import Survey, read_group, survey_files
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._register import READERS, all_readers
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.live import LIVE, LiveRecords, live_state, read_live, trees_of
from agentnb.readers.live_database import LiveDatabase, is_live_database

__all__ = [
    "LIVE",
    "READERS",
    "Account",
    "Apart",
    "Asked",
    "Candidate",
    "Found",
    "Given",
    "Group",
    "Held",
    "LiveDatabase",
    "LiveRecords",
    "MessageList",
    "OnBytes",
    "OpenFile",
    "Origin",
    "Piece",
    "Reader",
    "Rows",
    "Said",
    "Sample",
    "SourceFile",
    "Survey",
    "TakenIds",
    "all_readers",
    "as_files",
    "default_places",
    "find_files",
    "is_content",
    "is_live_database",
    "is_there",
    "live_state",
    "member_names",
    "read_group",
    "read_lines",
    "read_live",
    "read_member",
    "read_members",
    "read_text",
    "read_values",
    "root_of",
    "survey_files",
    "text_as_file",
    "trees_of",
    "with_members",
    "without_garbage_collection",
]
