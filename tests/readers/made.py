"""Recordings made in a line or two: the events of a Claude Code session, a chat, an ATIF trajectory, written as the tools write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Record = dict[str, Any]

SESSION = "5f0c9a3e-7a51-4d6e-9b0e-0a1b2c3d4e5f"
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def uuid_of(number: int) -> str:
    """Return the uuid that `claude_session` gives to the event with this number, from 1."""
    return f"00000000-0000-4000-8000-{number:012}"


def moment(seconds: float) -> str:
    """Return a time so many seconds after nine o'clock, as coding tools write it."""
    return (START + timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def claude_session(events: Iterable[Record], *, session: str = SESSION, first: int = 1) -> list[Record]:
    """Make events the lines of a session: each follows the one before, a second later; what an event says itself stays."""
    lines: list[Record] = []
    for number, event in enumerate(events, first):
        before = lines[-1].get("uuid") if lines else None
        fields = {"parentUuid": before, "isSidechain": False, "sessionId": session, "version": "2.0.1", "cwd": "/home/ana/shop"}
        lines.append(fields | {"uuid": uuid_of(number), "timestamp": moment(number)} | event)
    return lines


def user(content: str | list[Record], **fields: Any) -> Record:
    """Say something as a person, or as the tool does in a person's name."""
    return {"type": "user", "message": {"role": "user", "content": content}} | fields


def reply(
    *blocks: str | Record, id: str | None = None, usage: Record | None = None, stop: str | None = "end_turn", model: str = "claude-test-1", **fields: Any
) -> Record:
    """Say something as the model; a text is a block of text."""
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    message = {"id": id, "type": "message", "role": "assistant", "model": model, "content": content, "stop_reason": stop, "usage": usage}
    return {"type": "assistant", "message": {name: value for name, value in message.items() if value is not None}} | fields


def tool_use(id: str, name: str = "Bash", **arguments: Any) -> Record:
    """Ask for a tool."""
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def result(id: str, content: Any = "fine", *, is_error: bool | None = None, **fields: Any) -> Record:
    """Give the result of a tool."""
    block = {"type": "tool_result", "tool_use_id": id, "content": content} | ({} if is_error is None else {"is_error": is_error})
    return user([block], **fields)


def tokens(fresh: int, received: int, *, read: int = 0, written: int = 0) -> Record:
    """Count tokens as the Messages API does: what was read from the cache is not among the fresh ones."""
    return {"input_tokens": fresh, "output_tokens": received, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}


def chat(messages: Iterable[tuple[str, str | None] | Record]) -> list[Record]:
    """Make a message list of Chat Completions; a pair is a role and what it says."""
    return [message if isinstance(message, dict) else {"role": message[0], "content": message[1]} for message in messages]


def asks(*calls: tuple[str, str] | tuple[str, str, Any], content: str | None = None) -> Record:
    """Ask for tools in a chat: id, name and, unless they are an empty object, the arguments as text."""
    listed = [{"id": id, "type": "function", "function": {"name": name, "arguments": rest[0] if rest else "{}"}} for id, name, *rest in calls]
    return {"role": "assistant", "content": content, "tool_calls": listed}


def answers(id: str, content: Any = "fine") -> Record:
    """Give the result of a tool in a chat."""
    return {"role": "tool", "tool_call_id": id, "content": content}


def exchange(messages: Sequence[Record], reply: Record | None, **response: Any) -> Record:
    """Make an exchange of an HTTP log: a request, and the response to it."""
    choices = {"choices": [{"index": 0, "message": reply, "finish_reason": "stop"}]} if reply is not None else {}
    return {"request": {"model": "gpt-test", "messages": list(messages)}, "response": {"object": "chat.completion", **choices, **response}}


def trajectory(steps: Iterable[Record], *, session: str = "run-1", **fields: Any) -> Record:
    """Make an ATIF trajectory; steps are numbered."""
    numbered = [{"step_id": number} | step for number, step in enumerate(steps, 1)]
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": session,
        "agent": {"name": "terminal", "version": "1", "model_name": "gpt-test"},
        "steps": numbered,
    } | fields


def write_lines(path: Path, records: Iterable[Record | bytes]) -> Path:
    """Write a file of JSON lines; bytes are written as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join((record if isinstance(record, bytes) else json.dumps(record, ensure_ascii=False).encode()) + b"\n" for record in records))
    return path


def write_json(path: Path, document: Any) -> Path:
    """Write a file that is one JSON document."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    return path
