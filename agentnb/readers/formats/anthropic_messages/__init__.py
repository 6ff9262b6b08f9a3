"""Anthropic Messages: message lists, requests, responses, streams and logs of them; and sessions of Claude Managed Agents.

A log may hold several conversations, and calls of other services too: a request whose messages begin with all of an earlier exchange continues it. A record
of the account is a message or a reply, of a stream an event, and of a session a line.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentnb.readers._bodies import Service, body_keys, exchanges_of, is_file_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.exchanges import join_exchanges
from agentnb.readers.dialects.anthropic import DIALECT, is_message_list
from agentnb.readers.formats.anthropic_messages import _managed

_SERVICE = Service(DIALECT, "messages", is_message_list)


def _matches(sample: Sample) -> bool:
    return _is_managed(sample) or is_file_of(sample, _SERVICE)


def _is_managed(sample: Sample) -> bool:
    return sample.shape == "lines" and any(map(_managed.is_record, sample.values))


def _keys(sample: Sample) -> set[str]:
    return _managed.session_ids((*sample.values, *sample.last_values)) if _is_managed(sample) else body_keys(sample, _SERVICE)


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    managed = [file for file in files if _is_managed(file.sample)]
    _managed.read_sessions(((place, value, file.account) for file in managed for place, value in read_values(file, on_bytes)), rows, READER.format)
    others = [file for file in files if not _is_managed(file.sample)]
    join_exchanges((exchange for file in others for exchange in exchanges_of(file, _SERVICE, on_bytes)), rows, READER.format)


READER = Reader(
    format="anthropic_messages",
    title="Anthropic Messages (messages, requests, responses, streams, HTTP logs, managed agents)",
    matches=_matches,
    keys=_keys,
    read=_read,
)
