"""AutoGen: recordings of a model client, messages of AgentChat, and the logs of teams that Who&When collected with a label for the deciding mistake.

A client recording is a list of requests with their replies; a request that repeats an earlier exchange continues its conversation. A team log is one
conversation: who speaks stands in `role` or `name`, and what a terminal printed is the result of the code in the message before it. Messages of AgentChat
are one conversation, whether they are a list, a task's result, the state of a team, or lines of a log; a result that repeats the lines before it is merged.
A record is a request, a message, or a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.exchanges import Exchange, join_exchanges
from agentnb.readers.formats.autogen._chat import Chat, is_chat_message, messages_in, name_of_chat
from agentnb.readers.formats.autogen._client import exchange_in, is_exchange, name_of_exchange
from agentnb.readers.formats.autogen._team import TeamLog, is_team_log, name_of_team_log


def _matches(sample: Sample) -> bool:
    items = _items(sample)[:20]
    if any(is_exchange(value) or is_team_log(value) for value in items):
        return True
    return messages_in(sample.document) is not None if sample.shape == "document" else any(is_chat_message(value) or messages_in(value) for value in items)


def _items(sample: Sample) -> Sequence[Any]:
    if sample.shape != "document":
        return sample.values
    return sample.document if isinstance(sample.document, list) else [sample.document]


def _keys(sample: Sample) -> set[str]:
    """Return the ids of the conversations of a file, so that equal ones in several files are told apart."""
    items = _items(sample)[:1000]
    first = [[value] for value in sample.values[:1] if is_chat_message(value)]
    chats = (messages_in(sample.document) or []) if sample.shape == "document" else first
    return (
        {name_of_chat(messages) for messages in chats}
        | {name_of_team_log(value) for value in items if is_team_log(value)}
        | {name_of_exchange(value) for value in items if is_exchange(value)}
    )


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    exchanges: list[Exchange] = []
    for file in files:
        if _read_chats(file, apart, on_bytes):
            continue
        for place, value in _records(file, on_bytes):
            if is_team_log(value):
                TeamLog(value, file.account, apart, place).read()
            elif is_exchange(value):
                exchanges.append(exchange_in(value, place, file.account))
            else:
                _skip(file.account, place, value)
    join_exchanges(exchanges, rows, READER.format)


def _read_chats(file: OpenFile, apart: Apart, on_bytes: OnBytes) -> bool:
    """Read a file of AgentChat's messages; tell whether it is one."""
    if file.sample.shape == "document":
        if messages_in(file.sample.document) is None:
            return False
        document = next(iter(read_values(file, on_bytes)))[1]
        extra = (
            {name: value for name, value in document.items() if name not in ("messages", "agent_states", "llm_context")} if isinstance(document, dict) else {}
        )
        numbers = count(1)
        for messages in messages_in(document) or []:
            placed = [(next(numbers), message) for message in messages]
            chat = Chat(messages, file.account, apart, placed[0][0], {name: value for name, value in extra.items() if value is not None})
            chat.read(placed)
            chat.finish()
        return True
    if not any(map(is_chat_message, file.sample.values[:20])):
        return False
    _read_log(file, apart, on_bytes)
    return True


def _read_log(file: OpenFile, apart: Apart, on_bytes: OnBytes) -> None:
    """Read lines that are messages; the result of the task, which repeats them, only tells why it stopped."""
    chat: Chat | None = None
    for place, value in read_values(file, on_bytes):
        if isinstance(value, dict) and isinstance(value.get("messages"), list) and chat is not None:
            chat.draft.extra |= {"stop_reason": value["stop_reason"]} if value.get("stop_reason") is not None else {}
            file.account.merge()
        elif is_chat_message(value):
            chat = chat or Chat([value], file.account, apart, place, {})
            chat.read([(place, value)])
        else:
            _skip(file.account, place, value)
    if chat is not None:
        chat.finish()


def _skip(account: Account, place: int, value: Any) -> None:
    message = "The record is neither a call of a model client, nor a message or the log of a team; it was left out."
    account.leave_out("no_autogen_record", message, line=place, excerpt=value)


def _records(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    for place, value in read_values(file, on_bytes):
        if file.sample.shape == "document" and isinstance(value, list):
            yield from enumerate(value, 1)
        else:
            yield place, value


READER = Reader(format="autogen", title="AutoGen client recordings, AgentChat messages and team logs (Who&When)", matches=_matches, keys=_keys, read=_read)
