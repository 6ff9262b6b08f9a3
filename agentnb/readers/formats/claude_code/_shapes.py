"""Which values are events of Claude Code: lines of a session, what it prints when it runs without a screen, and lists of either in one document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._reader import Sample

_SPOKEN = frozenset({"user", "assistant"})
_SESSION_TYPES = _SPOKEN | {"system", "summary", "queue-operation", "file-history-snapshot", "progress", "attachment"}
_PRINTED_TYPES = _SPOKEN | {"system", "result", "stream_event"}


def events_of(sample: Sample) -> Sequence[Any]:
    """Return the events that a file holds, or of a file of lines those that are known of it."""
    document = sample.document
    if sample.shape != "document":
        return sample.values
    if isinstance(document, dict):
        document = next((document[name] for name in ("loglines", "messages") if isinstance(document.get(name), list)), [])
    return document if isinstance(document, list) else []


def is_event_list(document: Any) -> bool:
    """Tell whether a document is a list of events: the web export, or what was printed, as one array."""
    if isinstance(document, dict) and isinstance(document.get("loglines"), list):
        return True
    events = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(events, list) or not all(isinstance(event, dict) and "role" not in event for event in events[:50]):
        return False
    return any(map(is_event, events[:50])) and not any(map(is_event_of_another_tool, events[:50]))


def is_event(value: Any) -> bool:
    """Tell whether a value is an event."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str) or "payload" in value:
        return False
    if value["type"] in _SPOKEN:
        return _is_spoken(value)
    if value["type"] in _SESSION_TYPES and ("sessionId" in value or "leafUuid" in value or "parentUuid" in value):
        return True
    return value["type"] in _PRINTED_TYPES and isinstance(value.get("session_id"), str) and ("uuid" in value or "tools" in value or "num_turns" in value)


def _is_spoken(value: dict[str, Any]) -> bool:
    """Tell a message as it stands in an event; one that names neither itself nor its session says no more than its type."""
    message = value.get("message")
    if not isinstance(message, dict):
        return False
    if "uuid" in value or "sessionId" in value:
        return True
    return isinstance(message.get("content"), str | list) and message.get("role", value["type"]) == value["type"] and "role" not in value


def is_event_of_another_tool(value: Any) -> bool:
    """Tell the events of tools that write almost the same: Qwen Code with its parts of Gemini, Cursor with events of its tools, Droid with bare messages."""
    if not isinstance(value, dict):
        return False
    message, kind = value.get("message"), value.get("type")
    if kind == "tool_call" and ("call_id" in value or "toolId" in value):
        return True
    if kind == "message" and "role" in value:
        return True
    if kind == "system" and value.get("subtype") == "init" and "apiKeySource" in value and "tools" not in value:
        return True
    return isinstance(message, dict) and "parts" in message and "content" not in message
