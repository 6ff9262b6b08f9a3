"""OpenAI Responses: responses, requests, logs of both, lists of items, streams, and HTTP logs.

The service may keep the history: a request then names the response that it continues, and says only what is new. A record of the account is an item of a
request, or a reply; of a stream, an event.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentnb.readers._bodies import Service, body_keys, exchanges_of, is_file_of
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.exchanges import join_exchanges
from agentnb.readers.dialects.responses import DIALECT, is_item_list

_SERVICE = Service(DIALECT, "input", is_item_list)


def _matches(sample: Sample) -> bool:
    return is_file_of(sample, _SERVICE)


def _keys(sample: Sample) -> set[str]:
    """Files whose responses continue one another are read together; of a log only its ends are known before it is read."""
    return body_keys(sample, _SERVICE)


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    join_exchanges((exchange for file in files for exchange in exchanges_of(file, _SERVICE, on_bytes)), rows, READER.format)


READER = Reader(format="openai_responses", title="OpenAI Responses (responses, requests, items, streams, HTTP logs)", matches=_matches, keys=_keys, read=_read)
