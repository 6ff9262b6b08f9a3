"""Conversations that the Copilot SDK records for its tests: every request's messages whole, with placeholders such as ${workdir}.

Each conversation repeats the one before with what came since; one that begins with the words of a `task` call is the sub-agent's of that call.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._fields import list_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile
from agentnb.readers._rows import CallRow
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import MessageList, Said
from agentnb.readers.dialects.chat import asked_in, content_of, is_message, said_in
from agentnb.readers.formats.copilot_cli._verdicts import NOT_ALLOWED, exit_code_at_end

_NOTIFIED = "<system_notification>"
_NO_TOOL = re.compile(r"Tool '[^']*' does not exist\b")


class _Placed(NamedTuple):
    """A message, and its place among all messages of the file, from 1."""

    place: int
    value: dict[str, Any]


class _Exchange(NamedTuple):
    """A conversation in its longest form, with a print of what it says."""

    messages: list[_Placed]
    prints: list[str]

    @property
    def prompt(self) -> str:
        """What was said first."""
        return next((content_of(message.value) for message in self.messages if message.value["role"] == "user"), "")


class _Task(NamedTuple):
    """What a call asks a sub-agent to do."""

    prompt: str
    agent: str


def matches(document: Any) -> bool:
    """Tell whether a document is one of these."""
    if not isinstance(document, dict) or not isinstance(document.get("models"), list) or not isinstance(document.get("conversations"), list):
        return False
    return any(isinstance(item, dict) and any(map(is_message, list_of(item.get("messages")))) for item in document["conversations"][:5])


def name_of(document: dict[str, Any]) -> str:
    """Name a file by what was said before the first reply."""
    first = next((list_of(item.get("messages")) for item in document["conversations"] if isinstance(item, dict)), [])
    before = list(itertools.takewhile(lambda message: not (isinstance(message, dict) and message.get("role") == "assistant"), first))
    return f"copilot-{digest_of(before)}"


def read(file: OpenFile, apart: Apart, on_bytes: OnBytes) -> None:
    """Read the conversations of a file."""
    for _, document in read_values(file, on_bytes):
        exchanges = list(_exchanges_in(document, file))
        begun = {exchange.prompt: place for place, exchange in enumerate(exchanges)}
        tasks = {task.prompt: task for exchange in exchanges for task in _tasks_of(exchange) if begun.get(task.prompt, 0) > 0}
        callers: dict[str, Link] = {}
        drafts: list[ConversationDraft] = []
        for place, exchange in enumerate(exchanges):
            caller, prompt = callers.get(exchange.prompt), exchange.prompt
            if caller is not None and prompt in tasks:
                draft, name = caller.thread.draft, tasks[prompt].agent
                agent_id = f"{draft.row.conversation_id}/agent-{place}"
                thread = draft.start_thread(agent_id, name, file.account, at=None, line=exchange.messages[0].place)
                thread.parent = caller
            else:
                drafts.append(_start(document, place, apart, file))
                thread = drafts[-1].main
            _say(exchange, thread, file)
            callers |= {task.prompt: Link(call, thread) for call in thread.calls if call.kind == "tool" and (task := _task_of(call)) is not None}
        for draft in drafts:
            draft.finish()


def _start(document: dict[str, Any], place: int, apart: Apart, file: OpenFile) -> ConversationDraft:
    draft = apart.start(name_of(document) if place == 0 else f"{name_of(document)}-{place}", file.account)
    draft.row.agent_name = "copilot"
    draft.row.model = next((text_of(model) for model in document["models"]), None)
    return draft


def _say(exchange: _Exchange, thread: Thread, file: OpenFile) -> None:
    reader = MessageList(thread, file.account)
    before = ""
    for place, message in exchange.messages:
        said = _in_step(said_in(message, place), before)
        if said.role == "tool":
            said = _judged(said, thread)
        reader.read([said])
        before = said.role
    reader.finish()


def _in_step(said: Said, before: str) -> Said:
    """A reply is recorded in pieces while it comes; what a person is said to have said may be a notice."""
    if said.role == "user" and said.pieces and (said.pieces[0].text or "").lstrip().startswith(_NOTIFIED):
        return said._replace(injected=True)
    return said._replace(same_step=True) if said.role == before == "assistant" else said


def _judged(said: Said, thread: Thread) -> Said:
    """Tell what a result says of its call: a hook or a person did not let it run, or there is no such tool."""
    text = said.pieces[0].text or "" if said.pieces else ""
    if NOT_ALLOWED.match(text):
        call = next((call for call in reversed(thread.calls) if call.tool_call_id == said.result_of and call.state is None), None)
        if call is not None:
            call.state = "denied"
        return said._replace(error=first_line(text))
    code = exit_code_at_end(text)
    return said._replace(failed=True) if _NO_TOOL.match(text) else said._replace(exit_code=code)


def _exchanges_in(document: dict[str, Any], file: OpenFile) -> Iterator[_Exchange]:
    """Yield each conversation in its longest form; what a shorter form repeats is merged."""
    account = file.account
    found: list[_Exchange] = []
    place = 0
    for item in document["conversations"]:
        messages: list[_Placed] = []
        for value in list_of(item.get("messages")) if isinstance(item, dict) else [item]:
            place += 1
            if is_message(value):
                messages.append(_Placed(place, value))
            else:
                account.leave_out("no_message", "It stands among messages and is none; it was left out.", line=place, excerpt=value)
        exchange = _Exchange(messages, list(_prints(messages)))
        known = next((place for place, other in enumerate(found) if messages and other.prints == exchange.prints[: len(other.prints)]), None)
        if known is None:
            found.append(exchange)
        else:
            account.merge(len(found[known].messages))
            found[known] = exchange
    yield from (exchange for exchange in found if exchange.messages)


def _prints(messages: list[_Placed]) -> Iterator[str]:
    """Reduce messages to what stays the same when they are sent again: pieces of a reply are put together, results are trimmed."""
    for _, message in messages:
        if message["role"] in ("tool", "function"):
            yield to_json(["tool", message.get("tool_call_id")])
            continue
        if content := content_of(message):
            yield to_json([message["role"], content])
        yield from (to_json([call.tool_call_id, call.name, call.input]) for call in asked_in(message))


def _tasks_of(exchange: _Exchange) -> Iterator[_Task]:
    for message in exchange.messages:
        yield from (task for call in asked_in(message.value) if (task := _task_in(call.input)) is not None)


def _task_of(call: CallRow) -> _Task | None:
    return _task_in(call.input.decode() if isinstance(call.input, bytes) else call.input)


def _task_in(arguments: str | None) -> _Task | None:
    if arguments is None or '"prompt"' not in arguments:
        return None
    parsed = parse_json(arguments.encode()).value
    prompt = parsed.get("prompt") if isinstance(parsed, dict) else None
    return _Task(prompt.strip(), text_of(parsed.get("agent_type")) or "") if isinstance(prompt, str) else None
