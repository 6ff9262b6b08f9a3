"""Claude Code sessions: one JSON line per event, sub-agents in files of their own beside the session; and what it prints as it runs without a screen.

One API message is spread over several lines with the same `message.id`, and the usage on them is that of the moment it was written; parallel tool calls
make a chain of lines, and each result hangs on its own link of it. A model call has no start time: it is taken to start with the event it replies to.
Lines with the usual fields are decoded straight into structs, which leaves arguments and tool results as the text they are; every other line takes
the slower way through Python objects, where nothing is assumed and what is unknown is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from agentnb.readers._account import Account
from agentnb.readers._json import parse_json
from agentnb.readers._lines import read_lines
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.event_log import EventLog
from agentnb.readers.formats.claude_code._lines import Line, decode_line, line_from
from agentnb.readers.formats.claude_code._session import SessionFile, is_side_log
from agentnb.readers.formats.claude_code._shapes import events_of, is_event, is_event_list, is_event_of_another_tool


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        return is_event_list(sample.document)
    return any(map(is_event, sample.values)) and not any(map(is_event_of_another_tool, sample.values))


def _keys(sample: Sample) -> set[str]:
    """Files of one session share its id; a resumed session repeats the first event of the one it resumes."""
    events = [value for value in events_of(sample)[:1000] if isinstance(value, dict)]
    keys = {f"session {event[name]}" for event in events for name in ("sessionId", "session_id") if isinstance(event.get(name), str)}
    first = next((event["uuid"] for event in events if isinstance(event.get("uuid"), str) and event.get("type") in ("user", "assistant")), None)
    return keys | {f"event {first}"} if first else keys


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    log = EventLog(rows, READER.format)
    ordered = sorted(files, key=_reading_order)
    alone = len(ordered) == 1
    for file in ordered:
        reading = SessionFile(log, file, alone=alone)
        if file.sample.shape == "document":
            on_bytes(file.account.row.bytes)
            _read_export(reading, file)
        else:
            _read_file(reading, file, on_bytes)
        reading.close()
    log.finish()


def _reading_order(file: OpenFile) -> tuple[bool, str, str]:
    """Sessions before their sub-agents; of sessions with shared events the one that ended first before the one that resumed it."""
    side = is_side_log(file.sample)
    ends = [str(event.get("timestamp")) for event in file.sample.last_values if isinstance(event, dict) and event.get("timestamp")]
    return side, "" if side else max(ends, default=""), str(file.path)


def _read_file(reading: SessionFile, file: OpenFile, on_bytes: OnBytes) -> None:
    account = file.account
    for number, data in read_lines(file, on_bytes):
        try:
            line: Line | None = decode_line(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            line = None
        if line is None or line.message is None:
            line = _decode_slowly(data, number, account)
        if line is not None:
            reading.read(line, number)


def _decode_slowly(data: bytes, number: int, account: Account) -> Line | None:
    parsed = parse_json(data)
    if not parsed.ok:
        account.skip_unreadable(parsed.oddities[-1], line=number, excerpt=data)
        return None
    account.note_oddities(parsed.oddities, line=number, excerpt=data)
    if not isinstance(parsed.value, dict):
        account.leave_out("not_an_object", "The line is JSON but no object; it was left out.", line=number, excerpt=data)
        return None
    original = data.decode("utf-8", "backslashreplace") if "lone_surrogate" in parsed.oddities else None
    return line_from(parsed.value, original)


def _read_export(reading: SessionFile, file: OpenFile) -> None:
    """Read one document with the lines in a list."""
    file.account.note_oddities(file.sample.oddities, line=None)
    for number, value in enumerate(events_of(file.sample), 1):
        if isinstance(value, dict):
            reading.read(line_from(value, None), number)
        else:
            file.account.skip("not_an_object")


READER = Reader(
    format="claude_code",
    title="Claude Code session",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=("${CLAUDE_CONFIG_DIR:-~/.claude}/projects",),
)
