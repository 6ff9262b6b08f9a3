"""OpenAI Chat Completions: message lists, requests, responses, logs of both, streams, HTTP logs (of Cohere and Amazon Bedrock too), runs of tau-bench.

There is no flag for a failed tool: a result that begins with an error is taken as one. A log may hold several conversations: a request whose messages
begin with all of an earlier exchange continues it, and what it repeats is merged. A record of the account is a message or a reply; of a stream, an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, count_in, text_of
from agentnb.readers._http_logs import entries_of, exchange_of, http_of, log_format, placed_entries, skip_other
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows, SourceRow
from agentnb.readers._streamed import is_stream, stream_keys, streamed_exchanges
from agentnb.readers._times import read_time
from agentnb.readers.builders.exchanges import Asking, Exchange, Reply, failed_reply, join_exchanges, name_of
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.dialects.chat import DIALECT, is_message, is_message_list, is_reply

_READ_RUN = frozenset(
    {
        "messages", "traj", "trajectory", "request", "response", "choices", "message", "usage", "cost", "response_cost", "startTime", "endTime",
        "task_id", "trial", "reward", "instance_id", "resolved", "exit_status",
    }
)  # fmt: skip
_LISTS = ("traj", "trajectory", "messages")
"""Names under which a run holds its messages: tau-bench, collections of runs on SWE-bench and most others."""
_LABELS = ("task_id", "trial", "reward", "instance_id", "resolved", "exit_status")
_SPOKEN = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)


class _Run(NamedTuple):
    """One record that holds a conversation or a piece of one."""

    record: dict[str, Any]
    request: dict[str, Any]
    response: Any


def _matches(sample: Sample) -> bool:
    if log_format(sample) == DIALECT.format or is_stream(sample, DIALECT):
        return True
    if sample.shape == "document":
        return _is_chat(sample.document) or (isinstance(sample.document, list) and any(map(_is_run, sample.document[:50])))
    return sample.shape == "lines" and any(map(_is_run, sample.values))


def _is_chat(value: Any) -> bool:
    return is_message_list(value) if isinstance(value, list) else _is_run(value)


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict) or http_of(value) is not None:
        return False
    if isinstance(value.get("request"), dict):
        response = value.get("response")
        foreign = isinstance(response, dict) and response.get("type") == "message"
        return not foreign and is_message_list(value["request"].get("messages"))
    if isinstance(value.get("traj"), list):
        return is_message_list(value["traj"])
    if isinstance(value.get("trajectory"), list) and "history" not in value:
        return "instance_id" in value and is_message_list(value["trajectory"])
    if isinstance(value.get("messages_display"), str):
        return _SPOKEN.match(value["messages_display"]) is not None
    if is_reply(value):
        return True
    return is_message_list(value.get("messages")) and "trajectory_format" not in value and "termination_reason" not in value


def _keys(sample: Sample) -> set[str]:
    """Files with the same conversations are read together; of a log only its ends are known before it is read."""
    if is_stream(sample, DIALECT):
        return stream_keys(sample, DIALECT)
    items = enumerate((*sample.values, *sample.last_values), 1) if sample.shape == "lines" else _items(sample.document)[:1000]
    account = Account(SourceRow("", ""))
    return {exchange.name for place, item in items if (exchange := _exchange(item, place, account, listed=True, begun=True)) is not None}


def _items(document: Any) -> list[tuple[int, Any]]:
    return [(1, document)] if _is_chat(document) else list(enumerate(entries_of(document), 1))


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    join_exchanges((exchange for file in files for exchange in _exchanges(file, on_bytes)), rows, READER.format)


def _exchanges(file: OpenFile, on_bytes: OnBytes) -> Iterable[Exchange]:
    return streamed_exchanges(file, DIALECT, on_bytes) if is_stream(file.sample, DIALECT) else _logged(file, on_bytes)


def _logged(file: OpenFile, on_bytes: OnBytes) -> Iterator[Exchange]:
    account = file.account
    whole = file.sample.shape == "document" and _is_chat(file.sample.document)
    for place, item in read_values(file, on_bytes) if whole else placed_entries(file, on_bytes):
        exchange = _exchange(item, place, account, listed=not whole)
        if exchange is not None:
            yield exchange
        elif (http := http_of(item)) is not None:
            skip_other(account, place, item, http)
        else:
            message = "It is no chat completion, request, run or message list; it was left out."
            account.leave_out("not_chat_completions", message, line=place, excerpt=item)


def _exchange(item: Any, place: int, account: Account, *, listed: bool, begun: bool = False) -> Exchange | None:
    """Say what a record holds, or only as much as names it; None when it holds no chat.

    Args:
        item: the record.
        place: its place in the file, from 1.
        account: the account of the file.
        listed: whether it is one of several: its messages are then placed by it, else by themselves.
        begun: whether its messages up to the first reply are enough.
    """
    http = http_of(item)
    if http is not None:
        return exchange_of(http, place, place, account)
    if not _is_chat(item):
        return None
    if isinstance(item, dict) and isinstance(item.get("messages_display"), str):
        return _shown(item, place, account)
    run = _begun(_run(item)) if begun else _run(item)
    asking = DIALECT.read_request(run.request, place if listed else None)
    reply = _reply(run, asking, place) if run.response is not None else None
    labels = {name: run.record[name] for name in _LABELS if run.record.get(name) is not None}
    # A response that stands alone is with its model call.
    fields = () if run.response is run.record else (*run.record.items(), *run.request.items())
    asking = asking._replace(extra={})
    extra = {name: value for name, value in fields if name not in _READ_RUN and value is not None}
    task = run.record.get("task_id", run.record.get("trajectory_id")), run.record.get("trial")
    name = name_of(DIALECT, asking, reply, task)
    if "traj" in run.record:
        name = name.replace("chat", f"task-{task[0]}-trial-{task[1]}", 1)
    return Exchange(place, account, asking, reply, name, "traj" in run.record or "trajectory" in run.record, labels, extra)


def _run(value: Any) -> _Run:
    if isinstance(value, list):
        return _Run({}, {"messages": value}, None)
    request = value["request"] if isinstance(value.get("request"), dict) else value
    messages: list[Any] = next((request[name] for name in _LISTS if isinstance(request.get(name), list)), [])
    response = value.get("response")
    if not isinstance(response, dict | list):
        response = value if "choices" in value or ("message" in value and "messages" not in value) else None
    return _Run(value, request | {"messages": messages}, response)


def _begun(run: _Run) -> _Run:
    """Cut what follows the first reply, so that a name takes no longer for a long run."""
    messages = run.request["messages"]
    end = next((number for number, message in enumerate(messages, 1) if is_message(message) and message["role"] == "assistant"), None)
    return run._replace(request=run.request | {"messages": messages[:end]})


def _reply(run: _Run, asking: Asking, place: int) -> Reply:
    record, response = run.record, run.response
    assembled = DIALECT.assemble(response) if isinstance(response, list) else []
    body, whole = (assembled[0].value, assembled[0].whole) if assembled else (response, True)
    reply = DIALECT.read_reply(body, place) if isinstance(body, dict) else failed_reply(body, place)
    first = reply.said[0]
    if first.error is not None and record.get("status") is not None:
        reply = failed_reply(body, place, status=count_in(record["status"]), model=first.model, at=first.at)
        first = reply.said[0]
    measures = {"cost": amount_in(record.get("cost", record.get("response_cost"))), "seconds": amount_in(record.get("latency_sec"))}
    usage = first.usage | {name: value for name, value in measures.items() if value is not None}
    begun, ended, time = (read_time(record.get(name)) for name in ("startTime", "endTime", "timestamp"))
    # The service tells when it began to answer, to the second; a client that measures the call knows better.
    at, assumed = ended if ended.micros is not None else (first.at, first.zone_assumed) if first.at is not None else time
    error = _told_error(record) or first.error if first.error is not None else None
    model = first.model or asking.model
    said = first._replace(at=at, zone_assumed=assumed, started=first.started or begun.micros, usage=usage, model=model, error=error)
    return reply._replace(said=(said, *reply.said[1:]), whole=whole)


def _told_error(record: dict[str, Any]) -> str | None:
    """Return what a log of LiteLLM says went wrong, beside a response that is empty then."""
    information = record.get("error_information")
    told = record.get("error_str") or (information.get("error_message") if isinstance(information, dict) else None)
    return text_of(told) or None


def _shown(record: dict[str, Any], place: int, account: Account) -> Exchange:
    """Read a run of tau-bench that was written out as text: which tools the model asked for is not told, and a message without text is `None`."""
    roles = list(_SPOKEN.finditer(record["messages_display"]))
    ends = [match.start() for match in roles[1:]] + [len(record["messages_display"])]
    said = []
    for match, end in zip(roles, ends, strict=True):
        text = record["messages_display"][match.end() : end].removesuffix("\n")
        pieces = () if text == "None" and match[1] == "assistant" else (Piece("text", text),)
        said.append(Said(match[1], place, pieces, loose=match[1] == "tool"))
    beginning = [[item.role, item.pieces[0].text if item.pieces else None] for item in said]
    asking = Asking(tuple(said), beginning)
    extra = {name: value for name, value in record.items() if name != "messages_display" and value is not None}
    return Exchange(place, account, asking, None, name_of(DIALECT, asking, None), alone=True, extra=extra)


READER = Reader(
    format="openai_chat",
    title="OpenAI Chat Completions (messages, requests, responses, streams, HTTP logs, tau-bench)",
    matches=_matches,
    keys=_keys,
    read=_read,
)
