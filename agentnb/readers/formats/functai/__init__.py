"""FunctAI's files: records of conversations, logs of calls, events of call trees, and ratings.

A record is a line. A turn is a call, so its id is its call's; helpers are calls inside it. What one file tells of a call and another tells again is merged:
the call log first, then the steps that a conversation kept, then the events. A conversation's id stands only in the call log; without that it is the id of
its first turn. Whether a turn still runs is told by its lease against the clock. Ratings are kept with the call they are about.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.formats.functai._emit import emit
from agentnb.readers.formats.functai._store import MARKS, Store

clock = time.time
"""Seconds since 1970: a lease that has run out is known only by it."""


def _matches(sample: Sample) -> bool:
    return any(map(_is_record, _records_in(sample)))


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and any(type(value.get(mark)) is int for mark in MARKS)


def _records_in(sample: Sample) -> Sequence[Any]:
    if sample.shape == "document":
        return sample.document if isinstance(sample.document, list) else [sample.document]
    return sample.values


def _keys(sample: Sample) -> set[str]:
    """Put all files together: which calls a log of a whole day tells of is not known before it is read."""
    return {"functai"} if sample.values else set()


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    store = Store()
    for file in files:
        log = store.start_log()
        for place, value in read_values(file, on_bytes):
            listed = enumerate(value, 1) if isinstance(value, list) and file.sample.shape == "document" else [(place, value)]
            for number, record in listed:
                store.take(record, number, file.account, log)
    emit(store, rows, round(clock() * 1e6))


READER = Reader(
    format="functai",
    title="FunctAI conversations, call logs and events",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=("${XDG_DATA_HOME:-~/.local/share}/functai",),
)
