"""OpenAI Chat Completions: message lists, requests, responses, logs of both, and result files of tau-bench with many runs.

There is no flag for a failed tool: a result that begins with an error is taken as one. A log may hold several conversations: a request whose messages
begin with all of an earlier exchange continues it, and what it repeats is merged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._lines import OnBytes, read_lines
from agentnb.readers._reader import OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}
_FOREIGN_BLOCKS = frozenset({"tool_use", "tool_result", "server_tool_use", "thinking", "output_text", "input_text"})
_REASONING = ("reasoning_content", "reasoning", "tool_plan")
_READ_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "function_call", "refusal", *_REASONING})
_READ_RUN = frozenset({"messages", "traj", "request", "response", "choices", "message", "usage", "task_id", "trial", "reward", "cost"})


class _Run(NamedTuple):
    """One record that holds a conversation or a piece of one."""

    place: int
    listed: bool
    """Whether it is one of several in its file; its messages are then placed by it, else by themselves."""
    messages: list[Any]
    response: dict[str, Any] | None
    record: dict[str, Any]


class _Met(NamedTuple):
    """A run, and the account of the file it was met in."""

    run: _Run
    account: Account


class _Conversation:
    """The runs that make one conversation: the first, and those that continue it."""

    def __init__(self, met: _Met) -> None:
        self.met = [met]
        self.prints = _prints(met.run)

    def continues_with(self, run: _Run) -> bool:
        """Tell whether a run repeats all of this conversation and goes on."""
        own = self.prints
        return len(run.messages) >= len(own) and _message_prints(run.messages[: len(own)]) == own


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        return _is_chat(sample.document) or (isinstance(sample.document, list) and any(map(_is_run, sample.document[:50])))
    return any(map(_is_run, sample.values))


def _is_chat(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_message(item) for item in value[:50])
    return _is_run(value)


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("request"), dict):
        response = value.get("response")
        foreign = isinstance(response, dict) and response.get("type") == "message"
        return not foreign and _has_messages(value["request"])
    if isinstance(value.get("traj"), list):
        return all(map(_is_message, value["traj"]))
    if isinstance(value.get("choices"), list) and value.get("object") != "chat.completion.chunk":
        return any(isinstance(choice, dict) and isinstance(choice.get("message"), dict) for choice in value["choices"])
    if isinstance(value.get("message"), dict) and "finish_reason" in value:
        return _is_message(value["message"])
    return _has_messages(value) and "trajectory_format" not in value and "termination_reason" not in value


def _has_messages(value: dict[str, Any]) -> bool:
    messages = value.get("messages")
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages[:50]))


def _is_message(item: Any) -> bool:
    if not isinstance(item, dict) or item.get("role") not in _ROLES or "parts" in item or "message_type" in item:
        return False
    content = item.get("content")
    if isinstance(content, list):
        return not any(isinstance(block, dict) and block.get("type") in _FOREIGN_BLOCKS for block in content)
    return content is None or isinstance(content, str)


def _keys(sample: Sample) -> set[str]:
    if sample.shape == "lines":
        return set()
    return {_conversation_id(_run(item, place, listed=True)) for place, item in _items(sample.document)[:1000] if _is_chat(item)}


def _items(document: Any) -> list[tuple[int, Any]]:
    return [(1, document)] if _is_chat(document) else list(enumerate(document, 1))


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    conversations: list[_Conversation] = []
    for file in files:
        for run in _runs_of(file, on_bytes):
            met = _Met(run, file.account)
            if not _merge(met, conversations):
                conversations.append(_Conversation(met))
    seen: dict[str, int] = {}
    for conversation in conversations:
        _emit(conversation, rows, seen)


def _runs_of(file: OpenFile, on_bytes: OnBytes) -> Iterator[_Run]:
    account = file.account
    if file.sample.shape == "document":
        on_bytes(account.row.bytes)
        account.note_oddities(file.sample.oddities, line=None)
        items = _items(file.sample.document)
    else:
        items = list(_lines(file, on_bytes))
    for place, item in items:
        if _is_chat(item):
            yield _run(item, place, listed=len(items) > 1)
        else:
            account.skip("not_chat_completions")
            message = "It is no chat completion, request, run or message list; it was left out."
            account.diagnose("not_chat_completions", message, line=place, excerpt=item)


def _lines(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    account = file.account
    for number, line in read_lines(file.path, account, on_bytes):
        parsed = parse_json(line)
        if parsed.ok:
            account.note_oddities(parsed.oddities, line=number, excerpt=line)
            yield number, parsed.value
        else:
            account.skip_unreadable(parsed.oddities[-1], line=number, excerpt=line)


def _run(value: Any, place: int, *, listed: bool) -> _Run:
    if isinstance(value, list):
        return _Run(place, listed, value, None, {})
    body = value["request"] if isinstance(value.get("request"), dict) else value
    messages = body.get("traj") or body.get("messages") or []
    response = value.get("response")
    if not isinstance(response, dict):
        response = value if "choices" in value or ("message" in value and "messages" not in value) else None
    return _Run(place, listed, messages, response, value)


def _merge(met: _Met, conversations: list[_Conversation]) -> bool:
    """Join a run to the conversation that it continues; the latest first, since a branch continues where it split off."""
    run = met.run
    if not run.messages or "traj" in run.record:
        return False
    for known in reversed(conversations):
        if known.continues_with(run):
            known.met.append(met)
            known.prints = _prints(run)
            return True
    return False


def _prints(run: _Run) -> list[str]:
    reply = _reply_of(run.response)
    return _message_prints([*run.messages, *([reply] if reply is not None else [])])


def _message_prints(messages: Sequence[Any]) -> list[str]:
    """Reduce messages to what stays the same when a client sends a reply back: role, tool calls without ids, else the text."""
    return [_print_of(message) for message in messages]


def _print_of(message: dict[str, Any]) -> str:
    calls = _asked(message)
    said = [[call.name, call.input] for call in calls] if calls else "".join(piece.text or "" for piece in _pieces(message)).strip()
    return hashlib.blake2b(to_json([_ROLES.get(str(message.get("role"))), said]).encode(), digest_size=12).hexdigest()


def _emit(conversation: _Conversation, rows: Rows, seen: dict[str, int]) -> None:
    first, account = conversation.met[0]
    wanted = _conversation_id(first)
    seen[wanted] = seen.get(wanted, 0) + 1
    conversation_id = wanted if seen[wanted] == 1 else f"{wanted}~{seen[wanted]}"
    draft = ConversationDraft(rows, account, conversation_id, READER.format)
    if conversation_id != wanted:
        message = f"Another conversation has the id {wanted}; this one is told apart by its order."
        account.diagnose("equal_conversations", message, line=first.place, severity="info", conversation_id=conversation_id)
    reader = MessageList(draft.main, account)
    known = 0
    for run, account in conversation.met:
        draft.main.account = reader.account = account
        account.merge(known)
        fresh = enumerate(run.messages[known:], known + 1)
        reader.read(_said(message, run.place if run.listed else place) for place, message in fresh)
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
    body = record.get("request") if isinstance(record.get("request"), dict) else record
    rest = {name: value for name, value in (*record.items(), *(body or {}).items()) if name not in _READ_RUN and value is not None}
    draft.extra |= rest
    if draft.row.model is None and isinstance((body or {}).get("model"), str):
        draft.row.model = (body or {})["model"]


def _conversation_id(run: _Run) -> str:
    if not run.messages and run.response is not None and isinstance(run.response.get("id"), str):
        return str(run.response["id"])
    before_reply = []
    for message in run.messages:
        if _ROLES.get(str(message.get("role"))) == "assistant":
            break
        before_reply.append(message)
    task = [run.record.get("task_id"), run.record.get("trial")]
    digest = hashlib.blake2b(to_json(["openai_chat", task, before_reply]).encode(), digest_size=6).hexdigest()
    return f"task-{task[0]}-trial-{task[1]}-{digest}" if "traj" in run.record else f"chat-{digest}"


def _said(message: dict[str, Any], place: int) -> Said:
    role = _ROLES[str(message["role"])]
    rest = {name: value for name, value in message.items() if name not in _READ_KEYS and value is not None}
    return Said(
        role,
        place,
        pieces=_pieces(message),
        asked=_asked(message),
        result_of=_text(message.get("tool_call_id")),
        at=read_time(message.get("timestamp") or message.get("created_at")).micros,
        extra=to_json(rest) if rest else None,
    )


def _said_reply(run: _Run) -> Said:
    response = run.response or {}
    reply = _reply_of(response)
    said = _said({"role": "assistant", **(reply or {})}, run.place)
    choice = _choice(response)
    usage = _usage(response.get("usage")) | _measures(run.record)
    rest = {name: value for name, value in response.items() if name not in ("choices", "message", "usage", "model", "created", "object", "finish_reason")}
    error = response.get("error")
    if reply is None:
        text = _text(error.get("message")) if isinstance(error, dict) else _text(error)
        return said._replace(error=text or "There is no reply.", extra=to_json(rest))
    return said._replace(
        at=read_time(response.get("created") or run.record.get("timestamp")).micros,
        model=_text(response.get("model")),
        usage=usage,
        finish_reason=_text(choice.get("finish_reason")),
        extra=to_json(rest) if rest else said.extra,
    )


def _choice(response: dict[str, Any]) -> dict[str, Any]:
    choices = response.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else response


def _reply_of(response: dict[str, Any] | None) -> dict[str, Any] | None:
    message = _choice(response).get("message") if response is not None else None
    return message if isinstance(message, dict) else None


def _pieces(message: dict[str, Any]) -> tuple[Piece, ...]:
    thoughts = [Piece("reasoning", message[key]) for key in _REASONING if isinstance(message.get(key), str) and message[key]]
    refusal = message.get("refusal")
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content] if isinstance(content, str) and (content or "tool_calls" not in message) else []
    said = [_piece(block) for block in blocks]
    return (*thoughts[:1], *said, *([Piece("text", refusal)] if isinstance(refusal, str) and refusal else []))


def _piece(block: Any) -> Piece:
    if isinstance(block, str):
        return Piece("text", block)
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return Piece("text", block["text"])
    if kind == "refusal" and isinstance(block.get("refusal"), str):
        return Piece("text", block["refusal"])
    if kind == "image_url":
        image = block.get("image_url")
        url = image.get("url") if isinstance(image, dict) else image
        mime = url[5:].split(";")[0] if isinstance(url, str) and url.startswith("data:") else None
        return Piece("image", _text(url), mime)
    return Piece("other", _text(kind), extra=to_json(block))


def _asked(message: dict[str, Any]) -> tuple[Asked, ...]:
    calls = message.get("tool_calls")
    old = message.get("function_call")
    listed = list(calls) if isinstance(calls, list) else []
    if isinstance(old, dict):
        listed.append({"function": old})
    return tuple(_call(call) for call in listed)


def _call(call: Any) -> Asked:
    if not isinstance(call, dict):
        return Asked(None, "", to_json(call))
    function = call.get("function") if isinstance(call.get("function"), dict) else call
    rest = {name: value for name, value in call.items() if name not in ("id", "type", "function", "index", "name", "arguments")}
    return Asked(_text(call.get("id")) or None, _text(function.get("name")) or "", arguments_json(function.get("arguments")), to_json(rest) if rest else None)


def arguments_json(arguments: Any) -> str | None:
    """Write a tool's arguments as JSON: JSON text stays as it is, other text becomes a JSON string, an object is written."""
    if arguments is None or not isinstance(arguments, str):
        return None if arguments is None else to_json(arguments)
    if not arguments.strip():
        return None
    parsed = parse_json(arguments.encode())
    if not parsed.ok:
        return to_json(arguments)
    return to_json(parsed.value) if parsed.oddities else arguments


def _usage(usage: Any) -> dict[str, Any]:
    if not isinstance(usage, dict):
        return {}
    tokens = usage.get("tokens") if isinstance(usage.get("tokens"), dict) else usage
    sent, received = _details(usage, "prompt_tokens_details"), _details(usage, "completion_tokens_details")
    found = {
        "input_tokens": _count(tokens, "prompt_tokens", "input_tokens"),
        "output_tokens": _count(tokens, "completion_tokens", "output_tokens"),
        "cached_tokens": _count(sent | usage, "cached_tokens", "prompt_cache_hit_tokens"),
        "cache_write_tokens": _count(sent | usage, "cache_creation_tokens", "cache_creation_input_tokens"),
        "reasoning_tokens": _count(received, "reasoning_tokens"),
        "cost": usage.get("cost") if isinstance(usage.get("cost"), int | float) else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def _details(usage: dict[str, Any], name: str) -> dict[str, Any]:
    details = usage.get(name)
    return details if isinstance(details, dict) else {}


def _count(usage: dict[str, Any], *names: str) -> int | None:
    return next((usage[name] for name in names if type(usage.get(name)) is int), None)


def _measures(record: dict[str, Any]) -> dict[str, Any]:
    found = {"cost": record.get("cost"), "seconds": record.get("latency_sec")}
    return {name: float(value) for name, value in found.items() if isinstance(value, int | float) and not isinstance(value, bool)}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None if value is None else to_json(value)


READER = Reader(format="openai_chat", title="OpenAI Chat Completions (messages, requests, responses, tau-bench)", matches=_matches, keys=_keys, read=_read)
