"""Chat histories of aider: Markdown in which headings start sessions, `####` lines are a person's words, `>` lines are what the tool says.

A record is a block: lines of one kind that follow one another. All else is what the model replied, with its edits as the text they are. The tool says what
each reply cost. Times stand only at the start of a session, without a zone. The analytics log that aider writes holds no conversation, and the account
says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agentnb.readers._lines import read_text, read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.formats.aider._blocks import blocks_in, sessions_in
from agentnb.readers.formats.aider._session import read_session

_SIGNS = re.compile(r"^(?:# aider chat started at \d{4}-|> Aider v\d|> Tokens: [\d.,]+[kM]? sent, .*received\.|> Applied edit to )", re.MULTILINE)
_NO_CONVERSATION = "An analytics log of aider, no conversation: its events count what was used and hold none of what was said."


def _matches(sample: Sample) -> bool:
    if sample.shape == "text":
        return _SIGNS.search(sample.text) is not None
    return sample.shape == "lines" and bool(sample.values) and all(map(_is_analytics, sample.values))


def _is_analytics(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("event"), str) and isinstance(value.get("properties"), dict) and {"user_id", "time"} <= set(value)


def _keys(sample: Sample) -> set[str]:
    return set()


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        if file.sample.shape != "text":
            _skip_analytics(file, on_bytes)
            continue
        for session in sessions_in(blocks_in(read_text(file, on_bytes))):
            read_session(session, apart, file.account)


def _skip_analytics(file: OpenFile, on_bytes: OnBytes) -> None:
    for _ in read_values(file, on_bytes):
        file.account.skip("analytics_event")
    file.account.row.reason = _NO_CONVERSATION
    file.account.diagnose("analytics_log", _NO_CONVERSATION, severity="info")


READER = Reader(format="aider", title="aider chat history", matches=_matches, keys=_keys, read=_read)
