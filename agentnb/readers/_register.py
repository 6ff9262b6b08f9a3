"""Every format that can be read, in the order in which they are tried: the most specific first, since later tests also match earlier formats."""

from __future__ import annotations

from agentnb.readers import atif, claude_code, openai_chat
from agentnb.readers._reader import Reader, Sample

READERS: tuple[Reader, ...] = (
    atif.READER,
    claude_code.READER,
    openai_chat.READER,
)


def reader_for(sample: Sample) -> Reader | None:
    """Return the reader of a file's format, told from its content; None when no reader knows it."""
    return next((reader for reader in READERS if reader.matches(sample)), None)
