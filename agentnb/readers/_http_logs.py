"""Logs of HTTP traffic with a model: JSON lines, VCR cassettes, HAR files and lists of requests and responses -> exchanges.

The format of such a log is the API of most of its calls of a model, or of two with as many the later one; the log may hold calls of other services too, and
the readers of all of them share what is here. A call of anything else (a search, an upload of traces, embeddings) is skipped with its reason.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, count_in, text_of
from agentnb.readers._json import parse_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._times import Time, read_time
from agentnb.readers.builders.exchanges import Asking, Dialect, Exchange, Reply, failed_reply, name_of
from agentnb.readers.dialects._known import DIALECTS
from agentnb.readers.dialects.responses import DIALECT as RESPONSES
from agentnb.streams.converse_events import read_frames
from agentnb.streams.sse import DONE, is_sse, read_events

_BODIES = ("body", "parsed_body", "postData", "json", "content")
_READ = frozenset({*_BODIES, "request", "response", "headers", "headersSize", "bodySize", "cookies", "queryString", "time", "startedDateTime", "recorded_at"})
_COMPRESSED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")
_GZIP_IN_BASE64 = "H4sI"
_FRAMES_IN_BASE64 = "AA"
_POLLED = re.compile(r"/responses/[^/?#]+(?:$|[?#])")
_MODEL = re.compile(r"/models?/([^/:?]+)(?=[:/])")
_MOST_INFLATED = 1 << 28
_TEXTS = ("string", "text", "base64_string", "data")
_ENVELOPE = frozenset({*_TEXTS, "encoding", "mimeType", "size", "compression", "params", "comment"})


class Http(NamedTuple):
    """One HTTP request and its response, whatever kind of log they stood in."""

    url: str
    request: Any
    """The body: a JSON value, text, or None."""
    response: Any
    """The body: a JSON value, a list of the events that a stream sent, text, or None."""
    status: int | None = None
    started: Time = Time(None)
    seconds: float | None = None
    method: str = "POST"
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory
    """What else the record tells. Headers are left out: they hold keys, and nothing about the conversation."""


def http_of(value: Any) -> Http | None:
    """Read an HTTP request with its response from a record of any kind of log; None when a record is none."""
    if not isinstance(value, dict) or "request" not in value:
        return None
    request, response = value["request"], value.get("response")
    inner = isinstance(request, dict) and isinstance(request.get("url", request.get("uri")), str)
    asked = request if inner else value
    url = asked.get("url", asked.get("uri"))
    if not isinstance(url, str):
        return None
    answered = response if isinstance(response, dict) and _is_http(response) else None
    status = answered.get("status_code", answered.get("status")) if answered is not None else value.get("status", value.get("status_code"))
    if isinstance(status, dict):
        status = status.get("code")
    sent, received = (_body(request) if inner else request), (_body(answered) if answered is not None else response)
    seconds = amount_in(value.get("time"))
    started = read_time(value.get("startedDateTime") or value.get("recorded_at") or value.get("timestamp"))
    method = (text_of(asked.get("method")) or "POST").upper()
    around = [value, asked] if inner else [value]
    extra = {name: item for fields in around for name, item in fields.items() if name not in _READ and item is not None}
    return Http(url, _decoded(sent), _decoded(received), count_in(status), started, seconds / 1000 if seconds is not None else None, method, extra)


def entries_of(document: Any) -> list[Any]:
    """Return the records of a log that is one document: a HAR file, a VCR cassette, or a list."""
    if isinstance(document, dict):
        inner = document["log"].get("entries") if isinstance(document.get("log"), dict) else None
        listed = next((found for found in (inner, document.get("interactions"), document.get("http_interactions")) if isinstance(found, list)), None)
        listed = listed if listed is not None else _pairs_of(document)
        return listed if listed is not None else [document]
    return document if isinstance(document, list) else []


def _pairs_of(document: dict[str, Any]) -> list[Any] | None:
    """Return the records of a cassette that lists requests and responses apart, as LangChain's do; None when it does not."""
    requests, responses = document.get("requests"), document.get("responses")
    if not isinstance(requests, list) or not isinstance(responses, list):
        return None
    return [{"request": request, "response": response} for request, response in itertools.zip_longest(requests, responses)]


def log_format(sample: Sample) -> str | None:
    """Return the format of a log, from its first and last records; None when it is no log of HTTP traffic with a model."""
    entries = (*sample.values, *sample.last_values) if sample.shape == "lines" else entries_of(sample.document)[:200]
    if sample.shape not in ("lines", "document") or not any(isinstance(entry, dict) and "request" in entry for entry in entries):
        return None
    found = [dialect_of(http) for entry in entries if (http := http_of(entry)) is not None]
    calls = Counter(dialect.format for dialect in reversed(found) if dialect is not None)
    return calls.most_common(1)[0][0] if calls else None


def placed_entries(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    """Yield the records of a log with their places, from 1."""
    if file.sample.shape != "document":
        yield from read_values(file, on_bytes)
        return
    for _, document in read_values(file, on_bytes):
        yield from enumerate(entries_of(document), 1)


def skip_other(account: Account, place: int, value: Any, http: Http | None) -> None:
    """Leave out a record that is no call of a model."""
    if http is None:
        account.leave_out("not_an_exchange", "It is no request with a response; it was left out.", line=place, excerpt=value)
        return
    message = f"It is no call of a model: {http.method} {http.url[:200]}; it was left out."
    account.leave_out("not_a_model_call", message, line=place, severity="info", excerpt=value)


def dialect_of(http: Http) -> Dialect | None:
    """Tell in which dialect a request and its response are said: by the URL, else by the bodies; None when it is no call of a model."""
    if http.method == "GET":
        # What came of a reply that was still being made when it was asked for.
        answers = http.response if isinstance(http.response, list) else [http.response]
        polled = _POLLED.search(http.url) is not None and any(RESPONSES.is_reply(answer) or RESPONSES.is_event(answer) for answer in answers[:20])
        return RESPONSES if polled else None
    by_path = next((dialect for dialect in DIALECTS if dialect.path.search(http.url)), None)
    answers = http.response if isinstance(http.response, list) else [http.response]
    if by_path is not None and (isinstance(http.request, dict | None) or any(map(by_path.is_reply, answers[:1]))):
        return by_path
    by_body = (dialect for dialect in DIALECTS if any(dialect.is_reply(answer) or dialect.is_event(answer) for answer in answers[:20]))
    found = next(by_body, None)
    # The answer tells the service: a request of one may look like another's.
    return found if any(dialect.is_request(http.request) for dialect in DIALECTS) else None


def exchange_of(http: Http, place: int, messages_at: int | None, account: Account) -> Exchange | None:
    """Say a call of a model; None when it is something else.

    Args:
        http: the request and its response.
        place: of the record, from 1.
        messages_at: where the messages of the request stand; None when each stands at its own number.
        account: of the file.
    """
    dialect = dialect_of(http)
    if dialect is None:
        return None
    asking = dialect.read_request(http.request, messages_at) if isinstance(http.request, dict) else Asking()
    if asking.model is None and (named := _MODEL.search(http.url)) is not None:
        asking = asking._replace(model=unquote(named[1]))
    reply = reply_of(dialect, http, asking, place)
    # A request that somebody broke while striking out what is secret is no JSON any more.
    extra = http.extra | ({"request": http.request} if isinstance(http.request, str) else {})
    return Exchange(place, account, asking, reply, name_of(dialect, asking, reply), extra=extra)


def reply_of(dialect: Dialect, http: Http, asking: Asking, place: int) -> Reply | None:
    """Say what came back: a whole response, one put together from its pieces, or why there is none."""
    bodies, whole = _whole_bodies(dialect, http.response)
    failed = http.status is not None and http.status >= 400
    if not bodies or failed:
        reply = failed_reply(http.response, place, status=http.status, model=asking.model) if failed or http.response is not None else None
    else:
        replies = [dialect.read_reply(body, place) for body in bodies]
        rest = [said._replace(same_step=True, records=0) for reply in replies[1:] for said in reply.said]
        reply = replies[0]._replace(said=(*replies[0].said, *rest), whole=whole and replies[0].whole)
    if reply is None:
        return None
    first = reply.said[0]
    usage = {"seconds": http.seconds, **first.usage} if http.seconds is not None else first.usage
    at, assumed = (first.at, first.zone_assumed) if first.at is not None else http.started
    first = first._replace(model=first.model or asking.model, usage=usage, at=at, zone_assumed=assumed, started=first.started or http.started.micros)
    return reply._replace(said=(first, *reply.said[1:]))


class _Bodies(NamedTuple):
    """Response bodies, and whether the stream that they came in ran to its end."""

    values: list[dict[str, Any]]
    whole: bool = True


def _whole_bodies(dialect: Dialect, response: Any) -> _Bodies:
    if isinstance(response, dict) and dialect.is_reply(response):
        return _Bodies([response])
    events = response if isinstance(response, list) else [response]
    if not any(map(dialect.is_event, events)):
        return _Bodies([])
    assembled = dialect.assemble(events)
    for item in assembled:
        if item.unread:
            item.value["unread_events"] = list(item.unread)
    return _Bodies([item.value for item in assembled], all(item.whole for item in assembled))


def _is_http(response: dict[str, Any]) -> bool:
    """Tell an HTTP response from a body that stands alone in its place."""
    content = response.get("content")
    return "body" in response or "parsed_body" in response or "headers" in response or (isinstance(content, dict) and "mimeType" in content)


def _body(message: dict[str, Any]) -> Any:
    return next((message[name] for name in _BODIES if message.get(name) is not None), None)


def _decoded(body: Any) -> Any:
    """Return the JSON value of a body: of text, of base64, of what is compressed, of the events of a stream; other text stays text."""
    if isinstance(body, dict) and (name := next((name for name in _TEXTS if isinstance(body.get(name), str)), None)) and set(body) <= _ENVELOPE:
        text = body[name]
        packed = name == "base64_string" or body.get("encoding") in ("base64", "base64_string")
        return _decoded(_unpacked(text) if packed else text)
    if isinstance(body, bytes):
        if body.startswith(b"\0") and (frames := read_frames(body)) is not None:
            return frames
        return _decoded(_inflated(body).decode("utf-8", "backslashreplace"))
    if not isinstance(body, str):
        return body
    if body.startswith(_GZIP_IN_BASE64):
        return _decoded(_unpacked(body))
    if body.startswith(_FRAMES_IN_BASE64) and (frames := read_frames(_unpacked(body))) is not None:
        return frames
    if is_sse(body):
        return [_value(event.data) for event in read_events(body) if event.data != DONE]
    return _value(body)


def _value(text: str) -> Any:
    parsed = parse_json(text.encode("utf-8", "backslashreplace"))
    return parsed.value if parsed.ok else text


def _unpacked(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return text.encode()


def _inflated(data: bytes) -> bytes:
    if not data.startswith(_COMPRESSED):
        return data
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(data, _MOST_INFLATED)
    except zlib.error:
        return data
