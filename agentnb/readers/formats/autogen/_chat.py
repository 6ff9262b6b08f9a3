"""Messages of AgentChat: what people and agents of a team said and called, as results of a task, as saved states, or as a log with a message on each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, counts_in, extra_of, object_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said, joined
from agentnb.readers.formats.autogen._client import USAGE, asked_in, pieces_in, said_in, said_of_result

_ENDINGS = ("Message", "Event")
_CLIENT = frozenset({"SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage"})
_PEOPLE = frozenset({"user", "human", "user_proxy", "userproxy"})
_NOT_SAID = frozenset({"StopMessage", "HandoffMessage", "UserInputRequestedEvent", "MemoryQueryEvent", "SelectSpeakerEvent", "SelectorEvent"})
_READ = frozenset({"id", "type", "source", "content", "created_at", "models_usage", "thought"})

Placed = tuple[int, Any]
"""A message, with its place in the recording, from 1."""


def is_chat_message(value: Any) -> bool:
    """Tell whether a value is a message or an event of AgentChat."""
    kind = value.get("type") if isinstance(value, dict) else None
    told = isinstance(kind, str) and kind.endswith(_ENDINGS) and isinstance(value.get("source"), str)
    return told and "content" in value and "models_usage" in value


def messages_in(value: Any) -> list[list[Any]] | None:
    """Return the lists of messages that a document holds, one for each conversation: a list, a task's result, or the state of a team or an agent."""
    if isinstance(value, list):
        return [value] if any(is_chat_message(item) or _is_client_message(item) for item in value[:20]) else None
    if not isinstance(value, dict):
        return None
    messages = value.get("messages")
    if isinstance(messages, list) and (any(map(_is_client_message, messages[:20])) or ("stop_reason" in value and any(map(is_chat_message, messages[:20])))):
        return [messages]
    return _in_state(value)


def name_of_chat(messages: Iterable[Any]) -> str:
    """Name a conversation by its first message, which has an id and a time where it was recorded with these."""
    first = next(iter(messages), None)
    return f"autogen-{digest_of(['agentchat', first])}"


class Chat:
    """Reads the messages of a team, or of an agent, as one conversation."""

    def __init__(self, messages: list[Any], account: Account, apart: Apart, place: int, extra: dict[str, Any]) -> None:
        """Start the conversation of messages that begin at a place of their file."""
        self.account = account
        self.draft = apart.start(name_of_chat(messages), account, line=place)
        self.draft.extra |= extra
        self.messages = MessageList(self.draft.main, account)
        self._thoughts: list[Said] = []
        self._speakers: dict[str, None] = {}

    def read(self, placed: Iterable[Placed]) -> None:
        """Read messages in their order."""
        for place, value in placed:
            if not isinstance(value, dict):
                self.messages.read([Said("user", place, (Piece("other", None, extra=object_of(value)),), injected=True)])
            elif _is_client_message(value):
                self._speak(value)
                self.messages.read(_counted(said_in(value, place)))
            else:
                self._read_message(value, place)

    def finish(self) -> None:
        """Say thoughts that nothing followed, and keep the conversation."""
        self.messages.read(self._thoughts)
        self._thoughts = []
        if len(self._speakers) == 1:
            self.draft.row.agent_name = next(iter(self._speakers))
        self.messages.finish()
        self.draft.finish()

    def _read_message(self, value: dict[str, Any], place: int) -> None:
        self._speak(value)
        if value.get("type") == "ThoughtEvent":
            self._thoughts.append(_said(value, place, "assistant", (Piece("reasoning", text_of(value.get("content"))),)))
            return
        for said in _said_of(value, place):
            if self._thoughts and said.role == "assistant" and said.records:
                pieces = tuple(piece for thought in self._thoughts for piece in thought.pieces)
                said = said._replace(pieces=(*pieces, *said.pieces), records=said.records + len(self._thoughts))
                self._thoughts = []
            self.messages.read([*self._thoughts, said])
            self._thoughts = []

    def _speak(self, value: dict[str, Any]) -> None:
        source = value.get("source")
        if isinstance(source, str) and not is_person(value):
            self._speakers[source] = None


def is_person(value: dict[str, Any]) -> bool:
    """Tell whether a person said a message."""
    return (text_of(value.get("source")) or "").lower() in _PEOPLE and text_of(value.get("type")) not in _NOT_SAID


def _in_state(value: Any) -> list[list[Any]] | None:
    if not isinstance(value, dict):
        return None
    states = value.get("agent_states")
    if isinstance(states, dict):
        threads = [state["message_thread"] for state in states.values() if isinstance(state, dict) and isinstance(state.get("message_thread"), list)]
        found = [thread for thread in threads if thread] or [
            context for state in states.values() if isinstance(state, dict) for context in _in_state(state.get("agent_state")) or ()
        ]
        return found or None
    context = value.get("llm_context")
    messages = context.get("messages") if isinstance(context, dict) else None
    return [messages] if isinstance(messages, list) and any(map(_is_client_message, messages[:20])) else None


def _is_client_message(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind in _CLIENT and "content" in value and ("source" in value or kind != "UserMessage")


def _said_of(value: dict[str, Any], place: int) -> Iterator[Said]:
    kind, content = value.get("type"), value.get("content")
    if kind == "ToolCallRequestEvent":
        yield _said(value, place, "assistant", (), asked_in(content))
    elif kind == "ToolCallExecutionEvent":
        at = read_time(value.get("created_at")).micros
        results = [said_of_result(result, place)._replace(at=at) for result in (content if isinstance(content, list) else [content])]
        yield from _counted(results) if results else [_said(value, place, "system", injected=True)]
    elif kind == "CodeExecutionEvent" and isinstance(value.get("result"), dict):
        result = value["result"]
        code = result.get("exit_code")
        output = (Piece("text", text_of(result.get("output"))),)
        yield Said("tool", place, output, exit_code=code if type(code) is int else None, at=read_time(value.get("created_at")).micros)
    elif kind == "CodeGenerationEvent":
        yield _said(value, place, "assistant", pieces_in(content), _programs(value))
    elif kind == "ToolCallSummaryMessage":
        # It repeats what the tools returned, without the model.
        yield _said(value, place, "assistant", pieces_in(content))._replace(same_step=True)
    elif isinstance(kind, str) and kind in _NOT_SAID:
        yield _said(value, place, "system", pieces_in(content), injected=True)
    else:
        yield _said(value, place, "user" if is_person(value) else "assistant", pieces_in(content))


def _said(value: dict[str, Any], place: int, role: str, pieces: tuple[Piece, ...] = (), asked: tuple[Asked, ...] = (), *, injected: bool = False) -> Said:
    counts = counts_in(value.get("models_usage"), USAGE)
    rest = {name: item for name, item in value.items() if name not in _READ and item not in (None, {}, [])}
    extra = joined(to_json({"agent": value["source"]}) if role != "user" and isinstance(value.get("source"), str) else None, as_extra(rest))
    time = read_time(value.get("created_at"))
    text = extra.decode() if isinstance(extra, bytes) else extra
    return Said(role, place, pieces, asked, at=time.micros, zone_assumed=time.zone_assumed, usage=counts, extra=text, injected=injected)


def _programs(value: dict[str, Any]) -> tuple[Asked, ...]:
    """Return the code that an agent is about to run."""
    blocks = value.get("code_blocks")
    found = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    code = "\n\n".join(text_of(block.get("code")) or "" for block in found)
    return (Asked(None, "code_executor", to_json({"language": found[0].get("language"), "code": code}), extra_of(value, value.keys())),) if found else ()


def _counted(messages: Iterable[Said]) -> Iterator[Said]:
    """Let the first of what a message says stand for the record."""
    for number, said in enumerate(messages):
        yield said._replace(records=int(number == 0))
