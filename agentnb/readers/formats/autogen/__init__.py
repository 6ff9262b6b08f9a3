"""AutoGen: recordings of a model client, and the logs of agent teams that Who&When collected with a label for the deciding mistake.

A client recording is a list of requests with their replies; a request that repeats an earlier exchange continues its conversation. A team log is one
conversation: who speaks stands in `role` or `name`, and what a terminal printed is the result of the code in the message before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.exchanges import Exchange, join_exchanges
from agentnb.readers.formats.autogen._client import exchange_in, is_exchange, name_of_exchange
from agentnb.readers.formats.autogen._team import TeamLog, is_team_log, name_of_team_log


def _matches(sample: Sample) -> bool:
    return any(is_exchange(value) or is_team_log(value) for value in _items(sample)[:20])


def _items(sample: Sample) -> Sequence[Any]:
    if sample.shape != "document":
        return sample.values
    return sample.document if isinstance(sample.document, list) else [sample.document]


def _keys(sample: Sample) -> set[str]:
    """Return the ids of the conversations of a file, so that equal ones in several files are told apart."""
    items = _items(sample)[:1000]
    return {name_of_team_log(value) for value in items if is_team_log(value)} | {name_of_exchange(value) for value in items if is_exchange(value)}


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    exchanges: list[Exchange] = []
    for file in files:
        for place, value in _records(file, on_bytes):
            if is_team_log(value):
                TeamLog(value, file.account, apart, place).read()
            elif is_exchange(value):
                exchanges.append(exchange_in(value, place, file.account))
            else:
                file.account.skip("no_autogen_record")
                message = "The record is neither a call of a model client nor the log of a team; it was left out."
                file.account.diagnose("no_autogen_record", message, line=place, excerpt=value)
    join_exchanges(exchanges, rows, READER.format)


def _records(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    for place, value in read_values(file, on_bytes):
        if file.sample.shape == "document" and isinstance(value, list):
            yield from enumerate(value, 1)
        else:
            yield place, value


READER = Reader(format="autogen", title="AutoGen client recordings and team logs (Who&When)", matches=_matches, keys=_keys, read=_read)
