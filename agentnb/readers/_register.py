"""Every format that can be read, in the order in which they are tried: the most specific first, since later tests also match earlier formats."""

from __future__ import annotations

from typing import NamedTuple

from agentnb.readers import atif, claude_code, openai_chat
from agentnb.readers._reader import Reader, Sample

READERS: tuple[Reader, ...] = (
    atif.READER,
    claude_code.READER,
    openai_chat.READER,
)


class Recognised(NamedTuple):
    """The reader of a file's format, and the sample as this reader understands it."""

    reader: Reader
    sample: Sample


def recognise(sample: Sample) -> Recognised | None:
    """Find the reader of a file's format from its content; None when no reader knows it."""
    readings = sample.readings()
    return next((Recognised(reader, reading) for reading in readings for reader in READERS if reader.matches(reading)), None)
