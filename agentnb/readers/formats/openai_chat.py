"""OpenAI Chat Completions: message lists, requests, responses, logs of both, and result files of tau-bench with many runs.

There is no flag for a failed tool: a result that begins with an error is taken as one. A log may hold several conversations: a request whose messages
begin with all of an earlier exchange continues it, and what it repeats is merged.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, text_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import MessageList, Said
from agentnb.readers.dialects.chat import ROLES, asked_in, content_of, is_message, is_message_list, said_in, unread_of, usage_in

_READ_RUN = frozenset({"messages", "traj", "request", "response", "choices", "message", "usage", "task_id", "trial", "reward", "cost"})
_READ_RESPONSE = frozenset({"choices", "message", "usage", "model", "created", "object", "finish_reason"})


class _Placed(NamedTuple):
    """Something that stands in a list, and its place there, from 1."""

    place: int
    value: Any


class _Run(NamedTuple):
    """One record that holds a conversation or a piece of one."""

    place: int
    listed: bool
    """Whether it is one of several in its file; its messages are then placed by it, else by themselves."""
    messages: list[_Placed]
    others: list[_Placed]
    """What stands among the messages and is none."""
    response: dict[str, Any] | None
    record: dict[str, Any]


class _Met(NamedTuple):
    """A run, and the account of the file it was met in."""

    run: _Run
    account: Account


class _Conversation:
    """The runs that make one conversation: the first, and those that continue it; with a print of each of its messages."""

    def __init__(self, met: _Met, prints: list[str]) -> None:
        self.met = [met]
        self.prints = prints

    def continues_with(self, prints: list[str]) -> bool:
        """Tell whether messages repeat all of this conversation."""
        own = len(self.prints)
        return 0 < own <= len(prints) and prints[own - 1] == self.prints[-1] and prints[:own] == self.prints


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        return _is_chat(sample.document) or (isinstance(sample.document, list) and any(map(_is_run, sample.document[:50])))
    return any(map(_is_run, sample.values))


def _is_chat(value: Any) -> bool:
    return is_message_list(value) if isinstance(value, list) else _is_run(value)


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("request"), dict):
        response = value.get("response")
        foreign = isinstance(response, dict) and response.get("type") == "message"
        return not foreign and is_message_list(value["request"].get("messages"))
    if isinstance(value.get("traj"), list):
        return is_message_list(value["traj"])
    if isinstance(value.get("choices"), list) and value.get("object") != "chat.completion.chunk":
        return any(isinstance(choice, dict) and isinstance(choice.get("message"), dict) for choice in value["choices"])
    if isinstance(value.get("message"), dict) and "finish_reason" in value:
        return is_message_list([value["message"]])
    return is_message_list(value.get("messages")) and "trajectory_format" not in value and "termination_reason" not in value


def _keys(sample: Sample) -> set[str]:
    """Files with the same conversations are read together; of a log only its ends are known before it is read."""
    items = enumerate((*sample.values, *sample.last_values), 1) if sample.shape == "lines" else _items(sample.document)[:1000]
    return {_conversation_id(_run(item, place, listed=True)) for place, item in items if _is_chat(item)}


def _items(document: Any) -> list[tuple[int, Any]]:
    return [(1, document)] if _is_chat(document) else list(enumerate(document, 1))


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    conversations: list[_Conversation] = []
    for file in files:
        for run in _runs_of(file, on_bytes):
            _place(_Met(run, file.account), conversations)
    apart = Apart(rows, READER.format)
    for conversation in conversations:
        _emit(conversation, apart)


def _runs_of(file: OpenFile, on_bytes: OnBytes) -> Iterator[_Run]:
    account = file.account
    if file.sample.shape == "document":
        on_bytes(account.row.bytes)
        account.note_oddities(file.sample.oddities, line=None)
        items = _items(file.sample.document)
    else:
        items = list(read_values(file, on_bytes))
    for place, item in items:
        if _is_chat(item):
            yield _run(item, place, listed=len(items) > 1)
        else:
            account.skip("not_chat_completions")
            message = "It is no chat completion, request, run or message list; it was left out."
            account.diagnose("not_chat_completions", message, line=place, excerpt=item)


def _run(value: Any, place: int, *, listed: bool) -> _Run:
    if isinstance(value, list):
        return _run_of(value, place, listed, None, {})
    body = _request_of(value)
    messages: list[Any] = next((body[name] for name in ("traj", "messages") if isinstance(body.get(name), list)), [])
    response = value.get("response")
    if not isinstance(response, dict):
        response = value if "choices" in value or ("message" in value and "messages" not in value) else None
    return _run_of(messages, place, listed, response, value)


def _run_of(values: list[Any], place: int, listed: bool, response: dict[str, Any] | None, record: dict[str, Any]) -> _Run:
    placed = [_Placed(number, value) for number, value in enumerate(values, 1)]
    messages, others = [item for item in placed if is_message(item.value)], [item for item in placed if not is_message(item.value)]
    return _Run(place, listed, messages, others, response, record)


def _request_of(record: dict[str, Any]) -> dict[str, Any]:
    request = record.get("request")
    return request if isinstance(request, dict) else record


def _place(met: _Met, conversations: list[_Conversation]) -> None:
    """Join a run to the conversation that it continues, the latest first, since a branch continues where it split off; else start one."""
    run, account = met
    for item in run.others:
        account.skip("no_message")
        message = "It stands among messages and is none: no object, or with a role that is not known; it was left out."
        account.diagnose("no_message", message, line=run.place if run.listed else item.place, excerpt=item.value)
    reply = _reply_of(run.response)
    asked = [_print_of(item.value) for item in run.messages]
    prints = asked if reply is None else [*asked, _print_of({**reply, "role": "assistant"})]
    known = next((item for item in reversed(conversations) if item.continues_with(asked)), None) if "traj" not in run.record else None
    if known is None:
        conversations.append(_Conversation(met, prints))
        return
    known.met.append(met)
    known.prints = prints


def _print_of(message: dict[str, Any]) -> str:
    """Reduce a message to what stays the same when a client sends a reply back: role, tool calls without ids, else the text."""
    calls = asked_in(message)
    said = [[call.name, call.input] for call in calls] if calls else content_of(message)
    return hashlib.blake2b(to_json([ROLES[message["role"]], said]).encode(), digest_size=12).hexdigest()


def _emit(conversation: _Conversation, apart: Apart) -> None:
    first, account = conversation.met[0]
    draft = apart.start(_conversation_id(first), account, line=first.place)
    reader = MessageList(draft.main, account)
    known = 0
    for run, account in conversation.met:
        draft.main.account = reader.account = account
        account.merge(known)
        reader.read(said_in(message, run.place if run.listed else place) for place, message in run.messages[known:])
        if run.response is not None:
            reader.read([_said_reply(run)])
        known = len(run.messages) + (_reply_of(run.response) is not None)
    reader.finish()
    _note_run(draft, conversation.met[-1].run)
    draft.finish()


def _note_run(draft: ConversationDraft, run: _Run) -> None:
    record = run.record
    for name in ("task_id", "trial", "reward"):
        if record.get(name) is not None:
            draft.labels[name] = record[name]
    body = _request_of(record)
    # A response that stands alone is with its model call.
    alone = record is run.response
    draft.extra |= {name: value for name, value in (*record.items(), *body.items()) if not alone and name not in _READ_RUN and value is not None}
    if draft.row.model is None and isinstance(body.get("model"), str):
        draft.row.model = body["model"]


def _conversation_id(run: _Run) -> str:
    if not run.messages and run.response is not None and isinstance(run.response.get("id"), str):
        return str(run.response["id"])
    before_reply = list(itertools.takewhile(lambda message: message["role"] != "assistant", (item.value for item in run.messages)))
    task = [run.record.get("task_id"), run.record.get("trial")]
    digest = hashlib.blake2b(to_json(["openai_chat", task, before_reply]).encode(), digest_size=6).hexdigest()
    return f"task-{task[0]}-trial-{task[1]}-{digest}" if "traj" in run.record else f"chat-{digest}"


def _said_reply(run: _Run) -> Said:
    response = run.response or {}
    reply = _reply_of(response)
    choice = _choice(response)
    said = said_in({**(reply or {}), "role": "assistant"}, run.place)
    rest = {name: value for name, value in response.items() if name not in _READ_RESPONSE and value is not None} | _unread_of_choices(response)
    if reply is not None and (unread := unread_of({**reply, "role": "assistant"})):
        rest["reply"] = unread
    time = read_time(response.get("created") or run.record.get("timestamp"))
    error = response.get("error")
    if reply is None:
        if run.record.get("status") is not None:
            rest["status"] = run.record["status"]
        words = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
        said = said._replace(error=words or "There is no reply.")
    return said._replace(
        at=time.micros,
        zone_assumed=time.zone_assumed,
        model=text_of(response.get("model") or _request_of(run.record).get("model")),
        usage=usage_in(response.get("usage")) | _measures(run.record),
        finish_reason=text_of(choice.get("finish_reason")),
        extra=to_json(rest) if rest else None,
    )


def _unread_of_choices(response: dict[str, Any]) -> dict[str, Any]:
    """Return what is not read of the choices: further ones, and what the first one says besides its message."""
    choices = response.get("choices")
    if not isinstance(choices, list) or not choices:
        return {}
    first = choices[0] if isinstance(choices[0], dict) else {}
    rest = {name: value for name, value in first.items() if name not in ("index", "message", "finish_reason") and value is not None}
    return ({"choice": rest} if rest else {}) | ({"choices": choices[1:]} if choices[1:] else {})


def _choice(response: dict[str, Any]) -> dict[str, Any]:
    choices = response.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else response


def _reply_of(response: dict[str, Any] | None) -> dict[str, Any] | None:
    message = _choice(response).get("message") if response is not None else None
    return message if isinstance(message, dict) else None


def _measures(record: dict[str, Any]) -> dict[str, Any]:
    found = {"cost": amount_in(record.get("cost")), "seconds": amount_in(record.get("latency_sec"))}
    return {name: value for name, value in found.items() if value is not None}


READER = Reader(format="openai_chat", title="OpenAI Chat Completions (messages, requests, responses, tau-bench)", matches=_matches, keys=_keys, read=_read)
