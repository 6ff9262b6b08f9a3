"""The log that Copilot Chat exports for a replay: prompts, each with the requests to the model and the tool calls that it led to.

A prompt stands once for every round of its turn. A request repeats all messages before it; of those only what was not said before is said, as what was put
in by the editor. A record is an entry of a prompt's log.
"""

from __future__ import annotations

from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, dict_of, extra_of, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.chat import usage_in
from agentnb.readers.formats.vscode_chat._texts import plain_id, result_text

_ROLES = {0: "system", 1: "user", "system": "system", "user": "user"}
_READ_REQUEST = ("kind", "metadata", "requestMessages", "response")
_READ_METADATA = ("model", "usage", "startTime", "endTime", "tools")


def matches(document: Any) -> bool:
    """Tell whether a document is such a log."""
    if not isinstance(document, dict) or "exportedAt" not in document or not isinstance(document.get("prompts"), list):
        return False
    return any(isinstance(prompt, dict) and isinstance(prompt.get("logs"), list) for prompt in document["prompts"][:5])


def name_of(document: dict[str, Any]) -> str:
    """Name a log by its first prompt and the ids of the entries of it."""
    first = next((prompt for prompt in document["prompts"] if isinstance(prompt, dict)), {})
    logs = first.get("logs")
    ids = [entry.get("id") for entry in logs if isinstance(entry, dict)] if isinstance(logs, list) else []
    digest = digest_of([first.get("promptId"), first.get("prompt"), ids])
    return text_of(first.get("promptId")) or f"vscode-replay-{digest}"


def read(document: dict[str, Any], account: Account, draft: ConversationDraft) -> None:
    """Read a log."""
    draft.row.agent_name = "GitHub Copilot"
    draft.extra |= {name: value for name, value in document.items() if name != "prompts" and value is not None}
    log = _Log(draft, account)
    for prompt in document["prompts"]:
        log.read(prompt)
    log.finish()


class _Log:
    def __init__(self, draft: ConversationDraft, account: Account) -> None:
        self._draft = draft
        self._account = account
        self._reader = MessageList(draft.main, account)
        self._said: set[str] = set()
        self._prompt: str | None = None
        self._tools: Any = None
        self._elements: list[Any] = []
        self._place = 0

    def read(self, prompt: Any) -> None:
        """Read a prompt with its log; the same prompt again is a further round of the same turn."""
        logs = prompt.get("logs") if isinstance(prompt, dict) else None
        if not isinstance(prompt, dict) or not isinstance(logs, list):
            self._leave_out(prompt)
            return
        text = text_of(prompt.get("prompt")) or ""
        if text != self._prompt or prompt.get("hasSeen") is not True:
            self._prompt = text
            extra = extra_of(prompt, ("prompt", "logs", "hasSeen", "logCount"))
            self._reader.read([Said("user", self._place + 1, (Piece("text", text),), extra=extra, records=0)])
        for entry in logs:
            kind = entry.get("kind") if isinstance(entry, dict) else None
            if kind == "request":
                self._place += 1
                self._request(entry)
            elif kind == "toolCall":
                self._place += 1
                self._tool_call(entry)
            elif kind == "element":
                self._place += 1
                self._elements.append({name: value for name, value in entry.items() if name != "kind"})
                self._account.keep()
            else:
                self._leave_out(entry)

    def finish(self) -> None:
        """Finish the conversation."""
        if self._elements:
            self._draft.extra["elements"] = self._elements
        self._reader.finish()
        self._draft.finish()

    def _leave_out(self, value: Any) -> None:
        self._place += 1
        self._account.leave_out("no_entry", "It is no entry of a log: a request, a tool call or an element; it was left out.", line=self._place, excerpt=value)

    def _request(self, entry: dict[str, Any]) -> None:
        metadata = dict_of(entry.get("metadata"))
        self._put_in(entry.get("requestMessages"))
        rest = rest_of(metadata, _READ_METADATA)
        rest |= rest_of(entry, _READ_REQUEST)
        tools, elements = metadata.get("tools"), self._elements
        self._elements = []
        if elements:
            rest["elements"] = elements
        if tools is not None and self._tools is None:
            self._tools = self._draft.extra["tools"] = tools
        elif tools is not None and tools != self._tools:
            rest["tools"] = tools
        response = entry.get("response")
        message = response.get("message") if isinstance(response, dict) else response
        text = "".join(part for part in message if isinstance(part, str)) if isinstance(message, list) else text_of(message)
        failed = isinstance(response, dict) and response.get("type") not in ("success", None)
        reason = text_of(response.get("reason") or response.get("type")) if isinstance(response, dict) else None
        ended, started = read_time(metadata.get("endTime")), read_time(metadata.get("startTime"))
        said = Said(
            "assistant",
            self._place,
            (Piece("text", text),) if text else (),
            at=ended.micros,
            started=started.micros,
            zone_assumed=ended.zone_assumed,
            model=text_of(metadata.get("model")),
            usage=usage_in(metadata.get("usage")),
            error=reason or "failed" if failed else None,
            extra=as_extra(rest),
        )
        self._reader.read([said])

    def _put_in(self, asked: Any) -> None:
        """Say what a request puts before the model that was not said before: the instructions, and what the editor tells of itself."""
        messages = asked.get("messages") if isinstance(asked, dict) else asked
        for message in messages if isinstance(messages, list) else []:
            recorded = message.get("role") if isinstance(message, dict) else None
            role = _ROLES.get(recorded) if isinstance(recorded, int | str) else None
            content = message.get("content") if isinstance(message, dict) else None
            texts = (
                [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)] if isinstance(content, list) else [content]
            )
            text = "\n".join(part for part in texts if isinstance(part, str))
            if role is not None and text and text not in self._said:
                self._said.add(text)
                self._reader.read([Said(role, self._place, (Piece("text", text),), injected=True, records=0)])

    def _tool_call(self, entry: dict[str, Any]) -> None:
        """Read a call and its result; the request before it asked for it."""
        call_id = plain_id(entry.get("id"))
        arguments = read_arguments(entry.get("args"))
        time = read_time(entry.get("time"))
        thinking = entry.get("thinking")
        thought = text_of(thinking.get("text")) if isinstance(thinking, dict) else text_of(thinking)
        extra = extra_of(entry, ("id", "kind", "tool", "args", "time", "response", "thinking"))
        asked = Asked(call_id, text_of(entry.get("tool")) or "", arguments.text, extra, arguments.oddities)
        pieces = (Piece("reasoning", thought),) if thought else ()
        said = Said("assistant", self._place, pieces, (asked,), same_step=True, records=0 if "response" in entry else 1)
        result = result_text(entry.get("response"))
        answer = Said(
            "tool", self._place, (Piece("text", result),) if result is not None else (), result_of=call_id, at=time.micros, zone_assumed=time.zone_assumed
        )
        self._reader.read([said, answer] if "response" in entry else [said])
