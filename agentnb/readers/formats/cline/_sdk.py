"""Sessions of the Cline SDK: an object with the messages, and another with those that are left after a summary was made of the others."""

from __future__ import annotations

from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, count_in, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import MessageList, Said, joined
from agentnb.readers.dialects.anthropic import is_message, said_of_message, said_of_system

_READ_SESSION = frozenset({"agent", "sessionId", "messages", "system_prompt"})
_READ_MESSAGE = frozenset({"id", "role", "content", "ts", "modelInfo", "metrics"})
_READ_METRICS = {
    "inputTokens": ("input_tokens", count_in),
    "outputTokens": ("output_tokens", count_in),
    "cacheReadTokens": ("cached_tokens", count_in),
    "cacheWriteTokens": ("cache_write_tokens", count_in),
    "cost": ("cost", amount_in),
}


def is_session(value: Any) -> bool:
    """Tell whether a document is a session."""
    return (
        isinstance(value, dict) and isinstance(value.get("sessionId"), str) and isinstance(value.get("messages"), list) and {"version", "agent"} <= set(value)
    )


def read_sessions(documents: list[tuple[Any, Account]], apart: Apart) -> None:
    """Read documents into conversations, those of one session into one: what a later one repeats is merged."""
    drafts: dict[str, _Session] = {}
    # A summary replaces what came before it, so the document without one has the messages that it is about.
    for value, account in sorted(documents, key=lambda item: any(map(_is_summary, item[0]["messages"]))):
        session = drafts.get(value["sessionId"])
        if session is None:
            session = drafts[value["sessionId"]] = _Session(apart.start(value["sessionId"] or _digest(value), account), account)
        session.read(value, account)
    for session in drafts.values():
        session.messages.finish()
        session.draft.finish()


def _digest(value: dict[str, Any]) -> str:
    return f"cline-{digest_of(['cline', value['messages'][:1]])}"


def _is_summary(message: Any) -> bool:
    metadata = message.get("metadata") if isinstance(message, dict) else None
    return isinstance(metadata, dict) and str(metadata.get("kind", "")).startswith("compaction")


class _Session:
    def __init__(self, draft: ConversationDraft, account: Account) -> None:
        self.draft = draft
        self.messages = MessageList(draft.main, account)
        self._met: set[str] = set()

    def read(self, value: dict[str, Any], account: Account) -> None:
        """Read a document of the session."""
        draft = self.draft
        self.messages.account = draft.main.account = account
        draft.row.agent_name = draft.row.agent_name or "cline"
        if isinstance(value["agent"], str):
            draft.labels["agent"] = value["agent"]
        draft.extra = rest_of(value, _READ_SESSION) | draft.extra
        if "system_prompt" not in self._met and value.get("system_prompt"):
            self._met.add("system_prompt")
            self.messages.read(said_of_system(value["system_prompt"], 1))
        for place, message in enumerate(value["messages"], 1):
            self._read_message(message, place, account)

    def _read_message(self, message: Any, place: int, account: Account) -> None:
        if not is_message(message):
            account.leave_out("no_message", "It stands among messages and is none; it was left out.", line=place, excerpt=message)
            return
        mark = to_json(message)
        if mark in self._met:
            account.merge()
            return
        self._met.add(mark)
        said = said_in(message, place)
        self.messages.read(item._replace(injected=True) for item in said) if _is_summary(message) else self.messages.read(said)


def said_in(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message of Anthropic Messages, with what Cline keeps beside it: its time, its model and what it cost."""
    time = read_time(message.get("ts"))
    bare = {"role": message["role"], "content": message["content"], "id": message.get("id"), "timestamp": message.get("ts")}
    said = said_of_message(bare, place)
    rest = rest_of(message, _READ_MESSAGE)
    model, metrics = message.get("modelInfo"), message.get("metrics")
    first = said[0]
    if first.role == "assistant":
        told = model if isinstance(model, dict) else {}
        rest |= {"modelInfo": unread} if (unread := {name: item for name, item in told.items() if name not in ("id", "modelId")}) else {}
        first = first._replace(model=text_of(told.get("id") or told.get("modelId")), usage=usage_in(metrics), at=time.micros)
    elif model is not None or metrics is not None:
        rest |= {"modelInfo": model, "metrics": metrics}
    extra = text_of(joined(first.extra, to_json(rest))) if rest else first.extra
    return [first._replace(extra=extra), *said[1:]]


def usage_in(metrics: Any) -> dict[str, Any]:
    """Return the columns of a model call that `metrics` tell; what was read from the cache is among the input."""
    if not isinstance(metrics, dict):
        return {}
    tokens = metrics.get("tokens")
    held = metrics | _renamed(tokens) if isinstance(tokens, dict) else metrics
    found = {column: read(held.get(name)) for name, (column, read) in _READ_METRICS.items()}
    return {column: value for column, value in found.items() if value is not None}


def _renamed(tokens: dict[str, Any]) -> dict[str, Any]:
    """Return the counts of the extension, which names what was cached beside the other input."""
    prompt, read, written = (count_in(tokens.get(name)) for name in ("prompt", "cached", "cacheWrites"))
    sent = [count for count in (prompt, read, written) if count is not None]
    return {"inputTokens": sum(sent) if sent else None, "outputTokens": tokens.get("completion"), "cacheReadTokens": read, "cacheWriteTokens": written}
