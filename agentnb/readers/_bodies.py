"""Files of one service's requests, responses and message lists, alone or several, in any mix, with logs and streams of them -> exchanges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import rest_of
from agentnb.readers._http_logs import entries_of, exchange_of, http_of, log_format, placed_entries, skip_other
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._rows import SourceRow
from agentnb.readers._streamed import is_stream, stream_keys, streamed_exchanges
from agentnb.readers.builders.exchanges import Asking, Dialect, Exchange, Reply, failed_reply, name_of

_MOST = 50


class Service(NamedTuple):
    """How the files of a service are told."""

    dialect: Dialect
    messages: str
    """Name of the field of a request that holds its messages."""
    is_list: Callable[[Any], bool]
    """Tells whether a list is one of messages."""


def is_file_of(sample: Sample, service: Service) -> bool:
    """Tell whether a file holds bodies of a service: a log of them, a stream, a list of messages, or bodies one after another."""
    if sample.shape not in ("lines", "document"):
        return False
    if log_format(sample) == service.dialect.format or is_stream(sample, service.dialect):
        return True
    if sample.shape == "lines":
        return _is_list(list(sample.values), service) or any(is_body(value, service) for value in sample.values)
    document = sample.document
    return is_body(document, service) or (isinstance(document, list) and any(is_body(value, service) for value in document[:_MOST]))


def is_body(value: Any, service: Service) -> bool:
    """Tell whether a value is a message list, a request, a response, or an object of both."""
    if isinstance(value, list):
        return _is_list(value, service)
    if not isinstance(value, dict) or http_of(value) is not None:
        return False
    dialect = service.dialect
    if dialect.is_request(value) or dialect.is_reply(value):
        return True
    response = value.get("response")
    return "request" in value and (dialect.is_request(value["request"]) or (isinstance(value["request"], dict) and dialect.is_reply(response)))


def body_keys(sample: Sample, service: Service) -> set[str]:
    """Return the ids of the conversations that a file begins, as far as they are known before it is read."""
    if is_stream(sample, service.dialect):
        return stream_keys(sample, service.dialect)
    account = Account(SourceRow("", ""))
    if sample.shape == "lines" and _is_list(list(sample.values), service):
        return {_exchange(list(sample.values), 1, account, service, listed=False).name}
    values = (*sample.values, *sample.last_values) if sample.shape == "lines" else _items(sample.document, service)[:1000]
    found = [exchange for value in values if (exchange := _said(value, 1, account, service, listed=True)) is not None]
    return {key for exchange in found for key in (exchange.name, *exchange.continues, *exchange.ids)}


def exchanges_of(file: OpenFile, service: Service, on_bytes: OnBytes) -> Iterator[Exchange]:
    """Yield the exchanges of a file; a message and a reply are records of the account, and of a stream each event.

    A reply without its request continues the one before it if that one waits for the result of a tool, or was paused: a client got them one after another.
    """
    before: Reply | None = None
    for exchange in _exchanges_of(file, service, on_bytes):
        bare = not exchange.asking.said and exchange.reply is not None
        if bare and before is not None and before.ids and _goes_on(before):
            exchange = exchange._replace(asking=exchange.asking._replace(continues=before.ids[:1]))
        before = exchange.reply if bare else None
        yield exchange


def _goes_on(reply: Reply) -> bool:
    answered = {said.result_of for said in reply.said if said.role == "tool"}
    asked = {call.tool_call_id for said in reply.said for call in said.asked}
    return bool(asked - answered) or reply.said[0].finish_reason == "pause_turn"


def _exchanges_of(file: OpenFile, service: Service, on_bytes: OnBytes) -> Iterator[Exchange]:
    if is_stream(file.sample, service.dialect):
        yield from streamed_exchanges(file, service.dialect, on_bytes)
    elif file.sample.shape == "lines" and _is_list(list(file.sample.values), service):
        yield _spread(file, service, on_bytes)
    else:
        yield from _listed(file, service, on_bytes)


def _is_list(values: list[Any], service: Service) -> bool:
    """Tell whether a list is one of messages: replies may stand among them, but a list of nothing else is one of responses."""
    return service.is_list(values) and not all(map(service.dialect.is_reply, values))


def _listed(file: OpenFile, service: Service, on_bytes: OnBytes) -> Iterator[Exchange]:
    account = file.account
    whole = file.sample.shape == "document" and is_body(file.sample.document, service)
    for place, value in read_values(file, on_bytes) if whole else placed_entries(file, on_bytes):
        exchange = _said(value, place, account, service, listed=not whole)
        if exchange is not None:
            yield exchange
        elif (http := http_of(value)) is not None:
            skip_other(account, place, value, http)
        else:
            account.leave_out("no_body", "It is no request, no response and no list of messages; it was left out.", line=place, excerpt=value)


def _spread(file: OpenFile, service: Service, on_bytes: OnBytes) -> Exchange:
    """Read a list of messages that has one of them on each line."""
    placed = list(read_values(file, on_bytes))
    exchange = _exchange([value for _, value in placed], 1, file.account, service, listed=False)
    places = [place for place, _ in placed]
    asking = exchange.asking
    said = tuple(item._replace(place=places[item.place - 1]) for item in asking.said)
    others = tuple((places[number - 1], value) for number, value in asking.others)
    return exchange._replace(asking=asking._replace(said=said, others=others))


def _items(document: Any, service: Service) -> list[Any]:
    return [document] if is_body(document, service) else entries_of(document)


def _said(value: Any, place: int, account: Account, service: Service, *, listed: bool) -> Exchange | None:
    http = http_of(value)
    if http is not None:
        return exchange_of(http, place, place, account)
    return _exchange(value, place, account, service, listed=listed) if is_body(value, service) else None


def _exchange(value: Any, place: int, account: Account, service: Service, *, listed: bool) -> Exchange:
    """Say what a value holds; of several in a file its messages are placed by it, else by themselves."""
    dialect = service.dialect
    record = {service.messages: value} if isinstance(value, list) else value
    request = record["request"] if "request" in record else record if service.messages in record or dialect.is_request(record) else None
    asking = dialect.read_request(request, place if listed else None) if isinstance(request, dict) else Asking()
    response = record.get("response") if "response" in record else record if dialect.is_reply(record) else None
    reply = _reply(response, asking, place, dialect) if response is not None else None
    wraps = record is not request and record is not response
    extra = rest_of(record, ("request", "response")) if wraps else {}
    if record is request and response is not None:
        asking.extra.pop("response", None)
    return Exchange(place, account, asking, reply, name_of(dialect, asking, reply), extra=extra)


def _reply(response: Any, asking: Asking, place: int, dialect: Dialect) -> Reply:
    events = response if isinstance(response, list) else []
    assembled = dialect.assemble(events) if events else []
    bodies = [item.value | ({"unread_events": list(item.unread)} if item.unread else {}) for item in assembled] or [response]
    replies = [dialect.read_reply(body, place) if isinstance(body, dict) else failed_reply(body, place, model=asking.model) for body in bodies]
    said = [item for reply in replies for item in reply.said]
    first = said[0]._replace(model=said[0].model or asking.model)
    whole = all(item.whole for item in assembled) and all(reply.whole for reply in replies)
    return replies[0]._replace(said=(first, *(item._replace(records=0) for item in said[1:])), whole=whole)
