"""Files that hold the events of streamed replies, one after another -> exchanges without a request; the readers of all services share it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers.builders.exchanges import Asking, Dialect, Exchange, name_of
from agentnb.streams._assembled import Assembled


def is_stream(sample: Sample, dialect: Dialect) -> bool:
    """Tell whether a file holds events of streamed replies: most of what it begins with."""
    values = _values(sample)
    return sum(map(dialect.is_event, values)) * 2 > len(values)


def stream_keys(sample: Sample, dialect: Dialect) -> set[str]:
    """Return the ids of the replies that a file begins with."""
    return {name_of(dialect, Asking(), dialect.read_reply(item.value, 1)) for item in dialect.assemble(_values(sample))}


def streamed_exchanges(file: OpenFile, dialect: Dialect, on_bytes: OnBytes) -> Iterator[Exchange]:
    """Yield the replies that a file's events make; an event is a record of the account."""
    account = file.account
    places: list[int] = []
    events: list[Any] = []
    for place, value in _placed(file, on_bytes):
        if isinstance(value, dict):
            places.append(place)
            events.append(value)
        else:
            account.leave_out("not_an_event", "It is no event of a stream; it was left out.", line=place, excerpt=value)
    for item in dialect.assemble(events):
        yield _exchange(item, places[item.first], dialect, account)


def _exchange(item: Assembled, place: int, dialect: Dialect, account: Account) -> Exchange:
    value = item.value | ({"unread_events": list(item.unread)} if item.unread else {})
    reply = dialect.read_reply(value, place)
    first = reply.said[0]._replace(records=item.events)
    reply = reply._replace(said=(first, *(said._replace(records=0) for said in reply.said[1:])), whole=item.whole and reply.whole)
    return Exchange(place, account, Asking(), reply, name_of(dialect, Asking(), reply))


def _values(sample: Sample) -> list[Any]:
    if sample.shape == "lines":
        return list(sample.values)
    return sample.document[:50] if isinstance(sample.document, list) else []


def _placed(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    for place, value in read_values(file, on_bytes):
        if file.sample.shape == "document" and isinstance(value, list):
            yield from enumerate(value, 1)
        else:
            yield place, value
