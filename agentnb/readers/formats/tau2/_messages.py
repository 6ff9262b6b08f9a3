"""The messages of a text simulation of tau2 -> turns, steps and calls, the person's own calls included."""

from __future__ import annotations

from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, as_extra, count_in, dict_of, extra_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.chat import usage_in

_ROLES = frozenset({"system", "user", "assistant", "tool"})
_READ = frozenset({"role", "content", "tool_calls", "timestamp", "id", "error", "requestor", "tool_messages"})
_READ_REPLY = _READ | {"usage", "cost"}
_READ_CALL = frozenset({"id", "name", "arguments", "requestor"})


def read_messages(messages: list[Any], draft: ConversationDraft, account: Account) -> None:
    """Read the messages of a simulation into a conversation; a record is a message."""
    _Reading(messages, draft, account).read()


class _Reading:
    def __init__(self, messages: list[Any], draft: ConversationDraft, account: Account) -> None:
        self.messages = list(enumerate(messages, 1))
        self.draft = draft
        self.account = account
        self.reader = MessageList(draft.main, account)
        self.taken: set[tuple[int, int]] = set()
        self.replied = True

    def read(self) -> None:
        for place, message in self.messages:
            role = message.get("role") if isinstance(message, dict) else None
            if not isinstance(role, str) or role not in _ROLES:
                self.account.leave_out("no_message", "It stands among the messages and is none; it was left out.", line=place, excerpt=message)
            elif role == "tool":
                self._read_results(message, place)
            elif role == "user":
                self._read_person(message, place)
            else:
                self.replied |= role == "assistant"
                self.reader.read([_said(message, place)])
        self.reader.finish()

    def _read_person(self, message: dict[str, Any], place: int) -> None:
        """Read what the person said, then the calls they made themselves, each with its result from among the messages that follow."""
        calls = message.get("tool_calls")
        said = _said(message, place)
        if said.pieces or not calls:
            self.reader.read([said])
        else:
            if self.replied:
                self.reader.start_turn(str(len(self.draft.turns) + 1), at=said.at, line=place)
            self.account.keep()
        self.replied = False
        for call in calls if isinstance(calls, list) else []:
            asked = said_asked(call, by_person=True)
            found = self._result_of(asked.tool_call_id, place)
            result = found or Said("tool", place, at=said.at, zone_assumed=said.zone_assumed, records=0)
            self.reader.run(asked, result._replace(started=said.at))

    def _result_of(self, tool_call_id: str | None, place: int) -> Said | None:
        for number, message in self.messages[place:]:
            if not isinstance(message, dict) or message.get("role") != "tool":
                return None
            for index, result in enumerate(_results(message)):
                if (number, index) not in self.taken and result.get("requestor") == "user" and text_of(result.get("id")) == tool_call_id:
                    self.taken.add((number, index))
                    return said_result(result, number)._replace(records=index == 0)
        return None

    def _read_results(self, message: dict[str, Any], place: int) -> None:
        results = _results(message)
        for index, result in enumerate(results):
            if (place, index) not in self.taken:
                self.reader.read([said_result(result, place)._replace(records=index == 0)])
        if not results:
            self.account.leave_out("no_message", "A message with results holds none; it was left out.", line=place, excerpt=message)


def _results(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the results of a message: itself, or those of several calls that were given at once."""
    several = message.get("tool_messages")
    return [item for item in several if isinstance(item, dict)] if isinstance(several, list) else [message]


def _said(message: dict[str, Any], place: int) -> Said:
    time = read_time(message.get("timestamp"))
    calls = message.get("tool_calls")
    is_reply = message["role"] == "assistant"
    content = message.get("content")
    text = text_of(content)
    raw = dict_of(message.get("raw_data"))
    cost = amount_in(message.get("cost")) if is_reply else None
    rest = {name: value for name, value in message.items() if name not in (_READ_REPLY if is_reply else _READ) and value not in (None, [])}
    usage = usage_in(message.get("usage")) | _cached(raw) | ({"cost": cost} if cost is not None else {})
    words = (Piece("text", text),) if text or (content == "" and not calls) else ()
    return Said(
        message["role"],
        place,
        ((*_thoughts(raw), *words) if is_reply else words),
        tuple(said_asked(call, by_person=False) for call in calls) if is_reply and isinstance(calls, list) else (),
        at=time.micros,
        zone_assumed=time.zone_assumed,
        model=text_of(raw.get("model")) if is_reply else None,
        usage=usage if is_reply else {},
        finish_reason=_finish(raw) if is_reply else None,
        extra=as_extra(rest),
    )


def _choice(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the reply as the service gave it: one of several choices, or the message itself."""
    choices = raw.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else raw


def _finish(raw: dict[str, Any]) -> str | None:
    choice = _choice(raw)
    return text_of(choice.get("finish_reason") or choice.get("stop_reason"))


def _thoughts(raw: dict[str, Any]) -> tuple[Piece, ...]:
    """Return what a model thought, which only the reply of the service tells."""
    choice = _choice(raw)
    message = choice["message"] if isinstance(choice.get("message"), dict) else choice
    blocks = message.get("thinking_blocks")
    texts = [block.get("thinking") for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    texts = texts or [message.get("reasoning_content") or message.get("reasoning")]
    return tuple(Piece("reasoning", text) for text in texts if isinstance(text, str) and text)


def _cached(raw: dict[str, Any]) -> dict[str, int]:
    usage = dict_of(raw.get("usage"))
    names = (("cache_read_input_tokens", "cached_tokens"), ("cache_creation_input_tokens", "cache_write_tokens"))
    return {column: count for name, column in names if (count := count_in(usage.get(name)))}


def said_asked(call: Any, *, by_person: bool) -> Asked:
    if not isinstance(call, dict):
        return Asked(None, "", to_json(call), '{"requestor":"user"}' if by_person else None)
    rest = rest_of(call, _READ_CALL)
    if by_person or call.get("requestor") not in (None, "assistant"):
        rest["requestor"] = call.get("requestor") or "user"
    arguments = read_arguments(call.get("arguments"))
    return Asked(text_of(call.get("id")) or None, text_of(call.get("name")) or "", arguments.text, as_extra(rest), arguments.oddities)


def said_result(result: dict[str, Any], place: int) -> Said:
    time = read_time(result.get("timestamp"))
    text = text_of(result.get("content"))
    failed = result.get("error")
    return Said(
        "tool",
        place,
        (Piece("text", text),) if text is not None else (),
        result_of=text_of(result.get("id")) or None,
        at=time.micros,
        started=time.micros,
        zone_assumed=time.zone_assumed,
        failed=failed if isinstance(failed, bool) else None,
        extra=extra_of(result, _READ),
    )
