"""Counts of what recordings hold, made with nothing but json: by other means than the readers, to hold them against."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Counted(NamedTuple):
    """What somebody who reads a file finds in it."""

    replies: int
    """Messages of a model."""
    calls: int
    """Tool calls that it asked for."""
    results: int
    """Results of tools."""


def count_claude(paths: Iterable[Path]) -> Counted:
    """Count the events of sessions: each event once by its uuid, each reply once by its message id."""
    events = {event.get("uuid") or f"{path}:{number}": event for path in paths for number, event in enumerate(events_of(path))}
    messages = [(key, event["type"], event["message"]) for key, event in events.items() if event.get("type") in ("user", "assistant") and event.get("message")]
    blocks = [(kind, block) for _, kind, message in messages for block in blocks_of(message)]
    return Counted(
        replies=len({message.get("id") or key for key, kind, message in messages if kind == "assistant"}),
        calls=sum(kind == "assistant" and block.get("type") in ("tool_use", "server_tool_use") for kind, block in blocks),
        results=sum(kind == "user" and block.get("type") == "tool_result" for kind, block in blocks),
    )


def events_of(path: Path) -> list[dict[str, Any]]:
    """Return the events of a session or of its web export, those that are objects."""
    try:
        events = json.loads(path.read_text(encoding="utf-8"))["loglines"]
    except json.JSONDecodeError:
        events = list(whole_lines(path))
    return [event for event in events if isinstance(event, dict)]


def whole_lines(path: Path) -> Iterator[Any]:
    """Yield the values of the lines that are JSON."""
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


def blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the content blocks of a message of the Messages API."""
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def count_chat(messages: Iterable[dict[str, Any]]) -> Counted:
    """Count the messages of a list of Chat Completions."""
    listed = list(messages)
    return Counted(
        replies=sum(message["role"] == "assistant" for message in listed),
        calls=sum(len(message.get("tool_calls") or ()) for message in listed),
        results=sum(message["role"] == "tool" for message in listed),
    )


def count_atif(trajectory: dict[str, Any]) -> Counted:
    """Count the steps of a trajectory and of those embedded in it; copied context counts where it was first."""
    steps = [step for step in trajectory["steps"] if not step.get("is_copied_context")]
    inner = [count_atif(child) for child in trajectory.get("subagent_trajectories") or ()]
    return Counted(
        replies=sum(step["source"] == "agent" for step in steps) + sum(child.replies for child in inner),
        calls=sum(len(step.get("tool_calls") or ()) for step in steps) + sum(child.calls for child in inner),
        results=sum(len((step.get("observation") or {}).get("results") or ()) for step in steps) + sum(child.results for child in inner),
    )
