"""Cursor's agent: its transcripts, and the events that it prints when it runs without a screen.

A record is a line.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.formats.cursor._printed import is_run, read_run, run_id
from agentnb.readers.formats.cursor._transcript import is_transcript, read_transcript, transcript_id


def _matches(sample: Sample) -> bool:
    return is_transcript(sample) or is_run(sample)


def _keys(sample: Sample) -> set[str]:
    return {_conversation_id(sample)}


def _conversation_id(sample: Sample) -> str:
    return run_id(sample) if is_run(sample) else transcript_id(sample)


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        draft = apart.start(_conversation_id(file.sample), file.account)
        draft.row.agent_name = "cursor"
        (read_run if is_run(file.sample) else read_transcript)(file, draft, on_bytes)
        draft.finish()


READER = Reader(
    format="cursor",
    title="Cursor agent (transcript, stream-json)",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=("~/.cursor/projects",),
)
